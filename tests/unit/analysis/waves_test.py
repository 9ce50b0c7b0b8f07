"""Waves against events written by hand, and the figures drawn from them."""

import os
import tempfile
import unittest

import context  # noqa: F401
import sample
from matplotlib.text import Text
from holdfast_analysis import phases, results, style, wave_curves, waves

HEADER = ["point", "replicate", "at_s", "event", "process", "subjects", "incarnation", "failure"]


class Waves(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.join(holder.name, "run")
        sample.sweep(self.folder)

    def read(self, rows):
        sample.write_csv(self.folder, "events.csv", HEADER, [[0, 0, *row] for row in rows])
        return waves.read(results.read(self.folder))

    def test_who_knew_when_and_who_is_not_waited_for(self):
        found, cut_short = self.read([
            ["0.5", "failed", 9, "40", 0, ""],               # a mistake that becomes true
            ["1.000000000", "crash", "", "40-41", 0, 0],
            ["1.8", "suspected", 8, "40-41", 0, 0],          # and does not know
            ["1.8", "trusted", 8, "41", 0, 0],
            ["1.9", "failed", 7, "40", 0, 0],                # half of it
            ["2.000000001", "failed", 8, "40-41", 0, 0],
            ["2.0000000105", "failed", 7, "41", 0, 0],
            ["2.1", "failed", 9, "41", 0, 0],
            ["2.2", "crash", "", "50", 0, 1],                # never knew, and is waited for no more
            ["2.3", "repair", "", "50", 65536, 1],
            ["2.4", "failed", 50, "40-41", 0, 0],            # in its new life
            ["3", "repair", "", "40-41", 65536, 0],
            ["3.5", "alive", 8, "40-41", 65536, 0]])
        self.assertEqual(cut_short, set())
        first, second = found[0, 0]
        self.assertEqual((first.at_ns, first.ended), (10 ** 9, {40, 41}))
        self.assertEqual(first.knew_ns, {8: 1_000_000_001, 7: 1_000_000_010, 9: 1_100_000_000})
        self.assertEqual(len(first.living), 1296 - 3)
        self.assertEqual(first.back_ns, {8: 2_500_000_000})
        self.assertEqual(first.first_ns(), 1_000_000_001)
        self.assertEqual([step[0] for step in first.curve()], [0, 9, 99_999_999])
        self.assertEqual((second.ended, second.knew_ns), ({50}, {}))

    def test_a_log_that_ends_early_says_so(self):
        found, cut_short = self.read([["1", "crash", "", "4", 0, 0],
                                      ["2", "ends_here", "", "", "", ""]])
        self.assertEqual(cut_short, {(0, 0)})
        self.assertEqual(len(found[0, 0]), 1)

    def test_without_events_there_are_none(self):
        self.assertEqual(waves.read(results.read(self.folder)), ({}, set()))

    def test_what_is_wrong_is_told_with_its_line(self):
        with self.assertRaisesRegex(results.ResultsError, r"events.csv:2: column subjects holds "
                                    r'"4 to 5"; expected a rank or a range'):
            self.read([["1", "crash", "", "4 to 5", 0, 0]])
        with self.assertRaisesRegex(results.ResultsError, "events.csv:2: column at_s holds"):
            self.read([["soon", "crash", "", "4", 0, 0]])

    def test_curves_end_at_the_share_that_knew(self):
        found, _ = self.read([["10", "crash", "", "0", 0, 0]] + [
            [f"10.{100 + rank}", "failed", rank, "0", 0, 0] for rank in range(1, 648)])
        drawn = wave_curves.draw(results.read(self.folder), found)
        self.addCleanup(style.close, drawn)
        line = drawn.axes[0].lines[0]
        self.assertAlmostEqual(line.get_ydata()[-1], 100 * 647 / 1295)
        self.assertLessEqual(len(line.get_xdata()), 2 * wave_curves.MOST_STEPS)


class Phases(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.join(holder.name, "run")

    def test_spans_begin_where_the_one_before_ended(self):
        failure = results.Failure(0, 10.0, "node", "a", 4, 0.375, 0.5, 0.25, 20.0, 0.125, 0)
        self.assertEqual(phases.spans_of(failure), [0.375, 0.125, 0.25, 9.25, 0.125])
        lost = results.Failure(0, 10.0, "node", "a", 4, None, None, None, None, None, 7)
        self.assertEqual(phases.spans_of(lost), [None, None, None, None, None])
        suspected = results.Failure(0, 10.0, "node", "a", 4, 0.5, None, None, None, None, 7)
        self.assertEqual(phases.spans_of(suspected), [0.5, None, None, None, None])

    def titles(self, held):
        """The columns of the figure, and what its legend calls the marks."""
        sample.sweep(self.folder, held=held)
        drawn = phases.draw(results.read(self.folder))
        self.addCleanup(style.close, drawn)
        titles = [axis.get_title(loc="left") for axis in drawn.axes]
        drawn.canvas.draw()
        boxes = [text.get_window_extent() for axis, title in zip(drawn.axes, titles)
                 for text in axis.findobj(Text) if text.get_text() == title]
        self.assertEqual(len(boxes), len(titles))
        for left, right in zip(boxes, boxes[1:]):
            self.assertLess(left.x1, right.x0)
        return titles, [text.get_text() for text in drawn.legends[0].get_texts()]

    def test_suspicion_and_verdict_are_apart_only_where_verdicts_are_held(self):
        columns, marks = self.titles(0.0)
        self.assertEqual(columns[:2], ["crash to first verdict", "to last informed"])
        self.assertEqual(marks[:3], ["crash", "suspicion and first verdict",
                                     "last process informed"])
        columns, marks = self.titles(0.25)
        self.assertEqual(columns, [title for title, _ in phases.SPANS])
        self.assertEqual(marks[:6], ["crash"] + phases.EVENTS)

    def test_the_first_replicate_of_each_point_is_drawn_and_never_is_told(self):
        sample.sweep(self.folder)
        found = results.read(self.folder)
        rows, count = phases.chosen(found)
        self.assertEqual((len(rows), count), (6, 6))
        drawn = phases.draw(found)
        self.addCleanup(style.close, drawn)
        self.assertEqual(sum(text.get_text() == "never"
                             for axis in drawn.axes for text in axis.texts), 1)

    def test_of_many_the_slowest_are_drawn(self):
        sample.year(self.folder)
        found = results.read(self.folder)
        rows, count = phases.chosen(found)
        self.assertEqual((len(rows), count), (phases.MOST_ROWS, 1141 - 57))
        slowest = max(found.points[0].effective(), key=lambda failure: failure.detection_s or 0)
        self.assertIn(slowest, [failure for _, failure in rows])


if __name__ == "__main__":
    unittest.main()

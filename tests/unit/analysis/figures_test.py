"""What the figures show: read back from the drawn figures, not from their pixels."""

import os
import tempfile
import unittest

import context  # noqa: F401
import sample
from holdfast_analysis import figures, results, style


class Drawn(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.join(holder.name, "run")

    def draw(self, function, found):
        drawn = function(found)
        self.addCleanup(style.close, drawn)
        return drawn


class Times(Drawn):
    def test_kinds_of_failure_and_both_times_have_panels_of_their_own(self):
        sample.sweep(self.folder)
        drawn = self.draw(figures.times, results.read(self.folder))
        titles = [axis.get_title(loc="left") for axis in drawn.axes]
        self.assertEqual(titles, ["Detection of node deaths", "Propagation of node deaths",
                                  "Detection of process deaths", "Propagation of process deaths"])

    def test_every_known_failure_is_a_dot_and_the_unknown_are_told(self):
        sample.sweep(self.folder, replicates=8)
        drawn = self.draw(figures.times, results.read(self.folder))
        nodes = drawn.axes[0]
        self.assertEqual([len(dots.get_offsets()) for dots in nodes.collections], [16, 15])
        self.assertIn("1 of 16 never", [text.get_text() for text in nodes.texts])

    def test_the_diamond_stands_on_the_median(self):
        sample.sweep(self.folder, replicates=8)
        found = results.read(self.folder)
        values = sorted(failure.propagation_s for failure in found.points[0].effective()
                        if failure.what == "node")
        drawn = self.draw(figures.times, found)
        diamonds = [line.get_xdata()[0] for line in drawn.axes[1].lines
                    if line.get_marker() == "D"]
        self.assertAlmostEqual(diamonds[0], (values[7] + values[8]) / 2, places=15)

    def test_rows_say_which_keys_their_values_are_of_where_there_are_several(self):
        sample.sweep(self.folder)
        found = results.read(self.folder)
        for swept, named in ((["propagation.kind"], ""),
                             (["detector.timeout", "detector.period"], "timeout, period")):
            found.swept = swept
            for function in (figures.times, figures.messages):
                self.assertEqual(self.draw(function, found).axes[0].get_ylabel(), named)

    def test_without_failures_there_is_no_figure(self):
        sample.sweep(self.folder)
        with open(os.path.join(self.folder, "failures.csv"), encoding="utf-8") as file:
            header = file.readline()
        with open(os.path.join(self.folder, "failures.csv"), "w", encoding="utf-8") as file:
            file.write(header)
        found = results.read(self.folder)
        for function in (figures.times, figures.cumulative, figures.timeline):
            self.assertIsNone(function(found))


class Cumulative(Drawn):
    def test_a_curve_ends_at_the_share_that_was_detected(self):
        sample.sweep(self.folder, replicates=8)
        drawn = self.draw(figures.cumulative, results.read(self.folder))
        ends = [line.get_ydata()[-1] for line in drawn.axes[0].lines]
        self.assertEqual(ends, [100.0, 100.0 * 15 / 16])


class Timeline(Drawn):
    def test_a_year_has_one_and_a_script_has_none(self):
        sample.year(self.folder, failures=200)
        drawn = self.draw(figures.timeline, results.read(self.folder))
        dots = [len(points.get_offsets()) for axis in drawn.axes for points in axis.collections]
        self.assertEqual(dots, [190, 190])
        months = [text.get_text() for text in drawn.axes[1].get_xticklabels(minor=True)]
        self.assertEqual((months[0], months[-1], len(months)), ("Jan", "Dec", 12))
        sample.sweep(self.folder + "2")
        self.assertIsNone(figures.timeline(results.read(self.folder + "2")))


class Messages(Drawn):
    def test_bars_are_counts_per_failure_and_process(self):
        sample.sweep(self.folder, replicates=1)
        drawn = self.draw(figures.messages, results.read(self.folder))
        widths = {axis.get_title(loc="left"): [bar.get_width() for bar in axis.patches]
                  for axis in drawn.axes}
        self.assertEqual(widths["notices"], [20.0, 10.0])
        self.assertEqual(widths["heartbeats"], [10.0, 10.0])

    def test_replicates_in_which_nothing_failed_leave_the_others_in_the_figure(self):
        sample.sweep(self.folder, replicates=3)
        found = results.read(self.folder)
        found.points[0].replicates[1].update(failures="0", notices="0")
        for row in found.points[1].replicates:
            row.update(failures="0", notices="0")
        drawn = self.draw(figures.messages, found)
        widths = {axis.get_title(loc="left"): [bar.get_width() for bar in axis.patches]
                  for axis in drawn.axes}
        self.assertEqual(len(widths["notices"]), 1)
        self.assertAlmostEqual(widths["notices"][0], 20.0, places=2)
        self.assertEqual(len(widths["heartbeats"]), 2)


if __name__ == "__main__":
    unittest.main()

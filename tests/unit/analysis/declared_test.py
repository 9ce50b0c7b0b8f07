"""Figures that an experiment declares: the values drawn, the report's part, what is refused."""

import json
import math
import os
import subprocess
import tempfile
import unittest

import context
import sample
from holdfast_analysis import curves, declared, results, style

X = {"column": "deaths", "label": "deaths"}
KNOWN = {"name": "known", "title": "Known & all", "x": X,
         "y": {"column": "known_max_s", "label": "known"}, "band": [5, 95],
         "panels": {"column": "which", "titles": {"7": "seven"}},
         "series": {"column": "order", "titles": {"rank": "rank order"}},
         "references": [{"title": "paper", "panel": "7", "series": "rank", "source": "its figure",
                         "points": [[1, 0.95], [2, 2.95]]},
                        {"title": "form", "source": "a sum", "line": True,
                         "points": [[1, 1], [2, 3]]}]}
NOTICES = {"name": "notices", "title": "Notices", "x": X, "series": {"column": "order"},
           "y": {"columns": ["notices", "repeats"], "per": ["failures", "processes"],
                 "label": "notices"}}
REPLICATES = 40


def write(folder, **document):
    """Results over which, order and deaths: the time of replicate r is 2 deaths - 1 + r / 1000, and
    never for the last replicate of two deaths in the order "shuffled"."""
    rows, point = [], 0
    for which in ("7", "random"):
        for order in ("rank", "shuffled"):
            for deaths in (2, 1):
                for replicate in range(REPLICATES):
                    time = repr(2 * deaths - 1 + replicate / 1000)
                    if order == "shuffled" and deaths == 2 and replicate == REPLICATES - 1:
                        time = ""
                    rows.append([point, replicate, which, order, deaths, 48, deaths, time,
                                 96 * deaths, 48 * deaths])
                point += 1
    sample.write_csv(folder, "results.csv",
                     ["point", "replicate", "which", "order", "deaths", "processes", "failures",
                      "known_max_s", "notices", "repeats"], rows)
    sample.write_csv(folder, "failures.csv",
                     ["point", "replicate", "at_s", "what", "which", "processes", "suspicion_s",
                      "detection_s", "propagation_s", "repaired_at_s", "rejoin_s", "missed"],
                     [[0, replicate, at, "process", 3, 1, "" if replicate == 7 else 0.8,
                       "" if replicate == 7 else 0.9, "", "", "",
                       100 * at + replicate] for replicate in range(REPLICATES) for at in (2, 1)])
    sample.write_json(folder, "resolved.json", {"name": "own", "duration": "9 s"})
    sample.write_json(folder, "figures.json", document)


class Declared(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def read(self):
        return results.read(self.folder), declared.read(self.folder)

    def test_marks_are_medians_with_percentiles_in_the_order_of_x(self):
        write(self.folder, figures=[KNOWN])
        found, own = self.read()
        marks = declared.marks(own.figures[0], found, "7", "rank")
        self.assertEqual([mark.x for mark in marks], [1, 2])
        for mark in marks:  # the 2nd and the 38th of 40, and between the 20th and 21st
            self.assertAlmostEqual(mark.low, 2 * mark.x - 1 + 0.001)
            self.assertAlmostEqual(mark.middle, 2 * mark.x - 1 + 0.0195)
            self.assertAlmostEqual(mark.high, 2 * mark.x - 1 + 0.037)
        never = declared.marks(own.figures[0], found, "random", "shuffled")[1]
        self.assertEqual((never.count, never.never), (REPLICATES, 1))

    def test_a_time_that_never_was_is_above_all_others(self):
        write(self.folder, figures=[{**KNOWN, "band": [5, 100]}])
        found, own = self.read()
        marks = declared.marks(own.figures[0], found, "7", "shuffled")
        self.assertEqual([math.isinf(mark.high) for mark in marks], [False, True])
        self.assertIsNotNone(curves.draw(own.figures[0], found))

    def test_sums_over_products(self):
        write(self.folder, figures=[NOTICES])
        found, own = self.read()
        for mark in declared.marks(own.figures[0], found, None, "rank"):
            self.assertEqual(mark.middle, 144 / 48)

    def test_an_empty_time_is_never_only_where_something_should_have_come(self):
        axis = declared.Axis(("detection_max_s",), (), "", "linear", 1.0, None)
        row = {"detection_max_s": "", "mistake_max_s": "", "mistake_recurrence_s": ""}
        self.assertEqual(declared._height({**row, "failures": "2"}, axis), math.inf)
        self.assertIsNone(declared._height({**row, "failures": "0"}, axis))
        for column, expected in (("mistake_max_s", None), ("mistake_recurrence_s", math.inf)):
            other = declared.Axis((column,), (), "", "linear", 1.0, None)
            self.assertEqual(declared._height({**row, "failures": "2"}, other), expected, column)
        other = declared.Axis(("reconcile_max_s",), (), "", "linear", 1.0, None)
        for reconciled, expected in (("0", None), ("2", math.inf)):
            cuts = {"reconciled": reconciled, "reconcile_max_s": ""}
            self.assertEqual(declared._height(cuts, other), expected, reconciled)

    def test_what_the_axis_has_no_place_for_is_drawn_at_its_edge(self):
        axis = {"column": "known_max_s", "label": "known", "scale": "log"}
        write(self.folder, figures=[{"name": "edge", "title": "Edge", "x": X, "y": axis}])
        found = self.read()
        for point in found[0].points:
            for row in point.replicates:
                row["known_max_s"] = {"1": "0", "2": ""}[row["deaths"]]
        drawn = curves.draw(found[1].figures[0], found[0])
        lines = [line for line in drawn.axes[0].get_lines() if line.get_gid() == curves.OUTSIDE]
        heights = sorted(height for line in lines for height in line.get_ydata())
        self.assertEqual(heights, [0] * (len(heights) // 2) + [1] * (len(heights) // 2))
        self.assertEqual([line.get_label() for line in lines[-2:]],
                         ["open, at the top: never", "open, at the bottom: 0"])

    def test_x_may_be_divided(self):
        write(self.folder, figures=[{**KNOWN, "x": {**X, "divisor": 0.5}}])
        found, own = self.read()
        self.assertEqual([mark.x for mark in declared.marks(own.figures[0], found, "7", "rank")],
                         [2.0, 4.0])

    def test_amounts_along_x_are_names_where_one_is_no_amount(self):
        write(self.folder, figures=[KNOWN])
        found, own = self.read()
        for point in found.points:
            for row in point.replicates:
                row["deaths"] = {"1": "0", "2": "a few"}[row["deaths"]]
        self.assertEqual(set(declared.places(own.figures[0], found).values()), {"0", "a few"})
        drawn = curves.draw(own.figures[0], found)
        self.addCleanup(style.close, drawn)
        self.assertEqual([text.get_text() for text in drawn.axes[0].get_xticklabels()],
                         ["a few", "0"])

    def test_what_was_set_instead_of_swept_comes_from_the_configuration(self):
        write(self.folder, figures=[KNOWN])
        found, own = self.read()
        for point in found.points:
            for row in point.replicates:
                del row["which"], row["order"]
        found.resolved.update(order="rank", which=7)
        found.points = found.points[:2]
        declared.take_settings(own.figures, found)
        self.assertEqual(len(declared.marks(own.figures[0], found, "7", "rank")), 2)
        drawn = curves.draw(own.figures[0], found)
        self.addCleanup(style.close, drawn)
        self.assertEqual(drawn.axes[0].get_title(loc="left"), "seven")

    def test_of_references_only_those_at_places_of_the_run_are_drawn(self):
        write(self.folder, figures=[{**KNOWN, "x": {"column": "order", "label": "order"},
                                     "series": {"column": "deaths"}, "references": [
                                         {"title": "paper", "source": "it",
                                          "points": [["rank", 3], ["spread", 4]]}]}])
        found, own = self.read()
        drawn = curves.draw(own.figures[0], found)
        self.addCleanup(style.close, drawn)
        paper, = [line for line in drawn.axes[0].lines if line.get_label() == "paper"]
        self.assertEqual(list(paper.get_ydata()), [3])

    def test_where_leaves_out_other_sweep_points(self):
        write(self.folder, figures=[{**KNOWN, "where": {"order": "rank"}}])
        found, own = self.read()
        self.assertEqual(declared.values_of(own.figures[0].series, own.figures[0], found), ["rank"])
        self.assertEqual(declared.marks(own.figures[0], found, "7", "shuffled"), [])

    def test_a_mean_has_its_interval_from_the_variance(self):
        write(self.folder, figures=[{**KNOWN, "statistic": "mean", "band": None}])
        found, own = self.read()
        mark = declared.marks(own.figures[0], found, "7", "rank")[0]
        self.assertAlmostEqual(mark.middle, 1.0195)
        # The variance of 0 … n - 1 with divisor n - 1 is n (n + 1) / 12.
        margin = 1.959964 * 0.001 * math.sqrt((REPLICATES + 1) / 12)
        self.assertAlmostEqual(mark.high - mark.middle, margin, places=7)
        self.assertAlmostEqual(mark.middle - mark.low, margin, places=7)

    def test_one_failure_of_each_replicate_in_which_it_was_detected(self):
        figure = {"name": "missed", "title": "Missed", "x": X,
                  "y": {"column": "missed", "of_failure": 1, "divisor": 10, "label": "missed"}}
        write(self.folder, figures=[figure])
        found, own = self.read()
        mark, = (mark for mark in declared.marks(own.figures[0], found, None, None))
        self.assertEqual(mark.count, REPLICATES - 1)
        self.assertEqual(mark.middle, (200 + 20) / 10)  # of 0 … 39 without 7

    def test_percentiles_are_values_that_so_many_do_not_exceed(self):
        self.assertEqual([declared.percentile(list(range(1, 21)), share)
                          for share in (0, 5, 5.1, 50, 95, 100)], [1, 1, 2, 10, 19, 20])

    def test_the_report_has_them_and_the_standard_ones_that_are_named(self):
        write(self.folder, figures=[KNOWN, NOTICES], standard=["messages"])
        done = subprocess.run([context.REPORT, self.folder], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(os.listdir(os.path.join(self.folder, "figures"))),
                         {f"{name}.{ending}" for name in ("known", "notices", "messages")
                          for ending in ("pdf", "svg", "png")})
        with open(os.path.join(self.folder, "report.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("Known &amp; all", page)
        self.assertIn("paper: its figure; form: a sum.", page)
        self.assertIn("<td>2.95 s</td><td>3.00 s</td>", page)

    def test_what_is_wrong_is_said_with_its_place(self):
        for change, place in (({"x": {"label": "x"}}, "/figures/0/x/column"),
                              ({"y": {"column": "a"}}, "/figures/0/y/label"),
                              ({"band": [95, 5]}, "/figures/0/band"),
                              ({"colour": "red"}, "/figures/0/colour"),
                              ({"name": "a/b"}, "/figures/0/name"),
                              ({"x": {**X, "divisor": 0}}, "/figures/0/x/divisor"),
                              ({"x": {**X, "per": "failures"}}, "/figures/0/x/per"),
                              ({"y": {**KNOWN["y"], "of_failure": -1}}, "/figures/0/y/of_failure"),
                              ({"y": {**KNOWN["y"], "of_failure": 0}}, "/figures/0/y/column"),
                              ({"band": ["5", 95]}, "/figures/0/band/0"),
                              ({"where": {"deaths": 2}}, "/figures/0/where"),
                              ({"references": [{"title": "x", "source": "y", "points": [[1]]}]},
                               "/figures/0/references/0/points/0"),
                              ({"references": [{"title": "x", "points": []}]},
                               "/figures/0/references/0/source")):
            write(self.folder, figures=[{**KNOWN, **change}])
            with self.assertRaisesRegex(results.ResultsError, f"figures.json: {place}: expected"):
                self.read()
        for standard, said in ((["times", "mesages"], r'/standard/1: .*\(did you mean "messages"'),
                               ([3], "/standard/0: expected one of times, cumulative,"),
                               ("times", "/standard: expected a list")):
            write(self.folder, figures=[], standard=standard)
            with self.assertRaisesRegex(results.ResultsError, said):
                self.read()
        with open(os.path.join(self.folder, "figures.json"), "w", encoding="utf-8") as file:
            file.write("{")
        with self.assertRaisesRegex(results.ResultsError, "not valid JSON"):
            self.read()
        with self.assertRaisesRegex(results.ResultsError, "missing"):
            declared.read(self.folder, os.path.join(self.folder, "other.json"))

    def test_a_column_that_is_not_there_is_named(self):
        write(self.folder, figures=[{**NOTICES, "x": {"column": "size", "label": "x"}}])
        found, own = self.read()
        with self.assertRaisesRegex(results.ResultsError, "names the column size"):
            curves.draw(own.figures[0], found)

    def test_a_column_without_numbers_is_named(self):
        write(self.folder, figures=[{**KNOWN, "y": {"column": "order", "label": "y"}}])
        found, own = self.read()
        with self.assertRaisesRegex(results.ResultsError, 'the column order, which holds "rank"'):
            curves.draw(own.figures[0], found)

    def test_every_experiment_declares_what_can_be_read(self):
        experiments = os.path.join(context.ANALYSIS, "..", "experiments")
        declaring = [name for name in os.listdir(experiments)
                     if os.path.exists(os.path.join(experiments, name, "figures.json"))]
        self.assertGreater(len(declaring), 1)
        for name in declaring:
            with open(os.path.join(experiments, name, "figures.json"), encoding="utf-8") as file:
                self.assertEqual(len(declared.read(os.path.join(experiments, name)).figures),
                                 len(json.load(file)["figures"]))


if __name__ == "__main__":
    unittest.main()

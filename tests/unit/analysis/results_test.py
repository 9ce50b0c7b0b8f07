"""Reading of results folders: what comes out, and what is said of folders that cannot be read."""

import os
import tempfile
import unittest

import context  # noqa: F401
import sample
from holdfast_analysis import results, units


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.join(holder.name, "run")
        sample.sweep(self.folder, replicates=2, fabric=sample.fat_tree(2, 2, 1, 1))

    def path(self, name):
        return os.path.join(self.folder, name)

    def change(self, name, old, new):
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))

    def assert_error(self, *parts):
        with self.assertRaises(results.ResultsError) as caught:
            results.read(self.folder)
        for part in parts:
            self.assertIn(part, str(caught.exception))


class Reading(Folder):
    def test_points_replicates_failures(self):
        found = results.read(self.folder)
        self.assertEqual(found.swept, ["propagation.kind"])
        self.assertEqual([point.label for point in found.points], ["bmg", "chord"])
        self.assertEqual([len(point.replicates) for point in found.points], [2, 2])
        self.assertEqual([len(point.failures) for point in found.points], [8, 8])
        self.assertEqual([len(point.effective()) for point in found.points], [6, 6])
        self.assertEqual(found.duration_s, 60.0)
        self.assertIsNone(found.start)
        never = [failure for failure in found.points[1].effective() if failure.detection_s is None]
        self.assertEqual([(failure.replicate, failure.at_s) for failure in never], [(0, 30.0)])

    def test_a_year_of_a_trace_has_dates_and_a_length(self):
        sample.write_json(self.folder, "resolved.json", {
            "name": "y", "trace": {"format": "lanl", "system": 18, "year": 2004}})
        found = results.read(self.folder)
        self.assertEqual(found.duration_s, 366 * 86400)
        self.assertEqual(found.date_text(31 * 86400 + 3660), "2004-02-01 01:01")

    def test_a_month_of_a_trace(self):
        sample.write_json(self.folder, "resolved.json", {
            "name": "m", "trace": {"format": "lanl", "system": 18, "year": 2004, "month": 12}})
        self.assertEqual(results.read(self.folder).duration_s, 31 * 86400)


class Errors(Folder):
    def test_no_folder(self):
        with self.assertRaises(results.ResultsError) as caught:
            results.read(self.path("nowhere"))
        self.assertIn("not a folder", str(caught.exception))

    def test_each_needed_file(self):
        for name in ("resolved.json", "results.csv", "failures.csv"):
            with self.subTest(name):
                os.rename(self.path(name), self.path("aside"))
                self.assert_error(self.path(name), "missing", "run")
                os.rename(self.path("aside"), self.path(name))

    def test_broken_json_is_placed(self):
        self.change("resolved.json", '"seed": 7,', '"seed": 7')
        self.assert_error("resolved.json:4:2", "not valid JSON")

    def test_missing_column(self):
        self.change("failures.csv", "detection_s", "detection")
        self.assert_error("failures.csv:1", "no column detection_s")

    def test_not_a_number(self):
        self.change("failures.csv", "host-4,4,", "host-4,four,")
        self.assert_error("failures.csv:3", "column processes", '"four"', "a whole number")

    def test_what_csv_itself_refuses_is_placed(self):
        self.change("failures.csv", "host-4,4,", "x" * 200_000 + ",4,")
        self.assert_error("failures.csv:3", "field larger")

    def test_line_separators_within_a_name_end_no_row(self):
        self.change("failures.csv", "host-4,4,", "ho\u2028st\x85,4,")
        self.assertEqual(results.read(self.folder).points[0].failures[1].which, "ho\u2028st\x85")

    def test_row_cut_short(self):
        with open(self.path("results.csv"), encoding="utf-8") as file:
            text = file.read()
        with open(self.path("results.csv"), "w", encoding="utf-8") as file:
            file.write(text[:-30])
        self.assert_error("results.csv:5", "cells", "--resume")

    def test_no_rows(self):
        with open(self.path("results.csv"), encoding="utf-8") as file:
            header = file.readline()
        with open(self.path("results.csv"), "w", encoding="utf-8") as file:
            file.write(header)
        self.assert_error("results.csv", "no rows", "--resume")

    def test_failure_of_an_unknown_point(self):
        self.change("failures.csv", "\n1,0,", "\n7,0,")
        self.assert_error("failures.csv:10", "sweep point 7")

    def test_link_to_nowhere(self):
        self.change("topology.json", '"a": 0,', '"a": 99,')
        self.assert_error("topology.json: /links/0", "no node 99")

    def test_node_without_kind(self):
        self.change("topology.json", '"kind": "host",', "")
        self.assert_error("topology.json: /nodes/0", '"kind"')


class Units(unittest.TestCase):
    def test_seconds_of_quantities(self):
        for text, seconds in (("60 s", 60.0), ("100 ms", 0.1), ("1.5us", 1.5e-6), ("2 h", 7200.0),
                              ("366 days", 366 * 86400.0)):
            self.assertAlmostEqual(units.seconds_of(text), seconds, places=12)
        self.assertIsNone(units.seconds_of("60"))

    def test_times_have_three_digits_and_a_unit(self):
        for seconds, text in ((0.9876, "988 ms"), (1.0, "1.00 s"), (12.3456e-6, "12.3 µs"),
                              (0.0, "0 s"), (None, "–"), (float("inf"), "never"),
                              (0.99999e-3, "1.00 ms"), (59.95, "60.0 s")):
            self.assertEqual(units.time_text(seconds), text)

    def test_moments(self):
        self.assertEqual(units.moment_text(10.5), "10.500 s")
        self.assertEqual(units.moment_text(2 * 86400 + 3661), "day 2, 01:01:01")


if __name__ == "__main__":
    unittest.main()

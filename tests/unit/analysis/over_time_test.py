"""Figures of bandwidth over time around a fault: what is drawn, and what is refused."""

import json
import os
import subprocess
import tempfile
import unittest

import context
from holdfast_analysis import over_time, results

SLOW = {"name": "slow", "title": "The slow rail", "fault": "cut", "rail": 1}
COMMAND = os.path.join(context.ANALYSIS, "bench")
COURSES = {("ob1 tcp", 0): [200, 0, 0], ("holdfast", 0): [200, 90, 100],
           ("holdfast", 1): [210, 100, 104, 7], ("holdfast", 2): [190, 80, 102]}


class OverTime(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name
        self.write("results.csv", "contender,fault,rail,repetition,at_s,bytes_per_s\n" + "".join(
            f"{name},cut,1,{repetition},{0.01 * i - 0.005},{rate}e6\n"
            for (name, repetition), rates in COURSES.items() for i, rate in enumerate(rates)))
        self.write("gaps.csv", "contender,fault,rail,lasted_s\n"
                   "holdfast,cut,1,1\nholdfast,cut,1,1.5\nholdfast,cut,1,9\n")
        self.write("steady.csv", "contender,rails,bytes_per_s\n"
                   "holdfast,0,9e7\nholdfast,0 and 1,2e8\nholdfast,0,1e8\nholdfast,0,1.2e8\n"
                   "ob1 tcp,0,5e7\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def declared(self, *figures):
        return self.write("bandwidth.json", json.dumps({"over_time": figures}))

    def test_a_span_has_the_median_of_the_repetitions_that_are_all_there(self):
        bins = over_time._read_bins(self.folder)["cut", 1]
        self.assertEqual([round(rate) for _, rate in over_time.median_course(bins["holdfast"])],
                         [200, 90, 102])

    def test_contenders_and_limits_are_lines_and_the_fault_is_a_band(self):
        bins = over_time._read_bins(self.folder)["cut", 1]
        lasted = over_time._read_lasted(self.folder)["cut", 1]
        self.assertEqual(lasted, 1.5)
        axis = over_time._draw(SLOW, bins, lasted, over_time._read_steady(self.folder)).axes[0]
        self.assertEqual({text for text in axis.get_legend_handles_labels()[1]},
                         {"rail broken", "ob1 tcp", "holdfast"})
        self.assertEqual([text.get_text() for text in axis.texts], ["rail 0", "rail 0 and 1"])

    def test_a_limit_is_the_median_of_ours(self):
        self.assertEqual(over_time._read_steady(self.folder), [("0", 100), ("0 and 1", 200)])

    def test_the_command_draws_what_is_declared(self):
        done = subprocess.run([COMMAND, self.folder, "--figures", self.declared(SLOW)],
                              check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), [os.path.join(self.folder, "figures", "slow")])
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "figures"))),
                         ["slow.pdf", "slow.png", "slow.svg"])

    def test_what_is_wrong_is_said(self):
        path = self.declared({**SLOW, "rail": 0})
        with self.assertRaisesRegex(results.ResultsError, "cut of rail 0.*it has cut of rail 1"):
            over_time.write(self.folder, path)
        for figure, said in (({"name": "slow"}, "/over_time/0/fault: expected a text"),
                             ({**SLOW, "colour": "red"},
                              "/colour: expected no such key, but fault, name, rail, title"),
                             ({**SLOW, "fault": ["cut"]}, "/over_time/0/fault: expected a text"),
                             ({**SLOW, "rail": True}, "/rail: expected a whole number")):
            with self.assertRaisesRegex(results.ResultsError, said):
                over_time.write(self.folder, self.declared(figure))
        with self.assertRaisesRegex(results.ResultsError, "expected JSON"):
            over_time.write(self.folder, self.write("broken.json", "{"))

    def test_what_was_not_measured_is_left_out_and_said(self):
        path = self.declared({**SLOW, "name": "other", "rail": 0}, SLOW)
        done = subprocess.run([COMMAND, self.folder, "--figures", path], check=True,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), [os.path.join(self.folder, "figures", "slow")])
        self.assertIn("the figure other shows \"cut of rail 0\"", done.stderr)


if __name__ == "__main__":
    unittest.main()

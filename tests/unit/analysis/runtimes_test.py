"""Figures of run times: what is drawn of a runtimes.csv, and what is refused."""

import json
import os
import subprocess
import tempfile
import unittest

import context
from holdfast_analysis import results, runtimes

HEADER = ("benchmark,class,processes,contender,over_unprotected,over_unsummed,"
          "published_over_unsummed\n")
ROWS = """\
IS,B,16,"unprotected",1,,
IS,B,16,"unprotected, summed up",1.2,1.2,1.25
IS,B,16,"reliable, crc32c",1.03,1.01,0.99
LU,C,16,"unprotected, summed up",1.1,1.1,
"""
COSTS = {"name": "costs", "title": "Costs", "value": "over_unsummed",
         "published": "published_over_unsummed", "class": "B",
         "contenders": ["unprotected, summed up", "reliable, crc32c"]}
COMMAND = os.path.join(context.ANALYSIS, "bench")


class Runtimes(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name

    def written(self, *figures, rows=ROWS):
        path = os.path.join(self.folder, "runtimes.json")
        with open(os.path.join(self.folder, "runtimes.csv"), "w", encoding="utf-8") as file:
            file.write(HEADER + rows)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"figures": figures}, file)
        return path

    def test_bars_are_percent_above_the_other_run_beside_what_was_published(self):
        self.written(COSTS)
        rows = list(results.read_table(self.folder, "runtimes.csv", runtimes._COLUMNS))
        bars = runtimes._bars_of(self.folder, COSTS, rows)
        self.assertEqual([(run, {name: round(value, 6) for name, value in of.items()})
                          for run, of in bars],
                         [("IS 16", {"unprotected, summed up": 20,
                                     "unprotected, summed up, published": 25,
                                     "reliable, crc32c": 1, "reliable, crc32c, published": -1})])
        axis = runtimes._draw(COSTS, bars).axes[0]
        self.assertEqual([round(bar.get_height(), 6) for bar in axis.patches], [20, 25, 1, -1])
        self.assertEqual([label.get_text() for label in axis.get_xticklabels()], ["IS 16"])

    def test_the_command_draws_each_figure(self):
        path = self.written(COSTS, {**COSTS, "name": "again"})
        done = subprocess.run([COMMAND, self.folder, "--figures", path], check=True,
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual([os.path.basename(line) for line in done.stdout.split()],
                         ["costs", "again"])
        self.assertEqual(len(os.listdir(os.path.join(self.folder, "figures"))), 6)

    def test_what_cannot_be_drawn_says_why(self):
        for figure, said in (({**COSTS, "value": "seconds"}, '/value: expected "over_unprotected"'),
                             ({**COSTS, "colour": "red"}, "/figures/0/colour: expected no such"),
                             ({**COSTS, "contenders": 3}, "/contenders: expected a list"),
                             ({**COSTS, "published": "nocolumn"},
                              '/published: expected "published_over_unsummed"'),
                             ({**COSTS, "class": "D"}, "has none")):
            with self.assertRaisesRegex(results.ResultsError, said):
                runtimes.write(self.folder, self.written(figure))
        path = self.written(COSTS, rows='IS,B,16,"reliable, crc32c",1,much,\n')
        with self.assertRaisesRegex(results.ResultsError,
                                    "runtimes.csv:2: column over_unsummed holds \"much\""):
            runtimes.write(self.folder, path)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The detector and the propagation of docs/detectors.md in the whole program, which has nothing of
them but the file and the line.
"""

import csv
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import context

PROGRAM = os.environ["DOCUMENTED_PROGRAM"]


def holdfast(*words, cwd=None):
    return subprocess.run([PROGRAM, *words], cwd=cwd, capture_output=True, text=True, check=False)


class Documented(unittest.TestCase):
    def test_the_new_detector_is_swept_beside_the_old_one(self):
        sweep = 'sweep={"detector.kind": ["ring", "pull"]}'
        with tempfile.TemporaryDirectory() as folder:
            done = holdfast("run", str(context.ROOT / "experiments/quickstart"), "--output", "out",
                            "--quiet", "--set", sweep, "--set", "replicates=1",
                            "--set", "duration=52s", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(Path(folder) / "out/results.csv", encoding="utf-8", newline="") as file:
                rows = {row["detector.kind"]: row for row in csv.DictReader(file)}
        for kind, row in rows.items():
            self.assertEqual(row["failures"], row["detected"], kind)
            self.assertEqual((row["missed"], row["false_verdicts"]), ("0", "0"), kind)
        # As many requests as answers, where the ring sends what nobody asks for.
        pull, ring = rows["pull"], rows["ring"]
        self.assertGreater(int(pull["observes"]), 0.98 * int(pull["heartbeats"]))
        self.assertLess(int(ring["observes"]), 0.02 * int(ring["heartbeats"]))

    def test_the_new_words_are_known_and_misspelt_ones_are_told_of_them(self):
        done = holdfast("check", str(context.ROOT / "experiments/quickstart"),
                        "--set", "detector.kind=pul")
        self.assertEqual(done.returncode, 2)
        self.assertIn('expected "ring" or "pull"; did you mean "pull"?', done.stderr)
        done = holdfast("check", str(context.ROOT / "experiments/quickstart"),
                        "--set", "sweep={}", "--set", "propagation.kind=relay")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_new_propagation_costs_what_the_document_says(self):
        done = holdfast("info", "propagation", "--processes", "48")
        (line,) = [line.split() for line in done.stdout.splitlines() if "relay" in line]
        self.assertEqual(line[:3], ["relay", "24", "2.00"])


if __name__ == "__main__":
    unittest.main()

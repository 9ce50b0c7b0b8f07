"""Runs an experiment of experiments/, made shorter, and picks from its results."""

import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from holdfast import ROOT, Scenario, main  # noqa: E402  (found by the line before)


def folder(name):
    return os.path.join(ROOT, "experiments", name)


def of(rows, **settings):
    """The rows whose columns begin and end with these values; __ stands for a dot."""
    return [row for row in rows
            if all(row[key.replace("__", ".")] == str(value) for key, value in settings.items())]


def times(rows, column):
    """The values of a column in order; what never happened is above all others."""
    return sorted(float(row[column] or math.inf) for row in rows)


class Experiment(Scenario):
    """Each class runs its experiment once, for its first test."""
    NAME, OPTIONS, found = "", [], None

    def setUp(self):
        super().setUp()
        if self.found is None:
            self.run_program("run", folder(self.NAME), "--quiet", "--output", "results",
                             *self.OPTIONS)
            type(self).found = self.rows("results", "results.csv")
        self.results = self.found

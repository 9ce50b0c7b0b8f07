"""Medians and their intervals, against published ranks and against counting all outcomes."""

import itertools
import math
import os
import unittest

import context
from holdfast_analysis import intervals

RANKS = os.path.join(context.ANALYSIS, "..", "tests", "golden", "statistics", "ranks.txt")


class RankOfInterval(unittest.TestCase):
    def test_published_ranks(self):
        # Ranks of the two-sided 95 % interval of a median, as textbooks of nonparametric statistics
        # print them (Conover; Hahn and Meeker).
        for count, rank in ((6, 1), (8, 1), (9, 2), (12, 3), (15, 4), (20, 6), (25, 8), (30, 10),
                            (50, 18), (100, 40)):
            self.assertEqual(intervals.rank_of_interval(count), rank, count)

    def test_under_six_samples_there_is_none(self):
        for count in range(6):
            self.assertEqual(intervals.rank_of_interval(count), 0, count)

    def test_covers_and_is_the_narrowest_that_does(self):
        # All 2^n ways in which n samples can lie below or above the true median are equally likely.
        # The interval of rank k holds it unless fewer than k lie on one side.
        for count in range(1, 15):
            sides = [sum(way) for way in itertools.product((0, 1), repeat=count)]

            def coverage(rank, sides=sides, count=count):
                return sum(rank <= below <= count - rank for below in sides) / len(sides)

            rank = intervals.rank_of_interval(count)
            if rank:
                self.assertGreaterEqual(coverage(rank), 0.95, count)
            self.assertTrue(2 * (rank + 1) > count or coverage(rank + 1) < 0.95, count)

    def test_ranks_of_the_program(self):
        # The list that the program's own statistics are tested with, too.
        with open(RANKS, encoding="utf-8") as rows:
            ranks = [tuple(map(int, row.split())) for row in rows]
        self.assertGreater(len(ranks), 300)
        for count, rank in ranks:
            self.assertEqual(intervals.rank_of_interval(count), rank, count)

    def test_large_samples_stay_close_to_the_exact_rank(self):
        # Exact by logarithms of factorials, an arithmetic that the product does not use.
        count, below, rank = 20_000, 0.0, 0
        while True:
            below += math.exp(math.lgamma(count + 1) - math.lgamma(rank + 1)
                              - math.lgamma(count - rank + 1) - count * math.log(2))
            if below > 0.025:
                break
            rank += 1
        self.assertLessEqual(intervals.rank_of_interval(count), rank)
        self.assertGreaterEqual(intervals.rank_of_interval(count), rank - 2)


class Summarise(unittest.TestCase):
    def test_odd_and_even_medians(self):
        self.assertEqual(intervals.summarise([3.0, 1.0, 2.0]).median, 2.0)
        self.assertEqual(intervals.summarise([4.0, 1.0, 2.0, 3.0]).median, 2.5)

    def test_interval_takes_the_ranks_from_both_ends(self):
        values = [float(value) for value in range(20, 0, -1)]
        self.assertEqual(intervals.summarise(values).interval, (6.0, 15.0))

    def test_never_is_later_than_everything(self):
        summary = intervals.summarise([1.0, 2.0, None, None, None])
        self.assertEqual(summary.median, math.inf)
        self.assertEqual((summary.count, summary.never), (5, 3))
        self.assertEqual((summary.least, summary.greatest), (1.0, 2.0))

    def test_never_moves_the_median_up(self):
        self.assertEqual(intervals.summarise([1.0, 2.0, 3.0, None]).median, 2.5)

    def test_nothing(self):
        summary = intervals.summarise([])
        self.assertEqual((summary.count, summary.median, summary.interval), (0, None, None))


if __name__ == "__main__":
    unittest.main()

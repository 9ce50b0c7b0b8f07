"""ring-fig4-left and -right against the paper's values (papers/README.md) and the closed form.

p consecutive deaths in rank order take (2p - 1) timeouts, less up to a period. The paper's shuffled
points are taken as single permutations: nine of ten lie in the band of many, as far as they can be
read, and the tenth is as rare as counting says.
"""

import functools
import itertools
import json
import math
import os
import unittest

from experiment import Experiment, folder, of, times

DEATHS = range(1, 6)
LEFT = {1: 0.4, 2: 1.2, 3: 2.05, 4: 2.9, 5: 3.7}  # read to 0.05 s
RIGHT = {("20", "rank"): {1: 1, 2: 3, 3: 5, 4: 7, 5: 9},
         ("20", "shuffled"): {1: 1, 2: 1, 3: 1.2, 4: 1.2, 5: 3},
         ("random", "rank"): {1: 1, 2: 1, 3: 1, 4: 1, 5: 1},
         ("random", "shuffled"): {1: 1, 2: 1, 3: 1, 4: 1, 5: 5.3}}  # read to 0.1 s
TARGETS = {"bmg": 10, "chord": 6, "neighbours": 8}  # of each process among 48


def published(name):
    """The points that the experiment's figure of the sum gives as the paper's."""
    with open(os.path.join(folder(name), "figures.json"), encoding="utf-8") as file:
        figures = json.load(file)["figures"]
    known = next(figure for figure in figures if figure["name"] == "known")
    return {(entry.get("panel"), entry.get("series")): dict(entry["points"])
            for entry in known["references"] if entry["title"].startswith("paper")}


@functools.cache
def longest_runs(deaths, places=48):
    """Of the longest run of dead in a row on a circle: its distribution, by counting all cases. One
    of the dead stands at place 0, as the circle has no beginning."""
    counts = {}
    for others in itertools.combinations(range(1, places), deaths - 1):
        dead = {0, *others}
        longest = max(next(run for run in itertools.count(1) if (place + run) % places not in dead)
                      for place in dead)
        counts[longest] = counts.get(longest, 0) + 1
    return {run: count / sum(counts.values()) for run, count in counts.items()}


class Left(Experiment):
    NAME, PERIOD, TIMEOUT = "ring-fig4-left", 0.0414, 0.414

    def test_each_time_is_within_a_period_below_the_closed_form(self):
        for deaths in DEATHS:
            closed_form = (2 * deaths - 1) * self.TIMEOUT
            for column in ("detection_max_s", "known_max_s"):
                found = times(of(self.results, failures__0__count=deaths), column)
                self.assertEqual(len(found), 30 * (len(TARGETS) + 1))
                self.assertGreater(found[0], closed_form - self.PERIOD)
                self.assertLess(found[-1], closed_form + 0.0001)

    def test_medians_are_within_a_period_of_the_paper(self):
        self.assertEqual(published("ring-fig4-left"), {(None, None): LEFT})
        for deaths in DEATHS:
            found = times(of(self.results, failures__0__count=deaths), "known_max_s")
            self.assertAlmostEqual(found[len(found) // 2], LEFT[deaths],
                                   delta=self.PERIOD)

    def test_one_timeout_fits_all_points_as_they_can_be_read(self):
        """The mean of many runs is (2p - 1) timeouts less half a period, which is a 20th."""
        least = max((paper - 0.025) / (2 * deaths - 1.05) for deaths, paper in LEFT.items())
        most = min((paper + 0.025) / (2 * deaths - 1.05) for deaths, paper in LEFT.items())
        self.assertLess(least, self.TIMEOUT)
        self.assertLess(self.TIMEOUT, most)

    def test_everyone_sends_to_all_targets_but_the_known_dead(self):
        for kind, targets in TARGETS.items():
            for row in of(self.results, propagation__kind=kind, failures__0__count=1):
                self.assertEqual(int(row["notices"]), 47 * targets - targets)
                self.assertEqual(int(row["repeats"]) + int(row["missed"]), 0)

    def test_hypercubes_need_a_message_for_each_edge_and_direction(self):
        """Two cubes of 32 corners; the dead one is a corner of the one that runs backwards."""
        for row in of(self.results, propagation__kind="hba", failures__0__count=1):
            self.assertEqual(int(row["notices"]), 2 * 32 * 5 - 5 - 5)


class Right(Experiment):
    NAME, PERIOD, TIMEOUT, REPLICATES = "ring-fig4-right", 0.1, 1.0, 200
    OPTIONS = ["--set", f"replicates={REPLICATES}"]

    def known(self, which, order, deaths):
        rows = of(self.results, failures__0__which=which, detector__order=order,
                  failures__0__count=deaths)
        self.assertEqual(len(rows), self.REPLICATES)
        return times(rows, "known_max_s")

    def test_rank_order_is_within_a_period_of_the_paper_and_the_closed_form(self):
        for deaths in DEATHS:
            found = self.known("20", "rank", deaths)
            closed_form = (2 * deaths - 1) * self.TIMEOUT
            self.assertGreater(found[0], closed_form - self.PERIOD)
            self.assertLess(found[-1], closed_form + 0.0001)
            self.assertAlmostEqual(found[len(found) // 2], RIGHT["20", "rank"][deaths],
                                   delta=self.PERIOD)

    def test_what_was_drawn_in_the_paper_lies_in_the_band(self):
        self.assertEqual(published("ring-fig4-right"), RIGHT)
        for (which, order), points in RIGHT.items():
            for deaths, paper in points.items():
                found = self.known(which, order, deaths)
                low, high = found[self.REPLICATES // 20 - 1], found[self.REPLICATES * 19 // 20 - 1]
                if (which, order, deaths) == ("random", "shuffled", 5):
                    # The one of the paper's draws that is rarer: three of five in a row or more.
                    self.assertGreater(paper, high)
                    self.assertAlmostEqual(1 - longest_runs(5)[1] - longest_runs(5)[2], 0.0265,
                                           places=4)
                    self.assertGreater(found[-1], 5 * self.TIMEOUT - self.PERIOD)
                    continue
                self.assertGreaterEqual(paper, low - 0.05, (which, order, deaths))
                self.assertLessEqual(paper, high + 0.05, (which, order, deaths))

    def test_all_ten_shuffled_points_would_lie_inside_in_five_of_six_such_figures(self):
        """A draw lies outside if its run is longer than that which 95 % do not exceed."""
        inside = 1.0
        for deaths in DEATHS:
            share = 0.0
            for run in sorted(longest_runs(deaths)):
                if share < 0.95:
                    share += longest_runs(deaths)[run]
            inside *= share ** 2
        self.assertAlmostEqual(inside, 0.845, places=3)

    def test_runs_of_dead_are_as_long_as_by_chance(self):
        """Within four standard deviations of the counted shares, in 200 draws."""
        for which, order in (("20", "shuffled"), ("random", "rank"), ("random", "shuffled")):
            found = self.known(which, order, 5)
            for run, share in longest_runs(5).items():
                times_found = sum(math.ceil(time) == 2 * run - 1 for time in found)
                spread = math.sqrt(self.REPLICATES * share * (1 - share))
                self.assertAlmostEqual(times_found, self.REPLICATES * share,
                                       delta=4 * spread + 0.5)

    def test_victims_meet_as_often_as_by_chance(self):
        """Of p places drawn on a circle of n none are neighbours in n/(n-p) C(n-p,p) of C(n,p)
        cases. The share of 200 draws has a standard deviation of at most 3.5 %."""
        for which, order in (("20", "shuffled"), ("random", "rank"), ("random", "shuffled")):
            for deaths in DEATHS:
                apart = sum(time < 1.01 for time in self.known(which, order, deaths))
                chance = (48 / (48 - deaths) * math.comb(48 - deaths, deaths)
                          / math.comb(48, deaths))
                spread = math.sqrt(self.REPLICATES * chance * (1 - chance))
                self.assertAlmostEqual(apart, self.REPLICATES * chance, delta=4 * spread + 0.5)


if __name__ == "__main__":
    unittest.main()

"""Experiments in short form against what theory says of them; their READMEs have it at length."""

import json
import math
import unittest

from experiment import Experiment, of, times


def sweep(**paths):
    """The option that varies these paths instead; __ stands for a dot."""
    return "sweep=" + json.dumps({key.replace("__", "."): values for key, values in paths.items()})


class MistakesUnderLoss(Experiment):
    NAME, LOSS, PERIOD = "false-positives", 0.1, 0.1
    OPTIONS = ["--set", "replicates=4", "--set",
               sweep(fabric__loss=[LOSS], failures__0__lasts=["1 ns"],
                     detector__timeout=["250 ms", "350 ms"])]

    def test_k_heartbeats_in_a_row_are_lost_as_often_as_they_should(self):
        for timeout, k in (("250 ms", 2), ("350 ms", 3)):
            rows = of(self.results, detector__timeout=timeout)
            lived = sum(float(row["lived_s"]) for row in rows)
            self.assertAlmostEqual(lived, 4 * 64 * 180)
            expected = self.LOSS ** k * (1 - self.LOSS) / self.PERIOD * lived
            found = sum(int(row["mistakes"]) for row in rows)
            self.assertAlmostEqual(found, expected, delta=4 * math.sqrt(expected))

    def test_most_last_until_the_next_heartbeat(self):
        for row in self.results:
            self.assertAlmostEqual(float(row["mistake_median_s"]), self.PERIOD / 2, delta=0.0001)
            self.assertEqual(row["missed"], "0")


class MistakesOfPauses(Experiment):
    NAME = "false-positives"
    OPTIONS = ["--set", "duration=60 s", "--set",
               sweep(fabric__loss=[0], failures__0__lasts=["300 ms"],
                     detector__timeout=["350 ms", "450 ms"])]

    def test_a_pause_is_mistaken_when_the_silence_is_longer_than_the_timeout(self):
        """The silence is 300 ms and up to a period of 100 ms more, uniformly."""
        half = sum(int(row["mistakes"]) for row in of(self.results, detector__timeout="350 ms"))
        self.assertAlmostEqual(half, 0.5 * 8 * 20, delta=4 * math.sqrt(8 * 20 / 4))
        for row in of(self.results, detector__timeout="450 ms"):
            self.assertEqual(row["mistakes"], "0")


class MistakesUnderTraffic(Experiment):
    """An incast of twice what its target's link takes: half of what comes to the port is lost."""
    NAME, PERIOD, SHARE, PACKET = "false-positives-traffic", 200e-6, 0.5, 4096 * 8 / 10e9
    BOTH_LANES = {"traffic.0.load": [0.125], "fabric.packet.service_level": [0, 1]}
    OPTIONS = ["--set", "sweep=" + json.dumps([
        {**BOTH_LANES, "fabric.packet.flow_control": ["drop_tail"],
         "detector.timeout": ["500 us", "700 us"]},
        {**BOTH_LANES, "fabric.packet.flow_control": ["credits"],
         "detector.timeout": ["1300 us"]}])]

    def test_drop_tail_loses_k_heartbeats_in_a_row_as_often_as_it_should(self):
        """Of the one emitter that sends to the target."""
        for timeout, k in (("500 us", 2), ("700 us", 3)):
            rows = of(self.results, detector__timeout=timeout,
                      fabric__packet__flow_control="drop_tail", fabric__packet__service_level=0)
            lived = sum(float(row["lived_s"]) for row in rows)
            self.assertAlmostEqual(lived, 10 * 64 * 0.04)
            expected = self.SHARE ** k * (1 - self.SHARE) / self.PERIOD / 64 * lived
            found = sum(int(row["mistakes"]) for row in rows)
            self.assertAlmostEqual(found, expected, delta=4 * math.sqrt(expected))
            for row in rows:
                lost = int(row["traffic_dropped_queue_full"]) / int(row["traffic_offered"])
                self.assertAlmostEqual(lost, self.SHARE, delta=0.02)

    def test_on_a_lane_of_their_own_heartbeats_wait_for_a_packet_a_port(self):
        for row in of(self.results, fabric__packet__service_level=1):
            self.assertEqual(row["mistakes"], "0")
            self.assertEqual(row["control_dropped_queue_full"], "0")
            self.assertLess(float(row["control_latency_max_s"]), 4 * self.PACKET + 2e-6)

    def test_with_credits_they_wait_behind_the_backlog(self):
        """Each adapter holds 16 packets, of which the target's link takes one of 16 senders at a
        time."""
        for row in of(self.results, fabric__packet__flow_control="credits",
                      fabric__packet__service_level=0):
            self.assertEqual(row["control_dropped_queue_full"], "0")
            self.assertGreater(float(row["control_latency_max_s"]), 16 * 16 * self.PACKET)


class Scale(Experiment):
    NAME, KINDS = "detection-at-scale", ["bmg", "chord", "hba", "neighbours", "flood"]
    OPTIONS = ["--set", "replicates=2", "--set",
               sweep(propagation__kind=KINDS, processes__nodes=[16, 64])]

    def test_everyone_sends_to_all_targets_but_the_dead(self):
        """With N a power of two: bmg has 2 log2 N - 1 targets, chord and one hypercube log2 N,
        neighbours 2 (log2 N - 1), flood N - 1. Everybody is a target as often as it has targets."""
        for row in self.results:
            size = int(row["processes"])
            log = size.bit_length() - 1
            targets = {"bmg": 2 * log - 1, "chord": log, "hba": log, "neighbours": 2 * (log - 1),
                       "flood": size - 1}[row["propagation.kind"]]
            self.assertEqual(int(row["notices"]), (size - 1) * targets - targets)
            self.assertEqual((row["missed"], row["propagated"]), ("0", "1"))

    def test_detection_does_not_depend_on_the_size(self):
        found = times(self.results, "detection_max_s")
        self.assertGreater(found[0], 4)
        self.assertLess(found[-1], 5.0001)


class LeafSwitch(Experiment):
    NAME = "leaf-switch"
    OPTIONS = ["--set", "replicates=3", "--set",
               sweep(detector__hold=["0 s", "100 ms"], detector__order=["rank", "spread"])]

    def test_the_order_decides(self):
        told_at_once = of(self.results, detector__hold="0 s")
        in_rank_order = times(of(told_at_once, detector__order="rank"), "detection_max_s")
        self.assertGreater(in_rank_order[0], (2 * 18 - 1) * 1 - 0.1)
        self.assertLess(in_rank_order[-1], (2 * 18 - 1) * 1 + 0.0001)
        self.assertLess(times(of(told_at_once, detector__order="spread"), "known_max_s")[-1],
                        1.0001)

    def test_held_verdicts_leave_as_one_set(self):
        for hold, least, most in (("0 s", 0.05, 0.1), ("100 ms", 0, 0.00001)):
            for row in of(self.results, detector__hold=hold, detector__order="spread"):
                apart = float(row["detection_max_s"]) - float(row["detection_min_s"])
                self.assertGreaterEqual(apart, least)
                self.assertLess(apart, most)


if __name__ == "__main__":
    unittest.main()

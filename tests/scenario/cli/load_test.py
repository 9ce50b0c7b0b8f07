"""Real processes beside a load that takes every processor: nobody is falsely believed dead at the
default timeout, and each process sends one frame of 64 bytes a period, or none where another frame
to its observer says the same. Frames are counted by the kernel. Skipped where a process may not
have a network of its own.

arguments: how many processes on three hosts, and for how many seconds; with more than 60 the
smallest timeout without a mistake is looked for as well; the rest goes to unittest
"""

import collections
import os
import subprocess
import sys
import unittest

from frames_on_loopback import HEARTBEAT, NotAllowed, Witness, leave_network
from holdfast import Scenario

HOSTS = 3
PROCESSES, SECONDS = 15, 20
PERIOD_S = 0.1  # the default
FRAME_BYTES = 64
LOOK_FOR_S = 60
TIMEOUTS_MS = [1000, 500, 200, 100, 50, 20, 10]
# The kernel's stamp is taken a little after the process has looked at its clock.
STAMP = 0.05


def job(seconds, **more):
    """All of the detector is left at its defaults."""
    return {"name": "load", "seed": 1, "duration": f"{seconds} s", "fabric": {"kind": "udp"},
            "topology": {"kind": "fat_tree", "down": [HOSTS], "up": [1], "parallel": [1]},
            "processes": {"per_node": PROCESSES // HOSTS, "agents": False}, **more}


class Load:
    """Twice as many processes as there are processors, each of which would use one up."""

    def __enter__(self):
        self.busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                     for _ in range(2 * (os.cpu_count() or 1))]

    def __exit__(self, *_):
        for one in self.busy:
            one.kill()
            one.wait()


def most_ahead(times):
    """By how many periods more frames than periods have gone by, at most, in any stretch of time.
    Who sends on a fixed beat, each time less than a period late, stays below one."""
    ahead, least = 0.0, float("inf")
    for count, at in enumerate(sorted(times)):
        least = min(least, count - at / PERIOD_S)
        ahead = max(ahead, count - at / PERIOD_S - least)
    return ahead


class UnderLoad(Scenario):
    @classmethod
    def setUpClass(cls):
        try:
            leave_network()
        except NotAllowed as reason:
            raise unittest.SkipTest(str(reason)) from reason

    def run_job(self, name, configuration):
        self.write(f"{name}.json", configuration)
        running = self.start("run", f"{name}.json", "--quiet", "--output", name)
        try:
            _, complaint = running.communicate(timeout=SECONDS + 1000)
        finally:
            running.kill()
        self.assertEqual(running.returncode, 0, complaint)
        return self.rows(name, "results.csv")

    def watch(self, name, configuration):
        """Runs it; gives its rows and the frames that were seen."""
        witness = Witness()
        try:
            rows = self.run_job(name, configuration)
        finally:
            frames, strangers, lost = witness.end()
        self.assertEqual((strangers, lost), (0, 0))
        return rows, frames

    def test_nobody_is_judged_and_each_sends_one_frame_a_period(self):
        with Load():
            (row,), frames = self.watch("load", job(SECONDS))
        self.assertEqual((row["false_verdicts"], row["mistakes"]), ("0", "0"))
        self.assertEqual({frame.size for frame in frames}, {FRAME_BYTES})
        # Who leaves at the end says so; before that there is nothing but heartbeats.
        self.assertEqual({frame.type for frame in frames}, {HEARTBEAT})
        by_sender = collections.defaultdict(list)
        for frame in frames:
            by_sender[frame.sender].append(frame.at)
        self.assertEqual(set(by_sender), set(range(PROCESSES)))
        ahead = max(map(most_ahead, by_sender.values()))
        self.assertLess(ahead, 1 + STAMP)
        longest = max(later - at for times in by_sender.values()
                      for at, later in zip(times, times[1:]))
        print(f"{PROCESSES} processes under load for {SECONDS} s: {len(frames)} frames of "
              f"{FRAME_BYTES} bytes, {len(frames) * PERIOD_S / SECONDS / PROCESSES:.3f} a process "
              f"and period, no mistake; longest silence {longest:.3f} s")

    def test_news_stands_for_a_heartbeat(self):
        """In rank order bmg tells the next in the ring of a death, so its next heartbeat is left
        out; but where a process was late by a period, which a busy machine may make of some."""
        dead = PROCESSES // 2
        (row,), frames = self.watch(
            "news", job(4, failures=[{"at": "1 s", "what": "process", "which": dead}]))
        self.assertEqual((row["failures"], row["missed"]), ("1", "0"))
        left_out = told = 0
        for process in range(PROCESSES):
            if process in (dead - 1, dead):
                continue
            to_observer = [frame for frame in frames
                           if frame.sender == process and
                           frame.receiver == (process + 1) % PROCESSES]
            first = min((frame.at for frame in to_observer if frame.type != HEARTBEAT),
                        default=None)
            if first is None:
                continue
            told += 1
            left_out += not any(first < frame.at < first + PERIOD_S
                                for frame in to_observer if frame.type == HEARTBEAT)
        print(f"{left_out} of {told} who told their observers something left a heartbeat out")
        self.assertGreaterEqual(told, PROCESSES - 3)
        self.assertGreater(left_out, told // 2)

    def test_smallest_timeout_without_a_mistake(self):
        if SECONDS <= LOOK_FOR_S:
            self.skipTest("only when there is time")
        sweep = [{"detector.timeout": [f"{timeout} ms"], "detector.period": [f"{timeout // 10} ms"]}
                 for timeout in TIMEOUTS_MS]
        with Load():
            rows = self.run_job("timeouts", job(LOOK_FOR_S, sweep=sweep))
        mistakes = {row["detector.timeout"]: int(row["false_verdicts"]) for row in rows}
        print(f"{PROCESSES} processes under load, {LOOK_FOR_S} s each, false verdicts by timeout:",
              mistakes)
        self.assertEqual(mistakes["1000 ms"], 0)


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1].isdigit() and sys.argv[2].isdigit():
        PROCESSES, SECONDS = int(sys.argv.pop(1)), int(sys.argv.pop(1))
    unittest.main()

"""Programs that use the library in jobs that Open MPI's mpirun starts: they find each other through
PMIx, hear of a death by the operating system or by heartbeats, and go on."""

import os
import re
import signal
import subprocess
import sys
import unittest

from holdfast import PROGRAM, Scenario
from marked import Marked
from mpirun_test import HERE, MPIRUN

LIBRARY = os.path.join(os.path.dirname(PROGRAM), "libholdfast.so")
MEMBER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pmix_member.py")


def member(verdicts):
    return [sys.executable, "-B", MEMBER, LIBRARY, str(verdicts)]


@unittest.skipUnless(HERE, "there is no mpirun of Open MPI (Debian: openmpi-bin)")
class PmixLibrary(Scenario):
    def setUp(self):
        super().setUp()
        self.marked = Marked()
        self.addCleanup(self.marked.kill)

    def begin(self, *words, **environment):
        mpirun = subprocess.Popen([*MPIRUN, *words], cwd=self.folder, text=True,
                                  env={**self.marked.environment, **environment},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for end in (mpirun.stdout.close, mpirun.wait, mpirun.kill):
            self.addCleanup(end)
        return mpirun

    def survive(self, nodes, **environment):
        """Four join, one is killed, three hear it and nothing else before they leave."""
        mpirun = self.begin("--enable-recovery", "-n", "4", *member(1), **environment)
        pids, said = {}, ""
        while len(pids) < 4:
            line = mpirun.stdout.readline()
            joined = re.match(rf"process (\d) of 4 on {nodes} nodes: pid (\d+)$", line)
            self.assertTrue(joined, line)
            pids[int(joined[1])] = int(joined[2])
        self.assertEqual(set(pids), set(range(4)))
        os.kill(pids[2], signal.SIGKILL)
        try:
            said, _ = mpirun.communicate(timeout=40)
        except subprocess.TimeoutExpired:  # mpirun's own affair; see outlive_test.py
            mpirun.kill()
            said, _ = mpirun.communicate()
        heard = re.findall(r"^process (\d) hears: (\d \w+)$", said, re.M)
        self.assertEqual(sorted(heard), [("0", "2 failed"), ("1", "2 failed"), ("3", "2 failed")])
        self.assertEqual(self.marked.await_end(10), {})

    def test_processes_of_one_machine_are_one_node(self):
        self.survive(1)

    def test_they_may_act_as_several_which_watch_each_other_by_heartbeats(self):
        self.survive(4, HOLDFAST_PER_NODE="1", HOLDFAST_PERIOD="50 ms", HOLDFAST_TIMEOUT="500ms")

    def test_jobs_that_cannot_begin(self):
        for expected, words in (
                ('HOLDFAST_PERIOD is "10"; expected a whole number and a unit',
                 ["-n", "2", "-x", "HOLDFAST_PERIOD=10", *member(0)]),
                ("HOLDFAST_TIMEOUT (1s if it is not set) must be at least two of",
                 ["-n", "2", "-x", "HOLDFAST_PERIOD=600ms", *member(0)]),
                ('in the environment\'s HOLDFAST_ADDRESSES "240.0.0.0/4" is a network in which '
                 "this machine has no address",
                 ["-n", "2", "-x", "HOLDFAST_ADDRESSES=127.0.0.1,240.0.0.0/4", *member(0)]),
                ("HOLDFAST_ADDRESSES has too many addresses; expected at most 8",
                 ["-n", "2", "-x", "HOLDFAST_ADDRESSES=" + ",".join(["127.0.0.1"] * 9),
                  *member(0)]),
                ("must be at least 4 of HOLDFAST_PERIOD (100ms if it is not set), two for each",
                 ["-n", "2", "-x", "HOLDFAST_ADDRESSES=127.0.0.1,127.0.0.2",
                  "-x", "HOLDFAST_TIMEOUT=300ms", *member(0)]),
                ("process 1 has 1 rail and this process has 2; every process of a job brings",
                 ["-n", "1", "-x", "HOLDFAST_ADDRESSES=127.0.0.1,127.0.0.2", *member(0), ":",
                  "-n", "1", "-x", "HOLDFAST_ADDRESSES=127.0.0.1", *member(0)]),
                ('HOLDFAST_FABRIC is "shm"; expected udp, tcp or verbs',
                 ["-n", "2", "-x", "HOLDFAST_FABRIC=shm", *member(0)]),
                ("has another configuration; give the same to all",
                 ["-n", "1", "-x", "HOLDFAST_FABRIC=tcp", *member(0), ":", "-n", "1", *member(0)]),
                ("HOLDFAST_PER_NODE is 2, which does not divide the 3 processes",
                 ["-n", "3", "-x", "HOLDFAST_PER_NODE=2", *member(0)]),
                ("has another configuration; give the same to all",
                 ["-n", "1", "-x", "HOLDFAST_PERIOD=20ms", *member(0), ":",
                  "-n", "1", "-x", "HOLDFAST_PERIOD=30ms", *member(0)])):
            with self.subTest(expected):
                said, _ = self.begin(*words).communicate(timeout=60)
                self.assertIn("status 5: holdfast: ", said)
                self.assertIn(expected, said)


if __name__ == "__main__":
    unittest.main()

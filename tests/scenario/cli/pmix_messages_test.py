"""Messages in jobs that Open MPI's mpirun starts, between programs of the library's own tests
(tests/unit/library/message_roles.cpp): all that is received is compared with what was sent, and
what cannot arrive ends with the reason."""

import os
import re
import subprocess
import unittest

from holdfast import PROGRAM, Scenario
from marked import Marked
from mpirun_test import HERE, MPIRUN

MEMBERS = os.path.join(os.path.dirname(PROGRAM), "tests/unit/library/library_test")
# mpirun says neither who ended nor how of a job that recovers.
SAYS_ITS_END = ["sh", "-c", '"$@"; status=$?; echo "$PMIX_RANK ended with $status"; exit $status',
                "sh"]
KILLED = 128 + 9


@unittest.skipUnless(HERE, "there is no mpirun of Open MPI (Debian: openmpi-bin)")
class PmixMessages(Scenario):
    def setUp(self):
        super().setUp()
        self.marked = Marked()
        self.addCleanup(self.marked.kill)

    def play(self, role, processes, killed=(), **environment):
        """All processes play it and end well, but for the killed."""
        mpirun = subprocess.Popen(
            [*MPIRUN, "--enable-recovery", "-n", str(processes), *SAYS_ITS_END, MEMBERS, "member",
             role], cwd=self.folder, text=True, env={**self.marked.environment, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for end in (mpirun.stdout.close, mpirun.wait, mpirun.kill):
            self.addCleanup(end)
        try:
            said, _ = mpirun.communicate(timeout=60)
        except subprocess.TimeoutExpired:  # mpirun's own affair; see outlive_test.py
            mpirun.kill()
            said, _ = mpirun.communicate()
        ends = {int(rank): int(status)
                for rank, status in re.findall(r"^(\d+) ended with (\d+)$", said, re.M)}
        self.assertEqual(ends, {rank: KILLED if rank in killed else 0
                                for rank in range(processes)}, said)
        self.assertEqual(self.marked.await_end(10), {})

    def test_of_all_sizes_go_from_each_to_each(self):
        for processes in (2, 3, 8):
            with self.subTest(processes):
                self.play("all_to_all", processes)

    def test_go_over_what_the_environment_says(self):
        self.play("all_to_all", 3, HOLDFAST_FABRIC="tcp",
                  HOLDFAST_ADDRESSES="127.0.0.1,127.0.0.2")

    def test_of_all_sizes_go_round_a_ring(self):
        self.play("ring", 3)

    def test_are_met_in_their_order(self):
        self.play("matching", 2)

    def test_to_whom_is_killed_while_it_receives_end_as_failed(self):
        self.play("dying_receiver", 3, killed={1})

    def test_with_whom_heartbeats_say_is_dead_end_as_failed(self):
        self.play("dead_peer", 4, killed={1}, HOLDFAST_PER_NODE="1")

    def test_with_who_has_left_end_as_failed(self):
        self.play("left_peer", 2)

    def test_of_a_life_that_was_given_up_end_and_the_next_one_has_its_own(self):
        self.play("new_life", 3, HOLDFAST_PER_NODE="1", HOLDFAST_PERIOD="20ms",
                  HOLDFAST_TIMEOUT="600ms")


if __name__ == "__main__":
    unittest.main()

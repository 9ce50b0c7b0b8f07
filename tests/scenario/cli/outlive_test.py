"""No process outlives its job: whoever starts the processes is killed, interrupted from its
terminal or loses that, or one of the processes is killed, at a moment that is drawn; soon nothing
is left.

usage: outlive_test.py TIMES [unittest arguments]
"""

import os
import pty
import random
import signal
import sys
import time
import unittest

from holdfast import PROGRAM, Scenario
from marked import Marked
from mpirun_test import HERE, MPIRUN, job_of

TIMES = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 1
SLEEP = "/bin/sleep"
RUN = [PROGRAM, "run", "job.json"]
LAUNCH = [PROGRAM, "launch", "-n", "8", "--", SLEEP, "60"]
NODES = [*MPIRUN, "-n", "8", PROGRAM, "node", "job.json"]


class Launched:
    """A launcher on a terminal of its own, with eight processes that are known by `child`."""

    def __init__(self, command, child, folder):
        self.child = child
        self.marked = Marked()
        self.launcher, self.terminal = pty.fork()
        if self.launcher == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, self.marked.environment)

    def processes(self):
        """In the order in which they were started, which is that of their ranks."""
        return sorted(pid for pid, words in self.marked.processes().items()
                      if words.startswith(self.child))

    def await_start(self):
        end = time.monotonic() + 20
        while len(self.processes()) < 8 and time.monotonic() < end:
            time.sleep(0.01)
        return len(self.processes()) == 8

    def kill(self, pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended by itself

    def hang_up(self):
        os.close(self.terminal)
        self.terminal = -1

    def over(self):
        """What is left. Not an mpirun: Open MPI 4.1.4's waits for itself for ever, when a process
        was killed while it connected, in some of a hundred ends (PMIx_server_finalize)."""
        left = {pid: words for pid, words in self.marked.await_end(15).items()
                if not words.startswith("mpirun ")}
        self.marked.kill()
        os.waitpid(self.launcher, 0)
        if self.terminal >= 0:
            self.hang_up()
        return left


WAYS = {
    "kill the launcher": lambda job, draw: job.kill(job.launcher),
    "kill process 0": lambda job, draw: job.kill(job.processes()[0]),
    "kill any process": lambda job, draw: job.kill(draw.choice(job.processes())),
    "Ctrl-C": lambda job, draw: os.write(job.terminal, b"\x03"),
    "lose the terminal": lambda job, draw: job.hang_up(),
}
# A death ends nobody else under launch.
OF_LAUNCH = {way: act for way, act in WAYS.items() if "process" not in way}


class Outlive(Scenario):
    def setUp(self):
        super().setUp()
        self.write("job.json", job_of(8, "60 s"))

    def check(self, command, child, ways):
        draw = random.Random(1)
        for way, act in ways.items():
            with self.subTest(way):
                for _ in range(TIMES):
                    job = Launched(command, child, self.folder)
                    self.addCleanup(job.marked.kill)
                    self.assertTrue(job.await_start(), "not all processes were started")
                    time.sleep(draw.uniform(0, 0.5))
                    act(job, draw)
                    self.assertEqual(job.over(), {})

    def test_of_run(self):
        self.check(RUN, f"{PROGRAM} node", WAYS)

    def test_of_launch(self):
        self.check(LAUNCH, SLEEP, OF_LAUNCH)

    @unittest.skipUnless(HERE, "there is no mpirun of Open MPI (Debian: openmpi-bin)")
    def test_of_mpirun(self):
        self.check(NODES, f"{PROGRAM} node", WAYS)


if __name__ == "__main__":
    unittest.main()

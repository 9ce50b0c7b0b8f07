"""Jobs that Open MPI's mpirun starts: the processes find each other through PMIx; a killed one ends
nobody else if mpirun is told to recover, and else everybody; none outlives mpirun."""

import os
import re
import shutil
import signal
import subprocess
import unittest

from holdfast import PROGRAM, SMALL, Scenario
from marked import Marked

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]
HERE = shutil.which("mpirun") is not None and "Open MPI" in subprocess.run(
    ["mpirun", "--version"], capture_output=True, text=True, check=False).stdout


def job_of(processes, duration):
    return dict(SMALL, replicates=1, duration=duration, processes={"per_node": 1},
                fabric={"kind": "udp"}, failures=[],
                topology={"kind": "fat_tree", "down": [processes], "up": [1], "parallel": [1]})


@unittest.skipUnless(HERE, "there is no mpirun of Open MPI (Debian: openmpi-bin)")
class Mpirun(Scenario):
    def setUp(self):
        super().setUp()
        self.marked = Marked()
        self.addCleanup(self.marked.kill)

    def begin(self, *words):
        """Starts mpirun with these words; all that it and its processes say comes to stdout."""
        mpirun = subprocess.Popen([*MPIRUN, *words], cwd=self.folder,
                                  env=self.marked.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        for end in (mpirun.stdout.close, mpirun.wait, mpirun.kill):
            self.addCleanup(end)
        return mpirun

    def begin_eight(self, *words, duration="60 s"):
        self.write("job.json", job_of(8, duration))
        return self.begin(*words, "-n", "8", PROGRAM, "node", "job.json")

    def await_meeting(self, mpirun):
        """Reads until all have met; gives {rank: pid}."""
        ranks = set()
        for line in mpirun.stdout:
            met = re.match(r"process (\d+): has met all 8 processes; .* 127\.0\.0\.1:\d+$", line)
            self.assertTrue(met, line)
            ranks.add(int(met[1]))
            if len(ranks) == 8:
                break
        self.assertEqual(ranks, set(range(8)))
        return {self.rank_of(pid): pid for pid, words in self.marked.processes().items()
                if words.startswith(PROGRAM)}

    def rank_of(self, pid):
        with open(f"/proc/{pid}/environ", "rb") as file:
            return int(re.search(rb"PMIX_RANK=(\d+)", file.read())[1])

    def end_of(self, mpirun, status):
        """What it said; the exit status must be as given, unless it hangs (see outlive_test.py)."""
        try:
            said, _ = mpirun.communicate(timeout=20)
            self.assertEqual(mpirun.returncode, status, said)
        except subprocess.TimeoutExpired:
            self.assertEqual([words for words in self.marked.processes().values()
                              if words.startswith(PROGRAM)], [])
            mpirun.kill()
            said, _ = mpirun.communicate()
        return said

    def all_end(self):
        self.assertEqual(self.marked.await_end(10), {})

    def test_survivors_of_a_killed_process_go_on_under_recovery(self):
        mpirun = self.begin_eight("--enable-recovery", duration="4 s")
        killed = 0  # which has given the job its key
        os.kill(self.await_meeting(mpirun)[killed], signal.SIGKILL)
        said = self.end_of(mpirun, 0)
        for rank in range(1, 8):
            told = re.findall(rf"^process {rank}: process (\d+) (\w+) after (\S+) s$", said, re.M)
            self.assertEqual([(process, state) for process, state, _ in told],
                             [(str(killed), "failed")], said)
            self.assertIn(f"process {rank}: left at the end\n", said)
        self.all_end()

    def test_without_recovery_a_killed_process_ends_the_job(self):
        mpirun = self.begin_eight()
        os.kill(self.await_meeting(mpirun)[5], signal.SIGKILL)
        self.end_of(mpirun, 128 + signal.SIGKILL)
        self.all_end()

    def test_no_process_outlives_mpirun(self):
        mpirun = self.begin_eight()
        self.await_meeting(mpirun)
        mpirun.kill()
        self.all_end()

    def test_jobs_that_cannot_begin(self):
        self.write("eight.json", job_of(8, "60 s"))
        self.write("two.json", job_of(2, "60 s"))
        self.write("other.json", job_of(2, "61 s"))
        two = [PROGRAM, "node", "two.json"]
        jobs = [
            ("is for 8 processes, and 2 were started; give mpirun or srun -n 8", 2,
             ["-n", "2", PROGRAM, "node", "eight.json"]),
            ("process 0 has another key than this one", 2,
             ["-n", "1", "-x", "HOLDFAST_KEY=" + "3b" * 32, *two, ":",
              "-n", "1", "-x", "HOLDFAST_KEY=" + "3c" * 32, *two]),
            ("has another configuration; give the same to all", 2,
             ["-n", "1", *two, ":", "-n", "1", PROGRAM, "node", "other.json"]),
            ("not all processes have joined in time", 1,
             ["-n", "1", *two, "--patience", "2s", ":", "-n", "1", "sleep", "60"])]
        begun = [self.begin(*words) for _, _, words in jobs]
        for (expected, status, _), mpirun in zip(jobs, begun):
            with self.subTest(expected):
                self.assertIn(expected, self.end_of(mpirun, status))
        self.all_end()


class Alone(Scenario):
    def test_a_process_that_nobody_has_started_in_a_job_says_so(self):
        self.write("job.json", job_of(8, "1 s"))
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("PMI", "SLURM"))}
        for added, expected in (({}, "was not started under PMIx; use mpirun of Open MPI"),
                                ({"PMI_RANK": "0"}, "as MPICH's mpirun does"),
                                ({"SLURM_PROCID": "0"}, "use srun --mpi=pmix")):
            done = subprocess.run([PROGRAM, "node", "job.json"], cwd=self.folder, text=True,
                                  env={**environment, **added}, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(expected, done.stderr)


if __name__ == "__main__":
    unittest.main()

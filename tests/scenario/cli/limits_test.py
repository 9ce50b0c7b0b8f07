"""A job that the limits of the system have no room for is refused before anything starts, with the
number that is enough; soft limits are raised. The limits are real ones, by prlimit(1)."""

import os
import re
import subprocess
import tempfile
import unittest

from holdfast import PROGRAM, SMALL, Scenario, main

EIGHT = dict(SMALL, name="eight", replicates=1, duration="300 ms", failures=[],
             processes={"per_node": 1}, fabric={"kind": "udp"})
RUN = ["run", "eight.json", "--quiet", "--output", "out"]
LAUNCH = ["launch", "-n", "8", "touch", "ran"]
NOBODY = 65534


class Limits(Scenario):
    def setUp(self):
        super().setUp()
        self.write("eight.json", EIGHT)

    def under(self, limit, words, **more):
        """Exit status and stderr of the program under a limit such as --nofile=64:64."""
        more.setdefault("cwd", self.folder)
        done = subprocess.run(["prlimit", limit, PROGRAM, *words], text=True, capture_output=True,
                              check=False, timeout=100, **more)
        return done.returncode, done.stderr

    def needed(self, words, processes):
        """How many open files a job takes, as it says where it may have 40."""
        status, complaint = self.under("--nofile=40:40", words)
        self.assertEqual(status, 2, complaint)
        said = re.fullmatch(
            rf"holdfast {words[0]}: a job of {processes} processes needs a limit of open files "
            r"\(RLIMIT_NOFILE\) of at least (\d+), and the hard limit is 40; raise it with "
            r"ulimit -n \1 as root, or by nofile in /etc/security/limits.conf, or start fewer "
            r"processes\n", complaint)
        self.assertTrue(said, complaint)
        self.assertEqual(os.listdir(self.folder), ["eight.json"])  # nothing was begun
        return int(said[1])

    def test_too_few_open_files_and_just_enough(self):
        for words in (RUN, RUN + ["--target", "tcp", "--set", "fabric.rails=2"],
                      RUN + ["--target", "shm"], LAUNCH,
                      ["launch", "-n", "8", "--rails", "2", "touch", "ran"],
                      ["launch", "-n", "8", "--fabric", "shm", "touch", "ran"]):
            with self.subTest(words):
                needed = self.needed(words, 8)
                status, complaint = self.under(f"--nofile=40:{needed}", words)
                self.assertEqual(status, 0, complaint)
                subprocess.run(["rm", "-r", "out" if words[0] == "run" else "ran"],
                               cwd=self.folder, check=True)

    def test_what_a_process_takes(self):
        for more, each in (([], 4), (["--target", "tcp", "--set", "fabric.rails=2"], 5),
                           (["--target", "shm"], 3)):
            eight = self.needed(RUN + more, 8)
            sixteen = self.needed(RUN + more + ["--set", "processes.per_node=2"], 16)
            self.assertEqual(sixteen - eight, 8 * each, more)
        for more, each in (([], 4), (["--rails", "2"], 6), (["--fabric", "shm"], 2)):
            few = self.needed(["launch", "-n", "8", *more, "true"], 8)
            many = self.needed(["launch", "-n", "48", *more, "true"], 48)
            self.assertEqual(many - few, 40 * each, more)

    def test_each_sweep_point_counts(self):
        needed = self.needed(RUN, 8)
        self.write("eight.json", dict(EIGHT, sweep={"processes.per_node": [1, 2]}))
        status, complaint = self.under(f"--nofile={needed}:{needed}", RUN)
        self.assertEqual(status, 2, complaint)
        self.assertIn("a job of 16 processes", complaint)

    def test_where_no_limit_is_reached_none_is_changed(self):
        words = ["launch", "-n", "1", "sh", "-c", "test $(ulimit -Sn) = 300"]
        self.assertEqual(self.under("--nofile=300:400", words)[0], 0)

    def as_user(self):
        """What makes a child of ours a user whom the kernel holds to a number of processes."""
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}

    def as_user_can_run(self):
        try:
            subprocess.run([PROGRAM, "--help"], check=True, capture_output=True, **self.as_user())
        except (PermissionError, subprocess.CalledProcessError):
            self.cannot_run_here("a user without rights cannot run what was built")

    def test_too_few_processes_of_a_user(self):
        self.as_user_can_run()
        status, complaint = self.under("--nproc=8:8", LAUNCH, **self.as_user())
        self.assertEqual(status, 2, complaint)
        self.assertIn("processes and threads of a user (RLIMIT_NPROC) of at least 9, and the hard "
                      "limit is 8; raise it with ulimit -u 9 as root, or by nproc in", complaint)
        # Each of a run has two threads.
        os.chmod(self.folder, 0o755)
        status, complaint = self.under("--nproc=16:16", ["run", f"{self.folder}/eight.json"],
                                       cwd=tempfile.gettempdir(), **self.as_user())
        self.assertEqual(status, 2, complaint)
        self.assertIn("(RLIMIT_NPROC) of at least 17, and the hard limit is 16", complaint)

    def test_a_low_soft_limit_of_processes_is_raised(self):
        self.as_user_can_run()
        words = ["launch", "-n", "1", "bash", "-c", "test $(ulimit -Su) = 900"]
        self.assertEqual(self.under("--nproc=300:900", words, **self.as_user())[0], 0)

    def test_a_process_that_is_refused_because_there_are_others(self):
        self.as_user_can_run()
        others = [subprocess.Popen(["sleep", "1000"], **self.as_user()) for _ in range(9)]
        try:
            status, complaint = self.under("--nproc=9:9", LAUNCH, **self.as_user())
        finally:
            for other in others:
                other.kill()
                other.wait()
        self.assertEqual(status, 1, complaint)
        self.assertIn("cannot start a process: Resource temporarily unavailable; no more processes "
                      "are allowed: by ulimit -u", complaint)


if __name__ == "__main__":
    main()

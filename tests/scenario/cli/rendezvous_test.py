"""Jobs whose processes are started one by one, and find each other at the address of process 0: all
meet; survivors of a killed one go on, and see one that is told to end leave; who comes twice,
never, or with another key is told so."""

import os
import re
import signal
import socket
import subprocess
import unittest

from holdfast import PROGRAM, Scenario
from marked import Marked
from mpirun_test import job_of

KEY = "3b" * 32


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Rendezvous(Scenario):
    def setUp(self):
        super().setUp()
        self.marked = Marked()
        self.addCleanup(self.marked.kill)
        self.place = f"127.0.0.1:{free_port()}"

    def begin(self, rank, *words, config="job.json", key=KEY):
        process = subprocess.Popen(
            [PROGRAM, "node", config, "--rank", str(rank), "--rendezvous", self.place, *words],
            cwd=self.folder, env=dict(self.marked.environment, HOLDFAST_KEY=key), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for end in (process.stdout.close, process.wait, process.kill):
            self.addCleanup(end)
        return process

    def ends(self, process, status, expected):
        said, _ = process.communicate(timeout=30)
        self.assertIn(expected, said)
        self.assertEqual(process.returncode, status, said)
        self.assertEqual(said.count("\n"), 1, said)

    def test_eight_meet_and_six_go_on(self):
        self.write("job.json", job_of(8, "4 s"))
        last_first = [self.begin(rank) for rank in range(7, -1, -1)]
        processes = last_first[::-1]
        for rank, process in enumerate(processes):
            self.assertRegex(process.stdout.readline(),
                             rf"^process {rank}: has met all 8 processes; .* 127\.0\.0\.1:\d+$")
        processes[7].terminate()
        self.assertIn("stopped by a signal\n", processes[7].communicate(timeout=30)[0])
        self.assertEqual(processes[7].returncode, 130)
        os.kill(processes[0].pid, signal.SIGKILL)
        for rank, process in enumerate(processes[1:7], 1):
            said, _ = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 0, said)
            self.assertRegex(said, rf"^process {rank}: process 7 left after \S+ s\n"
                                   rf"process {rank}: process 0 failed after \S+ s\n"
                                   rf"process {rank}: left at the end\n$")
        self.assertEqual(self.marked.await_end(5), {})

    def test_three_meet_over_ipv6(self):
        self.write("job.json", job_of(3, "2 s"))
        self.place = f"[::1]:{free_port()}"
        processes = [self.begin(rank) for rank in range(3)]
        for rank, process in enumerate(processes):
            said, _ = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 0, said)
            self.assertRegex(said, rf"^process {rank}: has met all 3 processes; .* \[::1\]:\d+\n"
                                   rf"process {rank}: left at the end\n$")

    def test_one_that_speaks_another_ip_is_told(self):
        self.write("job.json", job_of(2, "60 s"))
        self.place = f"[::1]:{free_port()}"
        processes = [self.begin(0), self.begin(1, "--address", "127.0.0.1")]
        for process in processes:
            self.ends(process, 2, "all processes of a job speak one version of IP")

    def test_who_cannot_take_part_is_told_and_the_others_wait(self):
        self.write("job.json", job_of(3, "60 s"))
        self.write("other.json", job_of(3, "61 s"))
        waiting = [self.begin(rank, "--patience", "5s") for rank in (0, 1)]
        second = self.begin(1)
        self.ends(self.begin(2, key="3c" * 32), 2, "have different keys; give all processes")
        self.ends(self.begin(2, config="other.json"), 2, "process 0 has another configuration")
        self.ends(self.begin(0), 2, "somebody does already, another process 0 or another job")
        missing = "1 of 3 processes have not come in time: 2; 1 came that have another key"
        self.ends(waiting[0], 1, missing)
        said = sorted(process.communicate(timeout=30)[0] for process in (second, waiting[1]))
        self.assertIn(missing, said[0])
        self.assertRegex(said[1], r"process 1 has joined already, from 127\.0\.0\.1:\d+ \(process "
                                  r"number \d+\); give each its own rank")
        self.assertEqual({second.returncode, waiting[1].returncode}, {1, 2})

    def test_nobody_listens(self):
        self.write("job.json", job_of(3, "60 s"))
        self.ends(self.begin(1, "--patience", "200ms"), 1,
                  f"process 0 at {self.place} cannot be reached: Connection refused; it has not "
                  "been started, or its job has begun already")

    def test_options_that_cannot_be(self):
        self.write("job.json", job_of(3, "60 s"))
        self.write("open.key", KEY)
        os.chmod(self.path("open.key"), 0o644)
        for words, expected in (
                (["--rank", "3", "--rendezvous", "a:1"], "expected a whole number from 0 to 2"),
                (["--rank", "1"], "--rendezvous HOST:PORT is missing"),
                (["--rendezvous", "a:1"], "--rank R is missing"),
                (["--rank", "1", "--rendezvous", "a:1"], "a rendezvous needs the job's key"),
                (["--rank", "1", "--rendezvous", "a", "--key-file", "good.key"],
                 '"a" is no address; expected HOST:PORT'),
                (["--rank", "1", "--rendezvous", "0.0.0.0:9", "--key-file", "good.key"],
                 "every address of a machine"),
                (["--key-file", "open.key"], "others may read the job's key; mend with: chmod 600"),
                (["--key-file", "bad.key"], "there is no key of a job in it; expected 64 hexa"),
                (["--patience", "soon"], "expected a time above zero"),
                (["--address", "here"], "is no IPv4 or IPv6 address"),
                (["--address", "fe80::1%eth0"], "one interface of one machine only"),
                (["--address", "240.0.0.0/4"], "a network in which this machine has no address"),
                (["--address", "10.1.0.0/40"], "expected 1 to 32 after the slash"),
                (["--set", "fabric.rails=2"], "the experiment has 2 rails (fabric.rails), and "
                                              "--address is given 0 times; expected it once for "
                                              "each rail"),
                (["--address", "127.0.0.1", "--address", "127.0.0.2"],
                 "has 1 rail (fabric.rails), and --address is given 2 times"),
                (["--rank", "1", "--rendezvous", "::1:7000", "--key-file", "good.key"],
                 "or [fd00::1]:7000")):
            self.write("good.key", KEY + "\n")
            self.write("bad.key", KEY[1:] + "g")
            for name in ("good.key", "bad.key"):
                os.chmod(self.path(name), 0o600)
            with self.subTest(words=words):
                complaint = self.refused("node", "job.json", *words)
                self.assertIn(expected, complaint)
                self.assertFalse(re.search("3b3b3b", complaint), "it shows the key")


if __name__ == "__main__":
    unittest.main()

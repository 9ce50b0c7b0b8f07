"""Runs the built program, HOLDFAST_PROGRAM, in a folder that is gone afterwards."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["HOLDFAST_PROGRAM"]
# What is said where hosts cannot be network namespaces.
NOT_HERE = ("expected root", "install the Debian package", "expected a kernel")
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))

# Eight hosts; the second failure is repaired.
SMALL = {
    "name": "small", "seed": 1, "replicates": 2, "duration": "6 s",
    "topology": {"kind": "fat_tree", "down": [8], "up": [1], "parallel": [1]},
    "processes": {"per_node": 2},
    "detector": {"kind": "ring", "period": "100 ms", "timeout": "1 s", "order": "shuffled"},
    "propagation": {"kind": "bmg"},
    "failures": [
        {"at": "1 s", "what": "process", "which": 2},
        {"at": "2 s", "what": "node", "which": "host-5", "repaired_after": "2 s"},
    ],
}


def begun_again(log):
    """The replicates that run.log says were begun after they were finished."""
    finished = set()
    again = []
    for line in log.splitlines():
        verb, _, name = line.partition(" ")
        if verb == "finish":
            finished.add(name)
        if verb == "begin" and name in finished:
            again.append(name)
    return again


_not_here = []


def main():
    """unittest.main; ctest hears of what this machine cannot run only where nothing else failed,
    for what it calls skipped it does not call failed."""
    good = unittest.main(exit=False).result.wasSuccessful()
    for why in _not_here if good else ():
        print("\nSKIPPED: " + why, flush=True)
    sys.exit(not good)


class Scenario(unittest.TestCase):
    """Each test has a folder of its own, which is the current one of what it runs."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="holdfast-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def cannot_run_here(self, why):
        """Skips the test; main() has ctest say so."""
        _not_here.append(why)
        self.skipTest(why)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, content):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content, indent=1))

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def rows(self, *names):
        return list(csv.DictReader(self.read(*names).splitlines()))

    def start(self, *words):
        return subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run_program(self, *words, status=0):
        """Runs to the end; the exit status must be as given. Gives (stdout, stderr)."""
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True,
                              check=False, timeout=100)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    def refused(self, *words):
        """Runs what the user has to mend: exit status 2, nothing on stdout, nothing written."""
        before = sorted(os.listdir(self.folder))
        said, complaint = self.run_program(*words, status=2)
        self.assertEqual(said, "")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        return complaint

"""`holdfast bench` in a short form: what it writes and prints, and what it refuses. How fast this
machine is asserts nothing."""

import csv
import json
import os
import subprocess
import unittest

from holdfast import PROGRAM, ROOT, Scenario

CHECKSUMS = {"sum32", "xor32", "adler32", "fletcher64", "jenkins_oaat", "fnv1a", "knuth",
             "murmur2a", "superfast", "crc32c", "xxh3"}


class Bench(Scenario):
    def bench(self, *words):
        environment = {**os.environ, "XDG_CACHE_HOME": self.path("cache")}
        return subprocess.run([PROGRAM, "bench", *words], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)

    def test_every_checksum_is_measured_beside_the_limits(self):
        done = self.bench("checksum", "--rounds", "1", "--largest", "1", "--output", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("measured now", done.stdout)
        self.assertIn("results: out\n", done.stdout)
        found = {}
        for row in csv.DictReader(self.read("out", "bandwidth.csv").splitlines()):
            found.setdefault(row["measurement"], set()).add(row["contender"])
            self.assertGreater(float(row["median_bytes_per_s"]), 0)
        self.assertEqual(found["checksum"] - {"isal_crc32c"},
                         CHECKSUMS | {"memory_read", "memcpy"})
        for measurement in ("copy_then_checksum", "fused"):
            self.assertEqual(found[measurement], CHECKSUMS | {"memcpy"})
        shows = list(csv.DictReader(self.read("out", "shows.csv").splitlines()))
        self.assertGreaterEqual(len(shows), 3)
        for row in shows:
            self.assertIn(row["limit"], ("memcpy", "memory_read"))
        machine = json.loads(self.read("out", "machine.json"))
        self.assertTrue(machine["measured"])
        self.assertIn("model", machine["processor"])
        for experiment in ("csum-1", "csum-2"):
            figures = os.path.join(ROOT, "experiments", experiment, "bandwidth.json")
            subprocess.run([os.path.join(ROOT, "analysis", "bench"), self.path("out"), "--figures",
                            figures], check=True, stdout=subprocess.PIPE)
        self.assertEqual(len(os.listdir(self.path("out", "figures"))), 9)

        again = self.bench("checksum", "--rounds", "1", "--largest", "1", "--output", "again")
        self.assertIn("measured before", again.stdout)

    def test_what_is_refused_measures_nothing(self):
        os.mkdir(self.path("there"))
        for words, expected in (
                (["checksums"], "expected checksum"),
                (["checksum", "--largest", "3"], "power of two"),
                (["checksum", "--rounds", "0"], "--rounds"),
                (["checksum", "--output", "there"], "there is there already")):
            done = self.bench(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(expected, done.stderr)
        self.assertEqual(os.listdir(self.folder), ["there"])


if __name__ == "__main__":
    unittest.main()

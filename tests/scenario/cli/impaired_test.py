"""Frames that are lost, doubled, corrupted, late and reordered: the same file in simulation and
with eight real processes. Nobody is falsely believed dead, a death is known to all, what is spoilt
is rejected, and recordings of such a run replay."""

import os
import unittest

from holdfast import SMALL, Scenario

# Eight frames in a row lost, or spoilt, of one sender are needed for a false verdict.
IMPAIRED = dict(
    SMALL, replicates=1, duration="8 s", processes={"per_node": 1}, seal={"kind": "siphash128"},
    detector={"kind": "ring", "period": "100 ms", "timeout": "1 s", "order": "shuffled"},
    fabric={"loss": 0.05, "duplicate": 0.01, "corrupt": 0.02, "reorder": 0.1,
            "delay": "5 ms", "jitter": "2 ms"},
    failures=[{"at": "4 s", "what": "process", "which": 2}])


class Impaired(Scenario):
    def setUp(self):
        super().setUp()
        self.write("impaired.json", IMPAIRED)

    def check(self, output, also=()):
        row, = self.rows(output, "results.csv")
        self.assertEqual((row["processes"], row["failures"], row["detected"], row["propagated"],
                          row["missed"], row["false_verdicts"], row["mistakes"]),
                         ("8", "1", "1", "1", "0", "0", "0"))
        counts = {name: int(row["frames_" + name])
                  for name in ("lost", "duplicated", "corrupted", "reordered", "delayed",
                               "rejected")}
        self.assertTrue(all(counts.values()), counts)
        self.assertGreater(counts["lost"], counts["duplicated"])
        self.assertGreater(counts["delayed"], 5 * counts["reordered"])
        # Each spoilt frame is rejected, and the second of two equal ones; but for those that came
        # after the end of their receiver.
        self.assertLessEqual(counts["rejected"], counts["corrupted"] + counts["duplicated"])
        return counts

    def test_simulated(self):
        self.run_program("run", "impaired.json", "--output", "simulated")
        counts = self.check("simulated")
        self.assertGreaterEqual(counts["rejected"],
                                (counts["corrupted"] + counts["duplicated"]) // 2)
        self.run_program("run", "impaired.json", "--output", "again")
        self.assertEqual(self.read("simulated", "results.csv"), self.read("again", "results.csv"))

    def test_real(self):
        for fabric in ("udp", "tcp", "shm"):
            with self.subTest(fabric):
                self.run_program("run", "impaired.json", "--set", f"fabric.kind={fabric}",
                                 "--output", fabric, "--record", f"{fabric}-recordings")
                self.check(fabric)
                folder = self.path(f"{fabric}-recordings", "0-0")
                recordings = [name for name in os.listdir(folder) if name.endswith(".recording")]
                self.assertEqual(len(recordings), 8)
                for name in recordings:
                    said, _ = self.run_program("replay", os.path.join(folder, name))
                    self.assertIn("turns replayed, every call equal", said)


if __name__ == "__main__":
    unittest.main()

"""Frames between some processes that are lost, late, doubled, spoilt and short at planned times:
the same file in simulation and with eight real processes is noticed by the same, and recordings of
it replay."""

import os
import unittest

from holdfast import SMALL, Scenario
from rails_test import beliefs

# In the order of the ranks, 5 is heard by its neighbour OBSERVER and nobody else.
SILENT, MUTE, OBSERVER = 3, 5, 6
# Longer than any silence goes on after the verdict that follows from it: whoever is believed dead
# hears from nobody and would judge in its turn.
TIMEOUT_S = 1.2
SCRIPT = dict(
    SMALL, replicates=1, duration="8 s", processes={"per_node": 1}, events={"replicates": 1},
    detector=dict(SMALL["detector"], timeout=f"{TIMEOUT_S} s", order="rank"),
    seal={"kind": "siphash128"},
    failures=[
        {"at": "500 ms", "what": "process", "which": SILENT, "action": "impair", "loss": 1,
         "lasts": "2 s"},
        {"at": "4 s", "what": "process", "which": MUTE, "to": OBSERVER, "action": "impair",
         "loss": 1, "lasts": "1500 ms"},
        {"at": "500 ms", "what": "node", "which": "host-0", "action": "impair", "delay": "100 ms",
         "jitter": "50 ms", "reorder": 0.2, "lasts": "6 s"},
        # Twelve frames of one sender in a row must be spoilt for a false verdict.
        {"at": "500 ms", "what": "node", "which": "host-0", "count": 8, "one_way": True,
         "action": "impair", "corrupt": 0.05, "truncate": 0.05, "duplicate": 0.2, "lasts": "7 s"}])


class ImpairedAtTimes(Scenario):
    def setUp(self):
        super().setUp()
        self.write("script.json", SCRIPT)

    def test_what_is_noticed_is_the_same(self):
        self.run_program("run", "script.json", "--output", "native")
        expected = self.noticed("native")
        everybody = set(range(8))
        self.assertEqual(expected["silent"], everybody - {SILENT})
        self.assertEqual(expected["mute"], everybody - {MUTE})
        running = {fabric: self.start("run", "script.json", "--target", fabric, "--output", fabric,
                                      "--record", f"{fabric}-recordings")
                   for fabric in ("udp", "tcp", "shm")}
        for fabric, process in running.items():
            _, complaint = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, complaint)
        for fabric in running:
            with self.subTest(fabric):
                self.assertEqual(self.noticed(fabric), expected)
                folder = self.path(f"{fabric}-recordings", "0-0")
                said, _ = self.run_program(
                    "replay", os.path.join(folder, f"process-{MUTE}.boot-0.recording"))
                self.assertIn("turns replayed, every call equal", said)

    def noticed(self, output):
        """What must not depend on the fabric; times and counts are looked at here."""
        row, = self.rows(output, "results.csv")
        for kind in ("lost", "duplicated", "corrupted", "truncated", "reordered", "delayed"):
            self.assertGreater(int(row["frames_" + kind]), 0, kind)
        spoilt = sum(int(row["frames_" + kind])
                     for kind in ("corrupted", "truncated", "duplicated"))
        self.assertLessEqual(int(row["frames_rejected"]), spoilt)
        self.assertGreater(int(row["frames_rejected"]), spoilt // 2)
        self.assertGreater(int(row["unreachable_verdicts"]), 1)
        events = self.rows(output, "events.csv")
        verdicts = beliefs(events, "failed")
        self.assertEqual({pair for _, pair in verdicts},
                         {pair for _, pair in beliefs(events, "alive")}, "all is mended")
        of_silent = [(at, who) for at, (who, subject) in verdicts if subject == SILENT]
        of_mute = [(at, who) for at, (who, subject) in verdicts if subject == MUTE and at > 4]
        self.assertGreater(min(of_silent)[0], 0.5 + TIMEOUT_S - 0.15)
        self.assertLess(min(of_silent)[0], 2.5)
        self.assertEqual(min(of_mute)[1], OBSERVER)
        return {"row": [row[key] for key in ("mistakes", "false_verdicts", "missed", "failures")],
                "faults": [(fault["what"], fault["which"], fault["effect"], fault["at_s"],
                            fault["until_s"]) for fault in self.rows(output, "faults.csv")],
                "silent": {who for _, who in of_silent}, "mute": {who for _, who in of_mute}}


if __name__ == "__main__":
    unittest.main()

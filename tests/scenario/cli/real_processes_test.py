"""The same file with real processes: eight of them, kill -9 of two, against the simulation; the
recording of that run replays, and one flipped bit stops the replay."""

import os
import statistics
import unittest

from holdfast import SMALL, Scenario

EIGHT = dict(SMALL, replicates=1, duration="5 s", processes={"per_node": 1},
             failures=[{"at": "1 s", "what": "process", "which": 2},
                       {"at": "3 s", "what": "node", "which": 5}])


class EightProcesses(Scenario):
    def setUp(self):
        super().setUp()
        self.write("eight.json", EIGHT)

    def median_detection(self, output):
        row, = self.rows(output, "results.csv")
        self.assertEqual((row["failures"], row["detected"], row["propagated"], row["missed"]),
                         ("2", "2", "2", "0"))
        return statistics.median(float(failure["detection_s"])
                                 for failure in self.rows(output, "failures.csv"))

    def test_every_live_process_knows_as_soon_as_in_the_simulation(self):
        self.run_program("run", "eight.json", "--output", "simulated")
        simulated = self.median_detection("simulated")
        for fabric in ("udp", "tcp", "shm"):
            with self.subTest(fabric):
                self.run_program("run", "eight.json", "--set", f"fabric.kind={fabric}",
                                 "--output", fabric, "--record", f"{fabric}-recordings")
                real = self.median_detection(fabric)
                self.assertLess(abs(real - simulated), 0.1 * simulated)
                self.assertEqual(self.read(fabric, "failures.csv").splitlines()[0],
                                 self.read("simulated", "failures.csv").splitlines()[0])
                self.replay_all(f"{fabric}-recordings")

    def replay_all(self, recordings):
        folder = self.path(recordings, "0-0")
        recordings = sorted(name for name in os.listdir(folder) if name.endswith(".recording"))
        self.assertEqual(len(recordings), 8)
        for name in recordings:
            said, _ = self.run_program("replay", os.path.join(folder, name))
            self.assertIn("turns replayed, every call equal", said)
        self.flip_a_bit(os.path.join(folder, recordings[0]))

    def flip_a_bit(self, recording):
        with open(recording, "rb") as file:
            content = bytearray(file.read())
        content[len(content) * 3 // 4] ^= 0x10
        with open(recording, "wb") as file:
            file.write(content)
        complaint = self.refused("replay", recording)
        self.assertIn(recording, complaint)
        self.assertRegex(complaint, r"turn \d+, call 0: the recording is damaged here")


if __name__ == "__main__":
    unittest.main()

"""The same file with real processes: eight of them, kill -9 of two, against the simulation; the
recording of that run replays, and one flipped bit stops the replay."""

import os
import pty
import statistics
import subprocess
import unittest

from holdfast import PROGRAM, SMALL, Scenario

EIGHT = dict(SMALL, replicates=1, duration="5 s", processes={"per_node": 1},
             failures=[{"at": "1 s", "what": "process", "which": 2},
                       {"at": "3 s", "what": "node", "which": 5}])


class OnATerminal(Scenario):
    def test_the_time_that_has_gone_is_seen(self):
        self.write("two.json", dict(SMALL, duration="3 s", replicates=1, failures=[],
                                    topology=dict(SMALL["topology"], down=[2])))
        ours, theirs = pty.openpty()
        with open(ours, "rb", buffering=0) as terminal, \
                subprocess.Popen([PROGRAM, "run", "two.json", "--target", "udp"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=theirs) as program:
            os.close(theirs)
            drawn = b""
            while piece := self.read_from(terminal):
                drawn += piece
            self.assertEqual(program.wait(), 0, drawn)
        self.assertRegex(drawn.decode(), r"\r\x1b\[K\[#+\.*\] 0 of 1 replicate, "
                         r"0:0[1-3] of 0:03 of this one, ")

    def read_from(self, terminal):
        try:
            return terminal.read(4096)
        except OSError:  # its other end is closed
            return b""


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

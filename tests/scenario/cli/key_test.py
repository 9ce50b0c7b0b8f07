"""The key in HOLDFAST_KEY is the job's, whoever starts the job; without one it is drawn."""

import os
import sys
import unittest.mock

from holdfast import Scenario, main

KEY = bytes(range(0x40, 0x60))

# What the launcher gives to a process: the assignment, with the key in it. The line is one write:
# print() makes two where Python does not buffer, and those of two processes may lie between.
ASKS = """
import os, socket
words = dict(word.split("=") for word in os.environ["HOLDFAST_LAUNCHER"].split())
line = socket.socket(fileno=int(words["control"])).recv(65536).hex() + "\\n"
os.write(1, line.encode())
"""

TWO = {
    "name": "two", "seed": 1, "replicates": 1, "duration": "300 ms", "fabric": {"kind": "udp"},
    "topology": {"kind": "fat_tree", "down": [2], "up": [1], "parallel": [1]},
    "detector": {"kind": "ring", "period": "50 ms", "timeout": "200 ms"},
    "propagation": {"kind": "bmg"},
}


def given(text):
    return unittest.mock.patch.dict(os.environ, HOLDFAST_KEY=text)


class Key(Scenario):
    def recordings(self, folder):
        self.run_program("run", "two.json", "--quiet", "--record", folder)
        for process in range(2):
            name = self.path(folder, "0-0", f"process-{process}.boot-0.recording")
            with open(name, "rb") as file:
                yield name, file.read()

    def test_a_run_takes_the_key_that_is_given(self):
        self.write("two.json", TWO)
        with given(KEY.hex()):
            for name, recorded in self.recordings("with"):
                self.assertTrue(KEY in recorded, name)
                self.assertEqual(os.stat(name).st_mode & 0o077, 0, "there is a key in it")
        for _, recorded in self.recordings("without"):  # drawn
            self.assertFalse(KEY in recorded)

    def test_a_launch_takes_the_key_that_is_given(self):
        self.write("asks.py", ASKS)
        words = ["launch", "-n", "2", sys.executable, self.path("asks.py")]
        with given(KEY.hex()):
            said, _ = self.run_program(*words)
        self.assertEqual([KEY.hex() in line for line in said.splitlines()], [True] * 2)
        said, _ = self.run_program(*words)
        self.assertEqual([KEY.hex() in line for line in said.splitlines()], [False] * 2)

    def test_what_is_no_key_is_refused_before_anything_starts(self):
        self.write("two.json", TWO)
        with given("zz"):
            for command, words in (("run", ["two.json"]), ("launch", ["-n", "2", "touch", "ran"]),
                                   ("check", ["two.json", "--target", "udp"])):
                complaint = self.refused(command, *words)
                self.assertIn(f"holdfast {command}: the environment's HOLDFAST_KEY is no key of "
                              "a job; expected 64 hexadecimal digits", complaint)
            # A simulation has no secret.
            self.run_program("run", "two.json", "--quiet", "--target", "native")
            # The file may be for another machine.
            self.run_program("check", "two.json")


if __name__ == "__main__":
    main()

"""Recordings lie in a folder for each replicate and are never overwritten or mixed."""

import os
import time

from holdfast import Scenario, main

TWICE = {
    "name": "twice", "seed": 1, "replicates": 3, "duration": "500 ms", "fabric": {"kind": "udp"},
    "topology": {"kind": "fat_tree", "down": [2], "up": [1], "parallel": [1]},
    "detector": {"kind": "ring", "period": "50 ms", "timeout": "200 ms"},
    "propagation": {"kind": "bmg"},
    "failures": [{"at": "100 ms", "what": "process", "which": 0, "repaired_after": "300 ms"}],
}
RUN = ["run", "twice.json", "--quiet", "--record", "recordings"]


class Recordings(Scenario):
    def setUp(self):
        super().setUp()
        self.write("twice.json", TWICE)

    def files(self):
        return {os.path.join(where, name): os.stat(os.path.join(where, name)).st_mtime_ns
                for where, _, names in os.walk(self.path("recordings")) for name in names}

    def interrupted(self, *words):
        """A run that is killed while it records its second replicate."""
        killed = self.start("run", "twice.json", "--quiet", *words)
        while not os.path.exists(self.path(words[-1], "0-1", "process-1.boot-0.recording")):
            self.assertIsNone(killed.poll())
            time.sleep(0.01)
        killed.kill()
        killed.communicate()

    def test_a_second_run_into_the_same_folder_is_refused_before_it_starts(self):
        self.run_program(*RUN)
        before = self.files()
        # Log and recording of three lives, three times; and whose they are.
        self.assertEqual(len(before), 3 * 2 * 3 + 1)
        complaint = self.refused(*RUN, "--set", "replicates=1")
        self.assertEqual(complaint.count("\n"), 1)
        self.assertIn("--record recordings: recordings/0-0 is not empty, and recordings are never "
                      "overwritten", complaint)
        # Nor may a job script that always resumes, where there is nothing to resume yet.
        self.assertIn("recordings/0-0 is not empty",
                      self.refused(*RUN, "--resume", "--output", "new"))
        # Nor is what another number of replicates would leave as it is.
        os.rename(self.path("recordings", "0-0"), self.path("recordings", "7-1"))
        self.assertIn("recordings/0-1 is not empty", self.refused(*RUN))
        os.rename(self.path("recordings", "7-1"), self.path("recordings", "0-0"))
        self.assertEqual(self.files(), before)

    def test_a_resumed_run_keeps_what_is_finished_and_begins_the_rest_clean(self):
        self.interrupted("--output", "results", "--record", "recordings")
        finished = {path: at for path, at in self.files().items() if "0-0" in path}
        # Of a life that the replicate does not have when it is played to its end.
        self.write(os.path.join("recordings", "0-1", "process-1.boot-9.recording"), "left over")
        self.run_program(*RUN, "--output", "results", "--resume")
        now = self.files()
        self.assertEqual({path: at for path, at in now.items() if "0-0" in path}, finished)
        self.assertEqual(len(now), 3 * 2 * 3 + 1)

    def test_a_resumed_run_takes_nothing_from_another(self):
        self.interrupted("--output", "results", "--record", "mine")
        self.run_program(*RUN, "--output", "others")
        before = self.files()
        resume = ["run", "twice.json", "--quiet", "--output", "results", "--resume", "--record"]
        complaint = self.refused(*resume, "recordings")
        self.assertEqual(complaint.count("\n"), 1)
        self.assertIn("--record recordings: recordings/0-0 is not empty, and recordings are never "
                      "overwritten; they are not of the run in results (recordings.id differs)",
                      complaint)
        # Nor from recordings of which nobody knows whose they are.
        os.remove(self.path("recordings", "recordings.id"))
        self.assertIn("they are not of the run in results", self.refused(*resume, "recordings"))
        del before[self.path("recordings", "recordings.id")]
        self.assertEqual(self.files(), before)
        # Its own it knows, wherever they are now.
        os.rename(self.path("mine"), self.path("moved"))
        self.run_program(*resume, "moved")
        said, _ = self.run_program("replay", "moved")
        self.assertIn("9 of 9 recordings are equal to their ends", said)

    def test_a_folder_is_replayed_whole(self):
        self.run_program(*RUN)
        said, _ = self.run_program("replay", "recordings")
        lines = said.splitlines()
        names = [f"0-{replicate}/process-{life}.recording" for replicate in range(3)
                 for life in ("0.boot-0", "0.boot-1", "1.boot-0")]
        self.assertEqual([line.split(": ")[0] for line in lines[:-1]], names)
        for line in lines[:-1]:
            self.assertRegex(line, r": \d+ turns replayed, every call equal")
        self.assertRegex(lines[-1], r"^9 of 9 recordings are equal to their ends; 0 differ, "
                                    r"0 cannot be replayed; \d+ turns$")
        # One of them is damaged, one is none: the others are replayed all the same.
        broken = self.path("recordings", names[1])
        with open(broken, "r+b") as file:
            file.seek(os.path.getsize(broken) // 2)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 4]))
        with open(self.path("recordings", names[5]), "w", encoding="utf-8") as file:
            file.write("no recording")
        said, complaint = self.run_program("replay", "recordings", status=2)
        self.assertIn("7 of 9 recordings are equal to their ends; 0 differ, 2 cannot be replayed",
                      said)
        self.assertIn(f"recordings/{names[1]}: turn", complaint)
        self.assertIn(f"recordings/{names[5]} is not a recording of Holdfast", complaint)

    def test_a_folder_without_recordings_is_refused(self):
        os.mkdir(self.path("empty"))
        self.assertIn("empty: there is no recording in it", self.refused("replay", "empty"))


if __name__ == "__main__":
    main()

"""Every process of a recorded job of 48 on three hosts, in which two are killed, one stands still
and goes on, and a rail is cut and mended, replays byte for byte. Skipped where namespaces are not
allowed."""

import os

from holdfast import Scenario, main

STORY = {
    "name": "story", "seed": 1, "replicates": 1, "duration": "7 s",
    "fabric": {"kind": "udp", "hosts": "namespaces"},
    "topology": {"kind": "fat_tree", "down": [3], "up": [1], "parallel": [1]},
    "processes": {"per_node": 16, "agents": False},
    "detector": {"kind": "ring", "period": "100 ms", "timeout": "1 s", "order": "shuffled"},
    "propagation": {"kind": "bmg"},
    "failures": [
        {"at": "500 ms", "what": "process", "which": 7, "count": 2},
        {"at": "1 s", "what": "process", "which": 20, "action": "pause", "lasts": "2 s"},
        {"at": "3500 ms", "what": "adapter", "which": "host-2", "repaired_after": "2 s"}],
}


class Recorded(Scenario):
    def test_every_process_replays(self):
        self.write("story.json", STORY)
        done = self.start("run", "story.json", "--output", "results", "--record", "recordings")
        _, complaint = done.communicate(timeout=100)
        if done.returncode == 2 and "expected root" in complaint:
            self.cannot_run_here(complaint)
        self.assertEqual(done.returncode, 0, complaint)
        row, = self.rows("results", "results.csv")
        self.assertEqual((row["processes"], row["failures"], row["missed"]), ("48", "2", "0"))
        cut, = self.rows("results", "cuts.csv")
        self.assertEqual((cut["nodes"], cut["pairs"]), ("2", str(14 * 16 + 16 * 16)))
        self.assertGreater(int(cut["believed_by_others"]), 0)
        self.assertGreater(int(row["mistakes"]), 0)  # the one that stood still
        folder = self.path("recordings", "0-0")
        recordings = sorted(name for name in os.listdir(folder) if name.endswith(".recording"))
        self.assertEqual(len(recordings), 48)
        said, _ = self.run_program("replay", "recordings")
        for name in recordings:
            self.assertRegex(said, rf"0-0/{name}: \d+ turns replayed, every call equal")
        summary = said.splitlines()[-1]
        self.assertIn("48 of 48 recordings are equal to their ends", summary)
        size = sum(os.path.getsize(os.path.join(folder, name)) for name in recordings)
        print(f"{summary}, {size} bytes")


if __name__ == "__main__":
    main()

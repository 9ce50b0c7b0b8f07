"""resume_test.py TRIALS: kills a sweep with kill -9 at random moments, resumes it, and so on to its
end. The results must be those of an undisturbed run, and no finished replicate may be run again."""

import json
import os
import random
import sys
import time
import unittest

from holdfast import SMALL, Scenario, begun_again

TRIALS = int(sys.argv.pop()) if len(sys.argv) > 1 else 3
SWEPT = dict(SMALL, replicates=8, sweep={"propagation.kind": ["bmg", "chord"],
                                         "detector.order": ["rank", "shuffled"]})


class KillAndResume(Scenario):
    def kill_until_done(self, output, moments, whole):
        """Gives the number of kills; `whole` is what an undisturbed run takes, in seconds."""
        words = ["run", "swept.json", "--resume", "--output", output, "--jobs", "2"]
        kills = 0
        while True:
            stored = self.stored(output)
            program = self.start(*words)
            # Later and later, so that it ends even if every replicate takes long.
            time.sleep(moments.uniform(0, whole * (1 / 4 + kills / 16)))
            program.kill()
            said, complaint = program.communicate()
            if program.returncode == 0:
                return kills
            self.assertEqual(program.returncode, -9, said + complaint)
            kills += 1
            # They are removed when all else is written.
            if not os.path.exists(self.path(output, "run.json")):
                self.assertLessEqual(stored, self.stored(output), "a finished replicate is gone")

    def stored(self, output):
        folder = self.path(output, "replicates")
        if not os.path.isdir(folder):
            return set()
        return {name for name in os.listdir(folder) if name.endswith(".json")}

    def test_random_moments(self):
        self.write("swept.json", SWEPT)
        began = time.monotonic()
        self.run_program("run", "swept.json", "--output", "undisturbed")
        whole = time.monotonic() - began
        kills = 0
        for trial in range(TRIALS):
            output = f"trial-{trial}"
            with self.subTest(trial=trial):
                kills += self.kill_until_done(output, random.Random(trial), whole)
                for table in ["results.csv", "failures.csv", "resolved.json"]:
                    self.assertEqual(self.read(output, table), self.read("undisturbed", table))
                self.assertEqual(begun_again(self.read(output, "run.log")), [])
                self.assertFalse(os.path.exists(self.path(output, "replicates")))
                run = json.loads(self.read(output, "run.json"))
                self.assertEqual(run["replicates"], 32)
        self.assertGreaterEqual(kills, TRIALS)
        print(f"{TRIALS} of {TRIALS} trials, {kills} kills")


if __name__ == "__main__":
    unittest.main()

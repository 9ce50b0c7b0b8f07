"""A test case whose programs run in the guest."""

import subprocess
import unittest
from pathlib import Path

BOOT = Path(__file__).resolve().parent / "boot"
SKIPPED = 77
STOOD_STILL = "boot: the guest stood still"


class VmCase(unittest.TestCase):
    def boot(self, *words, seconds=120, cables=1, extra=()):
        """What `boot` said and how it ended; skips the test if this machine cannot run a guest."""
        more = [word for path in extra for word in ("--with", path)]
        command = [BOOT, "--seconds", str(seconds), "--cables", str(cables), *more, "--", *words]

        def run():
            return subprocess.run(command, capture_output=True, text=True, check=False,
                                  timeout=seconds + 240)

        done = run()
        if done.returncode not in (0, SKIPPED) and STOOD_STILL in done.stderr:
            # It was the emulated machine that failed. Once more, and then it counts.
            print(done.stderr, flush=True)
            done = run()
        if done.returncode == SKIPPED:
            print(done.stdout)  # for ctest
            self.skipTest(done.stdout)
        return done

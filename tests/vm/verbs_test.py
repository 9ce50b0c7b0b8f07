"""hw/verbs on Soft-RoCE: the conformance suite, and what only adapters do."""

import os
import re
import unittest

from vm_case import VmCase

BUILD = os.environ["HOLDFAST_BUILD"]
CONFORMANCE = f"{BUILD}/tests/conformance/conformance_test"
ADAPTERS = f"{BUILD}/tests/vm/vm_verbs_test"
PING_PONG = f"{BUILD}/tests/vm/vm_ping_pong"
SUITES = """
"$0" --gtest_color=no --gtest_filter='*/verbs' || exit 1
"$1" --gtest_color=no || exit 2
"""
# The same rounds through seam 1 and by Debian's program. How long they take is for people. That one
# waits for ever for a client that came too early or was lost, so it is given some seconds, and
# nothing is said of it if they were not enough.
PING_PONGS = r"""
for bytes in 64 65536; do
  "$0" $bytes 200 || exit 1
  timeout 20 ibv_rc_pingpong -d rxe0 -g 1 -n 200 -s $bytes >/dev/null & server=$!
  while kill -0 $server 2>/dev/null; do
    timeout 15 ibv_rc_pingpong -d rxe1 -g 1 -n 200 -s $bytes 10.7.0.1 2>/dev/null |
      grep usec && break
    sleep 0.2
  done
  wait $server || true
done
"""


class Verbs(VmCase):
    def test_conformance_and_adapters(self):
        done = self.boot("sh", "-c", SUITES, CONFORMANCE, ADAPTERS,
                         extra=[CONFORMANCE, ADAPTERS], seconds=150)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        passed = [int(count) for count in re.findall(r"PASSED  \] (\d+) tests", done.stdout)]
        self.assertEqual(len(passed), 2, done.stdout)
        self.assertGreaterEqual(min(passed), 5)

    def test_ping_pongs(self):
        done = self.boot("sh", "-c", PING_PONGS, PING_PONG, extra=[PING_PONG])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        print(done.stdout)
        for size in (64, 65536):
            self.assertIn(f"seam 1: 200 rounds of {size} bytes, ", done.stdout)


if __name__ == "__main__":
    unittest.main()

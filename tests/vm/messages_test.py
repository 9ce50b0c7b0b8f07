"""Messages over RDMA adapters: the roles of tests/unit/library/messages_test.cpp between processes
at two Soft-RoCE adapters, in datagrams of as many bytes as these carry; and over two rails, which
are cut in turn while messages are under way."""

import os
import re
import unittest

from vm_case import VmCase

BUILD = os.environ["HOLDFAST_BUILD"]
PROGRAM = f"{BUILD}/holdfast"
MESSAGES = f"{BUILD}/tests/unit/library/library_test"
# Each rail is gone once, and the other one comes back just before: it has to be of use again.
FAULTS = r"""
export HOLDFAST_TEST_FAULTS="true
/sbin/ip link set cable0 down
/sbin/ip link set cable0 up
/sbin/ip link set cable1 down
/sbin/ip link set cable1 up
/sbin/ip link set cable0 down"
exec "$0" launch -n 4 --per-node 2 --period 200ms --timeout 3s --fabric verbs --rails 2 -- \
  "$1" member through_faults
"""


class Messages(VmCase):
    def test_arrive_bit_by_bit_or_say_why_not(self):
        done = self.boot(MESSAGES, "--gtest_color=no", "--gtest_filter=*/Messages.*/Verbs",
                         seconds=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        passed, = re.findall(r"PASSED  \] (\d+) tests", done.stdout)
        self.assertGreaterEqual(int(passed), 12, done.stdout)

    def test_take_the_rail_that_is_left(self):
        done = self.boot("sh", "-c", FAULTS, PROGRAM, MESSAGES, seconds=200, cables=2,
                         extra=[PROGRAM, MESSAGES])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()

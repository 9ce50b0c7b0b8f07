"""Messages over RDMA adapters: the roles of tests/unit/library/messages_test.cpp between processes
at two Soft-RoCE adapters, in datagrams of as many bytes as these carry."""

import os
import re
import unittest

from vm_case import VmCase

MESSAGES = f"{os.environ['HOLDFAST_BUILD']}/tests/unit/library/library_test"


class Messages(VmCase):
    def test_arrive_bit_by_bit_or_say_why_not(self):
        done = self.boot(MESSAGES, "--gtest_color=no", "--gtest_filter=*/Messages.*/Verbs",
                         seconds=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        passed, = re.findall(r"PASSED  \] (\d+) tests", done.stdout)
        self.assertGreaterEqual(int(passed), 12, done.stdout)


if __name__ == "__main__":
    unittest.main()

"""hw/verbs on Soft-RoCE: the conformance suite, and what only adapters do."""

import os
import re
import unittest

from vm_case import VmCase

BUILD = os.environ["HOLDFAST_BUILD"]
CONFORMANCE = f"{BUILD}/tests/conformance/conformance_test"
ADAPTERS = f"{BUILD}/tests/vm/vm_verbs_test"
SUITES = """
"$0" --gtest_color=no --gtest_filter='*/verbs' || exit 1
"$1" --gtest_color=no || exit 2
"""


class Verbs(VmCase):
    def test_conformance_and_adapters(self):
        done = self.boot("sh", "-c", SUITES, CONFORMANCE, ADAPTERS,
                         extra=[CONFORMANCE, ADAPTERS], seconds=150)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        passed = [int(count) for count in re.findall(r"PASSED  \] (\d+) tests", done.stdout)]
        self.assertEqual(len(passed), 2, done.stdout)
        self.assertGreaterEqual(min(passed), 5)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""tests/run in a small copy of the repository with stand-ins for cmake and ctest: it must fail when
anything fails, and end with the times of its parts and the closing line of ctest.
"""

import unittest

from small_copy import SmallCopy, write_program

# FAILING names the preset whose build fails.
CMAKE = """#!/bin/bash
# A stand-in for cmake.
echo "cmake $*" >>"$TOP/../log"
case "$*" in *--build*/"${FAILING:-none}"*) echo 'error: no such type'; exit 1 ;; esac
"""
CTEST = """#!/bin/bash
# A stand-in for ctest.
echo "ctest $*" >>"$TOP/../log"
echo "    Start 1: Ring.Detects"
echo "1/2 Test #1: Ring.Detects"
echo
echo "$CTEST_SAYS"
echo
echo "Total Test time (real) =   1.00 sec"
exit "${CTEST_STATUS:-0}"
"""
MUTANTS = """#!/bin/bash
# A stand-in for tests/mutants/run.
echo mutants >>"$TOP/../log"
exit "${MUTANTS_STATUS:-0}"
"""
PASSED = "100% tests passed, 0 tests failed out of 2"
FAILED = "50% tests passed, 1 tests failed out of 2"


class TestsRun(SmallCopy):
    def setUp(self):
        super().setUp()
        self.copy("tests/run", "cmake/house.sh", "cmake/packages.txt")
        self.stand_in("cmake", CMAKE)
        self.stand_in("ctest", CTEST)
        write_program(self.top / "tests/mutants/run", MUTANTS)

    def run_it(self, *arguments, says=PASSED, **variables):
        return self.run_script("tests/run", *arguments, CTEST_SAYS=says, **variables)

    def log(self):
        return (self.folder / "log").read_text(encoding="utf-8").splitlines()

    def builds_tested(self):
        return (self.top / "build/tests/CTestTestfile.cmake").read_text(encoding="utf-8")

    def test_ends_with_the_times_and_the_closing_line_of_ctest(self):
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        took = lines.index("Took (minutes:seconds)")
        parts = [line.split(None, 1)[1] for line in lines[took + 1 : took + 7]]
        builds = ["build release", "build asan", "build tsan"]
        self.assertEqual(parts, ["packages", *builds, "tests", "in all"])
        self.assertEqual(lines[-2], PASSED)

    def test_a_failed_test_fails_the_whole(self):
        done = self.run_it(says=FAILED, CTEST_STATUS="8")
        self.assertEqual(done.returncode, 1)
        self.assertIn("tests (failed)", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-2], FAILED)

    def test_a_failed_build_fails_the_whole_and_says_why(self):
        for preset in ("release", "asan", "tsan"):
            done = self.run_it(FAILING=preset)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"build {preset} (failed)", done.stdout)
            self.assertIn("error: no such type", done.stderr)
            self.assertNotIn("% tests passed", done.stdout)

    def test_short_leaves_out_what_is_long(self):
        self.run_it()
        log = "\n".join(self.log())
        self.assertIn("-LE ^long$", log)
        self.assertNotIn("mutants", log)
        self.assertNotIn("clang", log)
        self.assertNotIn("fuzz", log)
        self.assertNotIn("build/fuzz", self.builds_tested())

    def test_long_has_all(self):
        done = self.run_it("--long")
        self.assertEqual(done.returncode, 0, done.stderr)
        log = "\n".join(self.log())
        self.assertNotIn("-LE", log)
        for preset in ("release", "asan", "tsan", "debug", "clang", "fuzz"):
            self.assertIn(f"--preset {preset}", log)
        for preset in ("release", "asan", "tsan", "fuzz"):
            self.assertIn(f"build/{preset}\")", self.builds_tested())
        self.assertEqual(self.log()[-1], "mutants")

    def test_a_mutant_that_survives_fails_the_whole(self):
        done = self.run_it("--long", MUTANTS_STATUS="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("mutants (failed)", done.stdout)

    def test_an_unknown_option_is_refused(self):
        done = self.run_it("--fast")
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage: tests/run", done.stderr)
        self.assertFalse((self.folder / "log").exists())


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""experiments/run in a small copy of the repository, whose build makes a stand-in for the program:
what the script gives it, what becomes of its exit status, and when a report is drawn.
"""

import unittest

from small_copy import DPKG_QUERY, SmallCopy, write_program

# The stand-in says what it was given, and does as the test's variables tell it.
PROGRAM = """#!/bin/bash
# A stand-in for build/release/holdfast.
printf 'given %s\\n' "$PWD" "$@"
if [ -n "${RESULTS:-}" ]; then mkdir -p "$RESULTS" && echo "results: $RESULTS"; fi
exit "${STATUS:-0}"
"""
CMAKE = """#!/bin/bash
# A stand-in: the first call configures, the second builds.
case "$*" in
  *--build*) cp "$PROGRAM" "$TOP/build/release/holdfast" ;;
  *) mkdir -p "$TOP/build/release" ;;
esac
echo "says the build"
exit "${BUILD_STATUS:-0}"
"""
REPORT = """import os, sys
print("reporting", *sys.argv[1:], file=sys.stderr)
print(sys.argv[1] + "/report.html")
sys.exit(int(os.environ.get("REPORT_STATUS", "0")))
"""


class ExperimentsRun(SmallCopy):
    def setUp(self):
        super().setUp()
        self.copy("experiments/run", "cmake/house.sh", "cmake/packages.txt")
        write_program(self.top / "experiments/quickstart/experiment.json", "{}\n")
        self.stand_in("cmake", CMAKE)
        write_program(self.top / "analysis/report", REPORT)
        write_program(self.folder / "program", PROGRAM)

    def write(self, name, text):
        """A file where the user stands."""
        write_program(self.user / name, text)

    def run_it(self, *arguments, **variables):
        program = str(self.folder / "program")
        return self.run_script("experiments/run", *arguments, PROGRAM=program, **variables)

    @staticmethod
    def given(done):
        return [line[6:] for line in done.stdout.splitlines() if line.startswith("given ")]

    def test_without_arguments_runs_the_quickstart(self):
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        quickstart = str(self.top / "experiments/quickstart")
        self.assertEqual(self.given(done), [str(self.user), "run", quickstart])

    def test_an_experiment_that_measures_itself_is_asked_for_it(self):
        folder = self.top / "experiments/of-its-own"
        write_program(folder / "measure", PROGRAM.replace("given %s", "given measure %s"))
        done = self.run_it(str(folder), "--replicates", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.given(done),
                         [f"measure {self.user}", "measure --replicates", "measure 2"])

    def test_paths_are_relative_to_where_the_user_stands(self):
        self.write("my/file.json", "{}\n")
        arguments = ["my/file.json", "--trace", "../a trace.csv", "--jobs", "2"]
        done = self.run_it(*arguments)
        self.assertEqual(self.given(done), [str(self.user), "run", *arguments])

    def test_options_alone_go_with_the_quickstart(self):
        done = self.run_it("--set", "seed=2")
        quickstart = str(self.top / "experiments/quickstart")
        self.assertEqual(self.given(done)[1:], ["run", quickstart, "--set", "seed=2"])

    def test_the_exit_status_of_the_program_passes_through(self):
        for status in (1, 2, 130):
            self.assertEqual(self.run_it(STATUS=str(status)).returncode, status)

    def test_results_get_a_report(self):
        done = self.run_it(RESULTS="results/one run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "reporting results/one run\n")
        self.assertEqual(done.stdout.splitlines()[-1], "report: results/one run/report.html")

    def test_the_report_shows_the_readme_of_the_experiment(self):
        self.write("mine/README.md", "# Mine\n")
        done = self.run_it("mine", RESULTS="out")
        self.assertEqual(done.stderr, "reporting out --readme mine/README.md\n")

    def test_the_report_draws_what_the_experiment_declares(self):
        self.write("mine/figures.json", "{}\n")
        done = self.run_it("mine", RESULTS="out")
        self.assertEqual(done.stderr, "reporting out --figures mine/figures.json\n")
        self.write("mine/full.json", "{}\n")
        done = self.run_it("mine/full.json", RESULTS="out")
        self.assertEqual(done.stderr, "reporting out --figures mine/figures.json\n")
        self.write("alone/README.md", "# Not of an experiment\n")
        self.write("alone/full.json", "{}\n")
        done = self.run_it("alone/full.json", RESULTS="out")
        self.assertEqual(done.stderr, "reporting out\n")

    def test_a_benchmark_is_run_as_one_and_drawn(self):
        self.write("mine/bench", "checksum\n")
        write_program(self.top / "analysis/bench", REPORT)
        done = self.run_it("mine/", "--rounds", "3", RESULTS="results/mine")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.given(done)[1:], ["bench", "checksum", "--output", "results/mine",
                                                "--rounds", "3"])
        self.assertEqual(done.stderr, "reporting results/mine --figures mine/bandwidth.json\n")
        self.write("mine/runtimes.json", "{}\n")
        done = self.run_it("mine/", RESULTS="results/mine")
        self.assertEqual(done.stderr, "reporting results/mine --figures mine/runtimes.json\n")
        done = self.run_it("mine", STATUS="2")
        self.assertEqual((done.returncode, done.stderr), (2, ""))

    def test_a_benchmark_has_the_packages_that_it_needs(self):
        asked = self.folder / "asked"
        self.stand_in("dpkg-query", DPKG_QUERY + f"echo \"${{@: -1}}\" >>'{asked}'\n")
        write_program(self.top / "analysis/bench", REPORT)
        self.write("plain/experiment.json", "{}\n")
        self.write("checksums/bench", "checksum\n")
        self.write("failover/bench", "failover --times 1\n")
        for name, needs, needs_not in (("plain", ["cmake"], ["nftables", "openmpi-bin"]),
                                       ("checksums", ["libisal-dev"], ["openmpi-bin"]),
                                       ("failover", ["nftables", "iproute2", "openmpi-bin"], [])):
            asked.write_text("", encoding="utf-8")
            self.assertEqual(self.run_it(name, RESULTS="out").returncode, 0)
            packages = asked.read_text(encoding="utf-8").split()
            for package in needs:
                self.assertIn(package, packages, name)
            for package in needs_not:
                self.assertNotIn(package, packages, name)

    def test_an_interrupted_run_gets_a_report_and_keeps_its_status(self):
        done = self.run_it(RESULTS="out", STATUS="130")
        self.assertEqual(done.returncode, 130)
        self.assertIn("report: out/report.html", done.stdout)

    def test_an_experiment_that_is_not_there_builds_nothing(self):
        for name, expected in [("quickstart", f"did you mean {self.top}/experiments/quickstart?"),
                               ("quick", f"those that come with Holdfast are in {self.top}/exp")]:
            done = self.run_it(name)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"experiments/run: {name}: there is no such experiment", done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertFalse((self.top / "build").exists())

    def test_no_place_for_temporary_files(self):
        done = self.run_it(TMPDIR=str(self.folder / "nowhere"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("TMPDIR may name one", done.stderr)

    def test_no_results_no_report(self):
        done = self.run_it(STATUS="2")
        self.assertEqual((done.returncode, done.stderr), (2, ""))

    def test_a_report_that_fails_fails_the_whole(self):
        done = self.run_it(RESULTS="out", REPORT_STATUS="2")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("report: ", done.stdout)

    def test_a_build_that_fails_says_why(self):
        done = self.run_it(BUILD_STATUS="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("says the build", done.stderr)
        self.assertEqual(self.given(done), [])

    def test_help_builds_nothing(self):
        done = self.run_it("--help", BUILD_STATUS="1")
        self.assertEqual(done.returncode, 0)
        self.assertIn("usage: experiments/run", done.stdout)
        self.assertFalse((self.top / "build").exists())


if __name__ == "__main__":
    unittest.main()

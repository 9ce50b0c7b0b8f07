"""Installs the build HOLDFAST_BUILD into a folder and uses it from outside the tree: the examples,
by find_package and by pkg-config with plain compilers, as jobs of four of which some are killed.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

BUILD = os.environ["HOLDFAST_BUILD"]
CMAKE = os.environ["HOLDFAST_CMAKE"]
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Werror"]
PATIENCE_S = 30


def output(*words, **more):
    """Standard output of a command that must succeed."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=100, **more)
    if done.returncode != 0:
        raise AssertionError(f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Launched:
    """A job of four, and what its processes have said so far."""

    def __init__(self, program, environment, *arguments):
        self.job = subprocess.Popen([Package.launcher, "launch", "-n", "4", program, *arguments],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                    bufsize=1, env=environment)
        self.said = []
        self.reader = threading.Thread(target=lambda: self.said.extend(self.job.stdout))
        self.reader.start()

    def wait_for(self, wanted, count=1):
        """The lines that have `wanted` in them, once there are `count`."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            found = [line for line in list(self.said) if wanted in line]
            if len(found) >= count:
                return found
            time.sleep(0.01)
        raise AssertionError(f"not said {count} times: {wanted!r}; but:\n" + "".join(self.said))

    def kill(self, process, by=signal.SIGKILL):
        line, = self.wait_for(f"process {process} of 4 has joined, pid ")
        os.kill(int(line.split()[-1]), by)

    def end(self):
        """(exit status, everything said on stdout, on stderr)."""
        status = self.job.wait(PATIENCE_S)
        self.reader.join(PATIENCE_S)
        complaint = self.job.stderr.read()
        self.job.stdout.close()
        self.job.stderr.close()
        return status, "".join(self.said), complaint


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="holdfast-package-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.prefix = os.path.join(cls.folder, "holdfast")  # as docs/interface.md has it
        output(CMAKE, "--install", BUILD, "--prefix", cls.prefix)
        cls.launcher = os.path.join(cls.prefix, "bin", "holdfast")
        cls.environment = dict(os.environ,
                               LD_LIBRARY_PATH=os.path.join(cls.prefix, "lib"),
                               PKG_CONFIG_PATH=os.path.join(cls.prefix, "lib", "pkgconfig"))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_block(self, number):
        """Runs a block of commands of docs/interface.md, in a folder that looks like the tree."""
        tree = self.path(f"tree-{number}")
        os.makedirs(os.path.join(tree, "build"))
        os.symlink(BUILD, os.path.join(tree, "build", "release"))
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(tree, "examples"))
        with open(os.path.join(ROOT, "docs", "interface.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^```sh\n(.*?)^```$", file.read(), re.M | re.S)
        said = output("bash", "-e", "-c", blocks[number], cwd=tree,
                      env=dict(os.environ, HOME=self.folder))
        self.assertEqual(said.count(" of 4 has joined"), 4)
        return tree

    def compile(self, compiler, standard, source, program):
        flags = output("pkg-config", "--cflags", "--libs", "holdfast", env=self.environment)
        output(compiler, f"-std={standard}", *WARNINGS, source, "-o", program, *flags.split())

    def all_hear_of_a_kill(self, program, environment):
        """Kills one of four after the other; each death is heard by all who are left."""
        job = Launched(program, environment)
        job.wait_for("has joined", 4)
        for count, dead in enumerate([1, 3, 0], 1):
            job.kill(dead)
            said = job.wait_for(f"hears: process {dead} failed", 4 - count)
            self.assertEqual(len(said), 4 - count)
        status, said, complaint = job.end()
        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertEqual(said.count("hears: "), 3 + 2 + 1)
        self.assertRegex(complaint, r"process 1 \(pid \d+\) was killed by signal 9 \(Killed\)")

    @staticmethod
    def pieces_done(said):
        return {int(process): int(count) for process, count in
                re.findall(r"^process (\d+) did (\d+) pieces$", said, re.M)}

    def survivors_do_the_work(self, program, environment):
        job = Launched(program, environment, "2000")
        job.wait_for("has joined", 4)
        job.kill(2)
        status, said, _ = job.end()
        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertEqual(said.count("hears: process 2 failed"), 3)
        self.assertEqual(self.pieces_done(said), {0: 500, 1: 500, 3: 1000})
        # One that is found dead when some have done their work and left.
        job = Launched(program, environment, "2000")
        job.wait_for("has joined", 4)
        job.kill(2, signal.SIGSTOP)
        job.wait_for("process 1 did")
        job.kill(2)
        status, said, _ = job.end()
        self.assertEqual(self.pieces_done(said), {0: 500, 1: 500, 3: 1000})
        # Without a death everybody leaves, which nobody takes for one.
        status, said, complaint = Launched(program, environment, "200").end()
        self.assertEqual((status, complaint), (0, ""))
        self.assertNotIn("hears", said)

    def results_of_the_dead_count(self, program, environment):
        status, said, complaint = Launched(program, environment, "3").end()
        self.assertEqual((status, complaint), (0, ""))
        bytes_of_all = 0 + 5000 + 10000
        for process in (1, 2, 3):
            self.assertIn(f"process {process} has sent 3 results of {bytes_of_all} bytes\n", said)
        job = Launched(program, environment, "30")
        job.wait_for("has joined", 4)
        time.sleep(0.5)  # some of its results are there
        job.kill(2)
        status, said, _ = job.end()
        self.assertEqual(status, 128 + signal.SIGKILL)
        of_the_dead = re.search(r"process 2 has sent (\d+) results of (\d+) bytes, then: "
                                r".*2 is believed dead", said)
        self.assertIsNotNone(of_the_dead, said)
        results, bytes_of_them = map(int, of_the_dead.groups())
        self.assertLess(results, 30)
        self.assertEqual(bytes_of_them, sum(5000 * i for i in range(results)))
        bytes_of_all = sum(5000 * i for i in range(30))
        for process in (1, 3):
            self.assertIn(f"process {process} has sent 30 results of {bytes_of_all} bytes\n", said)

    def the_farm_loses_no_work(self, program, environment):
        for pieces, dead in [(100, None), (6000, 3)]:  # work for two seconds, and one dies
            job = Launched(program, environment, str(pieces))
            job.wait_for("has joined", 4)
            if dead is not None:
                job.kill(dead)
            status, said, _ = job.end()
            self.assertEqual(status, 0 if dead is None else 128 + signal.SIGKILL)
            squares = sum(i * i for i in range(pieces))
            self.assertIn(f"the sum of {pieces} squares is {squares}\n", said)
        job = Launched(program, environment, "6000")
        job.wait_for("has joined", 4)
        for worker in (1, 2, 3):
            job.kill(worker)
        self.assertIn("no worker is left, and there are pieces to do\n", job.end()[2])

    def the_heat_spreads_and_stays(self, program, environment):
        status, said, complaint = Launched(program, environment, "40").end()
        self.assertEqual((status, complaint), (0, ""))
        self.assertIn("the heat of all is 500000.000\n", said)
        heats = dict(re.findall(r"process (\d) has a heat of ([\d.]+)\n", said))
        self.assertGreater(float(heats["1"]), 1000)  # it comes over the border
        self.assertGreater(float(heats["0"]), 250000)

    def the_heat_ends_with_a_neighbour(self, program, environment):
        job = Launched(program, environment, "1000000000")
        job.wait_for("has joined", 4)
        job.kill(2)
        status, said, complaint = job.end()
        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertIn("process 2 is believed dead", complaint)

    # Both build all examples. What these do is looked at once each: of either build, programs in C
    # and C++.
    def test_examples_built_with_cmake(self):
        tree = self.run_block(0)
        self.results_of_the_dead_count(os.path.join(tree, "build/examples/tally"), None)
        self.survivors_do_the_work(os.path.join(tree, "build/examples/survivors"), None)
        self.the_heat_spreads_and_stays(os.path.join(tree, "build/examples/columns"), None)
        self.the_heat_ends_with_a_neighbour(os.path.join(tree, "build/examples/columns"), None)

    def test_examples_built_with_pkg_config_and_plain_compilers(self):
        tree = self.run_block(1)
        self.all_hear_of_a_kill(os.path.join(tree, "verdicts"), self.environment)
        self.the_farm_loses_no_work(os.path.join(tree, "farm"), self.environment)

    def test_examples_compile_without_a_warning(self):
        self.compile("cc", "c11", os.path.join(ROOT, "examples/verdicts.c"), self.path("c"))
        self.compile("cc", "c11", os.path.join(ROOT, "examples/tally.c"), self.path("c"))
        self.compile("cc", "c11", os.path.join(ROOT, "examples/columns.c"), self.path("c"))
        self.compile("c++", "c++20", os.path.join(ROOT, "examples/survivors.cpp"), self.path("cpp"))
        self.compile("c++", "c++20", os.path.join(ROOT, "examples/farm.cpp"), self.path("cpp"))

    def test_an_example_without_the_launcher_says_how_to_start_it(self):
        program = self.path("alone")
        self.compile("cc", "c11", os.path.join(ROOT, "examples/verdicts.c"), program)
        done = subprocess.run([program], capture_output=True, text=True, check=False,
                              env=self.environment, timeout=20)
        self.assertEqual(done.returncode, 1)
        self.assertIn("holdfast launch -n 4 -- PROGRAM", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_headers_stand_alone(self):
        for header, compiler, standard in [("holdfast.h", "cc", "c11"),
                                           ("holdfast.h", "c++", "c++20"),
                                           ("holdfast.hpp", "c++", "c++20")]:
            source = self.path("alone." + ("c" if compiler == "cc" else "cpp"))
            with open(source, "w", encoding="utf-8") as file:
                file.write(f"#include <holdfast/{header}>\nint main(void) {{ return 0; }}\n")
            more = ["-Wshadow", "-Wconversion", "-Wsign-conversion"]
            if compiler == "c++":
                more.append("-Wold-style-cast")
            output(compiler, f"-std={standard}", *WARNINGS, *more, "-fsyntax-only", source,
                   f"-I{self.prefix}/include")

    def test_the_library_exports_what_is_listed_and_nothing_else(self):
        library = os.path.join(self.prefix, "lib", "libholdfast.so")
        symbols = output("nm", "-D", "--defined-only", library).splitlines()
        with open(os.path.join(HERE, "exported.txt"), encoding="utf-8") as file:
            self.assertEqual(sorted(line.split()[-1] for line in symbols), file.read().split())

    def test_nothing_is_taken_away_from_its_thread(self):
        library = os.path.join(self.prefix, "lib", "libholdfast.so")
        self.assertIn("NODELETE", output("readelf", "-d", library))
        # Nor has the end of the program anything to destroy there, while the thread still runs.
        undefined = output("nm", "-D", "--undefined-only", library)
        self.assertNotIn("__cxa_atexit", undefined)
        self.assertNotIn("__cxa_thread_atexit", undefined)

    def test_the_version_is_one(self):
        version = output("pkg-config", "--modversion", "holdfast", env=self.environment).strip()
        self.assertIn(f"holdfast {version} ", output(self.launcher, "--version"))
        header = self.path("holdfast", "include", "holdfast", "version.h")
        with open(header, encoding="utf-8") as file:
            self.assertIn(f'#define HOLDFAST_VERSION "{version}"', file.read())
        library = os.path.realpath(os.path.join(self.prefix, "lib", "libholdfast.so"))
        self.assertEqual(os.path.basename(library), f"libholdfast.so.{version}")
        major, minor, _ = version.split(".")
        name = f"libholdfast.so.{major}" if major != "0" else f"libholdfast.so.0.{minor}"
        self.assertIn(f"[{name}]", output("readelf", "-d", library))

    def test_the_program_its_manual_and_the_schema_are_there(self):
        self.assertIn("usage: holdfast", output(self.launcher, "--help"))
        for name in ("holdfast/schema/experiment.schema.json", "man/man1/holdfast.1"):
            self.assertTrue(os.path.isfile(self.path("holdfast", "share", name)), name)


if __name__ == "__main__":
    unittest.main()

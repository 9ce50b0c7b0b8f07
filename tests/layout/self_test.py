#!/usr/bin/env python3
"""The layout test tested: a tree that is in order passes, and each way to spoil it is found."""

import tempfile
import unittest
from pathlib import Path

import check
import cxx

BODY = "// What it is for.\n"
GOOD = {
    "stack/CMakeLists.txt": "# Stack.\nholdfast_folder(holdfast_base SOURCES base/clean.cpp)\n"
    "holdfast_folder(holdfast_view SOURCES view/view.cpp)\n"
    "file(GLOB detect CONFIGURE_DEPENDS detect/*.cpp)\n"
    "holdfast_folder(holdfast_detect SOURCES ${detect})\n"
    "holdfast_folder(holdfast_segments SOURCES segments/list.cpp)\n"
    "holdfast_folder(holdfast_pipeline SOURCES pipeline/plan.cpp)\n"
    "holdfast_folder(holdfast_stack SOURCES engine.cpp)\n",
    "stack/base/clean.hpp": BODY + "#pragma once\n#include <cstdint>\n",
    "stack/base/clean.cpp": BODY + '#include "stack/base/clean.hpp"\n',
    "stack/fabric.hpp": BODY + '#pragma once\n#include "stack/base/clean.hpp"\n',
    "stack/view/view.cpp": BODY + '#include "stack/fabric.hpp"\n',
    "stack/view/view.hpp": BODY + "#pragma once\n",
    "stack/detect/ring.cpp": BODY + '#include "stack/view/view.hpp"\n',
    "stack/segments/list.cpp": BODY + '#include "stack/base/clean.hpp"\n',
    "stack/pipeline/plan.cpp": BODY + '#include "stack/base/clean.hpp"\n',
    "stack/engine.cpp": BODY + '#include "stack/view/view.hpp"\n',
    "sim/CMakeLists.txt": "# Simulator.\n",
    "sim/topology/CMakeLists.txt": "# T.\n"
    "holdfast_folder(holdfast_sim_topology SOURCES tree.cpp)\n",
    "sim/topology/tree.cpp": BODY + '#include "stack/fabric.hpp"\n',
    "sim/run/CMakeLists.txt": "# Run.\nholdfast_folder(holdfast_sim_run SOURCES run.cpp)\n",
    "sim/run/run.hpp": BODY + "#pragma once\n",
    "sim/run/run.cpp": BODY + '#include "sim/run/run.hpp"\n#include "stack/engine.hpp"\n',
    "experiments/CMakeLists.txt": "# Experiments.\n"
    "holdfast_folder(holdfast_cli SOURCES cli/cli.cpp)\n",
    "experiments/cli/cli.cpp": BODY + "#include <nlohmann/json.hpp>\n"
    '#include "sim/run/run.hpp"\n#include "stack/engine.hpp"\n',
    "hw/CMakeLists.txt": "# Real.\nholdfast_folder(holdfast_hw_udp SOURCES udp/udp.cpp)\n",
    "hw/udp/udp.cpp": BODY + '#include <sys/socket.h>\n#include "stack/fabric.hpp"\n',
    "tests/run": "#!/usr/bin/env bash\n# Runs tests.\nrun() {\n  true\n}\n",
    "analysis/report.py": '"""Draws."""\n\n\ndef draw():\n    return 1\n',
}


def function(lines):
    """A C++ function of that many lines."""
    return "int long_one(int a) {\n" + "  a += 1;\n" * (lines - 3) + "  return a;\n}\n"


# (file, text put after what is in it, part of the expected complaint)
SPOILED = [
    ("stack/base/clean.cpp", '#include "stack/view/view.hpp"\n', "base may not see stack/view"),
    ("stack/base/clean.cpp", '#include "stack/fabric.hpp"\n', "stack/base may not see seam"),
    ("stack/fabric.hpp", '#include "stack/view/view.hpp"\n', "seam may not see stack/view"),
    ("stack/view/view.cpp", '#include "stack/detect/ring.hpp"\n', "may not see stack/detect"),
    ("stack/view/view.cpp", '#include "stack/engine.hpp"\n', "may not see engine"),
    ("stack/detect/ring.cpp", '#include "stack/propagate/bmg.hpp"\n', "not see stack/propagate"),
    ("stack/detect/ring.cpp", '#include "stack/engine.hpp"\n', "may not see engine"),
    ("stack/segments/list.cpp", '#include "stack/fabric.hpp"\n', "segments may not see seam"),
    ("stack/segments/list.cpp", '#include "stack/wire/frame.hpp"\n', "may not see stack/wire"),
    ("stack/pipeline/plan.cpp", '#include "stack/checksum/crc.hpp"\n', "see stack/checksum"),
    ("stack/detect/ring.cpp", '#include "stack/pipeline/plan.hpp"\n', "not see stack/pipeline"),
    ("stack/engine.cpp", '#include "stack/pipeline/plan.hpp"\n', "may not see stack/pipeline"),
    ("stack/engine.cpp", '#include "stack/impair/loss.hpp"\n', "engine may not see stack/impair"),
    ("stack/detect/ring.cpp", '#include "stack/impair/loss.hpp"\n', "may not see stack/impair"),
    ("stack/engine.cpp", '#include "sim/run/run.hpp"\n', "engine may not see sim/run"),
    ("stack/engine.cpp", '#include "hw/udp/udp.hpp"\n', "engine may not see hw/udp"),
    ("stack/engine.cpp", '#include "experiments/cli/cli.hpp"\n', "may not see experiments/cli"),
    ("stack/engine.cpp", '#include "view/view.hpp"\n', "not written from the root"),
    ("stack/engine.cpp", '#include "tests/unit/fake.hpp"\n', "the product needs no test"),
    ("stack/engine.cpp", "#include <sys/socket.h>\n", "knows no clock, socket"),
    ("stack/engine.cpp", "#include <thread>\n", "knows no clock, socket"),
    ("stack/engine.cpp", "#include <chrono>\n", "knows no clock, socket"),
    ("stack/engine.cpp", "#include <random>\n", "knows no clock, socket"),
    ("stack/engine.cpp", "#include <iostream>\n", "knows no clock, socket"),
    ("stack/engine.cpp", "int a = rand();\n", "rand: time and chance"),
    ("stack/engine.cpp", "auto a = std::time(nullptr);\n", "time: time and chance"),
    ("stack/engine.cpp", "int a = clock_gettime(0, nullptr);\n", "clock_gettime: time and chance"),
    ("stack/engine.cpp", "double a = std::log(2.0);\n", "std::log differs"),
    ("stack/engine.cpp", "std::mt19937_64 a{1};\n", "mt19937_64: time and chance"),
    ("sim/topology/tree.cpp", "#include <thread>\n", "the simulator knows no clock"),
    ("sim/topology/tree.cpp", "auto a = std::chrono::steady_clock::now();\n", "steady_clock: time"),
    ("sim/topology/tree.cpp", "std::normal_distribution<double> a;\n", "differs between libraries"),
    ("sim/topology/tree.cpp", '#include "stack/engine.hpp"\n', "sim/topology may not see engine"),
    ("sim/topology/tree.cpp", '#include "stack/view/view.hpp"\n', "may not see stack/view"),
    ("sim/topology/tree.cpp", '#include "sim/run/run.hpp"\n', "may not see sim/run"),
    ("sim/run/run.cpp", '#include "hw/udp/udp.hpp"\n', "sim/run may not see hw/udp"),
    ("sim/run/run.cpp", '#include "experiments/cli/cli.hpp"\n', "may not see experiments/cli"),
    ("hw/udp/udp.cpp", '#include "sim/topology/tree.hpp"\n', "hw/udp may not see sim/topology"),
    ("hw/udp/udp.cpp", '#include "stack/engine.hpp"\n', "hw/udp may not see engine"),
    ("sim/run/run.hpp", "#include <nlohmann/json.hpp>\n", "nlohmann/json in a header"),
    ("stack/engine.cpp", function(71), "function long_one has 71 lines"),
    ("analysis/report.py", "def f():\n" + "    f()\n" * 70, "function f has 71 lines"),
    ("tests/run", "f() {\n" + "  true\n" * 69 + "}\n", "function f has 71 lines"),
    ("stack/engine.cpp", "// line\n" * 800, "lines, more than 800"),
    ("stack/engine.cpp", "// " + "x" * 98 + "\n", "101 columns"),
    ("stack/engine.cpp", "// TO" "DO: later\n", "contains 'TO" "DO'"),
    ("stack/engine.cpp", "// XX" "X\n", "contains 'XX" "X'"),
    ("README.md", "See /wo" "rk/main.\n", "contains '/wo" "rk/'"),
    ("configs/a.json", '{"file": "/fa' 'rm/data"}\n', "contains '/fa" "rm/'"),
    ("stack/base/stray.cpp", BODY, "no CMakeLists.txt builds this file"),
    ("stack/wire/frame.hpp", BODY + "#pragma once\n", "no target holdfast_wire"),
    ("stack/base/bare.hpp", "#pragma once\n", "does not open with a comment"),
    ("analysis/bare.py", "import sys\n", "does not open with a comment"),
    ("tests/bare", "#!/usr/bin/env bash\ntrue\n", "does not open with a comment"),
    ("stack/base/twice.hpp", BODY, "no #pragma once"),
    ("analysis/broken.py", '"""Broken."""\n(\n', "not Python"),
]

# Things that look like violations and are none.
HARMLESS = [
    ("stack/engine.cpp", function(70)),
    ("stack/engine.cpp", "// " + "x" * 97 + "\n"),
    ("stack/engine.cpp", '// #include <thread>\n/*\n#include "sim/run/run.hpp"\n*/\n'),
    ("stack/engine.cpp", 'const char* kText = R"(\n#include <thread>\nrand()\n)";\n'),
    ("stack/engine.cpp", "auto a = random.time(0) + b->rand() + Other::rand();\n"),
    ("stack/engine.cpp", "#include <cstdio>\n#include <atomic>\n"),
    ("sim/topology/tree.cpp", "#include <chrono>\nauto a = std::chrono::year{2004};\n"),
    ("stack/engine.cpp", '#include "holdfast_version.inc"\n'),
    ("hw/udp/udp.cpp", "#include <chrono>\n#include <thread>\n"),
    ("experiments/cli/cli.cpp", "double a = std::log(2.0);\n"),
    ("tests/run", 'work=$(mktemp "${TMPDIR:-/tmp}/XX' 'XXXX")\n'),
]


class Tree(unittest.TestCase):
    def violations(self, extra=None):
        with tempfile.TemporaryDirectory() as folder:
            files = dict(GOOD)
            for path, text in extra or []:
                files[path] = files.get(path, "") + text
            for path, text in files.items():
                (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / path).write_text(text, encoding="utf-8")
            return check.check(Path(folder)).violations

    def test_a_tree_in_order_passes(self):
        self.assertEqual(self.violations(), [])

    def test_each_violation_is_found_and_nothing_else(self):
        for path, text, complaint in SPOILED:
            with self.subTest(path=path, complaint=complaint):
                found = self.violations([(path, text)])
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(path + ":"), found)
                self.assertIn(complaint, found[0])

    def test_what_only_looks_wrong_passes(self):
        for path, text in HARMLESS:
            with self.subTest(path=path, text=text):
                self.assertEqual(self.violations([(path, text)]), [])


class Functions(unittest.TestCase):
    """The brace counter, on what confuses brace counters."""

    def names(self, text):
        return [(function.name, function.lines) for function in cxx.functions(text)]

    def test_literals_and_comments_hold_no_braces(self):
        text = "int f() {\n  // }\n  g('}', \"}\", R\"x(})\" })x\", 1'000'000);\n}\n"
        self.assertEqual(self.names(text), [("f", 4)])

    def test_constructor_with_braced_initialisers(self):
        text = "struct A {\n public:\n  A()\n      : a{1},\n        b{2} {\n    f();\n  }\n};\n"
        self.assertEqual(self.names(text), [("A", 5)])

    def test_tables_types_and_namespaces_are_no_functions(self):
        text = "namespace a::b {\nenum class E : int { x };\nconst int k[] = {\n  f(1),\n};\n}\n"
        self.assertEqual(self.names(text), [])

    def test_lambdas_and_blocks_belong_to_their_function(self):
        text = "TEST(Ring, Detects) {\n  auto f = [] { return 1; };\n  if (f()) {\n  }\n}\n"
        self.assertEqual(self.names(text), [("Ring.Detects", 5)])

    def test_members_and_operators(self):
        text = "class A {\n  int get() const { return 1; }\n  bool operator()(int) {\n  }\n};\n"
        self.assertEqual(self.names(text), [("get", 1), ("operator()", 2)])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Every command of the documents is run, in the order in which it stands there, and every piece of
an experiment file is run. What is not run, and why, is listed in documents.py.

usage: commands_test.py [--real] [unittest arguments]. With --real the reports are drawn too.
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import context
import documents
from stage import Stage

REAL = "--real" in sys.argv
BASES = [  # what a piece of a file is completed with: the first that fits
    {"topology": {"kind": "preset", "name": "324"}},
    {"topology": {"kind": "preset", "name": "isr9144"}},
    {"topology": {"kind": "ibnetdiscover", "file": "fabric.txt"}},
]
KNOWN_PROGRAMS = {
    "build/release/holdfast", "experiments/run", "tests/run", "tests/bench/ring", "cmake", "ctest",
    "ibnetdiscover", "analysis/report", "analysis/bench", "cat", "mkdir", "export", "cc", "c++",
    '"$HOME/holdfast/bin/holdfast"', "mpirun", "srun",
    "holdfast", "(umask", "rank=0", "while", "wait", "curl",
}


def pieces(text):
    """The JSON values of a block: a whole one, one a line, or some members of an object."""
    for candidate in (text, "{" + text + "}"):
        try:
            return [json.loads(candidate)]
        except ValueError:
            pass
    return [json.loads(line.rstrip(",")) for line in text.split("\n") if line.strip()]


def completed(piece, base):
    """An experiment that has this piece."""
    duration = "2 ms" if "traffic" in piece else "60 s"  # packets are many
    whole = {"name": "example", "duration": duration, **base}
    if "what" in piece:
        return {**whole, "failures": [piece]}
    if set(piece) & {"kind", "down"}:
        return {**whole, "topology": piece}
    return {**whole, **piece}


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="holdfast-docs-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def stage(self):
        return Stage(self.folder)

    def test_every_block_is_of_a_kind_that_is_tested(self):
        for document in documents.paths(documents.WITH_COMMANDS):
            for block in documents.blocks(document):
                where = f"{document}:{block.line}"
                kind = documents.kind(block)
                self.assertIn(kind, ("commands", "json", "code", "output"), where)
                if kind == "commands":
                    for program in documents.first_words(block.text):
                        self.assertIn(program, KNOWN_PROGRAMS, where)

    def test_what_is_not_run_is_still_there(self):
        for pattern, contained, mode, reason in documents.MODES:
            found = [block for document in documents.paths([pattern])
                     for block in documents.blocks(document) if contained in block.text]
            self.assertTrue(found, f"no block of {pattern} contains {contained!r}")
            self.assertTrue(reason or mode == "real", pattern)

    def test_pieces_of_experiment_files_run(self):
        stage = self.stage()
        count = 0
        for document in documents.paths(documents.WITH_COMMANDS):
            for block in documents.blocks(document):
                if documents.kind(block) == "json" and "figures" not in block.text:
                    for piece in pieces(block.text):
                        self.check_piece(stage, piece, f"{document}:{block.line}")
                        count += 1
        self.assertGreater(count, 20)

    @unittest.skipUnless(REAL, "draws figures")
    def test_the_picture_is_the_one_of_the_first_command(self):
        stage = self.stage()
        stage.run("experiments/run experiments/quickstart", "real")
        drawn = self.folder / "drawn.png"
        subprocess.run([context.ROOT / "docs/generate/picture.py",
                        stage.top / "results/quickstart", drawn], check=True)
        there = (context.ROOT / "docs/quickstart.png").read_bytes()
        self.assertEqual(drawn.read_bytes(), there, "run docs/generate/picture.py")

    def check_piece(self, stage, piece, where):
        complaints = []
        for base in BASES:
            (stage.top / "piece.json").write_text(json.dumps(completed(piece, base)))
            done = subprocess.run([context.PROGRAM, "run", "piece.json", "--quiet"], check=False,
                                  cwd=stage.top, capture_output=True, text=True)
            if done.returncode == 0:
                return
            complaints.append(done.stderr)
        self.fail(f"{where}: {json.dumps(piece)}\n" + "".join(complaints))

    def test_a_walk_types_each_block_and_stops_where_one_fails(self):
        text = "# T\n    echo one\n    cat <<'END'\n      two\n\n    END\n\nand\n\n"
        (self.folder / "good.md").write_text(text + "    ibnetdiscover > fabric.txt\n")
        (self.folder / "bad.md").write_text(text + "    exit 7\n\nthen\n\n    echo never\n")
        walk = str(context.ROOT / "tests/docs/walk")
        done = subprocess.run([walk, "good.md"], cwd=self.folder, capture_output=True, text=True,
                              check=False, env={"PATH": "/usr/bin:/bin"})
        if "left out" in done.stdout:  # unless this machine has it
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("== echo one\none\n  two\n\n== took 0:0", done.stdout)
        done = subprocess.run([walk, "bad.md"], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 7)
        self.assertNotIn("never", done.stdout)


def run_document(document):
    def test(self):
        stage = self.stage()
        output = ""  # None: of a block that is not run
        for block in documents.blocks(document):
            if documents.kind(block) == "output" and output is not None:
                for line in block.text.split("\n"):
                    for part in line.split("…"):
                        self.assertIn(part.strip(), output, f"{document}:{block.line}")
            if documents.kind(block) != "commands":
                continue
            mode = documents.mode(document, block)
            if mode == "skip":
                output = None
                continue
            done = stage.run(block.text, "real" if REAL and mode == "program" else mode)
            output = done.stdout
            self.assertEqual(done.returncode, 0, f"{document}:{block.line}: {block.text}\n{output}")
    return test


for name in documents.paths(documents.WITH_COMMANDS):
    if any(documents.kind(block) == "commands" for block in documents.blocks(name)):
        word = name.replace("/", "_").replace(".md", "").replace("-", "_").lower()
        setattr(Commands, f"test_{word}", run_document(name))


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--real"])

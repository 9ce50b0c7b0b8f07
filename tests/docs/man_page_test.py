#!/usr/bin/env python3
"""holdfast(1) says what --help says, and is roff that no formatter complains of."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import context
import man_page

MACROS = {"TH", "SH", "SS", "PP", "TP", "RS", "RE", "nf", "fi", "B", "br"}


def plain(text):
    """Words only: what filling, justifying and hyphenation do not change."""
    return re.sub(r"\s+", "", text.replace("…", "...").replace("\u2010", "-"))


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = man_page.page(context.PROGRAM)
        overview = man_page.help_of(context.PROGRAM)
        cls.commands = re.findall(r"^  ([a-z]+)  ", overview, re.MULTILINE)

    def test_every_command_and_option_is_there(self):
        self.assertGreater(len(self.commands), 5)
        for command in self.commands:
            section = self.page.split(f"\n.SS {command}\n")[1].split("\n.S")[0]
            options = re.findall(r"^  (--\S+)", man_page.help_of(context.PROGRAM, command), re.M)
            self.assertIn("--help", options)
            for option in options:
                self.assertIn("\\fB" + man_page.escaped(option) + "\\fR", section, command)

    def test_only_known_macros_begin_a_line(self):
        for line in self.page.split("\n"):
            if line[:1] in (".", "'"):
                self.assertIn(re.match(r"\.(\w+|\\\")", line).group(1), MACROS | {'\\"'}, line)

    def test_text_cannot_become_a_request(self):
        self.assertEqual(man_page.escaped(".xz is\n'and' -j"), "\\&.xz is\n\\(aqand\\(aq \\-j")

    def test_is_written_to_a_file_or_printed(self):
        generator = context.ROOT / "docs/generate/man_page.py"
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "holdfast.1"
            subprocess.run([generator, context.PROGRAM, output], check=True)
            self.assertEqual(output.read_text(encoding="utf-8"), self.page)
        done = subprocess.run([generator], check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("usage: man_page.py PROGRAM", done.stderr)

    @unittest.skipUnless(shutil.which("groff"), "needs the package groff-base")
    def test_is_formatted_without_a_warning_and_says_what_help_says(self):
        command = ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rHY=0", "-rLL=100n"]
        done = subprocess.run(command, input=self.page, check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = plain(done.stdout)
        for name in self.commands:
            _, paragraphs, below = man_page.parts(man_page.help_of(context.PROGRAM, name))
            texts = [*paragraphs, *(line for line in below.get("examples", []))]
            texts += [text for _, text in man_page.options(below["options"])]
            for text in texts:
                self.assertIn(plain(text), shown, f"{name}: {text}")


if __name__ == "__main__":
    unittest.main()

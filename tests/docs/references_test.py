#!/usr/bin/env python3
"""What the documents refer to is there: other documents and their headings, files, options of the
programs, keys of experiment files.
"""

import json
import os
import re
import subprocess
import unittest

import context
import configuration
import documents
import markdown

# Options of other programs that the documents name.
OUTSIDE = {"--preset", "--build", "--target", "--install", "--prefix", "--test-dir",
           "--scatter-ports", "--port-shifting", "--cflags", "--libs",
           "--enable-recovery", "--mpi", "--kill-on-bad-exit", "--unix-socket", "--verbose"}
OUR_FOLDERS = r"(?:stack|sim|hw|include|examples|configs|docs|experiments|analysis|tests|cmake)"
SCRIPTS = ["experiments/run", "tests/run", "tests/bench/ring", "tests/mutants/run",
           "analysis/report", "analysis/bench", "experiments/ring-fig3/measure"]


def text_of(document):
    return (context.ROOT / document).read_text(encoding="utf-8")


def slug(heading):
    """The anchor that a heading gets on a page."""
    kept = re.sub(r"[^\w\- ]", "", heading.lower().replace("`", ""))
    return kept.replace(" ", "-")


def anchors(document):
    return {slug(heading) for heading in markdown.sections(text_of(document))}


def words(document):
    """(line, text) of everything in backquotes outside of blocks."""
    for number, line in enumerate(markdown.outside_blocks(text_of(document)), 1):
        for word in markdown.code(line):
            yield number, word


def help_of(*command):
    done = subprocess.run(command, cwd=context.ROOT, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


def known_options():
    text = help_of(context.PROGRAM, "--help")
    for command in re.findall(r"^  ([a-z]+)  ", text, re.M):
        text += help_of(context.PROGRAM, command, "--help")
    for script in SCRIPTS:
        text += help_of(str(context.ROOT / script), "--help")
    return set(re.findall(r"--[a-z][a-z-]*", text)) | OUTSIDE


def known_keys():
    """The dotted paths of the schema; an entry of a list as []."""
    schema = json.loads(configuration.SCHEMA.read_text(encoding="utf-8"))

    def walk(node, path):
        for key, value in node.get("properties", {}).items():
            if value is not False:
                yield path + key
                yield from walk(value, path + key + ".")
                yield from walk(value.get("items", {}), path + key + "[].")

    return set(walk(schema, ""))


class References(unittest.TestCase):
    def test_links_lead_somewhere(self):
        count = 0
        for document in documents.paths(documents.ALL):
            text = "\n".join(markdown.outside_blocks(text_of(document)))
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                folder = os.path.dirname(document)
                whole = os.path.normpath(os.path.join(folder, path)) if path else document
                self.assertTrue((context.ROOT / whole).exists(), f"{document}: {target}")
                if anchor:
                    self.assertIn(anchor, anchors(whole), f"{document}: {target}")
                count += 1
        self.assertGreater(count, 10)

    def test_files_are_there(self):
        listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files"], cwd=context.ROOT,
                                check=False, capture_output=True, text=True).stdout.split()
        names = {os.path.basename(path) for path in listed}
        count = 0
        for document in documents.paths(documents.ALL):
            made_here = set(re.findall(r"^`(\S+)`:\n\n```cpp", text_of(document), re.M))
            made_here |= {"experiments/NAME"}
            for line, word in words(document):
                where = f"{document}:{line}: {word}"
                path = word.split()[0] if word.strip() else ""
                if re.match(OUR_FOLDERS + r"/[\w.*/-]+$", path) and path not in made_here:
                    # A pair of header and source is named without its ending.
                    found = [*context.ROOT.glob(path.rstrip("/")), *context.ROOT.glob(path + ".*")]
                    self.assertTrue(found, where)
                    count += 1
                elif re.match(r"[\w-]+\.(?:hpp|cpp|py)$", path):
                    self.assertTrue(not names or path in names, where)
                    count += 1
        self.assertGreater(count, 30)

    def test_options_are_known(self):
        known = known_options()
        self.assertIn("--set", known)
        self.assertIn("--trace-year", known)
        count = 0
        for document in documents.paths(documents.ALL):
            for number, line in enumerate(text_of(document).split("\n"), 1):
                for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", line):
                    self.assertIn(option, known, f"{document}:{number}")
                    count += 1
        self.assertGreater(count, 20)

    def test_keys_of_experiment_files_are_known(self):
        known = known_keys()
        tops = {key for key in known if "." not in key}
        count = 0
        for document in documents.paths(documents.ALL):
            for line, word in words(document):
                path = re.match(r"([a-z_]+(?:\.[a-z_0-9]+|\[\])+)(?:[=:]|$)", word)
                if not path or path.group(1).split(".")[0].rstrip("[]") not in tops:
                    continue
                if re.search(r"\.(?:json|csv|txt|conf|hpp|cpp|xz)$", path.group(1)):
                    continue
                key = re.sub(r"\.\d+(?=\.|$)", "[]", path.group(1)).removesuffix("[]")
                self.assertIn(key, known, f"{document}:{line}")
                count += 1
        self.assertGreater(count, 30)


if __name__ == "__main__":
    unittest.main()

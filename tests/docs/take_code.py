#!/usr/bin/env python3
"""Makes what docs/detectors.md tells the reader to make, from the code in it.

usage: take_code.py FOLDER. Writes the files that the document names, and the registers of the
repository with the document's lines at their ends, each at its place below FOLDER.
"""

import re
import sys
from pathlib import Path

import context

DOCUMENT = context.ROOT / "docs/detectors.md"


def write(path, text):
    """Only if it changes, so that a build does nothing that was done."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(folder):
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, code in re.findall(r"^`(stack/\S+\.cpp)`:\n\n```cpp\n(.*?)^```$", text, re.M | re.S):
        write(folder / name, code)
    lines = re.findall(r"^```registered\n(.*?)^```$", text, re.M | re.S)
    for kind in ("detect", "propagate"):
        register = f"stack/{kind}/registered.inc"
        there = (context.ROOT / register).read_text(encoding="utf-8")
        macro = {"detect": "HOLDFAST_DETECTOR", "propagate": "HOLDFAST_PROPAGATION"}[kind]
        write(folder / register, there + "".join(x for x in lines if x.startswith(macro)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

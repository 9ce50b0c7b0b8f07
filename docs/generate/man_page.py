#!/usr/bin/env python3
"""Writes the manual page holdfast(1) from what the program says of itself: its --help and that of
each of its commands.

usage: man_page.py PROGRAM [OUTPUT]. Without OUTPUT it is printed. The forms that it expects of a
help text are those that experiments/program/options.cpp makes: a line "usage: …", paragraphs,
"examples:" with indented commands, "options:" with a name and an indented text each.
"""

import re
import subprocess
import sys
from pathlib import Path

EXIT_STATUS = [
    ("0", "All is done."),
    ("1", "The machine or the program is at fault; what was finished is kept."),
    ("2", "You can mend it: a wrong file, option or value. The message says which and how; nothing "
          "was begun."),
    ("130", "Interrupted by Ctrl-C; what was finished is kept, and --resume goes on."),
]
SEE_ALSO = ("ibnetdiscover(8), opensm(8). The documents README.md, docs/tutorial.md, "
            "docs/interface.md, docs/watching.md, docs/configuration.md and docs/results.md of the "
            "source.")


def escaped(text):
    """Text as roff takes it: no control lines, hyphens that can be searched for and copied."""
    text = text.replace("\\", "\\e").replace("…", "...")
    for character, name in ("-", "\\-"), ("'", "\\(aq"), ("^", "\\(ha"), ("~", "\\(ti"):
        text = text.replace(character, name)
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def help_of(program, *words):
    return subprocess.run([program, *words, "--help"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def parts(text):
    """(usage, paragraphs, {"options": lines, …}): what is below a heading such as "options:"."""
    usage, _, rest = text.partition("\n")
    paragraphs, below, heading = [[]], {}, None
    for line in rest.split("\n"):
        if re.fullmatch(r"[a-z]+:", line):
            heading = below.setdefault({"example:": "examples:"}.get(line, line)[:-1], [])
        elif heading is not None and (line.startswith("  ") or not line):
            heading.append(line)
        else:
            heading = None
            if line:
                paragraphs[-1].append(line)
            elif paragraphs[-1]:
                paragraphs.append([])
    texts = [" ".join(lines) for lines in paragraphs if lines]
    return usage.removeprefix("usage: ").strip(), texts, below


def options(lines):
    """(name and value, text) of each entry; lines that go on are indented further."""
    found = []
    for line in lines:
        entry = re.match(r"  (-\S+(?: \S+)?)\s{2,}(.*)", line)
        if entry:
            found.append([entry.group(1), entry.group(2)])
        elif line.strip():
            found[-1][1] += " " + line.strip()
    return found


def command_section(program, name):
    usage, paragraphs, below = parts(help_of(program, name))
    lines = [f".SS {name}", ".B " + escaped(usage)]
    for paragraph in paragraphs:
        lines += [".PP", escaped(paragraph)]
    examples = [line.strip() for line in below.get("examples", []) if line.strip()]
    if examples:
        lines += [".PP", ".RS", ".nf", *map(escaped, examples), ".fi", ".RE"]
    for option, text in options(below.get("options", [])):
        name, _, value = option.partition(" ")
        shown = f"\\fB{escaped(name)}\\fR" + (f" \\fI{escaped(value)}\\fR" if value else "")
        lines += [".TP", shown, escaped(text)]
    return lines


def page(program):
    version = subprocess.run([program, "--version"], check=True, stdout=subprocess.PIPE,
                             text=True).stdout.split()[1]
    _, paragraphs, below = parts(help_of(program))
    commands = [re.match(r"  (\S+)\s+(.*)", line).groups()
                for line in below["commands"] if line.strip()]
    lines = [
        '.\\" Written by docs/generate/man_page.py from what the program says of itself.',
        f'.TH HOLDFAST 1 "" "holdfast {escaped(version)}" "User Commands"',
        ".SH NAME", "holdfast \\- failures of clusters, simulated and real",
        ".SH SYNOPSIS", ".B holdfast", "\\fICOMMAND\\fR [\\fIARGUMENTS\\fR]", ".br",
        ".B holdfast", "\\fICOMMAND\\fR \\fB\\-\\-help\\fR", ".br",
        ".B holdfast", "\\fB\\-\\-version\\fR", ".SH DESCRIPTION",
    ]
    for paragraph in paragraphs:
        lines += [".PP", escaped(paragraph)]
    for name, summary in commands:
        lines += [".TP", f"\\fB{name}\\fR", escaped(summary)]
    lines.append(".SH COMMANDS")
    for name, _ in commands:
        lines += command_section(program, name)
    lines.append(".SH EXIT STATUS")
    for status, meaning in EXIT_STATUS:
        lines += [".TP", f".B {status}", escaped(meaning)]
    return "\n".join([*lines, ".SH SEE ALSO", escaped(SEE_ALSO)]) + "\n"


def main(arguments):
    text = page(str(Path(arguments[0]).resolve()))
    if len(arguments) > 1:
        Path(arguments[1]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__.split("\n\n")[1])
    main(sys.argv[1:])

"""What the tests ask of a Markdown document: its tables, code blocks, links and headings."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """A code block: fenced, with its language, or indented by four."""

    line: int
    language: str
    text: str


def sections(text):
    """The text below each heading, by the heading."""
    found, heading = {}, ""
    for line in outside_blocks(text):
        match = re.match(r"#+ (.*)", line)
        if match:
            heading = match.group(1)
        found.setdefault(heading, []).append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


def outside_blocks(text):
    """The lines that are not in fenced blocks; the others empty, so that numbers stay."""
    fenced = False
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        yield "" if fenced or fence else line
        fenced ^= fence


def rows(section):
    """The cells of the table rows of a section, without heads and rules."""
    found = []
    for line in section.split("\n"):
        if line.startswith("|"):
            found.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    rules = [i for i, cells in enumerate(found) if set("".join(cells)) <= set("-: ")
             and any(cells)]
    return [cells for i, cells in enumerate(found) if i not in rules and i + 1 not in rules]


def code(cell):
    """The words in backquotes."""
    return re.findall(r"`([^`]+)`", cell)


def blocks(text):
    """The code blocks of a document. An indented one needs an empty line before it, and is none in
    a list."""
    found, lines, i = [], text.split("\n"), 0
    listing = False
    while i < len(lines):
        line = lines[i]
        fence = re.match(r"\s*```(\S*)", line)
        if fence:
            end = next(k for k in range(i + 1, len(lines)) if lines[k].lstrip().startswith("```"))
            found.append(Block(i + 2, fence.group(1), "\n".join(lines[i + 1 : end])))
            i = end
        elif line.startswith("    ") and line.strip() and not listing:
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            text_of = "\n".join(text[4:] for text in lines[i:end]).rstrip("\n")
            found.append(Block(i + 1, "", text_of))
            i = end - 1
        elif line.strip():
            listing = bool(re.match(r"\s*(?:[-*]|\d+\.) ", line)) or (listing and line[0] == " ")
        i += 1
    return found

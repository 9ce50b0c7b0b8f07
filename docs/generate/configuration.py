#!/usr/bin/env python3
"""Writes docs/configuration.md from configs/schema/experiment.schema.json.

usage: configuration.py [--check]. With --check nothing is written: exit status 1 if the document
is not what the schema gives. What a reader needs of each key (what it takes and in which unit, its
range, its default, an example, its meaning) must be in the schema; a key that lacks one is an
error, so the document is complete by construction.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "configs/schema/experiment.schema.json"
DOCUMENT = ROOT / "docs/configuration.md"

OPENING = """# Every key of an experiment file

This page is written by `docs/generate/configuration.py` from
`configs/schema/experiment.schema.json`; change it there. How to write an experiment:
[experiments.md](experiments.md).

A key stands here as a sweep and `--set` name it, from the top of the file: `detector.timeout`. In a
list the index of an entry is part of it, from 0: `failures.0.at`; here `failures[].at`.

- **Texts with a unit.** A time is `"250 ms"`; units are ns, us, ms, s, min, h, day, days, year,
  years (of 365.25 days). A rate is `"100 Gb/s"`; units are b/s, kb/s, Mb/s, Gb/s, Tb/s. A share is
  `"2 %"`. A bare number is refused.
- **Words** are written in quotes: `"shuffled"`.
- **—** as a default: there is none. The key must be there, or its meaning says what is done when it
  is left out.
- *(not swept)*: the same for the whole run.

A wrong key, type, unit or range is found before anything runs; `holdfast check FILE` says where,
what was expected, and the nearest key.
"""


def registered(folder):
    """(name, idea) of each detector or propagation, from the register of that folder of stack/."""
    text = (ROOT / "stack" / folder / "registered.inc").read_text(encoding="utf-8")
    found = re.findall(r'^HOLDFAST_\w+\("([^"]+)", "([^"]+)", \w+\)$', text, re.MULTILINE)
    if len(found) != text.count("\nHOLDFAST_"):
        raise SystemExit(f"stack/{folder}/registered.inc has a line that is no entry")
    return found


def resolved(node, definitions):
    """The schema `node` with its $ref replaced, and the names that x-registry stands for as words;
    what stands beside a $ref has precedence."""
    if "x-registry" in node:
        names = registered(node["x-registry"])
        ideas = " ".join(f"{name}: {idea}." for name, idea in names)
        node = {**node, "enum": [name for name, _ in names],
                "description": f"{node['description']} {ideas}"}
    if "$ref" not in node:
        return node
    return {**definitions[node["$ref"].rsplit("/", 1)[-1]], **node}


def shown(value):
    return "`" + json.dumps(value, ensure_ascii=False) + "`"


def grouped(number):
    """As people write it: 65,536, but the year 1990."""
    return f"{number:,}" if abs(number) >= 10_000 else str(number)


def number_range(node):
    if "minimum" not in node:
        return ""
    low = grouped(node["minimum"])
    if "maximum" in node:
        return f", {low} to {grouped(node['maximum'])}"
    if "exclusiveMaximum" in node:
        return f", {low} to less than {grouped(node['exclusiveMaximum'])}"
    return f", at least {low}"


def takes_text(node):
    form = node.get("x-form")
    if form in ("time", "age", "rate", "percentage"):
        text = {"age": '`"equilibrium"` or time', "percentage": "share"}.get(form, form)
        return f"{text}, {node['x-minimum']} to {node['x-maximum']}"
    return {"path": "file name", "name": "name"}.get(form, "text")


def takes(node, definitions):
    """What a value must be: its type, unit and range."""
    if "enum" in node:
        return ", ".join(shown(word) for word in node["enum"])
    kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
    parts = []
    for kind in kinds:
        if kind == "integer":
            parts.append("whole number" + number_range(node))
        elif kind == "number":
            parts.append("number" + number_range(node))
        elif kind == "boolean":
            parts.append("`true`, `false`")
        elif kind == "string":
            parts.append(takes_text(node))
        elif kind == "array":
            low, high = node.get("minItems", 0), node.get("maxItems")
            size = f" of {low} to {high}" if high else ""
            items = resolved(node.get("items", {}), definitions)
            of = "objects" if items.get("type") == "object" else takes(items, definitions) + " each"
            parts.append(f"list{size}: {of}")
        else:
            parts.append("object")
    return " or ".join(parts)


def listed(words):
    return " or ".join(shown(word) for word in words)


def conditions(section, key):
    """In which cases a key of this section has a meaning, and in which it must be there."""
    sentences = []
    by = {}  # the key that decides -> (words that forbid this one, words that demand it)
    for branch in section.get("allOf", []):
        (decider, test), = branch["if"]["properties"].items()
        forbids, demands = by.setdefault(decider, ([], []))
        then = branch["then"]
        if then.get("properties", {}).get(key) is False:
            forbids.append(test["const"])
        if key in then.get("required", []) + then.get("x-required", []):
            demands.append(test["const"])
    for decider, (forbids, demands) in by.items():
        words = section["properties"][decider]["enum"]
        allowed = [word for word in words if word not in forbids]
        if forbids:
            sentences.append(f"Only with `{decider}` {listed(allowed)}.")
        if demands:
            every = len(demands) == len(allowed)
            sentences.append("Required" + (" then." if every else f" with {listed(demands)}."))
    needed = section.get("dependentRequired", {}).get(key)
    if needed and not sentences:
        sentences.append("Needs " + ", ".join(f"`{name}`" for name in needed) + ".")
    if key in section.get("required", []) + section.get("x-required", []):
        sentences.append("Required.")
    return sentences


def an_example(path, node):
    """JSON of a valid value; another than the default, where the words are listed."""
    if "examples" in node and "enum" not in node:
        return shown(node["examples"][0])
    words = node.get("enum", [False, True] if node.get("type") == "boolean" else [])
    others = [word for word in words if word != node.get("default")]
    if others or "default" in node:
        return shown(others[0] if others else node["default"])
    raise SystemExit(f"{SCHEMA.name}: {path} has neither a default nor an example")


def says_what_absence_means(path, node, sentences):
    """A key without a default must be demanded somewhere, or say what is done without it."""
    said = " ".join(sentences) + node["description"]
    if not any(word in said for word in ("eft out", "Required", "ignores it")):
        raise SystemExit(f"{SCHEMA.name}: {path} has no default and does not say what is done "
                         "when it is left out")


def row(path, section, key, definitions):
    node = resolved(section["properties"][key], definitions)
    if "description" not in node:
        raise SystemExit(f"{SCHEMA.name}: {path} has no description")
    sentences = conditions(section, key)
    holds_keys = node.get("type") == "object" and "properties" in node
    meaning = [node["description"], *sentences]
    if node.get("x-fixed"):
        meaning.append("*(not swept)*")
    if "x-option" in node and not holds_keys:
        meaning.append(f"On the command line `{node['x-option']}`.")
    if holds_keys:
        default, example = "its keys'" if "default" in node else "—", ""
    else:
        default = shown(node["default"]) if "default" in node else "—"
        example = an_example(path, node)
        if "default" not in node:
            says_what_absence_means(path, node, sentences)
    cells = (f"`{path}`", takes(node, definitions), default, example, " ".join(meaning))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def sections(path, node, definitions, depth=2):
    """The table of one object, then those of the objects below it."""
    lines = ["", "#" * min(depth, 4) + " " + (f"`{path}`" if path else "The file"), ""]
    if path:
        lines += [node["description"], ""]
    lines += ["| key | takes | default | example | meaning |", "|---|---|---|---|---|"]
    below = []
    for key, value in node["properties"].items():
        its_path = f"{path}.{key}" if path else key
        value = resolved(value, definitions)
        lines.append(row(its_path, node, key, definitions))
        items = resolved(value.get("items", {}), definitions)
        if "properties" in value:
            below.append((its_path, value))
        elif "properties" in items:
            below.append((its_path + "[]", items))
    for its_path, value in below:
        lines += sections(its_path, value, definitions, depth + 1 if path else depth)
    return lines


def document():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return OPENING + "\n".join(sections("", schema, schema["$defs"])) + "\n"


def main(arguments):
    text = document()
    if arguments == ["--check"]:
        there = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.exists() else ""
        if there == text:
            return 0
        print("docs/configuration.md is not what the schema gives; run "
              "docs/generate/configuration.py", file=sys.stderr)
        return 1
    DOCUMENT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

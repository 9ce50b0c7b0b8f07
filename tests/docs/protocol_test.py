#!/usr/bin/env python3
"""PROTOCOL.md: every clause that is cited exists, every clause is held by a test that exists, and
its examples follow from its own definitions, worked out here without the program's code.
"""

import re
import struct
import unittest

import context

TEXT = (context.ROOT / "PROTOCOL.md").read_text(encoding="utf-8")
CLAUSES = set(re.findall(r"^(\d+\.\d+) ", TEXT, re.MULTILINE))
SECTIONS = set(re.findall(r"^## (\d+)\. ", TEXT, re.MULTILINE))

# "PROTOCOL 4.9", "specification, clauses 2.7 and 5.5", "sections 3 to 7"; not those of papers.
CITED = re.compile(r"(?:PROTOCOL(?:\.md)?,?|specification,?)\s+(?://\s*)?(?:clauses?|sections?)?\s*"
                   r"(\d+(?:\.\d+)?(?:(?:, | and | to )\d+(?:\.\d+)?)*)")
BARE = re.compile(r"\((\d\.\d{1,2}(?:, \d\.\d{1,2})*)\)")  # in the stack and in PROTOCOL.md itself
MASK = (1 << 64) - 1


def files():
    for folder in ("stack", "sim", "hw", "experiments", "tests", "docs", "analysis"):
        for path in sorted((context.ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".md", ".py", ".json") and path.is_file():
                yield path
    yield context.ROOT / "ARCHITECTURE.md"
    yield context.ROOT / "README.md"


def citations():
    """(place, clause or section) of all that code, tests and documents cite."""
    for path in files():
        text = path.read_text(encoding="utf-8", errors="replace")
        name = str(path.relative_to(context.ROOT))
        patterns = [CITED] + ([BARE] if name.startswith(("stack/", "tests/unit/stack/")) else [])
        for pattern in patterns:
            for match in pattern.finditer(text):
                for number in re.findall(r"\d+(?:\.\d+)?", match.group(1)):
                    yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}", number


def is_literal(place, number):
    """Such as `natural_log(1.0)`: a number in parentheses that is no citation."""
    return place.startswith("tests/unit/stack/elementary_test") or number.endswith(".0")


def held_by():
    """The names that clauses.txt has for each clause."""
    path = context.ROOT / "tests/docs/clauses.txt"
    rows = [line.split(None, 1) for line in path.read_text(encoding="utf-8").splitlines()
            if line and not line.startswith("#")]
    return dict(rows)


def mix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def shuffled_position(domain, domains, key):
    half = max(1, ((domains - 1).bit_length() + 1) // 2)
    low = (1 << half) - 1
    keys = [mix64(key)]
    while len(keys) < 10:
        keys.append(mix64(keys[-1]))
    x = domain
    while True:
        left, right = x >> half, x & low
        for k in keys:
            left, right = right, left ^ ((mix64(k ^ right) >> 32) & low)
        x = left << half | right
        if x < domains:
            return x


class Protocol(unittest.TestCase):
    def test_clauses_are_numbered_without_gaps(self):
        self.assertGreater(len(CLAUSES), 45)
        for section in SECTIONS:
            numbers = sorted(int(c.split(".")[1]) for c in CLAUSES if c.split(".")[0] == section)
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)), f"section {section}")

    def test_every_citation_leads_to_a_clause(self):
        found = [one for one in citations() if not is_literal(*one)]
        self.assertGreater(len(found), 25)
        for place, number in found:
            self.assertIn(number, CLAUSES | SECTIONS, place)

    def test_the_protocol_cites_itself_rightly(self):
        prose = re.sub(r"\([^()]*figure[^()]*\)", "", TEXT)
        for group in BARE.findall(prose):
            for number in group.split(", "):
                self.assertIn(number, CLAUSES)

    def test_every_clause_is_held_by_a_test(self):
        held = held_by()
        self.assertEqual(set(held), CLAUSES, "tests/docs/clauses.txt has other clauses")
        sources = "\n".join(path.read_text(encoding="utf-8")
                            for path in (context.ROOT / "tests").rglob("*.cpp"))
        for clause, names in held.items():
            for name in names.split():
                if "/" in name:
                    self.assertTrue((context.ROOT / name).is_file(), f"{clause}: {name}")
                    continue
                suite, test = name.split(".")
                wanted = rf"TEST(?:_[FP])?\({suite},\s+{test}\)"
                self.assertRegex(sources, wanted, f"clause {clause}")

    def test_its_examples_follow_from_its_definitions(self):
        self.assertIn(f"mix64(0) = 0x{mix64(0):016x}", TEXT)
        *first, last = [str(shuffled_position(d, 8, 1)) for d in range(8)]
        self.assertIn("at the positions " + ", ".join(first) + " and " + last + ".", TEXT)
        self.assertIn(f"it is 0x{mix64(mix64(1) ^ 3):016x}.", TEXT)

    def test_its_message_frame_follows_from_its_definitions(self):
        job, sender, life, receiver, other_life = meant = (1, 2, 3, 4, 5)
        message, payload = 7, b"ping"
        who = struct.pack("<5I", *meant)
        s = mix64(mix64(mix64(job) ^ (sender << 32 | life)) ^ (receiver << 32 | other_life))
        seed = mix64(mix64(s ^ message) ^ 0)
        frame = struct.pack("<HBBIIIIQQII", 0x4D48, 3, 1, sender, 6, message, 8, 9, len(payload),
                            10, crc32c(struct.pack("<Q", seed) + payload))
        frame += struct.pack("<I", crc32c(who + frame)) + payload
        self.assertIn(f"1, 2, 3, 4 and 5 is 0x{crc32c(who):08x}.", TEXT)
        self.assertIn(f"message 7 is 0x{seed:016x}.", TEXT)
        self.assertIn(f"is `{frame.hex(' ')}`.", " ".join(TEXT.split()))

    def add_up(self, text, begin=0):
        at = begin
        for offset, size in re.findall(r"^\| (\d+) \| (\d+) \|", text, re.MULTILINE):
            self.assertEqual(int(offset), at)
            at += int(size)
        return at

    def test_its_sizes_add_up(self):
        control, rest = TEXT.split("## 11. ")
        connections, messages = rest.split("## 13. ")
        at = self.add_up(control)
        self.assertIn(f"a header of {at} bytes", TEXT)
        self.assertIn(f"Its frames have {self.add_up(connections)} bytes", connections)
        fixed = 512 - at - 16 - 20
        self.assertIn(f"at most {fixed // 12} runs, {(fixed - 16) // 12} with a name", TEXT)
        beginning, *others = messages.split("|---|---|---|")[1:]
        for table in others:
            end = self.add_up(table, self.add_up(beginning))
            self.assertIn(f"is a header of {end} bytes and", messages)


if __name__ == "__main__":
    unittest.main()

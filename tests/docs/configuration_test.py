#!/usr/bin/env python3
"""docs/configuration.md is what the schema gives, and the generator lets no key through of which a
reader would not learn what it takes, its default and its meaning.
"""

import copy
import json
import unittest

import context
import configuration

KEY = {"description": "How long; left out: for ever.", "type": "integer", "minimum": 1,
       "examples": [7]}
SCHEMA = {"type": "object", "properties": {"length": KEY}, "$defs": {}}


def table(**changes):
    """The table of a schema with one key, changed; None takes a keyword out."""
    schema = copy.deepcopy(SCHEMA)
    key = {**KEY, **changes}
    schema["properties"]["length"] = {word: key[word] for word in key if key[word] is not None}
    return configuration.sections("", schema, {})[-1]


class Document(unittest.TestCase):
    def test_is_what_the_schema_gives(self):
        written = (context.ROOT / "docs/configuration.md").read_text(encoding="utf-8")
        self.assertEqual(written, configuration.document(), "run docs/generate/configuration.py")

    def test_has_every_key_of_the_schema(self):
        def keys(node, path):
            for key, value in node.get("properties", {}).items():
                if value is not False:
                    yield from [path + key, *keys(value, path + key + ".")]
                    yield from keys(value.get("items", {}), path + key + "[].")

        schema = json.loads(configuration.SCHEMA.read_text(encoding="utf-8"))
        text = configuration.document()
        found = list(keys(schema, ""))
        self.assertGreater(len(found), 80)
        for key in found:
            self.assertIn(f"\n| `{key}` |", text)


class Generator(unittest.TestCase):
    def test_a_row_has_what_a_reader_needs(self):
        self.assertEqual(table(), "| `length` | whole number, at least 1 | — | `7` | How long; "
                         "left out: for ever. |")

    def test_a_key_that_lacks_something_is_refused(self):
        for changes in ({"description": None}, {"examples": None}, {"description": "How long."}):
            with self.assertRaises((SystemExit, KeyError), msg=str(changes)):
                table(**changes)

    def test_a_default_says_what_is_done(self):
        self.assertIn("| `3` |", table(description="How long.", default=3))

    def test_words_with_a_default_show_another_as_the_example(self):
        self.assertIn('| `"b"` | `"a"` |', table(enum=["a", "b"], default="b", examples=None))

    def test_registered_names_are_words_with_their_ideas(self):
        row = table(**{"x-registry": "propagate", "type": "string", "default": "bmg"})
        self.assertIn('`"bmg"`, `"chord"`', row)
        self.assertIn("flood: everyone to everyone.", row)


if __name__ == "__main__":
    unittest.main()

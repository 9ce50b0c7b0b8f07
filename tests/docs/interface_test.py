#!/usr/bin/env python3
"""The limits that docs/interface.md gives for messages are those that the sources have."""

import re
import unittest

import context
import markdown

DOCUMENT = (context.ROOT / "docs/interface.md").read_text(encoding="utf-8")

# Of each row: the file, and what stands before the number there. A number is whole, 1u << 20, or
# with separators.
SOURCES = {
    "bytes of a message that is sent without asking":
        ("stack/reliable/endpoint.hpp", "eager_bytes_max = "),
    "requests that have not been waited for to their ends":
        ("hw/library/messenger.hpp", "kRequestsMax = "),
    "bytes that are kept of one life of a sender until they are received":
        ("stack/reliable/endpoint.hpp", "unexpected_bytes = "),
    "messages that wait to be received, of all senders":
        ("stack/reliable/endpoint.hpp", "unexpected_messages = "),
    "messages to one process behind the oldest one that has not arrived":
        ("stack/reliable/number_window.hpp", "kWidth = "),
    "networks (rails) between two processes":
        ("stack/reliable/message_frame.hpp", "kMessageRailsMax = "),
}
# What a process can address of one piece (check_memory in hw/library/messages.cpp).
COMPUTED = {"bytes of a message": 2**63 - 1}


def in_source(file, before):
    text = (context.ROOT / file).read_text(encoding="utf-8")
    number, shift = re.search(re.escape(before) + r"([\d']+)u?(?: << (\d+))?;", text).groups()
    return int(number.replace("'", "")) << int(shift or 0)


class Limits(unittest.TestCase):
    def test_are_those_of_the_sources(self):
        rows = markdown.rows(markdown.sections(DOCUMENT)["Limits of messages"])
        documented = {cells[0]: int(re.match(r"[\d,]+", cells[1])[0].replace(",", ""))
                      for cells in rows}
        expected = COMPUTED | {row: in_source(*source) for row, source in SOURCES.items()}
        self.assertEqual(documented, expected)

    def test_the_header_and_the_page_say_the_same(self):
        text = (context.ROOT / "include/holdfast/holdfast.h").read_text(encoding="utf-8")
        header = " ".join(text.replace("\n *", "\n").split())  # wherever its lines end
        for words in ("At most 4096 at a time", "A send of up to 32768 bytes",
                      "up to 1 MiB of each"):
            self.assertIn(words, header)
        self.assertEqual([in_source(*SOURCES[row]) for row in list(SOURCES)[:3]],
                         [32768, 4096, 1 << 20])


if __name__ == "__main__":
    unittest.main()

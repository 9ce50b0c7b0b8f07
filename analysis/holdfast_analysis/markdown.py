"""The little Markdown that READMEs of experiments use, as HTML: headings, paragraphs, lists, code,
tables stay text. Links become their text: a report refers to nothing outside itself."""

import html
import re


def sections(text):
    """(heading, body) for each heading of the text, in order; level and text before are dropped."""
    found, inside_code = [], False
    for line in text.splitlines():
        inside_code ^= line.startswith("```")
        match = None if inside_code else re.match(r"#+\s+(.*)", line)
        if match:
            found.append((match.group(1).strip(), []))
        elif found:
            found[-1][1].append(line)
    return [(heading, "\n".join(lines).strip()) for heading, lines in found]


def to_html(text):
    """The body of a section as HTML."""
    blocks, code = [], None
    paragraph, items = [], []

    def flush():
        if items:
            blocks.append("<ul>" + "".join(f"<li>{_spans(item)}</li>" for item in items) + "</ul>")
        elif paragraph:
            blocks.append(f"<p>{_spans(' '.join(paragraph))}</p>")
        paragraph.clear()
        items.clear()

    for line in text.splitlines():
        if line.startswith("```"):
            flush()
            if code is not None:
                blocks.append(f"<pre>{html.escape(chr(10).join(code))}</pre>")
            code = [] if code is None else None
        elif code is not None:
            code.append(line)
        elif re.match(r"\s*[-*] ", line):
            if not items:
                flush()
            items.append(line.strip()[2:])
        elif not line.strip():
            flush()
        elif items:
            items[-1] += " " + line.strip()
        else:
            paragraph.append(line.strip())
    flush()
    return "\n".join(blocks)


def _spans(text):
    text = html.escape(text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"(?<!\w)\*([^*]+)\*(?!\w)", r"<em>\1</em>", text)

"""Reads C++ just well enough to measure it: strips comments and literals, lists includes, finds the
functions and their lengths. No compiler: a layout test must work on code that does not compile yet.
"""

import re
from dataclasses import dataclass

# One alternative per thing that may hide a brace or a quote. Numbers come first because of the
# digit separator in 1'000'000.
_TOKEN = re.compile(
    r"""
    (?P<number>\b\d(?:[\w.]|'(?=\w)|(?<=[eEpP])[+-])*)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?:\(.*?\)"|(?P<mark>[^()\s\\]{1,16})\(.*?\)(?P=mark)"))
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
  | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])*')
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
_TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:class|struct|union|enum)\b", re.DOTALL)
_SCOPE = re.compile(r'^(?:inline\s+)?namespace\b|^extern\s*""$')


@dataclass(frozen=True)
class Include:
    line: int
    target: str
    angled: bool


@dataclass(frozen=True)
class Function:
    line: int
    lines: int
    name: str


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def _without(text, strings):
    """The text with its comments, raw strings and, if asked, other literals blanked, in place."""

    def replace(match):
        kind = match.lastgroup
        if kind == "comment":
            return _blank(match.group())
        if kind == "raw" or (strings and kind == "char"):
            return "0" + _blank(match.group()[1:])
        if strings and kind == "string":
            return '""' + _blank(match.group()[2:])
        return match.group()

    return _TOKEN.sub(replace, text)


def code_only(text):
    """Comments, literals and preprocessor lines blanked; every other character in its place."""
    return _DIRECTIVE.sub(lambda match: _blank(match.group()), _without(text, strings=True))


def includes(text):
    found = []
    stripped = _without(text, strings=False)
    for match in _INCLUDE.finditer(stripped):
        line = stripped.count("\n", 0, match.start()) + 1
        found.append(Include(line, match.group(2), match.group(1) == "<"))
    return found


def _kind(head):
    """What the brace after `head` opens: a scope of declarations, a function, or neither."""
    if _SCOPE.match(head):
        return "scope"
    if _TYPE.match(head) and not head.endswith(")"):
        return "scope"
    opened = head.count("(")
    if opened and opened == head.count(")"):
        return "function"
    return "other"


def _name(head):
    """The word before the first parenthesis; for tests of GoogleTest their two names."""
    match = re.search(r"((?:[\w:]*::)?operator\s*(?:\(\)|[^\w(]+)|[\w:~]+)\s*\(", head)
    name = match.group(1) if match else head[:40]
    if re.fullmatch(r"TEST(_[FP])?", name):
        arguments = re.search(r"\(([^)]*)\)", head).group(1)
        name = re.sub(r"\s*,\s*", ".", arguments.strip())
    return name


def _ends_declaration(code, start, position):
    if code[position] == ":":
        return code[start:position].strip() in ("public", "private", "protected")
    return code[position] == ";"


def functions(text):
    """Every function defined at namespace or class scope, with all that is nested in it."""
    code = code_only(text)
    found, stack = [], []
    head_start, line, head_line = 0, 1, 1
    for position, character in enumerate(code):
        if character == "\n":
            line += 1
        inside = any(kind != "scope" for kind, _, _ in stack)
        if not inside and not code[head_start:position].strip():
            head_start, head_line = position, line
        if character == "{":
            head = code[head_start:position].strip()
            stack.append(("block" if inside else _kind(head), head_line, (head, head_start)))
            if not inside and stack[-1][0] == "scope":
                head_start = position + 1
        elif character == "}" and stack:
            kind, start, (head, its_start) = stack.pop()
            if any(outer != "scope" for outer, _, _ in stack):
                continue
            following = code[position + 1 :].lstrip()[:1]
            if kind == "function" and following in (",", "{"):
                head_start = its_start  # member{value} in the initialisers of a constructor
                continue
            if kind == "function":
                found.append(Function(start, line - start + 1, _name(head)))
            head_start = position + 1
        elif not inside and _ends_declaration(code, head_start, position):
            head_start = position + 1
    return found

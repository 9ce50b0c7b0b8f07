#!/usr/bin/env python3
"""The layout test: direction of includes, sizes of files and functions, what no file may contain.

usage: check.py [ROOT]. Prints each violation as file:line: what is wrong, then a report of the
largest files and functions; exit status 1 if there is a violation. ARCHITECTURE.md has the reasons.
"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import cxx
import rules

FILE_LINES_GOOD, FILE_LINES_MAX = 400, 800
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100
REPORTED = 8

CXX = (".cpp", ".hpp")
# Written in two halves, so that this file passes its own test.
FORBIDDEN = re.compile(
    r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"
    r"|(?<![\w.])/(?:wo" r"rk|fa" r"rm|ro" r"ot|ho" r"me/\w+)/"
)
SKIPPED_FOLDERS = {".git", "build", "results", "__pycache__"}


class Report:
    def __init__(self):
        self.violations = []
        self.files = []  # (lines, path)
        self.functions = []  # (lines, path, line, name)

    def wrong(self, path, line, what):
        self.violations.append(f"{path}:{line}: {what}")

    def measured(self, path, line, lines, name):
        self.functions.append((lines, path, line, name))
        if lines > FUNCTION_LINES_MAX:
            limit = f"more than {FUNCTION_LINES_MAX}"
            self.wrong(path, line, f"function {name} has {lines} lines, {limit}")


def read(path):
    return path.read_text(encoding="utf-8")


def project_files(root):
    """The files under version control, or all of them where there is none; paths from `root`."""
    if (root / ".git").exists():
        command = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"]
        listed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()
        return sorted(name for name in listed.split("\0") if name and (root / name).is_file())
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        found += [str((Path(folder) / name).relative_to(root)) for name in names]
    return sorted(found)


def language(path, text):
    """cxx, python, shell, cmake or None: which rules a file is under."""
    if path.endswith(CXX):
        return "cxx"
    if path.endswith(".py"):
        return "python"
    if path.endswith((".cmake", "CMakeLists.txt")):
        return "cmake"
    first = text.split("\n", 1)[0]
    if path.endswith(".sh") or re.match(r"#!.*\b(?:bash|sh)\b", first):
        return "shell"
    if re.match(r"#!.*\bpython3?\b", first):
        return "python"
    return None


def check_opening(report, path, kind, text):
    lines = text.split("\n")
    if lines[0].startswith("#!"):
        lines = lines[1:]
    opening = "\n".join(lines).lstrip()
    if not opening and path.endswith("__init__.py"):
        return
    starts = {"cxx": ("//", "/*"), "python": ('"""', 'r"""', "#")}.get(kind, ("#",))
    if not opening.startswith(starts):
        report.wrong(path, 1, "the file does not open with a comment that says its idea")


def check_text(report, path, kind, text):
    """What holds for every text: no notes to ourselves, no paths of one machine, no wide lines."""
    for number, line in enumerate(text.split("\n"), 1):
        match = FORBIDDEN.search(line)
        if match:
            report.wrong(path, number, f"contains '{match.group()}'")
        if kind and len(line) > COLUMNS_MAX:
            report.wrong(path, number, f"{len(line)} columns, more than {COLUMNS_MAX}")


def check_size(report, path, text):
    lines = text.count("\n")
    report.files.append((lines, path))
    if lines > FILE_LINES_MAX:
        report.wrong(path, 1, f"{lines} lines, more than {FILE_LINES_MAX}")


def include_complaint(path, its_area, include):
    """What is wrong with one include, or None."""
    if include.target.startswith("nlohmann/") and not path.endswith(".cpp"):
        return "nlohmann/json in a header: every includer pays for it"
    if its_area is None:
        return None
    if include.angled:
        return rules.banned_header(its_area, include.target)
    if include.target.startswith("tests/"):
        return "the product needs no test"
    if include.target.endswith(".inc") and "/" not in include.target:
        return None  # written by the build
    other = rules.area(include.target) if "/" in include.target else None
    if other is None:
        return "not written from the root of the repository"
    if not rules.may_include(its_area, other):
        return f"{its_area} may not see {other}"
    return None


def check_includes(report, path, text):
    its_area = rules.area(path)
    for include in cxx.includes(text):
        complaint = include_complaint(path, its_area, include)
        if complaint:
            report.wrong(path, include.line, f"includes {include.target}: {complaint}")


def check_cxx(report, path, text):
    check_includes(report, path, text)
    if path.endswith(".hpp") and "#pragma once" not in text:
        report.wrong(path, 1, "no #pragma once")
    code = cxx.code_only(text)
    its_area = rules.area(path)
    for offset, complaint in rules.banned_calls(its_area, code) if its_area else []:
        report.wrong(path, code.count("\n", 0, offset) + 1, complaint)
    for function in cxx.functions(text):
        report.measured(path, function.line, function.lines, function.name)


def check_python(report, path, text):
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        report.wrong(path, error.lineno or 1, f"not Python: {error.msg}")
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            report.measured(path, node.lineno, node.end_lineno - node.lineno + 1, node.name)


def check_shell(report, path, text):
    start, name = 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r"(?:function\s+)?([\w-]+)\s*\(\)\s*\{$", line)
        if match:
            start, name = number, match.group(1)
        elif start and line == "}":
            report.measured(path, start, number - start + 1, name)
            start = 0


def check_targets(report, root, paths):
    """Each folder of code has its target, and each .cpp file of it is built."""
    cmake = {path: read(root / path) for path in paths if path.endswith("CMakeLists.txt")}
    for path in paths:
        its_area = rules.area(path)
        if its_area is None or not path.endswith(CXX) or "/" not in its_area:
            continue
        top, folder = its_area.split("/")
        places = (top, its_area, str(Path(path).parent))
        near = "\n".join(cmake.get(f"{place}/CMakeLists.txt", "") for place in places)
        wanted = f"holdfast_(?:{top}_|{top.rstrip('s')}_)?{folder}"
        if not re.search(rf"\(\s*{wanted}\b", near):
            names = f"holdfast_{folder} or holdfast_{top}_{folder}"
            report.wrong(path, 1, f"its folder has no target {names}")
        file_name = re.escape(Path(path).name)
        built = rf"(?<!\w){file_name}\b|GLOB [^)]*\b{folder}/\*\.cpp"
        if path.endswith(".cpp") and not re.search(built, near):
            report.wrong(path, 1, "no CMakeLists.txt builds this file")


def check(root):
    report = Report()
    paths = project_files(root)
    for path in paths:
        try:
            text = read(root / path)
        except UnicodeDecodeError:
            continue  # a picture or a recording
        kind = language(path, text)
        check_text(report, path, kind, text)
        if kind is None:
            continue
        check_opening(report, path, kind, text)
        check_size(report, path, text)
        checks = {"cxx": check_cxx, "python": check_python, "shell": check_shell}
        checks.get(kind, lambda *_: None)(report, path, text)
    check_targets(report, root, paths)
    return report


def main(arguments):
    root = Path(arguments[0] if arguments else Path(__file__).parents[2]).resolve()
    report = check(root)
    for violation in report.violations:
        print(violation)
    lines = sum(lines for lines, _ in report.files)
    print(f"{len(report.files)} files, {lines} lines, {len(report.functions)} functions")
    print(f"longest files (good: up to {FILE_LINES_GOOD} lines):")
    for lines, path in sorted(report.files, reverse=True)[:REPORTED]:
        print(f"  {lines:5}  {path}{'  long' if lines > FILE_LINES_GOOD else ''}")
    print(f"longest functions (at most {FUNCTION_LINES_MAX} lines):")
    for lines, path, line, name in sorted(report.functions, reverse=True)[:REPORTED]:
        print(f"  {lines:5}  {path}:{line} {name}")
    print(f"{len(report.violations)} violations")
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

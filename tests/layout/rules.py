"""Who may include whom, and what the stack may not touch: the direction of includes as data.

A file belongs to an area: its folder (`stack/view`), or `seam` and `engine` for the files that lie
directly in stack/. An area may include itself; everything else that it may include is listed here.
"""

import re
from pathlib import PurePosixPath

SEAMS = ("stack/address_book.hpp", "stack/fabric.hpp", "stack/outer_fabric.hpp", "stack/verbs.hpp")
BASE = {"stack/base"}
SEAM = BASE | {"seam"}
CODING = {"stack/wire", "stack/checksum", "stack/seal"}
# How a message lies in memory: what protocols that carry data are made of.
MESSAGES = {"stack/segments"}
# What things should cost, to compare measurements with: no protocol acts on it.
MODELS = {"stack/pipeline"}
PROTOCOLS = {
    "stack/detect",
    "stack/propagate",
    "stack/reliable",
    "stack/ib",
    "stack/group",
    "stack/rma",
}
# Fabrics around fabrics, for the simulator and for the real target. No protocol may know of faults,
# nor may the engine.
WRAPPERS = {"stack/impair"}
STACK = SEAM | CODING | MESSAGES | MODELS | {"stack/view"} | PROTOCOLS | {"engine"}

# Folders of sim/ and hw/ that put engines to work; the others are fabrics and their parts.
DRIVERS = {"sim/run", "sim/oracle", "sim/messages", "sim/jobs", "hw/run", "hw/status",
           "hw/launch", "hw/library"}

# What a folder of hw/ may see of the stack beside the seams: the tuner times the checksums, the
# probe says which kernel computes them.
BESIDE_SEAMS = {"hw/tune": {"stack/checksum"}, "hw/probe": {"stack/checksum"}}

# Headers of clocks, sockets, threads and random devices; then those of files and streams.
_AMBIENT_HEADER = re.compile(
    r"^(?:sys/|netinet/|arpa/|net/|linux/|poll\.h|unistd\.h|signal\.h|csignal|pthread\.h|time\.h"
    r"|ctime|chrono|random|thread|mutex|shared_mutex|condition_variable|future|stop_token)"
)
_STREAM_HEADER = re.compile(r"^(?:fcntl\.h|iostream|fstream|ostream|istream|filesystem)$")
_AMBIENT_CALL = re.compile(
    r"(?<![\w.>:])(?:std::|::)?"
    r"(rand|srand|rand_r|drand48|clock|clock_gettime|gettimeofday|getrandom|getentropy|getenv"
    r"|time(?=\s*\(\s*(?:0|NULL|nullptr|&)))\s*\("
)
_AMBIENT_TYPE = re.compile(
    r"\b(system_clock|steady_clock|high_resolution_clock|random_device|mt19937(?:_64)?)\b"
)
# The last bit of these depends on the library and the processor; sqrt, floor and ceil are exact.
_LIBM_CALL = re.compile(
    r"\bstd::(log|log2|log10|log1p|exp|exp2|expm1|pow|sin|cos|tan|atan|atan2|cbrt|hypot|tgamma"
    r"|lgamma|erf|erfc)[fl]?\s*\("
)
_DISTRIBUTION = re.compile(r"\bstd::\w+_distribution\b")


def area(path):
    """The area of a file or include path, or None outside stack, sim, hw and experiments."""
    parts = PurePosixPath(path).parts
    if parts[0] not in ("stack", "sim", "hw", "experiments") or len(parts) < 2:
        return None
    if parts[0] == "stack" and len(parts) == 2:
        return "seam" if path in SEAMS else "engine"
    if len(parts) == 2:
        return parts[0]
    return f"{parts[0]}/{parts[1]}"


def _stack_may_see(its_area):
    if its_area in BASE or its_area == "stack/pipeline":
        return BASE
    if its_area == "stack/segments":
        return BASE | {"stack/checksum"}
    if its_area == "stack/seal":
        return SEAM | {"stack/wire"}  # where a frame keeps its seal
    if its_area == "seam" or its_area in CODING | WRAPPERS:
        return SEAM
    if its_area == "stack/view":
        return SEAM | CODING
    if its_area in PROTOCOLS:
        return SEAM | CODING | MESSAGES | {"stack/view"}
    return STACK - MODELS


def may_include(its_area, other):
    """Whether a file of `its_area` may include one of `other`; both are areas, not None."""
    if its_area == other:
        return True
    top, other_top = its_area.split("/")[0], other.split("/")[0]
    if its_area in ("seam", "engine") or top == "stack":
        return other in _stack_may_see(its_area)
    if top == "experiments":
        return True
    if other in STACK or other_top == "stack":
        return its_area in DRIVERS or other in SEAM | WRAPPERS | BESIDE_SEAMS.get(its_area, set())
    if its_area in DRIVERS:
        return other_top == top
    return other_top == top and other not in DRIVERS


def _in_stack(its_area):
    return its_area in ("seam", "engine") or its_area.startswith("stack/")


def banned_header(its_area, header):
    """The reason why a file of this area may not include this system header, or None."""
    if _in_stack(its_area):
        if _AMBIENT_HEADER.match(header) or _STREAM_HEADER.match(header):
            return "the stack knows no clock, socket, thread, file or random device"
    # <chrono> also holds calendars, which traces need; its clocks are found by their names. Where
    # memory lies (madvise) changes no result.
    allowed = header in ("chrono", "sys/mman.h")
    if its_area.startswith("sim") and _AMBIENT_HEADER.match(header) and not allowed:
        return "the simulator knows no clock, socket, thread or random device"
    return None


def banned_calls(its_area, code):
    """(offset, complaint) for each call in `code` that lets a result depend on the machine."""
    found = []
    if _in_stack(its_area) or its_area.startswith("sim"):
        for match in (*_AMBIENT_CALL.finditer(code), *_AMBIENT_TYPE.finditer(code)):
            found.append((match.start(), f"{match.group(1)}: time and chance are inputs here"))
        for match in _LIBM_CALL.finditer(code):
            found.append((match.start(), f"std::{match.group(1)} differs between processors"))
    for match in _DISTRIBUTION.finditer(code):
        found.append((match.start(), f"{match.group()} differs between libraries"))
    return found

"""The documents whose commands are run, and how: what is not run stands here with its reason."""

import re

import context
import markdown

# Those with commands for the reader; the links of all documents are followed.
WITH_COMMANDS = ["README.md", "docs/*.md", "experiments/*/README.md", "analysis/README.md"]
ALL = [*WITH_COMMANDS, "ARCHITECTURE.md", "PROTOCOL.md"]

# (document, what the block contains, mode, reason). The first that fits counts; without one a block
# is run as `program`, see stage.py.
MODES = [
    ("experiments/csum-*/README.md", "", "skip",
     "measures for minutes, and only on a quiet machine; scenario.cli.bench runs a short form"),
    ("experiments/dr-[45]/README.md", "", "skip",
     "measures for minutes, and only on a quiet machine; scenario.cli.bench runs a short form"),
    ("experiments/dr-4-simulated/README.md", "", "real", ""),
    ("experiments/dr-6/README.md", "", "skip",
     "simulates for minutes; scenario.cli.bench runs a short form"),
    ("experiments/dr-7/README.md", "", "skip",
     "measures for minutes, and needs root; scenario.cli.failover runs a short form"),
    ("docs/speed.md", "holdfast bench", "skip",
     "measures for minutes, and only on a quiet machine; scenario.cli.bench runs a short form"),
    ("experiments/ring-fig3/README.md", "", "skip",
     "starts MPI programs for half an hour; scenario.experiments.ring_fig3 runs a short form"),
    ("experiments/*/README.md", "", "check",
     "takes minutes to hours; tests/scenario/experiments runs short forms"),
    ("README.md", "tests/run", "skip", "it is what runs this test"),
    ("docs/speed.md", "tests/bench/", "skip", "measures for minutes, and only on a quiet machine"),
    ("docs/recording.md", "tests/bench/", "skip",
     "measures for a while, and only on a quiet machine"),
    ("docs/interface.md", "", "skip",
     "the test install.package runs it, against the package that it installs"),
    ("docs/jobs.md", "", "skip",
     "scenario.cli.mpirun and .rendezvous run the like; mpirun and ssh are not everywhere"),
    ("docs/watching.md", "", "skip", "needs a running job; scenario.cli.status has some"),
    ("README.md", "cmake --install", "skip", "docs/interface.md begins with it"),
    ("docs/detectors.md", "ctest", "skip",
     "the test docs.detectors runs the same with the detector built in"),
    ("docs/experiments.md", "order-of-death", "real", ""),
]


def paths(patterns):
    found = [path for pattern in patterns for path in sorted(context.ROOT.glob(pattern))]
    return [str(path.relative_to(context.ROOT)) for path in found]


def mode(document, block):
    for pattern, contained, its_mode, _ in MODES:
        if context.Path(document).match(pattern) and contained in block.text:
            return its_mode
    return "program"


def kind(block):
    """commands, json, output or code: what a code block holds."""
    if block.language in ("cpp", "registered"):
        return "code"
    if block.language == "text":
        return "output"
    if block.language == "json" or (not block.language and block.text.lstrip()[:1] in '{"['):
        return "json"
    if block.language in ("", "sh", "bash"):
        return "commands"
    return f"unknown language {block.language}"


def blocks(document):
    return markdown.blocks((context.ROOT / document).read_text(encoding="utf-8"))


def first_words(text):
    """The programs that a block of commands calls, without what is in here-documents."""
    text = re.sub(r"<<'(\w+)'\n.*?^\1$", "", text, flags=re.M | re.S).replace("\\\n", " ")
    return [line.split()[0] for line in text.split("\n") if line.strip()]

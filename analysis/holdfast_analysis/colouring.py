"""What colour each part of the fabric has in a picture, and what the colours mean: by what became
of the parts in a run, or by when the news of a failure came to them.

Nothing depends on colour alone: dead parts carry a cross, parts that were cut off a stroke, slow
links are drawn thicker.
"""

import os
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Dict, List, Tuple

from . import style, units, waves
from .results import read_table

CROSS, STROKE = "cross", "stroke"
CUT_OFF = MISSED = style.SERIES[4]
STEPS = len(style.SHADES)


@dataclass(frozen=True)
class Paint:
    """How a part looks; `note` goes into its tooltip."""
    fill: str = style.FAINT
    mark: str = ""
    on: str = style.INK  # what is written or crossed upon it
    note: str = ""
    key: str = ""        # for the script of the page


@dataclass
class Colouring:
    """The paint of those parts that have one of their own, by id, and the legend."""
    parts: Dict[object, Paint] = field(default_factory=dict)
    legend: List[Tuple[Paint, str]] = field(default_factory=list)
    plain: Paint = Paint()
    failed_links: Dict[int, List[str]] = field(default_factory=dict)  # by place in topology.json


def shade(share):
    """The paint of a share in (0, 1]: the darker the greater."""
    step = min(STEPS - 1, max(0, -(-int(share * 1000) * STEPS // 1000) - 1))
    return Paint(fill=style.SHADES[step], on=style.ON_SHADES[step])


# What became of the parts -------------------------------------------------------------------------

def of_states(fabric, results):
    """Failed, cut off, and how often, in the first replicate of the first sweep point."""
    found = Colouring()
    deaths, reached = _deaths(fabric, results), _cut_off(fabric, results)
    found.failed_links = _failed_links(fabric, results)
    most = max(deaths.values(), default=0)
    for key in {**deaths, **reached}:
        died = deaths.get(key, 0)
        notes = [f"failed {died} times" if died > 1 else "failed"] if died else []
        notes += ["cut off"] if key in reached else []
        paint = shade(died / most) if died else Paint(fill=CUT_OFF, on=style.ON_SHADES[0])
        found.parts[key] = Paint(paint.fill, CROSS if died else STROKE, paint.on, ", ".join(notes))
    found.legend.append((Paint(), "nothing happened"))
    if most == 1:
        found.legend.append((_crossed(shade(1)), "failed"))
    elif most:
        found.legend += [(_crossed(shade(count / most)), text) for count, text in _bands(most)]
    if any(key not in deaths for key in reached):
        found.legend.append((Paint(fill=CUT_OFF, mark=STROKE, on=style.ON_SHADES[0]), "cut off"))
    return found


def _crossed(paint):
    return Paint(paint.fill, CROSS, paint.on)


def _bands(most):
    """(greatest count, text) of each shade that counts fall into."""
    steps = sorted({style.SHADES.index(shade(count / most).fill) for count in range(1, most + 1)})
    found = []
    for step in steps:
        counts = [count for count in range(1, most + 1)
                  if style.SHADES.index(shade(count / most).fill) == step]
        text = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
        found.append((counts[-1], f"failed {text} time{'s' if counts[-1] > 1 else ''}"))
    return found


def _first_replicate(results, name, columns):
    """Rows of a table about the first replicate of the first sweep point; none without the file."""
    if not os.path.exists(os.path.join(results.folder, name)):
        return []
    first = results.points[0]
    return [row for _, row in read_table(results.folder, name, ["point", "replicate"] + columns)
            if row["point"] == str(first.index)
            and row["replicate"] == first.replicates[0]["replicate"]]


def _faults(results):
    return _first_replicate(results, "faults.csv", ["what", "which", "effect", "pieces"])


def _deaths(fabric, results):
    """How often each host and switch died."""
    by_name = _parts_by_name(fabric)
    first = results.points[0]
    number = first.replicates[0]["replicate"]
    deaths = Counter(by_name.get(failure.which) for failure in first.failures
                     if failure.what == "node" and failure.processes
                     and str(failure.replicate) == number)
    for row in _faults(results):
        if row["effect"] not in ("crash", "flap") or row["pieces"] == "0":
            continue
        if row["what"] in ("switch", "leaf", "spine"):
            deaths[by_name.get(row["which"])] += 1
        elif row["what"] in ("board", "chassis"):
            deaths.update(key for key, node in fabric.nodes.items()
                          if node.get(row["what"]) == row["which"])
    deaths.pop(None, None)
    return deaths


def _parts_by_name(fabric):
    found = {}
    for key, node in fabric.nodes.items():
        for name in (key, node.get("name"), node.get("guid")):
            found.setdefault(str(name or ""), key)
    return found


def _failed_links(fabric, results):
    """The cables that failed, by the entry of topology.json that they belong to."""
    by_name, by_end = _parts_by_name(fabric), {}
    for place, link in enumerate(fabric.links):
        for ports in link.get("ports", []):
            by_end.update({(link[end], port): place for end, port in zip("ab", ports)})
    found = {}
    for row in _faults(results):
        end = re.fullmatch(r"(.*)\[(\d+)\]", row["which"])
        if row["what"] != "link" or row["effect"] not in ("crash", "flap") or not end:
            continue
        host = end[1].rpartition("/")[0]  # of one of several adapters: host-7/0
        place = by_end.get((by_name.get(end[1], by_name.get(host)), int(end[2])))
        if place is not None:
            found.setdefault(place, []).append(row["which"])
    return {place: sorted(set(names)) for place, names in found.items()}


def _cut_off(fabric, results):
    """The hosts that were ever cut off."""
    found = {}
    for row in _first_replicate(results, "cuts.csv", ["nodes"]):
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", row["nodes"]):
            for index in range(int(first), int(last or first) + 1):
                if index < len(fabric.hosts):
                    found[fabric.hosts[index]] = True
    return found


# When the news came -------------------------------------------------------------------------------

def of_wave(fabric, wave, host_of):
    """Each host by when all its processes knew: the later, the more it stands out from the
    page (darker on paper), in steps of equal time from the first process of all to the last.
    A host of whose living processes one never knew is none of these."""
    found = Colouring()
    first, last = wave.first_ns(), max(wave.knew_ns.values())
    span = max(1, last - first)
    ended = {host_of(process) for process in wave.ended}
    for host, (begun, done) in waves.by_host(wave.knew_ns, host_of).items():
        paint = shade(max(1e-3, (done - first) / span))
        key = str(style.SHADES.index(paint.fill))
        note = f"knew after {units.time_text((done - first) / 1e9)}"
        if begun != done:
            note += f", its first process after {units.time_text((begun - first) / 1e9)}"
        found.parts[fabric.hosts[host]] = Paint(paint.fill, "", paint.on, note, key)
    missed = Counter(host_of(process) for process in wave.living if process not in wave.knew_ns)
    for host, count in missed.items():
        note = f"{count} live process{'es' if count > 1 else ''} had not heard of it by the " \
            "end of the events"
        found.parts[fabric.hosts[host]] = Paint(MISSED, STROKE, style.ON_SHADES[0], note, "missed")
    for host in ended:
        before = found.parts.get(fabric.hosts[host])
        found.parts[fabric.hosts[host]] = Paint(
            before.fill if before else style.PAPER, CROSS, before.on if before else style.WARN,
            "failed" if not before else f"lost processes, {before.note}", "failed")
    found.plain = Paint(note="nobody who lived throughout", key="never")
    for step in range(STEPS):
        text = units.interval_text(span * step / STEPS / 1e9, span * (step + 1) / STEPS / 1e9)
        found.legend.append((Paint(style.SHADES[step], "", style.ON_SHADES[step], "", str(step)),
                             text if step else
                             f"knew within {units.time_text(span / STEPS / 1e9)}"))
    found.legend.append((Paint(style.PAPER, CROSS, style.WARN), "failed"))
    if missed:
        found.legend.append((Paint(MISSED, STROKE, style.ON_SHADES[0]), "not by the end"))
    if len(found.parts) < len(fabric.hosts):
        found.legend.append((Paint(), "nobody there, or down"))
    return found

"""Reads a results folder, draws its figures, writes its report."""

import os
from collections import Counter

from . import curves, declared, fabric_picture, figures, page, results, style

DESCRIPTIONS = {
    "times": "Detection and propagation time of each failure, by sweep point",
    "cumulative": "Cumulative share of failures over detection and propagation time",
    "timeline": "Detection and propagation time of each failure over the time of the run",
    "messages": "Messages per failure and process, and heartbeats per process and second",
    "fabric": "The fabric: switches by level, hosts under their switches",
}


def write(folder, readme=None, declaration=None):
    """Writes figures and report.html into `folder`; returns the report's path. declaration: the
    experiment's figures.json; default: the one in `folder`, if any."""
    found = results.read(folder, readme)
    own = declared.read(folder, declaration)
    pictures = os.path.join(folder, "figures")
    os.makedirs(pictures, exist_ok=True)
    drawings = {}
    for figure in own.figures:
        drawn = curves.draw(figure, found)
        if drawn is None:
            continue
        style.save(drawn, pictures, figure.name)
        drawings[figure.name] = style.inline(drawn, figure.name, figure.title)
        style.close(drawn)
    for name in DESCRIPTIONS:
        if own.standard is not None and name not in own.standard:
            continue
        drawn, tooltips = _draw(name, found)
        if drawn is None:
            continue
        style.save(drawn, pictures, name)
        drawings[name] = style.inline(drawn, name, DESCRIPTIONS[name], tooltips)
        style.close(drawn)
    path = os.path.join(folder, "report.html")
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(page.render(found, drawings, own))
    os.replace(path + ".part", path)
    return path


def _draw(name, found):
    """(figure or None, tooltips) of one figure."""
    if name != "fabric":
        return getattr(figures, name)(found), {}
    if found.fabric is None:
        return None, {}
    return fabric_picture.draw(found.fabric, failures_of_host(found))


def failures_of_host(found):
    """How often each host failed in one replicate of the first sweep point: the faults are the same
    in all of them when they come from a script or a trace."""
    return Counter(failure.which for failure in found.points[0].failures
                   if failure.what == "node" and failure.processes
                   and failure.replicate == found.points[0].failures[0].replicate)

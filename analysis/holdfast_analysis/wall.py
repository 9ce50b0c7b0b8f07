"""Where the parts of a fabric lie that is too large for its cables to be drawn: the switches above
the hosts as rows of small cells, a row or more a level; below, each leaf switch as a bar over its
hosts, and these blocks side by side like bricks. Inches, y down."""

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Dict, List, Tuple

LABELS = 0.24   # for the words over a level
GAP = 0.12      # below a level
SPAN = 1.25     # a block and the room beside it, over the block


@dataclass
class Wall:
    """Left, top, width and height of each part; words with their places."""
    height: float = 0.0
    place: Dict[object, Tuple[float, float, float, float]] = field(default_factory=dict)
    words: List[Tuple[float, str]] = field(default_factory=list)


def lay_out(fabric, width):
    """The Wall of a Fabric with at least one switch."""
    wall = Wall()
    by_home = defaultdict(list)
    for host in fabric.hosts:
        by_home[fabric.home(host)].append(host)
    leaves = [key for key in fabric.switches if by_home.get(key)]
    levels = sorted({fabric.level[key] for key in fabric.switches if not by_home.get(key)},
                    reverse=True)
    for level in levels:
        members = [key for key in fabric.switches
                   if fabric.level[key] == level and not by_home.get(key)]
        _add_row(wall, members, width, f"{len(members):,} switches of level {level}")
    _add_blocks(wall, leaves, by_home, width)
    return wall


def _add_row(wall, members, width, words):
    wall.words.append((wall.height + 0.6 * LABELS, words))
    wall.height += LABELS
    across = min(len(members), 90)
    pitch = min(0.3, width / across)
    for position, key in enumerate(members):
        wall.place[key] = (pitch * (position % across), wall.height + 0.13 * (position // across),
                           0.84 * pitch, 0.1)
    wall.height += 0.13 * math.ceil(len(members) / across) + GAP


def _across(count):
    """About √(2 count), and such that the last row is as full as can be."""
    ideal = math.sqrt(2 * count)
    near = range(max(1, math.floor(0.8 * ideal)), max(1, math.ceil(1.25 * ideal)) + 1)
    return min(near, key=lambda across: (-count % across, abs(across - ideal)))


def _add_blocks(wall, leaves, by_home, width):
    hosts = sum(len(by_home[leaf]) for leaf in leaves)
    wall.words.append((wall.height + 0.6 * LABELS, f"{len(leaves):,} leaf switches (bars), each "
                       f"over its hosts: {hosts:,} hosts"))
    wall.height += LABELS
    side = math.ceil(math.sqrt(max(len(by_home[leaf]) for leaf in leaves)))
    # As many blocks side by side as make the whole half as high as wide.
    across = _across(len(leaves))
    pitch = min(width / across, 1.2)
    cell = pitch / (SPAN * side)
    tall = (side + 1.6) * cell
    for position, leaf in enumerate(leaves):
        left = pitch * (position % across)
        top = wall.height + tall * (position // across)
        wall.place[leaf] = (left, top, side * cell, 0.5 * cell)
        for index, host in enumerate(by_home[leaf]):
            wall.place[host] = (left + cell * (index % side),
                                top + 0.65 * cell + cell * (index // side), 0.88 * cell,
                                0.88 * cell)
    wall.height += tall * math.ceil(len(leaves) / across)

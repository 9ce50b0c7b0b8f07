"""The fabric as topology.json tells it, and where each part of its picture lies.

The unit of length is one host's square: hosts lie in blocks under the switch that they are plugged
into, switches in layers above, each layer in an order that makes cables cross little.
"""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Dict, List, Tuple

GAP = 1.3         # between blocks
MOST_LEVELS = 32  # a level beyond this stands for none


@dataclass
class Layout:
    """Where everything lies: each switch's middle and layer; each host's column and row."""
    layers: List[List[str]] = field(default_factory=list)
    switch_x: Dict[str, float] = field(default_factory=dict)
    level_of: Dict[str, int] = field(default_factory=dict)  # an element of layers
    host_at: Dict[str, Tuple[float, float]] = field(default_factory=dict)
    block: Dict[str, Tuple[float, float]] = field(default_factory=dict)  # of a switch: left, width
    width: float = 0.0
    rows: int = 0


class Fabric:
    """topology.json with what the picture asks of it: neighbours, levels, names."""

    def __init__(self, described):
        self.nodes = {node["id"]: node for node in described["nodes"]}
        self.links = described["links"]
        self.hosts = [key for key, node in self.nodes.items() if node["kind"] == "host"]
        self.switches = [key for key, node in self.nodes.items() if node["kind"] != "host"]
        self.index = {key: position for position, key in enumerate(self.hosts)}
        self.neighbours = defaultdict(Counter)
        for link in self.links:
            cables = int(link.get("count", 1))
            self.neighbours[link["a"]][link["b"]] += cables
            self.neighbours[link["b"]][link["a"]] += cables
        self.level = self._levels()

    def is_host(self, key):
        return self.nodes[key]["kind"] == "host"

    def name(self, key):
        """The name of a part; empty where it has none."""
        return str(self.nodes[key].get("name") or "")

    def title(self, key):
        """All that is known of a part, for a tooltip."""
        node = self.nodes[key]
        known = [str(node.get(item) or "") for item in ("name", "description", "guid")]
        return ", ".join(dict.fromkeys(item for item in known if item)) or str(key)

    def home(self, host):
        """The switch under which a host is drawn: the one with most cables, then the first."""
        found = [(-cables, self.switches.index(other), other)
                 for other, cables in self.neighbours[host].items() if not self.is_host(other)]
        return min(found)[2] if found else None

    def _levels(self):
        """The level of each switch and router: the file's, else its distance to the hosts."""
        told = {key: self.nodes[key].get("level") for key in self.switches}
        if all(isinstance(level, int) and 0 < level <= MOST_LEVELS for level in told.values()):
            return told
        level, border, distance = {}, list(self.hosts), 0
        while border:
            distance += 1
            border = [other for key in border for other in self.neighbours[key]
                      if not self.is_host(other) and level.setdefault(other, distance) == distance]
            border = list(dict.fromkeys(border))
            if distance > len(self.nodes):
                break
        return {key: level.get(key, 1) for key in self.switches}


def lay_out(fabric):
    """The Layout of a Fabric with at least one switch."""
    layout = Layout()
    by_home = defaultdict(list)
    for host in fabric.hosts:
        by_home[fabric.home(host)].append(host)
    levels = sorted(set(fabric.level.values()))
    layout.layers = [[key for key in fabric.switches if fabric.level[key] == level]
                     for level in levels]
    for number, layer in enumerate(layout.layers):
        layout.level_of.update({key: number for key in layer})
    _order_layers(fabric, layout.layers)
    order = layout.layers[0] + [key for layer in layout.layers[1:] for key in layer
                                if by_home.get(key)] + ([None] if by_home.get(None) else [])
    columns = _block_columns([len(by_home.get(key, [])) for key in order])
    left = 0.0
    for key in order:
        members = by_home.get(key, [])
        across = max(1, min(columns, len(members)))
        width = max(across, 2.2)
        layout.block[key] = (left, width)
        for position, host in enumerate(members):
            layout.host_at[host] = (left + (width - across) / 2 + position % across,
                                    position // across)
        layout.rows = max(layout.rows, math.ceil(len(members) / across))
        if key is not None and layout.level_of[key] == 0:
            layout.switch_x[key] = left + width / 2
        left += width + GAP
    layout.width = left - GAP
    for layer in layout.layers[1:]:
        for position, key in enumerate(layer):
            layout.switch_x[key] = layout.width * (position + 0.5) / len(layer)
    return layout


def _block_columns(sizes):
    """Squares side by side in a block, such that the fullest block is about as high as wide."""
    return max(2, math.ceil(math.sqrt(max(sizes, default=1))))


def _order_layers(fabric, layers):
    """Sorts each layer by the mean place of its neighbours, which avoids crossings."""
    place = {}
    for layer in layers:
        place.update({key: (position + 0.5) / len(layer) for position, key in enumerate(layer)})
    for sweep in range(4):
        for layer in layers if sweep % 2 else reversed(layers):
            def mean(key):
                found = [(place[other], cables) for other, cables in fabric.neighbours[key].items()
                         if other in place and other not in layer]
                total = sum(cables for _, cables in found)
                return sum(at * cables for at, cables in found) / total if total else place[key]
            means = {key: round(mean(key), 9) for key in layer}
            layer.sort(key=lambda key: means[key])
            place.update({key: (position + 0.5) / len(layer)
                          for position, key in enumerate(layer)})

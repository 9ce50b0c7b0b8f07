"""The fabric as a picture: hosts in blocks under their switch, switches in layers above, cables
between them as wide as they are parallel, slow links red, parts coloured as a Colouring says. A
fabric with too many parts for that is drawn as a wall (wall.py), without its cables.
"""

import math
from collections import Counter
from dataclasses import replace

from . import style, units, wall
from .colouring import CROSS, STROKE, Colouring, Paint
from .fabric import lay_out
from .shapes import POINT, WIDE, Box, Line, Look, Picture, Text

MOST_HOSTS = 600       # more squares than this under one row of switches are too small to be seen
MOST_IN_LAYER = 40     # likewise switches side by side
COUNTED_PAIRS = 60     # up to this many pairs of switches, a number says how many cables join them
WIDTH = 10.0           # of the picture
MARGIN = 0.06
LAYER_HEIGHT = 1.5     # between layers of switches
SWITCH_HEIGHT = 0.22
LARGEST_SQUARE = 0.3
BADGE = 0.12           # on a switch that failed
NUMBERED_SQUARE = 0.2  # from this size on, hosts carry their number
TITLED_HOSTS = 3000    # up to this many hosts, each has a tooltip; beyond, each leaf switch
TEXT_POINTS = 7.5
PLACES = [0.16 + 0.03 * step for step in range(20)]  # along a cable, for its number
PLAIN_SWITCH = Look(fill=style.PAPER, stroke=style.INK, line=1.0)


def draw(fabric, colouring=None):
    """The Picture of a Fabric; None for one without switches."""
    if not fabric.switches or not fabric.hosts:
        return None
    colouring = colouring or Colouring()
    widest = max(Counter(fabric.level.values()).values())
    small = len(fabric.hosts) <= MOST_HOSTS and widest <= MOST_IN_LAYER
    picture = _Tree(fabric, colouring).draw() if small else _draw_wall(fabric, colouring)
    _add_legend(picture, fabric, colouring, cables=small)
    return picture


def _square(picture, place, paint, title, slow=False, radius=0.0):
    """A part and its mark."""
    x, y, width, height = place
    stroke = style.WARN if slow else style.INK if paint.fill == style.PAPER else ""
    line = (1.6 if slow else 0.6) if stroke else 0.0
    picture.add(Box(x, y, width, height, Look(paint.fill, stroke, line), title, radius, paint.key))


def _marks(picture, marked):
    """Crosses and strokes upon parts: [(place, paint)]."""
    for (x, y, width, height), paint in marked:
        inset = 0.22 * min(width, height)
        look = Look(stroke=paint.on, line=max(0.5, min(1.6, 9 * min(width, height))))
        left, right, top, bottom = x + inset, x + width - inset, y + inset, y + height - inset
        if paint.mark == CROSS:
            picture.add(Line(((left, top), (right, bottom)), look))
        picture.add(Line(((left, bottom), (right, top)), look))


def _badges(picture, places):
    """A small cross on paper for each cable that failed."""
    paint = Paint(style.PAPER, CROSS, style.INK)
    for x, y in places:
        place = (x - BADGE / 2, y - BADGE / 2, BADGE, BADGE)
        _square(picture, place, paint, "")
        _marks(picture, [(place, paint)])


def _told(*parts):
    return ", ".join(part for part in parts if part)


def _host_title(fabric, host, rate, slow, paint):
    return _told(f"host {fabric.index[host]}: {fabric.title(host)}", units.rate_text(rate),
                 "slow" if slow else "", paint.note)


def _switch_title(fabric, key, paint):
    slow = fabric.nodes[key].get("slow_hosts")
    return _told(fabric.title(key), f"{sum(fabric.neighbours[key].values())} ports in use",
                 "all hosts slow" if slow else "", paint.note)


def _host_links(fabric):
    """(bits per second by host, the hosts with slow links)."""
    rate, slow = {}, set()
    for link in fabric.links:
        for end in (link["a"], link["b"]):
            if fabric.is_host(end):
                rate.setdefault(end, link["bits_per_second"])
                if link.get("slow"):
                    slow.add(end)
    return rate, slow


class _Tree:
    """Layers of switches over blocks of hosts, with every cable."""

    def __init__(self, fabric, colouring):
        self.fabric, self.colouring = fabric, colouring
        self.layout = lay_out(fabric)
        self.rates = sorted({link["bits_per_second"] for link in fabric.links}, reverse=True)
        self.cell = min(LARGEST_SQUARE, (WIDTH - 0.2) / self.layout.width)
        self.left = (WIDTH - self.cell * self.layout.width) / 2
        self.ground = MARGIN + SWITCH_HEIGHT / 2 + LAYER_HEIGHT * (len(self.layout.layers) - 1)
        height = self.ground + 0.38 + self.layout.rows * self.cell + MARGIN
        self.picture = Picture(WIDTH, height)

    def x(self, squares):
        return self.left + squares * self.cell

    def y_of(self, layer):
        """The middle of a layer of switches."""
        return self.ground - LAYER_HEIGHT * layer

    def draw(self):
        self.cables()
        self.combs()
        self.hosts()
        self.switches()
        return self.picture

    def look_of(self, link, width):
        dash = min(self.rates.index(link["bits_per_second"]), len(style.DASHES) - 1)
        slow = bool(link.get("slow"))
        return Look(stroke=style.WARN if slow else style.MUTED, line=width + (0.8 if slow else 0),
                    dash=dash, opacity=1.0 if slow else 0.55)

    def cables(self):
        fabric, layout = self.fabric, self.layout
        bundles = [link for link in fabric.links
                   if not fabric.is_host(link["a"]) and not fabric.is_host(link["b"])]
        counts = {int(link.get("count", 1)) for link in bundles}
        numbered = len(bundles) <= COUNTED_PAIRS and len(counts) > 1
        failed = {id(fabric.links[place]): names
                  for place, names in self.colouring.failed_links.items()}
        taken, numbers, crosses = [], [], []
        for link in sorted(bundles, key=lambda link: (id(link) in failed, bool(link.get("slow")))):
            parallel = int(link.get("count", 1))
            low, high = sorted((link["a"], link["b"]), key=lambda key: layout.level_of[key])
            x0, x1 = (self.x(layout.switch_x[key]) for key in (low, high))
            y0 = self.y_of(layout.level_of[low]) - SWITCH_HEIGHT / 2
            same = layout.level_of[low] == layout.level_of[high]
            y1 = y0 if same else self.y_of(layout.level_of[high]) + SWITCH_HEIGHT / 2
            arc = 0.3 * LAYER_HEIGHT if same else 0.0
            width = 0.7 + (0.45 * (parallel - min(counts)) if len(counts) > 1 else 0)
            title = _told(f"{fabric.title(low)} – {fabric.title(high)}: {parallel} × "
                          f"{units.rate_text(link['bits_per_second'])}",
                          "slow" if link.get("slow") else "",
                          "failed: " + ", ".join(failed[id(link)]) if id(link) in failed else "")
            look = self.look_of(link, width)
            if id(link) in failed:
                look = replace(look, stroke=style.INK, line=width + 0.8, opacity=1.0)
                crosses.append(((x0 + x1) / 2, (y0 + y1) / 2 - arc))
            self.picture.add(Line(((x0, y0), (x1, y1)), look, title, arc))
            if numbered:
                at = _free_place([(x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)
                                  for share in PLACES] if not same
                                 else [((x0 + x1) / 2, y0 - arc)], taken)
                taken.append(at)
                numbers.append(Text(*at, str(parallel), 6.5,
                                    style.WARN if link.get("slow") else style.INK, halo=True))
        self.picture.add(*numbers)
        _badges(self.picture, crosses)

    def combs(self):
        """The line that ties a block of hosts to their switch, in the look of most links there."""
        fabric = self.fabric
        for key, (left, across) in self.layout.block.items():
            members = {host for host in fabric.hosts if fabric.home(host) == key}
            if key is None or not members:
                continue
            looks = Counter(self.look_of(link, 1.2) for link in fabric.links
                            if not link.get("slow") and key in (link["a"], link["b"])
                            and members & {link["a"], link["b"]})
            look = looks.most_common(1)[0][0] if looks else Look(stroke=style.WARN, line=1.6)
            if fabric.nodes[key].get("slow_hosts"):
                look = Look(stroke=style.WARN, line=1.6, dash=look.dash)
            y = self.ground + 0.32
            middle = self.x(left + across / 2)
            self.picture.add(
                Line(((self.x(left), y), (self.x(left + across), y)), look),
                Line(((middle, y), (self.x(self.layout.switch_x[key]),
                                    self.y_of(self.layout.level_of[key]) + SWITCH_HEIGHT / 2)),
                     look))

    def hosts(self):
        fabric, side = self.fabric, 0.86 * self.cell
        rate, slow = _host_links(fabric)
        marked, numbers, crosses = [], [], []
        unplugged = {fabric.links[place][end] for place in self.colouring.failed_links
                     for end in "ab"} & set(fabric.hosts)
        for host, (column, row) in self.layout.host_at.items():
            paint = self.colouring.parts.get(host, self.colouring.plain)
            place = (self.x(column + 0.07), self.ground + 0.36 + (row + 0.07) * self.cell, side,
                     side)
            _square(self.picture, place, paint,
                    _host_title(fabric, host, rate.get(host, 0), host in slow, paint),
                    host in slow)
            if host in unplugged and not paint.mark:  # another adapter of it worked
                crosses.append((place[0] + side / 2, place[1]))
            if paint.mark:
                marked.append((place, paint))
            elif self.cell >= NUMBERED_SQUARE:
                text = str(fabric.index[host])
                size = min(7.0, 27 * self.cell, 0.9 * side / (len(text) * WIDE * POINT))
                numbers.append(Text(place[0] + side / 2, place[1] + side / 2, text, size, paint.on))
        self.picture.add(*numbers)
        _marks(self.picture, marked)
        _badges(self.picture, crosses)

    def switches(self):
        labels, layout = _switch_labels(self.fabric), self.layout
        needed, room = {}, {}
        for key, layer in layout.level_of.items():
            needed[key] = WIDE * POINT * TEXT_POINTS * len(labels[key]) + 0.1
            room[key] = self.cell * (layout.block[key][1] if layer == 0 else
                                     0.82 * layout.width / len(layout.layers[layer]))
        # Letters of one size in each layer.
        share = [min([1.0] + [room[key] / needed[key] for key in layer])
                 for layer in layout.layers]
        for key, middle in layout.switch_x.items():
            layer = layout.level_of[key]
            width = min(max(0.5, needed[key]), room[key])
            place = (self.x(middle) - width / 2, self.y_of(layer) - SWITCH_HEIGHT / 2, width,
                     SWITCH_HEIGHT)
            paint = self.colouring.parts.get(key)
            title = _switch_title(self.fabric, key, paint or Colouring().plain)
            look = Look(paint.fill, style.INK, 1.0) if paint else PLAIN_SWITCH
            self.picture.add(Box(*place, look, title, 0.05))
            if paint and paint.mark:  # on the corner, clear of the name
                badge = (place[0] + width - 0.6 * BADGE, place[1] - 0.4 * BADGE, BADGE, BADGE)
                on_paper = replace(paint, fill=style.PAPER, on=style.INK)
                _square(self.picture, badge, on_paper, "")
                _marks(self.picture, [(badge, on_paper)])
            size = TEXT_POINTS * share[layer]
            self.picture.add(Text(self.x(middle), self.y_of(layer), labels[key], size,
                                  paint.on if paint else style.INK))


def _free_place(places, taken):
    """The first place that is clear of those taken; where none is, the one farthest from them."""
    def clearance(place):
        return min((math.dist(place, other) for other in taken), default=math.inf)
    clear = [place for place in places if clearance(place) >= 0.17]
    return clear[0] if clear else max(places, key=clearance)


def _switch_labels(fabric):
    """A short label for each switch: its name when names are short and unlike, else the end of its
    GUID, else its number."""
    names = {key: fabric.name(key) for key in fabric.switches}
    if len(set(names.values()) - {""}) == len(names) and max(map(len, names.values())) <= 12:
        return names
    guids = {key: str(fabric.nodes[key].get("guid") or key) for key in fabric.switches}
    for digits in (4, 6, 8):
        ends = {key: "…" + guid[-digits:] for key, guid in guids.items()}
        if len(set(ends.values())) == len(ends):
            return ends
    return {key: str(position) for position, key in enumerate(fabric.switches)}


def _draw_wall(fabric, colouring):
    laid = wall.lay_out(fabric, WIDTH)
    picture = Picture(WIDTH, laid.height + MARGIN)
    for y, words in laid.words:
        picture.add(Text(0, y, words, 8.5, anchor="start"))
    rate, slow = _host_links(fabric)
    titled = len(fabric.hosts) <= TITLED_HOSTS
    # Of one look together, which makes the page smaller.
    order = sorted(laid.place, key=lambda key: (
        not fabric.is_host(key), key in slow, colouring.parts.get(key, colouring.plain).fill))
    marked = []
    for key in order:
        host = fabric.is_host(key)
        paint = colouring.parts.get(key, colouring.plain if host else None)
        title = ""
        if not host:
            title = _switch_title(fabric, key, paint or Colouring().plain)
        elif titled:
            title = _host_title(fabric, key, rate.get(key, 0), key in slow, paint)
        if host:
            _square(picture, laid.place[key], paint, title, key in slow)
        else:
            look = Look(paint.fill, style.INK, 0.6) if paint else Look(fill=style.MUTED)
            picture.add(Box(*laid.place[key], look, title))
        if paint and paint.mark:
            marked.append((laid.place[key], paint))
    _marks(picture, marked)
    return picture


def _add_legend(picture, fabric, colouring, cables):
    """Below the picture, in as many lines as it takes."""
    entries = [("part", paint, label) for paint, label in colouring.legend]
    if cables:
        rates = sorted({link["bits_per_second"] for link in fabric.links}, reverse=True)
        entries += [("cable", Look(stroke=style.MUTED, line=1.6,
                                   dash=min(position, len(style.DASHES) - 1)),
                     f"link of {units.rate_text(rate)}") for position, rate in enumerate(rates)]
        counts = {int(link.get("count", 1)) for link in fabric.links
                  if not fabric.is_host(link["a"]) and not fabric.is_host(link["b"])}
        if len(counts) == 1 and counts != {1}:
            entries.append(("note", None, f"{min(counts)} parallel cables a line"))
        elif len(counts) > 1:
            entries.append(("note", None, "numbers: parallel cables"))
    if cables and colouring.failed_links:
        entries.append(("part", Paint(style.PAPER, CROSS, style.INK), "cable that failed"))
    if any(link.get("slow") for link in fabric.links) or \
            any(fabric.nodes[key].get("slow_hosts") for key in fabric.switches):
        entries.append(("cable", Look(stroke=style.WARN, line=2.0), "slow link"))
    x, y, size = 0.02, picture.height + 0.1, 8.0
    for kind, look, label in entries:
        swatch = 0.0 if kind == "note" else 0.3 if kind == "cable" else 0.16
        width = swatch + 0.06 + len(label) * WIDE * size * POINT
        if x + width > picture.width:
            x, y = 0.02, y + 0.22
        if kind == "cable":
            picture.add(Line(((x, y), (x + swatch, y)), look))
        elif kind == "part":
            place = (x, y - 0.07, 0.14, 0.14)
            _square(picture, place, look, "")
            _marks(picture, [(place, look)] if look.mark else [])
        picture.add(Text(x + swatch + 0.04, y, label, size, anchor="start"))
        x += width + 0.12
    picture.height = y + 0.14

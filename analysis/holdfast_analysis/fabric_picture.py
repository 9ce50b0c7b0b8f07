"""The fabric as a picture: hosts in blocks under their switch, switches in layers above, cables
between them as wide as they are parallel, slow links red, hosts shaded by their failures. Inches.

A fabric too large to be drawn part by part is drawn as one box a level, with the numbers of parts
and cables.
"""

import math
from collections import Counter

from matplotlib import patches
from matplotlib.lines import Line2D
from matplotlib.path import Path

from . import style, units
from .fabric import Fabric, lay_out

MOST_HOSTS = 1300      # more squares than this are too small to be seen
MOST_IN_LAYER = 40     # likewise switches side by side
COUNTED_PAIRS = 60     # up to this many pairs of switches, a number says how many cables join them
WIDTH = 10.0           # of the figure
LAYER_HEIGHT = 1.6     # between layers of switches
SWITCH_HEIGHT = 0.22
LARGEST_SQUARE = 0.3
NUMBERED_SQUARE = 0.2  # from this size on, hosts carry their number
TEXT_POINTS = 7.5
PLACES = [0.16 + 0.03 * step for step in range(20)]  # along a cable, for its number


def draw(described, failures_of_host=None):
    """(figure, tooltips by gid) of topology.json; (None, {}) for a fabric without switches.

    failures_of_host: number of failures by the host's id, name or GUID."""
    fabric = Fabric(described)
    if not fabric.switches:
        return None, {}
    widest = max(Counter(fabric.level.values()).values())
    if len(fabric.hosts) > MOST_HOSTS or widest > MOST_IN_LAYER:
        return _draw_summary(fabric), {}
    return _draw_parts(fabric, lay_out(fabric), _counts_by_host(fabric, failures_of_host or {}))


def _counts_by_host(fabric, failures_of_host):
    return {host: max(failures_of_host.get(str(key), 0)
                      for key in (host, fabric.nodes[host].get("name"),
                                  fabric.nodes[host].get("guid")))
            for host in fabric.hosts}


class _Canvas:
    """The figure, its scale, and the tooltips collected while drawing. The origin is the middle of
    the line under the lowest switches; hosts lie below it."""

    def __init__(self, layout):
        self.layout = layout
        self.cell = min(LARGEST_SQUARE, (WIDTH - 0.2) / layout.width)
        self.left = (WIDTH - self.cell * layout.width) / 2
        bottom = -layout.rows * self.cell - 0.14
        top = self.height_of(len(layout.layers) - 1) + SWITCH_HEIGHT / 2 + 0.06
        self.height = top - bottom
        self.figure, grid = style.figure(self.height, width_inches=WIDTH)
        self.axis = grid[0][0]
        self.axis.set_axis_off()
        self.axis.set_xlim(0, WIDTH)
        self.axis.set_ylim(bottom, top)
        self.tooltips = {}

    def x(self, squares):
        return self.left + squares * self.cell

    def height_of(self, layer):
        """y of the middle of a layer of switches."""
        return 0.32 + LAYER_HEIGHT * layer

    def add(self, artist, tooltip=None):
        if tooltip:
            artist.set_gid(f"part-{len(self.tooltips)}")
            self.tooltips[artist.get_gid()] = tooltip
        self.axis.add_artist(artist)


def _draw_parts(fabric, layout, failures):
    canvas = _Canvas(layout)
    rates = sorted({link["bits_per_second"] for link in fabric.links}, reverse=True)
    _draw_cables(canvas, fabric, rates)
    _draw_hosts(canvas, fabric, failures)
    _draw_switches(canvas, fabric, rates)
    _draw_legend(canvas, fabric, rates, failures)
    return canvas.figure, canvas.tooltips


def _cable_look(link, rates):
    """Colour and dashes of a cable: slow ones red, lower rates in broken lines."""
    colour = style.WARN if link.get("slow") else style.MUTED
    return colour, style.DASHES[min(rates.index(link["bits_per_second"]), len(style.DASHES) - 1)]


def _draw_cables(canvas, fabric, rates):
    bundles = [link for link in fabric.links
               if not fabric.is_host(link["a"]) and not fabric.is_host(link["b"])]
    counts = {int(link.get("count", 1)) for link in bundles}
    numbered = len(bundles) <= COUNTED_PAIRS and len(counts) > 1
    taken = []
    for link in sorted(bundles, key=lambda link: bool(link.get("slow"))):
        parallel = int(link.get("count", 1))
        low, high = sorted((link["a"], link["b"]), key=lambda key: canvas.layout.level_of[key])
        x0, x1 = (canvas.x(canvas.layout.switch_x[key]) for key in (low, high))
        layer, other = canvas.layout.level_of[low], canvas.layout.level_of[high]
        y0 = canvas.height_of(layer) + SWITCH_HEIGHT / 2
        y1 = canvas.height_of(other) - SWITCH_HEIGHT / 2
        colour, dashes = _cable_look(link, rates)
        same = layer == other
        arc = 0.3 * LAYER_HEIGHT
        points = [(x0, y0), ((x0 + x1) / 2, y0 + 2 * arc), (x1, y0)] if same else \
            [(x0, y0), (x1, y1)]
        codes = [Path.MOVETO] + ([Path.CURVE3] * 2 if same else [Path.LINETO])
        slow = bool(link.get("slow"))
        width = 0.7 + (0.45 * (parallel - min(counts)) if len(counts) > 1 else 0)
        canvas.add(patches.PathPatch(Path(points, codes), fill=False, edgecolor=colour,
                                     linestyle=dashes, linewidth=width + (0.8 if slow else 0),
                                     alpha=1.0 if slow else 0.55, zorder=2 if slow else 1),
                   f"{fabric.title(low)} – {fabric.title(high)}: {parallel} × "
                   f"{units.rate_text(link['bits_per_second'])}"
                   f"{', slow' if slow else ''}")
        if numbered:
            at = _free_place([(x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)
                              for share in PLACES] if not same else [((x0 + x1) / 2, y0 + arc)],
                             taken)
            taken.append(at)
            canvas.axis.text(*at, str(parallel), fontsize=6.5, ha="center", va="center", zorder=3,
                             color=style.WARN if slow else style.INK,
                             bbox={"boxstyle": "circle,pad=0.12", "facecolor": style.PAPER,
                                   "edgecolor": "none"})


def _free_place(places, taken):
    """The first place that is clear of those taken; where none is, the one farthest from them."""
    def clearance(place):
        return min((math.dist(place, other) for other in taken), default=math.inf)
    clear = [place for place in places if clearance(place) >= 0.17]
    return clear[0] if clear else max(places, key=clearance)


def _shade(count, most):
    """The fill of a host with so many failures; hosts without any stay pale."""
    if not count:
        return style.FAINT
    return _shades(most)[(count - 1) * len(_shades(most)) // most]


def _shades(most):
    """As many shades as there are counts, at most five; the darkest stands for most."""
    return style.SHADES[-most:] if most < len(style.SHADES) else style.SHADES


def _draw_hosts(canvas, fabric, failures):
    slow = {end for link in fabric.links if link.get("slow")
            for end in (link["a"], link["b"]) if fabric.is_host(end)}
    rate = {}
    for link in fabric.links:
        for end in (link["a"], link["b"]):
            rate.setdefault(end, link["bits_per_second"])
    most = max(failures.values(), default=0)
    side = 0.86 * canvas.cell
    for host, (column, row) in canvas.layout.host_at.items():
        count = failures.get(host, 0)
        x, y = canvas.x(column + 0.07), -(row + 0.93) * canvas.cell - 0.04
        told = f"host {fabric.index[host]}: {fabric.title(host)}, " \
               f"{units.rate_text(rate.get(host, 0))}{', slow' if host in slow else ''}, " \
               f"{count} failure{'' if count == 1 else 's'}"
        canvas.add(patches.Rectangle((x, y), side, side, facecolor=_shade(count, most),
                                     edgecolor=style.WARN if host in slow else style.PAPER,
                                     linewidth=1.8 if host in slow else 0.4,
                                     zorder=4 if host in slow else 3), told)
        if canvas.cell >= NUMBERED_SQUARE:
            on = style.ON_SHADES[style.SHADES.index(_shade(count, most))] if count else style.INK
            canvas.axis.text(x + side / 2, y + 0.47 * side, str(fabric.index[host]), zorder=5,
                             ha="center", va="center", color=on,
                             fontsize=min(7.0, 27 * canvas.cell))


def _draw_switches(canvas, fabric, rates):
    labels = _switch_labels(fabric)
    for key, middle in canvas.layout.switch_x.items():
        layer = canvas.layout.level_of[key]
        x, y = canvas.x(middle), canvas.height_of(layer)
        hosts = [host for host in fabric.hosts if fabric.home(host) == key]
        if hosts:
            _draw_comb(canvas, fabric, key, hosts, rates)
        room = canvas.layout.block[key][1] if layer == 0 else \
            0.82 * canvas.layout.width / len(canvas.layout.layers[layer])
        needed = 0.0092 * TEXT_POINTS * len(labels[key]) + 0.14
        width = min(max(0.5, needed), room * canvas.cell)
        canvas.add(patches.FancyBboxPatch(
            (x - width / 2, y - SWITCH_HEIGHT / 2), width, SWITCH_HEIGHT,
            boxstyle="round,pad=0,rounding_size=0.05", facecolor=style.PAPER,
            edgecolor=style.INK, linewidth=1.0, zorder=4),
            f"{fabric.title(key)}, {sum(fabric.neighbours[key].values())} ports in use"
            f"{', all hosts slow' if fabric.nodes[key].get('slow_hosts') else ''}")
        canvas.axis.text(x, y - 0.01, labels[key], ha="center", va="center", zorder=5,
                         fontsize=TEXT_POINTS * min(1.0, width / needed))


def _draw_comb(canvas, fabric, key, hosts, rates):
    """The line that ties a block of hosts to their switch, in the look of most of their links."""
    members = set(hosts)
    looks = Counter(_cable_look(link, rates) for link in fabric.links if not link.get("slow")
                    and key in (link["a"], link["b"]) and members & {link["a"], link["b"]})
    colour, dashes = looks.most_common(1)[0][0] if looks else (style.WARN, "-")
    if fabric.nodes[key].get("slow_hosts"):
        colour = style.WARN
    left, across = canvas.layout.block[key]
    middle = canvas.x(left + across / 2)
    canvas.axis.plot([canvas.x(left), canvas.x(left + across)], [0, 0], color=colour,
                     linewidth=1.2, linestyle=dashes)
    canvas.axis.plot([middle, canvas.x(canvas.layout.switch_x[key])],
                     [0, canvas.height_of(canvas.layout.level_of[key]) - SWITCH_HEIGHT / 2],
                     color=colour, linewidth=1.2, linestyle=dashes)


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


def _draw_legend(canvas, fabric, rates, failures):
    bundles = [link for link in fabric.links
               if not fabric.is_host(link["a"]) and not fabric.is_host(link["b"])]
    handles = [Line2D([], [], color=style.MUTED, linewidth=1.6,
                      linestyle=style.DASHES[min(position, len(style.DASHES) - 1)],
                      label=units.rate_text(rate))
               for position, rate in enumerate(rates)]
    counts = {int(link.get("count", 1)) for link in bundles}
    if len(counts) == 1 and counts != {1}:
        handles.append(_number_handle(min(counts), "parallel cables each"))
    elif len(counts) > 1:
        handles.append(_number_handle(max(counts), "parallel cables"))
    most = max(failures.values(), default=0)
    if any(link.get("slow") for link in fabric.links) or \
            any(fabric.nodes[key].get("slow_hosts") for key in fabric.switches):
        handles.append(patches.Patch(facecolor="none", edgecolor=style.WARN, linewidth=1.8,
                                     label="slow link"))
    handles.append(patches.Patch(facecolor=style.FAINT, label="host" if not most
                                 else "host without failure"))
    if most:
        for position, shade in enumerate(_shades(most)):
            low = -(-position * most // len(_shades(most))) + 1
            high = -(-(position + 1) * most // len(_shades(most)))
            if high >= low:
                handles.append(patches.Patch(
                    facecolor=shade, label=(f"{low} to {high}" if high > low else str(low))
                    + (" failure" if most == 1 else "")
                    + (" failures" if most > 1 and position + 1 == len(_shades(most)) else "")))
    # The legend gets a strip below the picture, whose scale stays one to one.
    columns = min(9, len(handles))
    strip = 0.1 + 0.17 * math.ceil(len(handles) / columns)
    whole = canvas.height + strip
    canvas.figure.set_layout_engine("none")
    canvas.figure.set_figheight(whole)
    canvas.axis.set_position([0, strip / whole, 1, canvas.height / whole])
    canvas.figure.legend(handles=handles, loc="lower center", ncols=columns, fontsize=8,
                         handlelength=1.6, columnspacing=1.3, borderaxespad=0.1)


def _number_handle(number, label):
    return Line2D([], [], linewidth=0, marker=f"${number}$", markersize=6, color=style.INK,
                  markeredgewidth=0, label=label)


def _draw_summary(fabric):
    """One box a level with its number of parts, joined by lines that tell the cables between."""
    level = {**fabric.level, **{host: 0 for host in fabric.hosts}}
    levels = sorted(set(level.values()))
    sizes = Counter(level.values())
    cables = Counter()
    for link in fabric.links:
        ends = tuple(sorted((level[link["a"]], level[link["b"]])))
        kind = (ends, link["bits_per_second"], bool(link.get("slow")))
        cables[kind] += int(link.get("count", 1))
    drawn, grid = style.figure(0.5 + 0.95 * len(levels))
    axis = grid[0][0]
    axis.set_axis_off()
    axis.set_xlim(0, 10)
    axis.set_ylim(-0.5, 2 * len(levels) - 1.2)
    for position, number in enumerate(levels):
        share = sizes[number] / max(sizes.values())
        width = 2.6 + 5.4 * math.sqrt(share)
        axis.add_artist(patches.FancyBboxPatch(
            (5 - width / 2, 2 * position - 0.35), width, 0.7,
            boxstyle="round,pad=0,rounding_size=0.1", facecolor=style.PAPER, edgecolor=style.INK))
        what = "hosts" if number == 0 else f"switches of level {number}"
        axis.text(5, 2 * position, f"{sizes[number]:,} {what}", ha="center", va="center")
        for other in levels[position:]:
            told = [f"{count:,} × {units.rate_text(rate)}{' (slow)' if slow else ''}"
                    for (ends, rate, slow), count in sorted(cables.items())
                    if ends == (number, other)]
            if told and other != number:
                axis.plot([5, 5], [2 * position + 0.35, 2 * levels.index(other) - 0.35],
                          color=style.MUTED, linewidth=2, zorder=0)
                axis.text(5.15, 2 * position + 1, ", ".join(told), va="center", fontsize=8)
    return drawn

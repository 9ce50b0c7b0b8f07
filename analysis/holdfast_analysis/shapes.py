"""Pictures made of few kinds of shapes, and how they become a figure file or a part of the page.

A picture is a list of shapes; a later one lies over an earlier one. Lengths are inches, y goes
down, sizes of letters are points. Colours are those of style.py, so that the page can change them
with the reader's screen.

The page gets an <svg> written by hand: shapes of one look that follow each other share a <g>, so a
thousand hosts are a thousand short elements. Files are drawn by matplotlib.
"""

import html
import itertools
from dataclasses import dataclass, field
from typing import List, Tuple

from matplotlib import patches
from matplotlib.path import Path

from . import style

POINT = 1 / 72  # inch
WIDE = 0.64     # of a letter of DejaVu Sans, in its size: no text is wider than this on average


@dataclass(frozen=True)
class Look:
    """How a shape is drawn. line: points; dash: as style.DASHES."""
    fill: str = ""
    stroke: str = ""
    line: float = 0.0
    dash: int = 0
    opacity: float = 1.0


@dataclass(frozen=True)
class Box:
    """A rectangle; `key`: what a script of the page knows it by."""
    x: float
    y: float
    width: float
    height: float
    look: Look
    title: str = ""
    radius: float = 0.0
    key: str = ""


@dataclass(frozen=True)
class Line:
    """Straight from point to point; `arc` bends a line of two points upwards by so much."""
    points: Tuple[Tuple[float, float], ...]
    look: Look
    title: str = ""
    arc: float = 0.0


@dataclass(frozen=True)
class Text:
    """In the middle of its place, unless `anchor` is start or end."""
    x: float
    y: float
    text: str
    size: float
    colour: str = style.INK
    anchor: str = "middle"
    halo: bool = False  # on a plain ground, to be read over lines

    def width(self):
        """Inches, at most."""
        return len(self.text) * WIDE * self.size * POINT


@dataclass
class Picture:
    """Shapes within width × height inches."""
    width: float
    height: float
    description: str = ""
    shapes: List = field(default_factory=list)

    def add(self, *shapes):
        self.shapes.extend(shapes)

    def texts(self):
        return [shape for shape in self.shapes if isinstance(shape, Text)]


def _short(inches):
    """Points with two decimals, without useless zeros."""
    return f"{inches / POINT:.2f}".rstrip("0").rstrip(".")


def _colour(value):
    variable = style.VARIABLES.get(value)
    return f"var({variable})" if variable else value or "none"


def _attributes(look):
    text = f' fill="{_colour(look.fill)}"'
    if look.stroke:
        text += f' stroke="{_colour(look.stroke)}" stroke-width="{look.line:g}"'
    if look.dash:
        steps = " ".join(f"{step:g}" for step in style.DASHES[look.dash][1])
        text += f' stroke-dasharray="{steps}"'
    if look.opacity != 1:
        text += f' opacity="{look.opacity:g}"'
    return text


def _titled(tag, attributes, title):
    if not title:
        return f"<{tag}{attributes}/>"
    return f"<{tag}{attributes}><title>{html.escape(title, quote=False)}</title></{tag}>"


def _svg_shape(shape):
    if isinstance(shape, Box):
        rounded = f' rx="{_short(shape.radius)}"' if shape.radius else ""
        key = f' data-key="{html.escape(shape.key)}"' if shape.key else ""
        return _titled("rect", f' x="{_short(shape.x)}" y="{_short(shape.y)}" '
                       f'width="{_short(shape.width)}" height="{_short(shape.height)}"'
                       f"{rounded}{key}", shape.title)
    (x0, y0), *others = shape.points
    path = f"M{_short(x0)} {_short(y0)}"
    if shape.arc:
        (x1, y1), = others
        path += (f"Q{_short((x0 + x1) / 2)} {_short(min(y0, y1) - 2 * shape.arc)} "
                 f"{_short(x1)} {_short(y1)}")
    else:
        path += "".join(f"L{_short(x)} {_short(y)}" for x, y in others)
    return _titled("path", f' d="{path}"', shape.title)


def _svg_text(text):
    anchor = "" if text.anchor == "middle" else f' text-anchor="{text.anchor}"'
    halo = ' class="halo"' if text.halo else ""
    return (f'<text x="{_short(text.x)}" y="{_short(text.y)}" font-size="{text.size:.3g}"'
            f' fill="{_colour(text.colour)}"{anchor}{halo}>{html.escape(text.text, quote=False)}'
            "</text>")


def svg(picture):
    """The picture as an <svg> element of the page."""
    parts = [f'<svg class="picture" viewBox="0 0 {_short(picture.width)} {_short(picture.height)}" '
             f'text-anchor="middle" role="img" aria-label="{html.escape(picture.description)}">']
    looks = itertools.groupby(picture.shapes, key=lambda shape: getattr(shape, "look", None))
    for look, shapes in looks:
        if look is None:
            parts += [_svg_text(shape) for shape in shapes]
        else:
            parts.append(f"<g{_attributes(look)}>" + "".join(map(_svg_shape, shapes)) + "</g>")
    return "\n".join(parts) + "\n</svg>"


def figure(picture):
    """The picture as a matplotlib figure, for files."""
    drawn, grid = style.figure(picture.height, width_inches=picture.width)
    drawn.set_layout_engine("none")
    axis = grid[0][0]
    axis.set_position([0, 0, 1, 1])
    axis.set_axis_off()
    axis.set_xlim(0, picture.width)
    axis.set_ylim(picture.height, 0)
    looks = itertools.groupby(picture.shapes, key=lambda shape: getattr(shape, "look", None))
    for order, (look, shapes) in enumerate(looks):
        if look is None:
            for shape in shapes:
                _place_text(axis, shape, order)
            continue
        # One path of all shapes of one look: a thousand hosts take no longer than one.
        path = Path.make_compound_path(*map(_outline, shapes))
        axis.add_artist(patches.PathPatch(
            path, facecolor=look.fill or "none", edgecolor=look.stroke or "none",
            linewidth=look.line, alpha=look.opacity, linestyle=style.DASHES[look.dash],
            zorder=order))
    return drawn


def _place_text(axis, text, order):
    across = {"middle": "center", "start": "left", "end": "right"}[text.anchor]
    box = {"boxstyle": "round,pad=0.1", "facecolor": style.PAPER, "edgecolor": "none"}
    axis.text(text.x, text.y, text.text.replace("$", r"\$"), fontsize=text.size, ha=across,
              color=text.colour, va="center_baseline", zorder=order,
              bbox=box if text.halo else None)


def _outline(shape):
    if isinstance(shape, Box):
        corner, size = (shape.x, shape.y), (shape.width, shape.height)
        if shape.radius:
            return patches.BoxStyle.Round(pad=0, rounding_size=shape.radius)(*corner, *size, 1)
        (x0, y0), (x1, y1) = corner, (shape.x + shape.width, shape.y + shape.height)
        return Path([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)], closed=True)
    if not shape.arc:
        return Path(shape.points)
    (x0, y0), (x1, y1) = shape.points
    return Path([(x0, y0), ((x0 + x1) / 2, min(y0, y1) - 2 * shape.arc), (x1, y1)],
                [Path.MOVETO, Path.CURVE3, Path.CURVE3])


def overlaps(picture):
    """Pairs of texts that overlap, and texts that leave the picture: what must not be. By the
    greatest width that letters have, so it may name what just fits, and misses nothing."""
    places = []
    for text in picture.texts():
        shift = {"middle": 0.5, "start": 0.0, "end": 1.0}[text.anchor] * text.width()
        half = 0.5 * text.size * POINT
        places.append((text.x - shift, text.x - shift + text.width(), text.y - half, text.y + half,
                       text.text))
    places.sort()
    wrong = [(text, "") for left, right, top, bottom, text in places
             if left < -0.01 or right > picture.width + 0.01 or top < -0.01
             or bottom > picture.height + 0.01]
    for index, (_, right, top, bottom, text) in enumerate(places):
        for other in places[index + 1:]:
            if other[0] >= right:
                break
            if min(bottom, other[3]) - max(top, other[2]) > 1e-6:
                wrong.append((text, other[4]))
    return wrong

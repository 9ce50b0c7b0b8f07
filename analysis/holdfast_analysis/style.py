"""The look of all figures, and how they are saved.

Colours are those of Okabe and Ito (2008), told apart with every common form of colour blindness;
series differ in their markers and dashes too, so nothing depends on colour alone. Files are the
same byte for byte on every run: no dates, fixed salts.
"""

import io
import math
import os
import re

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the backend must be chosen first)

from . import whole_file  # noqa: E402

INK = "#1a1d21"      # text and axes
MUTED = "#6b7178"    # what stands back: secondary text, plain links
FAINT = "#d8dce1"    # grid lines, empty hosts
PAPER = "#fefefe"    # the page; not quite white, so that it can be told from a figure's own white
WARN = "#c8202f"     # slow links only
SERIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
MARKERS = ["o", "s", "^", "D", "v", "P"]
DASHES = ["-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5))]
SHADES = ["#cfe3f2", "#9cc7e4", "#5fa5d3", "#2a7fb8", "#0b5488"]  # few to many, one hue
ON_SHADES = ["#010101", "#010101", "#010101", "#fdfdff", "#fdfdff"]  # text upon them

# In the report, each colour is a variable of the page, which has another value on a dark screen.
VARIABLES = {INK: "--ink", MUTED: "--muted", FAINT: "--faint", PAPER: "--paper", WARN: "--warn",
             **{colour: f"--series-{index}" for index, colour in enumerate(SERIES)},
             **{colour: f"--shade-{index}" for index, colour in enumerate(SHADES)},
             ON_SHADES[0]: "--on-few", ON_SHADES[-1]: "--on-many"}

WIDTH_INCHES = 7.2

_SETTINGS = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 9,
    "axes.titlesize": 9.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.labelsize": 9, "xtick.labelsize": 8.5, "ytick.labelsize": 8.5, "legend.fontsize": 8.5,
    "legend.frameon": False, "axes.spines.top": False, "axes.spines.right": False,
    "axes.edgecolor": INK, "axes.labelcolor": INK, "axes.titlecolor": INK, "text.color": INK,
    "xtick.color": INK, "ytick.color": INK, "axes.facecolor": "none", "figure.facecolor": PAPER,
    "axes.linewidth": 0.8, "axes.axisbelow": True, "grid.color": FAINT, "grid.linewidth": 0.7,
    "lines.linewidth": 1.6, "pdf.fonttype": 42, "svg.hashsalt": "holdfast", "figure.dpi": 100,
    "savefig.dpi": 200, "path.simplify": False, "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.06,
}


def series(index):
    """Colour and marker of the index-th series; they repeat after six."""
    return SERIES[index % len(SERIES)], MARKERS[index % len(MARKERS)]


def figure(height_inches, rows=1, columns=1, width_inches=WIDTH_INCHES, **arguments):
    """A new figure in the project's style, and its axes as a two-dimensional array."""
    matplotlib.rcParams.update(matplotlib.rcParamsDefault)
    matplotlib.rcParams.update(_SETTINGS)
    return pyplot.subplots(rows, columns, figsize=(width_inches, height_inches), squeeze=False,
                           **arguments)


def legend_below(drawn, axes, most_columns):
    """One legend under all axes, for the series of the axis that has most; none for one series.
    It has fewer columns where so many are wider than the figure."""
    handles, labels = max((axis.get_legend_handles_labels() for axis in axes),
                          key=lambda found: len(found[1]))
    if len(labels) < 2:
        return
    for columns in range(min(most_columns, len(labels)), 0, -1):
        legend = drawn.legend(handles, labels, loc="lower center", ncols=columns,
                              borderaxespad=0.2, handlelength=3.5)
        if columns == 1 or legend.get_window_extent().width <= drawn.bbox.width:
            break
        legend.remove()
    share = (0.1 + 0.19 * math.ceil(len(labels) / columns)) / drawn.get_figheight()
    drawn.get_layout_engine().set(rect=(0, share, 1, 1 - share))


def save(drawn, folder, name):
    """Writes NAME.pdf, NAME.svg and NAME.png into `folder`; letters become outlines in the SVG."""
    # Laid out once, in two steps because legends and labels depend on what the first finds: all
    # formats, and the report, then show the same picture.
    if drawn.get_constrained_layout():
        drawn.draw_without_rendering()
        drawn.draw_without_rendering()
        drawn.set_layout_engine("none")
    no_dates = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}
    for ending, metadata in no_dates.items():
        content = io.BytesIO()
        with matplotlib.rc_context({"svg.fonttype": "path"}):
            drawn.savefig(content, format=ending, metadata=metadata)
        whole_file.write(os.path.join(folder, f"{name}.{ending}"), content.getvalue())


def inline(drawn, name, description, tooltips=None):
    """The figure as an <svg> element for the report: real text, the page's colours, own ids.

    tooltips: text by the gid of an artist.
    """
    text = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        drawn.savefig(text, format="svg", metadata={"Date": None}, facecolor="none")
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="([^"]*)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\g<1>{name}-", svg)
    svg = svg.replace("xlink:href", "href")
    svg = re.sub(r'\sxmlns(:xlink)?="[^"]*"', "", svg)
    svg = svg.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")
    for colour, variable in VARIABLES.items():
        svg = re.sub(colour, f"var({variable})", svg, flags=re.IGNORECASE)
    for gid, tooltip in (tooltips or {}).items():
        svg = svg.replace(f'id="{name}-{gid}">',
                          f'id="{name}-{gid}"><title>{_escaped(tooltip)}</title>', 1)
    svg = re.sub(r"<svg [^>]*?viewBox=\"([^\"]*)\"[^>]*>",
                 rf'<svg viewBox="\1" role="img" aria-label="{_escaped(description)}">', svg,
                 count=1)
    return svg


def close(drawn):
    pyplot.close(drawn)


def _escaped(text):
    return (text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            .replace('"', "&quot;"))

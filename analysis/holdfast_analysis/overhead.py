"""Figures of what protection takes of the bandwidth, over the length of a message.

overhead.csv, which `holdfast bench netpipe` writes, has a row for each checksum and length: the
share of the bandwidth without a checksum that is lost, the median of the rounds and its 95 %
interval. Which figures are made of it stands in the experiment's bandwidth.json, beside its
"figures":

    {"figures": [...], "overheads": [{
       "name": "overhead-tcp", "title": "...", "measurement": "tcp stream",
       "references": [{"title": "...", "share": 0.2, "source": "csum, section 5.1"}]}]}

"references": what a paper says of lengths from 16 KiB on, drawn as dashed lines.
"""

from . import bandwidth, bench_figures, results, style

_KEYS = {"name", "title", "measurement", "references"}
_REFERENCE_KEYS = {"title", "share", "source"}
_PERCENT = 0.01


def write(folder, declaration):
    """Draws what `declaration` names into folder/figures; returns the paths without their ending.
    Raises ResultsError."""
    figures = _declared(declaration)
    rows = _read(folder) if figures else []
    figures = bench_figures.present(
        declaration, figures, lambda figure: figure["measurement"], f"{folder}/overhead.csv",
        [row["measurement"] for row in rows], is_needed=False)
    return bench_figures.write(
        folder, figures, lambda figure: _draw(figure, bench_figures.of_measurement(figure, rows)))


def check(reader, pointer, figure):
    """Whether a figure is declared as above; raises ResultsError."""
    reader.keys(pointer, figure, _KEYS)
    reader.text(f"{pointer}/measurement", figure.get("measurement"))

    def check_value(here, reference):
        reader.text(f"{here}/title", reference.get("title"))
        reader.number(f"{here}/share", reference.get("share"))

    bench_figures.check_references(reader, pointer, figure, _REFERENCE_KEYS, check_value)


def _read(folder):
    return results.read_medians(folder, "overhead.csv", "share", _PERCENT)


def _declared(path):
    document = bench_figures.read(path)
    if "overheads" not in document:
        return []
    return bench_figures.checked(path, document, "overheads", check)


def _draw(figure, rows):
    """A line for each contender, with the interval of its median."""
    drawn, grid = style.figure(4.0)
    axis = grid[0][0]
    for position, name in enumerate(dict.fromkeys(row["contender"] for row in rows)):
        mine = sorted((row for row in rows if row["contender"] == name),
                      key=lambda row: row["bytes"])
        colour, marker = style.series(position)
        lengths = [row["bytes"] for row in mine]
        axis.plot(lengths, [row["median"] for row in mine], color=colour, marker=marker,
                  markersize=4, label=name, zorder=3,
                  linestyle=style.DASHES[position // len(style.SERIES) % len(style.DASHES)])
        axis.fill_between(lengths, [row["low"] for row in mine], [row["high"] for row in mine],
                          color=colour, alpha=0.14, linewidth=0, zorder=1)
    for reference in figure.get("references", []):
        axis.axhline(reference["share"] / _PERCENT, color=style.MUTED, linewidth=0.9,
                     linestyle=style.DASHES[1], zorder=2)
        axis.annotate(reference["title"], (1, reference["share"] / _PERCENT),
                      xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=8,
                      color=style.MUTED)
    axis.axhline(0, color=style.INK, linewidth=0.6, zorder=1)
    axis.set_xscale("log", base=2)
    axis.minorticks_off()
    lengths = sorted({row["bytes"] for row in rows})
    axis.set_xticks(lengths, [bandwidth.length_text(bytes_) for bytes_ in lengths])
    axis.set_xlabel("length of the message")
    axis.set_ylabel("bandwidth lost (%)")
    axis.set_title(figure["title"])
    axis.grid()
    style.legend_below(drawn, [axis], 5)
    return drawn

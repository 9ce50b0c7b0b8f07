"""Figures of bandwidth over time around a fault, from what `holdfast bench failover` wrote.

results.csv has the bandwidth in short spans, in seconds after the fault; gaps.csv says how long the
rail was broken; steady.csv has the bandwidth without a fault. Which figures are made of them stands
in the experiment's bandwidth.json:

    {"over_time": [{"name": "slow-rail", "title": "...", "fault": "cut", "rail": 1}]}

A thick line for each contender: in each span the median of the repetitions, each of which is a thin
line. What one rail delivers alone, and both together, are dashed lines.
"""

import statistics

from . import bench_figures, results, style

_MEGA = 1e6
_KEYS = {"name", "title", "fault", "rail"}


def write(folder, declaration):
    """Draws what `declaration` names into folder/figures; returns the paths without their ending.
    Raises ResultsError."""
    figures = bench_figures.checked(declaration, bench_figures.read(declaration), "over_time",
                                    check)
    bins, lasted, steady = _read_bins(folder), _read_lasted(folder), _read_steady(folder)
    figures = bench_figures.present(
        declaration, figures, lambda figure: f"{figure['fault']} of rail {figure['rail']}",
        f"{folder}/results.csv", [f"{fault} of rail {rail}" for fault, rail in bins])

    def draw(figure):
        key = (figure["fault"], figure["rail"])
        return _draw(figure, bins[key], lasted[key], steady)

    return bench_figures.write(folder, figures, draw)


def check(reader, pointer, figure):
    """Whether a figure is declared as above; raises ResultsError."""
    reader.keys(pointer, figure, _KEYS)
    reader.text(f"{pointer}/fault", figure.get("fault"))
    reader.count(f"{pointer}/rail", figure.get("rail"))


def _cells(folder, name, columns):
    """Each row, and how a number is read from it."""
    for line, row in results.read_table(folder, name, columns):
        def value(column, kind=float, line=line, row=row):
            return results.cell(folder, name, line, row, column, kind)

        yield row, value


def _read_bins(folder):
    """By (fault, rail), contender and repetition: (seconds, MB/s)."""
    bins = {}
    columns = ["contender", "fault", "rail", "repetition", "at_s", "bytes_per_s"]
    for row, value in _cells(folder, "results.csv", columns):
        key = (row["fault"], value("rail", int))
        of_contender = bins.setdefault(key, {}).setdefault(row["contender"], {})
        of_contender.setdefault(value("repetition", int), []).append(
            (value("at_s"), value("bytes_per_s") / _MEGA))
    return bins


def _read_lasted(folder):
    """By (fault, rail): the median of how long it was broken."""
    lasted = {}
    for row, value in _cells(folder, "gaps.csv", ["fault", "rail", "lasted_s"]):
        lasted.setdefault((row["fault"], value("rail", int)), []).append(value("lasted_s"))
    return {key: statistics.median(values) for key, values in lasted.items()}


def _read_steady(folder):
    """(rails, MB/s) of the first contender, which is ours: the median of all repetitions."""
    rows = [(row["contender"], row["rails"], value("bytes_per_s") / _MEGA) for row, value in
            _cells(folder, "steady.csv", ["contender", "rails", "bytes_per_s"])]
    rates = {}
    for contender, rails, rate in rows:
        if contender == rows[0][0]:
            rates.setdefault(rails, []).append(rate)
    return [(rails, statistics.median(all_of)) for rails, all_of in rates.items()]


def median_course(repetitions):
    """In each span that the shortest repetition has, the median of all."""
    spans = zip(*repetitions.values())
    return [(span[0][0], statistics.median(rate for _, rate in span)) for span in spans]


def _draw(figure, contenders, lasted, steady):
    drawn, grid = style.figure(3.8)
    axis = grid[0][0]
    axis.axvspan(0, lasted, color=style.FAINT, linewidth=0, zorder=0, label="rail broken")
    for rails, rate in steady:
        axis.axhline(rate, color=style.MUTED, linewidth=0.9, linestyle=style.DASHES[2], zorder=1)
        # One rail may deliver nearly what both do, so their names are apart.
        place, side = (0, "left") if "and" in rails else (1, "right")
        axis.annotate(f"rail {rails}", (place, rate), xycoords=("axes fraction", "data"), ha=side,
                      va="bottom", fontsize=8, color=style.MUTED)
    for position, (name, repetitions) in enumerate(contenders.items()):
        colour, _ = style.series(position)
        dash = style.DASHES[position % len(style.DASHES)]
        for course in repetitions.values():
            axis.plot(*zip(*course), color=colour, linewidth=0.5, alpha=0.25, zorder=2)
        axis.plot(*zip(*median_course(repetitions)), color=colour, linestyle=dash, label=name,
                  zorder=3)
    axis.set_ylim(bottom=0)
    axis.set_xlabel("seconds after the fault")
    axis.set_ylabel("bandwidth (MB/s)")
    axis.set_title(figure["title"])
    axis.grid(axis="y")
    style.legend_below(drawn, [axis], 4)
    return drawn

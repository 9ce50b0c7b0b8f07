"""Figures of run times: bars over the runs of a benchmark, one for each contender.

runtimes.csv has a row for each run and contender. Which figures are made of it stands in the
experiment's runtimes.json:

    {"figures": [{
       "name": "class-c", "title": "...", "value": "over_unprotected", "class": "C",
       "contenders": ["reliable", "reliable, crc32c"]}]}

"value" is a column of ratios, drawn as percent above 1; "class": these runs only. Where the paper
has the same ratio ("published": its column) it is drawn beside ours. A figure none of whose runs is
there is not drawn: `--job` plays one of them all.
"""

from . import bench_figures, results, style

_COLUMNS = ["benchmark", "class", "processes", "contender", "over_unprotected", "over_unsummed",
            "published_over_unsummed"]
_VALUES = ("over_unprotected", "over_unsummed")
_PUBLISHED = "published_over_unsummed"
_KEYS = {"name", "title", "value", "class", "contenders", "published"}


def write(folder, declaration):
    """Draws what `declaration` names into folder/figures; returns the paths without their ending.
    Raises ResultsError."""
    rows = list(results.read_table(folder, "runtimes.csv", _COLUMNS))
    declared = _declared(declaration)

    bars = {figure["name"]: _bars_of(folder, figure, rows) for figure in declared}
    shown = [figure for figure in declared if bars[figure["name"]]]
    if not shown:
        raise results.ResultsError(
            f"{declaration}: its figures show runs of which {folder}/runtimes.csv has none.")
    return bench_figures.write(folder, shown, lambda figure: _draw(figure, bars[figure["name"]]))


def check(reader, pointer, figure):
    """Whether a figure is declared as above; raises ResultsError."""
    reader.keys(pointer, figure, _KEYS)
    reader.one_of(f"{pointer}/value", figure.get("value"), *_VALUES)
    for index, name in enumerate(reader.listed(f"{pointer}/contenders", figure.get("contenders"))):
        reader.text(f"{pointer}/contenders/{index}", name)
    if "class" in figure:
        reader.text(f"{pointer}/class", figure["class"])
    if "published" in figure:
        reader.one_of(f"{pointer}/published", figure["published"], _PUBLISHED)


def _declared(path):
    return bench_figures.checked(path, bench_figures.read(path), "figures", check)


def _percent(folder, line, row, column):
    """None where the table has nothing."""
    value = results.cell(folder, "runtimes.csv", line, row, column, float, optional=True)
    return None if value is None else 100 * (value - 1)


def _bars_of(folder, figure, rows):
    """[(label of the run, {name of the bar: percent})] in the order of the table."""
    runs = {}
    for line, row in rows:
        if figure.get("class", row["class"]) != row["class"]:
            continue
        if row["contender"] not in figure["contenders"]:
            continue
        bars = runs.setdefault(f"{row['benchmark']} {row['processes']}", {})
        bars[row["contender"]] = _percent(folder, line, row, figure["value"])
        if figure.get("published"):
            bars[row["contender"] + ", published"] = \
                _percent(folder, line, row, figure["published"])
    return list(runs.items())


def _draw(figure, runs):
    drawn, grid = style.figure(3.6)
    axis = grid[0][0]
    names = list(dict.fromkeys(name for _, bars in runs for name in bars))
    width = 0.8 / len(names)
    for position, name in enumerate(names):
        published = name.endswith(", published")
        of = name.removesuffix(", published")
        colour, _ = style.series(figure["contenders"].index(of))
        places = [run - 0.4 + (position + 0.5) * width for run in range(len(runs))]
        axis.bar(places, [bars.get(name) or 0 for _, bars in runs], width=0.9 * width,
                 color=style.PAPER if published else colour, edgecolor=colour,
                 hatch="///" if published else None, linewidth=0.8, label=name, zorder=2)
    axis.set_xticks(range(len(runs)), [label for label, _ in runs])
    axis.axhline(0, color=style.INK, linewidth=0.8, zorder=3)
    axis.set_ylabel("longer run time (%)")
    axis.set_title(figure["title"])
    axis.grid(axis="y")
    style.legend_below(drawn, [axis], 2)
    return drawn

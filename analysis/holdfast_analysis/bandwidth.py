"""Figures of bandwidth: bars over contenders, or lines over the length of a message.

bandwidth.csv has a row for each contender and length: the median and its 95 % interval, in bytes
per second. Which figures are made of it stands in the experiment's bandwidth.json:

    {"figures": [{
       "name": "alone", "title": "...", "measurement": "checksum", "limits": ["memory_read"],
       "references": [{"contender": "crc32c", "bytes_per_s": 6e9, "source": "csum, section 3"}]}]}

One length: bars; several: lines, of bandwidth or, with "quantity": "time", of the time that a
message takes at this bandwidth, which of a ping-pong is half a round trip. "limits" are what cannot
be exceeded, and drawn as such; they are rows of the same measurement, so of the same rounds.
"references": what a paper published.
"""

from . import bench_figures, results, style

_GIGA = 1e9
_MICRO = 1e-6
_KEYS = {"name", "title", "measurement", "limits", "references", "quantity"}
_REFERENCE_KEYS = {"contender", "bytes_per_s", "source"}
# A label that begins this share of the axis before a reference would lie under it.
_LABEL_SHARE = 0.12


def write(folder, declaration):
    """Draws what `declaration` names into folder/figures; returns the paths without their ending.
    Raises ResultsError."""
    figures = bench_figures.checked(declaration, bench_figures.read(declaration), "figures",
                                    check)
    rows = _read(folder)
    figures = bench_figures.present(
        declaration, figures, lambda figure: figure["measurement"], f"{folder}/bandwidth.csv",
        [row["measurement"] for row in rows])

    def draw(figure):
        shown = bench_figures.of_measurement(figure, rows)
        if figure.get("quantity") == "time":
            shown = [_as_time(row) for row in shown]
        many = len({row["bytes"] for row in shown}) > 1
        return (_lines if many else _bars)(figure, shown)

    return bench_figures.write(folder, figures, draw)


def check(reader, pointer, figure):
    """Whether a figure is declared as above; raises ResultsError."""
    reader.keys(pointer, figure, _KEYS)
    reader.text(f"{pointer}/measurement", figure.get("measurement"))
    reader.one_of(f"{pointer}/quantity", figure.get("quantity", "bandwidth"), "bandwidth", "time")
    for index, limit in enumerate(reader.listed(f"{pointer}/limits", figure.get("limits", []))):
        reader.text(f"{pointer}/limits/{index}", limit)

    def check_value(here, reference):
        reader.text(f"{here}/contender", reference.get("contender"))
        reader.number(f"{here}/bytes_per_s", reference.get("bytes_per_s"), positive=True)

    bench_figures.check_references(reader, pointer, figure, _REFERENCE_KEYS, check_value)


def _read(folder):
    rows = results.read_medians(folder, "bandwidth.csv", "bytes_per_s", _GIGA)
    for row in rows:
        if min(row["low"], row["median"], row["high"]) <= 0:
            raise results.ResultsError(
                f"{folder}/bandwidth.csv: {row['measurement']} of {row['contender']} has a "
                "bandwidth that is not above zero. Run the benchmark again.")
    return rows


def _as_time(row):
    """The same row in microseconds a message; what was high is low."""
    def time(rate):
        return row["bytes"] / (rate * _GIGA) / _MICRO

    return {**row, "median": time(row["median"]), "low": time(row["high"]),
            "high": time(row["low"])}


def _axis_label(figure):
    return "time (µs)" if figure.get("quantity") == "time" else "bandwidth (GB/s)"


def _bars(figure, rows):
    """A bar for each contender, the fastest on top; limits hatched, references as diamonds."""
    rows = sorted(rows, key=lambda row: row["median"])
    drawn, grid = style.figure(0.9 + 0.24 * len(rows))
    axis = grid[0][0]
    limits = figure.get("limits", [])
    published = {reference["contender"]: reference["bytes_per_s"] / _GIGA
                 for reference in figure.get("references", [])}
    longest = 1.12 * max(row["high"] for row in rows)
    for place, row in enumerate(rows):
        limit = row["contender"] in limits
        axis.barh(place, row["median"], height=0.62, zorder=2,
                  color=style.FAINT if limit else style.SERIES[0],
                  edgecolor=style.MUTED if limit else style.SERIES[0],
                  hatch="///" if limit else None, linewidth=0.6)
        axis.plot([row["low"], row["high"]], [place, place], color=style.INK, linewidth=1.2,
                  zorder=3)
        end, reference = max(row["high"], row["median"]), published.get(row["contender"], 0)
        is_beside = end <= reference < end + _LABEL_SHARE * longest
        axis.annotate(f"{row['median']:.1f}", (reference if is_beside else end, place),
                      xytext=(7 if is_beside else 4, 0), textcoords="offset points", va="center",
                      fontsize=8)
    places = {row["contender"]: place for place, row in enumerate(rows)}
    title = "published"
    for contender, reference in published.items():
        if contender in places:
            axis.plot(reference, places[contender], zorder=4,
                      linestyle="none", marker="D", markersize=5.5, markerfacecolor=style.PAPER,
                      markeredgecolor=style.SERIES[1], label=title)
            title = "_nolegend_"
    axis.set_yticks(range(len(rows)), [row["contender"] for row in rows])
    axis.set_xlabel(_axis_label(figure))
    axis.set_xlim(0, longest)
    axis.set_title(figure["title"])
    axis.grid(axis="x")
    if title == "_nolegend_":
        axis.legend(loc="lower right")
    return drawn


def _lines(figure, rows):
    """A line for each contender over the length, with the interval of its median; limits grey."""
    drawn, grid = style.figure(4.4)
    axis = grid[0][0]
    limits = figure.get("limits", [])
    names = sorted(dict.fromkeys(row["contender"] for row in rows), key=lambda name: name in limits)
    for position, name in enumerate(names):
        mine = sorted((row for row in rows if row["contender"] == name),
                      key=lambda row: row["bytes"])
        colour, marker = style.series(position)
        if name in limits:
            colour, marker = style.MUTED, None
        lengths = [row["bytes"] for row in mine]
        axis.plot(lengths, [row["median"] for row in mine], color=colour, marker=marker,
                  markersize=4, label=name, zorder=3,
                  linestyle=style.DASHES[position // len(style.SERIES) % len(style.DASHES)])
        axis.fill_between(lengths, [row["low"] for row in mine], [row["high"] for row in mine],
                          color=colour, alpha=0.14, linewidth=0, zorder=1)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_yticks(_ticks(rows), [f"{tick:g}" for tick in _ticks(rows)])
    axis.minorticks_off()
    lengths = sorted({row["bytes"] for row in rows})
    axis.set_xticks(lengths, [length_text(bytes_) for bytes_ in lengths])
    axis.set_xlabel("length of the message")
    axis.set_ylabel(_axis_label(figure))
    axis.set_title(figure["title"])
    axis.grid()
    style.legend_below(drawn, [axis], 5)
    return drawn


def _ticks(rows):
    least, most = min(row["low"] for row in rows), max(row["high"] for row in rows)
    ticks = [step * 10.0 ** power for power in range(-6, 6) for step in (1, 2, 5)]
    return [tick for tick in ticks if least / 2 <= tick <= 2 * most]


def length_text(bytes_):
    """Of a message: 64 KiB, 8 B."""
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if bytes_ >= size:
            return f"{bytes_ // size} {unit}"
    return f"{bytes_} B"

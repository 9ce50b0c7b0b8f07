"""The time line of each failure: crash, suspicion, first verdict, last process informed, repair,
rejoined.

Suspicion and verdict are one moment, drawn as one, unless observers hold their verdicts back.
The spans between them differ by a factor of a million, so each has a column of its own, which
begins where the one before ended; within a column, lengths compare. Drawn are the failures of the
first replicate of each sweep point, since those of the others are alike when they are scripted.
"""

import math

from matplotlib.lines import Line2D

from . import style, units

MOST_ROWS = 27  # beyond, only the slowest are drawn
SPANS = [("crash to suspicion", "v"), ("to first verdict", "D"), ("to last informed", "o"),
         ("to repair", "^"), ("to rejoined", "s")]
EVENTS = ["suspicion", "first verdict", "last process informed", "repair",
          "rejoined: nobody believes it failed"]  # the ends of SPANS
AT_ONCE = ("crash to first verdict", "D")  # instead of the first two if nothing is held
ALWAYS = 3  # so many spans are told of each failure: that they never ended, too


def spans_of(failure):
    """The length of each span of SPANS in seconds; None where it did not end."""
    held = None
    if failure.suspicion_s is not None and failure.detection_s is not None:
        held = failure.detection_s - failure.suspicion_s
    repair = None
    if failure.repaired_at_s is not None:
        known = failure.at_s + (failure.detection_s or 0.0) + (failure.propagation_s or 0.0)
        repair = max(0.0, failure.repaired_at_s - known)
    return [failure.suspicion_s, held, failure.propagation_s, repair, failure.rejoin_s]


def verdicts_wait(rows):
    """Whether any verdict came later than the suspicion."""
    return any(failure.suspicion_s != failure.detection_s for _, failure in rows)


def chosen(results):
    """(rows as (point, failure), how many there are in all)."""
    rows = []
    for point in results.points:
        number = int(point.replicates[0]["replicate"])
        rows += [(point, failure) for failure in point.effective() if failure.replicate == number]
    # The same failure of all sweep points together.
    rows.sort(key=lambda row: (row[1].at_s, row[1].what, row[1].which,
                               results.points.index(row[0])))
    if len(rows) <= MOST_ROWS:
        return rows, len(rows)

    def slowness(row):
        detection, propagation = row[1].detection_s, row[1].propagation_s
        return math.inf if detection is None or propagation is None else detection + propagation
    slowest = sorted(rows, key=slowness, reverse=True)[:MOST_ROWS]
    return [row for row in rows if row in slowest], len(rows)


def draw(results):
    """The figure, or None when nothing failed."""
    rows, _ = chosen(results)
    if not rows:
        return None
    held = verdicts_wait(rows)
    columns = [index for index in range(len(SPANS)) if (index != 1 or held) and
               (index < ALWAYS or any(spans_of(failure)[index] is not None for _, failure in rows))]
    titles = SPANS if held else [AT_ONCE] + SPANS[1:]
    drawn, grid = style.figure(0.95 + 0.24 * len(rows), columns=len(columns), sharey=True,
                               width_inches=9.0)
    for axis, index in zip(grid[0], columns):
        _draw_column(axis, index, titles[index], [(results.points.index(point), spans_of(failure))
                                                  for point, failure in rows])
    axis = grid[0][0]
    axis.set_yticks(range(len(rows)), [_label(results, point, failure) for point, failure in rows])
    axis.set_ylim(len(rows) - 0.4, -0.6)
    _add_legend(drawn, results, [(titles[index][1], EVENTS[index]) for index in columns]
                if held else [("D", "suspicion and first verdict")]
                + [(titles[index][1], EVENTS[index]) for index in columns[1:]])
    return drawn


def _label(results, point, failure):
    moment = results.date_text(failure.at_s) if results.start else units.moment_text(failure.at_s)
    which = failure.which if len(failure.which) <= 16 else failure.which[:15] + "…"
    name = f"{failure.what} {which}" if failure.what == "process" else which
    return ", ".join([moment, name] + ([point.label] if point.label else [])).replace("$", r"\$")


def _draw_column(axis, index, drawn_as, rows):
    title, marker = drawn_as
    finite = [spans[index] for _, spans in rows if spans[index] is not None]
    greatest = max(finite, default=1.0) or 1.0
    axis.set_title(title, fontsize=8.5)
    axis.set_xlim(0, greatest * 1.45)
    axis.set_xticks([])
    axis.tick_params(axis="y", length=0)
    for side in ("left", "bottom"):
        axis.spines[side].set_visible(False)
    axis.axvline(0, color=style.FAINT, linewidth=1.0, zorder=0)
    for row, (position, spans) in enumerate(rows):
        colour, _ = style.series(position)
        if index == 0:
            axis.plot([0], [row], "x", color=style.INK, markersize=5, clip_on=False)
        begun = index == 0 or any(span is not None for span in spans[index:]) \
            or spans[index - 1] is not None
        if spans[index] is None:
            if begun and index < ALWAYS:
                axis.annotate("never", (0, row), xytext=(5, 0), textcoords="offset points",
                              va="center", fontsize=7.5, color=style.WARN)
            continue
        axis.plot([0, spans[index]], [row, row], color=colour, linewidth=3.2,
                  solid_capstyle="butt", alpha=0.75)
        axis.plot([spans[index]], [row], marker, color=style.INK, markersize=4.5, clip_on=False)
        axis.annotate(units.time_text(spans[index]), (spans[index], row), xytext=(6, 0),
                      textcoords="offset points", va="center", fontsize=7.5)


def _add_legend(drawn, results, events):
    """What the marks and colours mean."""
    def mark(sign, label):
        return Line2D([], [], linewidth=0, marker=sign, color=style.INK, markersize=4.5,
                      label=label)
    handles = [mark("x", "crash")] + [mark(sign, name) for sign, name in events]
    if len(results.points) > 1:
        shown = results.points[:len(style.SERIES)]
        handles += [Line2D([], [], color=style.series(position)[0], linewidth=3.2,
                           label=point.label) for position, point in enumerate(shown)]
    share = (0.1 + 0.19 * math.ceil(len(handles) / 4)) / drawn.get_figheight()
    drawn.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    drawn.legend(handles=handles, loc="lower center", ncols=min(4, len(handles)), fontsize=8,
                 borderaxespad=0.2)

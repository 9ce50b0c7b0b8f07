"""The figures of detection, propagation and messages. Each function returns a matplotlib figure, or
None when the results hold nothing for it. Detection (crash to first correct verdict) and
propagation (first verdict to last live process) never share an axis."""

import datetime
import math
from collections import defaultdict

import numpy
from matplotlib import ticker

from . import intervals, style, time_axes, units

# The columns of results.csv drawn as messages, with the words of a figure.
MESSAGES = [("notices", "notices"), ("acknowledgements", "acknowledge-\nments"),
            ("repeats", "repeats"), ("local_notices", "notices in\na node"),
            ("observes", "observe\nrequests"), ("differences", "differences,\nprobes")]
TIMES = [("detection_s", "Detection", "crash to first verdict"),
         ("propagation_s", "Propagation", "first verdict to last live process")]
MANY_POINTS = 2000  # dots beyond this are drawn as an image inside PDF and SVG
MOST_CURVES = 8     # more cumulative curves than this cannot be told apart
TIMELINE_FAILURES = 25  # at fewer moments than this a table says more than a timeline


def groups(results):
    """(point, what, failures) for every sweep point and kind of failed part that has failures.

    Deaths of processes and of nodes are never pooled: an agent reports the one at once, the other
    takes a timeout."""
    found = []
    for point in results.points:
        by_what = defaultdict(list)
        for failure in point.effective():
            by_what[failure.what].append(failure)
        found += [(point, what, by_what[what]) for what in sorted(by_what)]
    return found


def group_label(point, what):
    """The name of a group where groups are told apart."""
    return f"{point.label} · {what} deaths" if point.label else f"{what} deaths"


def _position(results, point):
    return results.points.index(point)


def _finite(values):
    return [value for value in values if value is not None]


def _swarm(values, axis):
    """Heights in [0, 0.5] that stack equal values upon each other."""
    transform = axis.xaxis.get_transform()
    places = transform.transform(numpy.asarray(values, dtype=float))
    low, high = transform.transform(numpy.asarray(axis.get_xlim()))
    bins = numpy.round((places - low) / (high - low) * 75).astype(int)
    tallest = numpy.bincount(bins - bins.min()).max()
    step = min(0.1, 0.5 / max(1, tallest - 1))
    seen, heights = defaultdict(int), []
    for place in bins:
        heights.append(seen[place] * step)
        seen[place] += 1
    return numpy.asarray(heights)


def _panels(results, height_of):
    """A row of panels for each kind of failed part, detection left and propagation right.

    height_of(number of groups): inches of one row. Returns the figure and, for each panel,
    (axis, column of failures.csv, groups)."""
    rows = groups(results)
    kinds = sorted({what for _, what, _ in rows})
    by_kind = [[row for row in rows if row[1] == kind] for kind in kinds]
    heights = [height_of(len(members)) for members in by_kind]
    drawn, grid = style.figure(sum(heights), rows=len(kinds), columns=2, sharey="row",
                               gridspec_kw={"height_ratios": heights})
    panels = []
    for kind, members, axes in zip(kinds, by_kind, grid):
        for axis, (column, title, meaning) in zip(axes, TIMES):
            time_axes.fit_x(axis, [getattr(failure, column) for _, _, failures in members
                                   for failure in failures], meaning)
            axis.set_title(f"{title} of {kind} deaths")
            panels.append((axis, column, members))
    return drawn, panels


def times(results):
    """Each failure as a dot, one row a sweep point; below it the median and its 95 % interval."""
    if not groups(results):
        return None
    drawn, panels = _panels(results, lambda count: 0.85 + (0.6 if count < 8 else 0.45) * count)
    for axis, column, members in panels:
        axis.grid(axis="x")
        axis.tick_params(axis="y", length=0)
        axis.spines["left"].set_visible(False)
        for row, (point, _, failures) in enumerate(members):
            _draw_row(axis, row, style.series(_position(results, point)),
                      [getattr(failure, column) for failure in failures])
        axis.set_ylim(len(members) - 0.5, -0.65)
        axis.set_yticks(range(len(members)), [point.label for point, _, _ in members])
        if column == TIMES[0][0]:
            _name_what_is_swept(axis, results)
    return drawn


def _name_what_is_swept(axis, results):
    """Beside rows that are labelled by the values of several keys: which these are."""
    if len(results.swept) > 1:
        axis.set_ylabel(", ".join(path.rsplit(".", 1)[-1] for path in results.swept),
                        fontsize=7.5, color=style.MUTED)


def _draw_row(axis, row, look, values):
    colour, marker = look
    finite = _finite(values)
    if finite:
        axis.scatter(finite, row - _swarm(finite, axis), s=13 if len(finite) <= 60 else 5,
                     marker=marker, color=colour, alpha=0.6, linewidths=0,
                     rasterized=len(finite) > MANY_POINTS, clip_on=False)
    summary = intervals.summarise(values)
    below = row + 0.24
    if summary.interval and math.isfinite(summary.interval[1]):
        axis.plot(summary.interval, [below, below], color=style.INK, linewidth=2.4,
                  solid_capstyle="butt", zorder=4)
    if summary.median is not None and math.isfinite(summary.median):
        axis.plot([summary.median], [below], marker="D", markersize=5, color=style.INK, zorder=5,
                  markeredgecolor=style.PAPER, markeredgewidth=0.8)
    if summary.never:
        axis.annotate(f"{summary.never} of {summary.count} never", (1, row - 0.5),
                      xycoords=("axes fraction", "data"), ha="right", va="center", fontsize=7.5,
                      color=style.MUTED)


def cumulative(results):
    """The share of failures known within a time: one curve a sweep point."""
    if not groups(results) or len(results.points) > MOST_CURVES:
        return None
    drawn, panels = _panels(results, lambda _: 2.3)
    for axis, column, members in panels:
        axis.grid()
        for point, _, failures in members:
            values = sorted(_finite(getattr(failure, column) for failure in failures))
            if not values:
                continue
            position = _position(results, point)
            shares = 100.0 * numpy.arange(1, len(values) + 1) / len(failures)
            axis.step([values[0]] + values, numpy.concatenate(([0], shares)), where="post",
                      color=style.series(position)[0], label=point.label, clip_on=False,
                      linestyle=style.DASHES[position % len(style.DASHES)])
        axis.set_ylim(0, 100)
        axis.set_yticks([0, 25, 50, 75, 100])
        if column == TIMES[0][0]:
            axis.set_ylabel("failures (%)")
    style.legend_below(drawn, [axis for axis, _, _ in panels], 4)
    return drawn


def timeline(results):
    """Every failure over the run's time, detection above, propagation below, both logarithmic."""
    rows = groups(results)
    if len({failure.at_s for _, _, failures in rows for failure in failures}) < TIMELINE_FAILURES:
        return None
    drawn, grid = style.figure(4.4, rows=2, sharex=True)
    last = results.duration_s or max(failure.at_s for _, _, failures in rows
                                     for failure in failures)
    divisor, unit = (86400.0, "days") if results.start else units.long_time_unit(last)
    for (axis,), (column, title, meaning) in zip(grid, TIMES):
        axis.set_title(f"{title}: {meaning}")
        axis.grid(axis="y")
        never = []
        for point, what, failures in rows:
            colour, marker = style.series(_position(results, point))
            known = [failure for failure in failures if getattr(failure, column) is not None]
            never += [failure.at_s / divisor for failure in failures
                      if getattr(failure, column) is None]
            axis.scatter([failure.at_s / divisor for failure in known],
                         [getattr(failure, column) for failure in known],
                         s=16 if len(known) <= 100 else 9, color=colour, alpha=0.6, linewidths=0,
                         marker=marker if what == "node" else "x" if len(rows) > 1 else marker,
                         rasterized=len(known) > MANY_POINTS,
                         label=group_label(point, what))
        time_axes.logarithmic_y(axis, [getattr(failure, column) for _, _, failures in rows
                                       for failure in failures])
        if never:
            axis.plot(never, [1.0] * len(never), "x", color=style.WARN, clip_on=False,
                      transform=axis.get_xaxis_transform(), markersize=5, markeredgewidth=1.2,
                      label="never, before the repair or the end")
    grid[1][0].set_xlim(0, last / divisor)
    if results.start:
        grid[0][0].tick_params(axis="x", which="minor", length=0)
        _calendar_ticks(grid[1][0], results.start, last / divisor)
    else:
        grid[1][0].set_xlabel(f"time of the failure ({unit} after the start)")
    style.legend_below(drawn, [axis for (axis,) in grid], 3)
    return drawn


def _calendar_ticks(axis, start, days):
    """Months along a year, days along a month."""
    end = start + datetime.timedelta(days=days)
    if days > 62:
        firsts = [datetime.datetime(start.year + month // 12, month % 12 + 1, 1)
                  for month in range(start.month - 1, 12 * (end.year - start.year) + end.month)]
        firsts = [moment for moment in firsts if moment < end]
        axis.set_xticks([(moment - start).days for moment in firsts], labels=[])
        axis.set_xticks([(moment - start).days + 15 for moment in firsts], minor=True,
                        labels=[moment.strftime("%b") for moment in firsts])
        axis.tick_params(axis="x", which="minor", length=0)
        axis.set_xlim(0, days)
        axis.set_xlabel(f"time of the failure ({start.year})")
    else:
        axis.set_xticks(range(0, math.ceil(days), 5),
                        labels=[str((start + datetime.timedelta(days=day)).day)
                                for day in range(0, math.ceil(days), 5)])
        axis.set_xlabel(f"time of the failure (day of {start.strftime('%B %Y')})")


def per_failure_and_process(row, column):
    """Frames of one kind of one replicate, per failure and process; None without failures."""
    divisor = float(row["failures"]) * float(row["processes"])
    return float(row.get(column) or 0) / divisor if divisor else None


def heartbeat_rate(row, duration_s):
    """Heartbeats per process and second of one replicate; None when the duration is unknown."""
    processes = float(row["processes"])
    if not duration_s or not processes:
        return None
    return float(row.get("heartbeats") or 0) / processes / duration_s


def messages(results):
    """Frames per failure and process, a panel a kind, and the heartbeat rate: medians over the
    replicates; of frames per failure, over those in which anything failed."""
    panels = []
    for column, title in MESSAGES:
        samples = [_finite(per_failure_and_process(row, column) for row in point.replicates)
                   for point in results.points]
        if any(value for values in samples for value in values):
            panels.append((title, samples))
    rates = [_finite(heartbeat_rate(row, results.duration_s) for row in point.replicates)
             for point in results.points]
    shared = len(panels)
    if any(value for values in rates for value in values):
        panels.append(("heartbeats", rates))
    if not panels:
        return None
    height = 1.25 + 0.36 * len(results.points)
    drawn, grid = style.figure(height, columns=len(panels), sharey=True)
    greatest = max((max(values, default=0) for _, samples in panels[:shared]
                    for values in samples), default=1)
    for position, (axis, (title, samples)) in enumerate(zip(grid[0], panels)):
        limit = greatest if position < shared else max(max(values, default=0)
                                                       for values in samples)
        _draw_bars(axis, title, samples, limit)
        axis.set_xlabel(" \n " if position < shared else "per process\nand second", loc="left")
    if shared:
        grid[0][0].set_xlabel("frames per failure and process\n", loc="left")
    grid[0][0].set_yticks(range(len(results.points)))
    grid[0][0].set_yticklabels([point.label or "all" for point in results.points])
    _name_what_is_swept(grid[0][0], results)
    if len(results.points) == 1:
        grid[0][0].set_yticks([])
    grid[0][0].set_ylim(len(results.points) - 0.4, -0.6)
    return drawn


def _draw_bars(axis, title, samples, limit):
    axis.set_title(title, fontsize=8.5, loc="left", va="bottom")
    for row, values in enumerate(samples):
        if not values:
            continue  # no failure in any replicate
        summary = intervals.summarise(values)
        axis.barh(row, summary.median, height=0.55, color=style.series(row)[0], linewidth=0)
        if summary.interval and summary.interval[1] > summary.interval[0]:
            axis.plot(summary.interval, [row, row], color=style.INK, linewidth=1.2)
        axis.annotate(units.small_text(summary.median),
                      (max(summary.median, summary.interval[1] if summary.interval else 0), row),
                      xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axis.set_xlim(0, limit * 1.5)
    axis.xaxis.set_major_locator(ticker.MaxNLocator(2))
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_color(style.MUTED)

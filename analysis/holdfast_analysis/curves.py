"""Draws the figures that an experiment declares: medians over something that was varied, with the
spread of the replicates, and beside them values from elsewhere: a paper's, or a closed form."""

import math

from matplotlib import ticker

from . import declared, style, time_axes, units

_PANEL_HEIGHT = 3.3
_SHARE_OF_BAND = 0.16  # its opacity
OUTSIDE = "outside"    # the gid of marks whose height is no value


def draw(figure, results):
    """The matplotlib figure of a declared one, or None when nothing of it can be drawn."""
    panels = declared.values_of(figure.panels, figure, results)
    series = declared.values_of(figure.series, figure, results)
    found = {(panel, one): declared.marks(figure, results, panel, one)
             for panel in panels for one in series}
    if not any(found.values()):
        return None
    along = _Along(figure, found.values(), len(series))
    drawn, grid = style.figure(_PANEL_HEIGHT, columns=len(panels), sharey=True)
    for axis, panel in zip(grid[0], panels):
        for position, one in enumerate(series):
            title = figure.series.title(one) if figure.series else "simulated"
            _draw_series(axis, position, title, found[panel, one], along, bool(figure.band))
        _draw_references(axis, figure, panel, series, along)
        axis.grid(axis="y")
        if figure.panels:
            axis.set_title(figure.panels.title(panel))
        _fit_x(axis, figure.x, along)
    _explain_outside(grid[0], [mark for marks in found.values() for mark in marks], along)
    _fit_y(grid[0], figure.y, [mark for marks in found.values() for mark in marks])
    style.legend_below(drawn, list(grid[0]), 3)
    return drawn


class _Along:
    """The places along x. names: texts in order of appearance; empty when x is a number. few:
    there is room to set the series at one place apart. positive_only: the other axis has no
    zero."""

    def __init__(self, figure, series, count):
        shown = figure.x
        self.positive_only = figure.y.scale == "log"
        found = list(dict.fromkeys(mark.x for marks in series for mark in marks))
        self.names = [x for x in found if isinstance(x, str)]
        self.places = list(range(len(found))) if self.names else sorted(found)
        self.few = bool(self.names) or shown.scale == "linear" and len(self.places) <= 8
        gaps = [b - a for a, b in zip(self.places, self.places[1:])]
        self._step = min(0.12, 0.5 / count) * min(gaps, default=1.0) if self.few else 0.0
        self._middle = (count - 1) / 2

    def has(self, x):
        """Whether x has a place: among names only those of the run have."""
        return x in self.names if self.names else not isinstance(x, str)

    def at(self, x, position):
        """Where the mark of the series of that position stands; None: in the middle."""
        place = self.names.index(x) if self.names else x
        return place if position is None else place + self._step * (position - self._middle)


def _draw_series(axis, position, title, marks, along, band):
    """Middles, and their spread as a bar at each place, or as lines and areas along many."""
    colour, marker = style.series(position)
    finite = [mark for mark in marks if math.isfinite(mark.middle)
              and (mark.middle > 0 or not along.positive_only)]
    places = [along.at(mark.x, position) for mark in finite]
    _draw_outside(axis, position, marks, along)
    axis.plot(places, [mark.middle for mark in finite], marker=marker, markersize=5, color=colour,
              linestyle="none" if along.few else style.DASHES[position % len(style.DASHES)],
              label=title, zorder=4, clip_on=along.positive_only)
    if band and not along.few:
        axis.fill_between(places, [mark.low for mark in finite], [mark.high for mark in finite],
                          color=colour, alpha=_SHARE_OF_BAND, linewidth=0, zorder=1)
        return
    width, opacity = (7, 0.3) if band else (1.2, 1)
    for at, mark in zip(places, finite):
        if mark.low < mark.high < math.inf:
            axis.plot([at, at], [mark.low, mark.high], color=colour, linewidth=width,
                      alpha=opacity, solid_capstyle="butt", zorder=3)


def _draw_outside(axis, position, marks, along):
    """Open marks for what the axis has no place for: never at its top, nothing at the bottom of a
    logarithmic one. A mark that is left out would look like a run that was left out."""
    colour, marker = style.series(position)
    outside = ((1.0, [mark for mark in marks if mark.middle == math.inf]),
               (0.0, [mark for mark in marks if mark.middle == 0 and along.positive_only]))
    for height, found in outside:
        if not found:
            continue
        axis.plot([along.at(mark.x, position) for mark in found], [height] * len(found),
                  marker=marker, markersize=5.5, markerfacecolor=style.PAPER, zorder=6,
                  markeredgecolor=colour, markeredgewidth=1.2, linestyle="none", clip_on=False,
                  transform=axis.get_xaxis_transform(), gid=OUTSIDE)


def _explain_outside(axes, marks, along):
    """The words for open marks, once, where they are used."""
    words = []
    if any(mark.middle == math.inf for mark in marks):
        words.append("open, at the top: never")
    if along.positive_only and any(mark.middle == 0 for mark in marks):
        words.append("open, at the bottom: 0")
    for text in words:
        axes[0].plot([], [], marker="o", markersize=5.5, markerfacecolor=style.PAPER,
                     markeredgecolor=style.MUTED, markeredgewidth=1.2, linestyle="none", label=text,
                     gid=OUTSIDE)


def _draw_references(axis, figure, panel, series, along):
    titled = set()  # several references may share a title, and then one entry of the legend
    for reference in figure.references:
        title = "_nolegend_" if reference.title in titled else reference.title
        titled.add(reference.title)
        if reference.panel is not None and reference.panel != panel:
            continue
        position = series.index(reference.series) if reference.series in series else None
        known = [(x, height) for x, height in reference.points if along.has(x)]
        places = [along.at(x, position) for x, _ in known]
        heights = [height for _, height in known]
        if reference.line:
            axis.plot(places, heights, color=style.MUTED, linewidth=1.0, label=title,
                      linestyle=style.DASHES[2], zorder=2)
            continue
        axis.plot(places, heights, linestyle="none", marker=style.series(position or 0)[1],
                  markersize=9, markerfacecolor="none", markeredgecolor=style.INK,
                  markeredgewidth=1.1, label=title, zorder=5)


def _fit_x(axis, shown, along):
    axis.set_xlabel(shown.label)
    places = along.places
    if along.names:
        axis.set_xticks(places, along.names)
        axis.set_xlim(-0.6, len(places) - 0.4)
        return
    if shown.scale == "log":
        axis.set_xscale("log")
        axis.xaxis.set_minor_locator(ticker.NullLocator())
        wanted = places if len(places) <= 8 else places[::math.ceil(len(places) / 8)]
        axis.set_xticks(wanted, [_number(place, shown, wanted) for place in wanted])
    elif len(places) <= 8:
        axis.set_xticks(places, [_number(place, shown, places) for place in places])
    margin = 0.1 * (places[-1] - places[0]) or 0.5
    if shown.scale == "log":
        axis.set_xlim(places[0] / 1.5, places[-1] * 1.5)
    else:
        axis.set_xlim(places[0] - margin, places[-1] + margin)


def _number(value, axis, all_values):
    """A place along x for people; powers of two beyond a thousand as such."""
    exponent = math.log2(value) if value > 0 else 0.5
    if max(all_values) > 1000 and exponent.is_integer():
        return f"$2^{{{int(exponent)}}}$"
    if "time" in axis.columns[0] or "period" in axis.columns[0] or axis.is_time:
        return time_axes.tick_text(value)
    return f"{value:,g}"


def _fit_y(axes, shown, marks):
    values = [value for axis in axes for line in axis.get_lines() if line.get_gid() != OUTSIDE
              for value in line.get_ydata()]
    values += [mark.high for mark in marks]
    values = [value for value in values if math.isfinite(value)]
    if shown.scale == "log" and any(value > 0 for value in values):
        if shown.is_time:
            time_axes.logarithmic_y(axes[0], values)
        else:
            axes[0].set_yscale("log")
            axes[0].yaxis.set_minor_locator(ticker.NullLocator())
        axes[0].set_ylabel(shown.label)
        return
    axes[0].set_ylim(0, 1.06 * max(values, default=1.0) or 1.0)
    if not shown.is_time:
        axes[0].set_ylabel(shown.label)
        if not shown.per and shown.divisor == 1:  # a count
            axes[0].yaxis.set_major_locator(ticker.MaxNLocator("auto", integer=True))
        return
    divisor, unit = units.time_unit(max(values, default=1.0))
    axes[0].yaxis.set_major_locator(time_axes.UnitLocator(divisor, 5, (1, 2, 5, 10)))
    axes[0].yaxis.set_major_formatter(ticker.FuncFormatter(
        lambda value, _: f"{round(value / divisor, 6):g}"))
    axes[0].set_ylabel(f"{shown.label} ({unit})")

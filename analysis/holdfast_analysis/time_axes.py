"""Axes that show times: scales, ticks and labels in a unit that reads well. Values are seconds."""

import math

from matplotlib import ticker

from . import units


def fit_x(axis, values, label):
    """Scale and tick labels for times on the x axis: linear in one unit, or logarithmic when they
    span more than a factor of 100."""
    finite = [value for value in values if value is not None]
    least, greatest = min(finite, default=0.0), max(finite, default=1.0)
    positive = [value for value in finite if value > 0]
    if positive and greatest > 100 * min(positive):
        if least <= 0:
            axis.set_xscale("symlog", linthresh=min(positive))
        else:
            axis.set_xscale("log")
        axis.set_xlim(least / 1.5, greatest * 1.5)
        axis.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: tick_text(value)))
        axis.xaxis.set_minor_locator(ticker.NullLocator())
        axis.set_xlabel(label)
        return
    divisor, unit = units.time_unit(greatest)
    margin = 0.08 * ((greatest - least) or greatest or 1.0)
    axis.set_xlim(0 if least < greatest / 3 else least - margin, greatest + margin)
    axis.xaxis.set_major_locator(UnitLocator(divisor))
    axis.xaxis.set_major_formatter(ticker.FuncFormatter(
        lambda value, _: f"{round(value / divisor, 6):g}"))
    axis.set_xlabel(f"{label} ({unit})")


def logarithmic_y(axis, values):
    """A logarithmic y axis for times, at least a factor of ten high, labelled with units."""
    positive = [value for value in values if value]
    if not positive:
        return
    low, high = min(positive) / 1.5, max(positive) * 1.5
    if high < 10 * low:
        middle = math.sqrt(low * high)
        low, high = middle / math.sqrt(10), middle * math.sqrt(10)
    axis.set_yscale("log")
    axis.set_ylim(low, high)
    axis.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if high < 200 * low else (1,)))
    axis.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: tick_text(value)))
    axis.yaxis.set_minor_locator(ticker.NullLocator())


class UnitLocator(ticker.MaxNLocator):
    """Round ticks in the unit that the axis is labelled with."""

    def __init__(self, divisor, count=4, steps=(1, 2, 2.5, 5, 10)):
        super().__init__(count, steps=list(steps))
        self._divisor = divisor

    def tick_values(self, vmin, vmax):
        return super().tick_values(vmin / self._divisor, vmax / self._divisor) * self._divisor


def tick_text(seconds):
    if seconds <= 0:
        return "0"
    divisor, unit = units.time_unit(seconds * (1 + 1e-9))
    return f"{round(seconds / divisor, 6):g} {unit}"

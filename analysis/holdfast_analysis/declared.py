"""The figures that an experiment declares for itself: what figures.json says, and the values drawn.

figures.json stands beside the experiment's README.md:

    {"standard": ["messages"],
     "figures": [{
       "name": "detection", "title": "...", "caption": "...",
       "x": {"column": "failures.0.count", "label": "simultaneous deaths"},
       "y": {"column": "detection_max_s", "label": "crash to the last first verdict"},
       "panels": {"column": "failures.0.which", "titles": {"random": "random ranks"}},
       "series": {"column": "detector.order", "titles": {"rank": "rank order"}},
       "band": [5, 95],
       "references": [{"title": "paper, rank order", "panel": "16", "series": "rank",
                       "source": "ring, figure 4 right", "points": [[1, 1.0], [2, 3.0]]}]}]}

One mark is one sweep point: the median over its replicates of a column of results.csv, or of a sum
of columns ("columns") over a product of others ("per") or over a number ("divisor", of x as well).
"of_failure": n takes the column from failures.csv instead, of the n-th failure of each replicate in
order of time; replicates in which nobody detected it give no value. "band": these percentiles of
the replicates as a band; without it, the 95 % interval of the median as a line. "statistic": "mean"
is the mean of the replicates instead, for rates of rare things, with its 95 % interval from their
variance. "where": only the sweep points that have these values in these columns. "references":
values from elsewhere, such as those that a paper published or a closed form, with their source.
"standard": which of the figures that every run has are wanted beside; without the key, all.

Times are seconds. A cell of a time that is empty means that it never happened: more than all
others; or, where nothing failed, no mistake was made or no cut healed, that there is no value.
"""

import difflib
import json
import math
import os
from dataclasses import dataclass
from statistics import NormalDist
from typing import Dict, List, Optional, Tuple

from . import intervals, standard, units
from .reader import Reader
from .results import ResultsError

FAILURE_COLUMNS = ["suspicion_s", "detection_s", "propagation_s", "repaired_at_s", "rejoin_s",
                   "missed", "processes"]
_AXIS_KEYS = {"column", "columns", "per", "divisor", "of_failure", "label", "scale"}
_SPLIT_KEYS = {"column", "titles"}
_FIGURE_KEYS = {"name", "title", "caption", "x", "y", "panels", "series", "band", "references",
                "where", "statistic"}
_REFERENCE_KEYS = {"title", "panel", "series", "source", "points", "line"}


@dataclass(frozen=True)
class Axis:
    """What an axis shows: the sum of `columns` over the product of `per`."""
    columns: Tuple[str, ...]
    per: Tuple[str, ...]
    label: str
    scale: str  # linear or log
    divisor: float
    of_failure: Optional[int]  # None: of the replicate

    @property
    def is_time(self):
        return self.columns[0].endswith("_s")


@dataclass(frozen=True)
class Split:
    """What tells panels or series apart: a column, and what its values are called."""
    column: str
    titles: Dict[str, str]

    def title(self, value):
        return self.titles.get(value, value)


@dataclass(frozen=True)
class Reference:
    """Values from elsewhere. panel, series: where they belong; None: everywhere."""
    title: str
    source: str
    panel: Optional[str]
    series: Optional[str]
    points: Tuple[Tuple[object, float], ...]
    line: bool  # a closed form: joined by a line, without marks


@dataclass(frozen=True)
class Figure:
    name: str
    title: str
    caption: str
    x: Axis
    y: Axis
    panels: Optional[Split]
    series: Optional[Split]
    band: Optional[Tuple[float, float]]
    where: Dict[str, str]
    statistic: str  # median or mean
    references: Tuple[Reference, ...]


@dataclass(frozen=True)
class Declared:
    figures: List[Figure]
    standard: Optional[List[str]]  # None: all


@dataclass(frozen=True)
class Mark:
    """One sweep point of one series: its place, and its replicates described."""
    x: object  # a number, or a text where an axis has names
    low: float
    middle: float  # the median, or the mean
    high: float
    count: int
    never: int


def read(folder, elsewhere=None):
    """What the figures.json in `folder` declares, if there is one; elsewhere: the file instead.
    Raises ResultsError."""
    path = elsewhere or os.path.join(folder, "figures.json")
    if not os.path.exists(path):
        if elsewhere:
            raise ResultsError(f"{path}: missing. Name the experiment's figures.json, or leave "
                               "--figures out.")
        return Declared([], None)
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path}: not valid JSON ({error}).") from error
    reader = _Reader(path)
    reader.keys("", document, {"figures", "standard"})
    figures = [reader.figure(f"/figures/{index}", entry)
               for index, entry in enumerate(reader.listed("/figures", document.get("figures")))]
    return Declared(figures, reader.standard("/standard", document.get("standard")))


class _Reader(Reader):
    """Turns JSON into the values above."""

    def standard(self, pointer, value):
        if value is None:
            return None
        for index, name in enumerate(self.listed(pointer, value)):
            if name not in standard.NAMES:
                near = difflib.get_close_matches(str(name), standard.NAMES, 1)
                hint = f' (did you mean "{near[0]}"?)' if near else ""
                raise self.wrong(f"{pointer}/{index}",
                                 f"one of {', '.join(standard.NAMES)}{hint}")
        return value

    def axis(self, pointer, value):
        self.keys(pointer, value, _AXIS_KEYS)
        columns = self.listed(f"{pointer}/columns", value.get("columns", [value.get("column")]))
        for name in columns or [None]:
            self.text(f"{pointer}/column", name)
        scale = self.one_of(f"{pointer}/scale", value.get("scale", "linear"), "linear", "log")
        per = self.listed(f"{pointer}/per", value.get("per", []))
        for name in per:
            self.text(f"{pointer}/per", name)
        of_failure = value.get("of_failure")
        if of_failure is not None:
            self.of_failure(pointer, of_failure, columns)
        return Axis(tuple(columns), tuple(per),
                    self.text(f"{pointer}/label", value.get("label")), scale,
                    self.number(f"{pointer}/divisor", value.get("divisor", 1), positive=True),
                    of_failure)

    def of_failure(self, pointer, value, columns):
        self.count(f"{pointer}/of_failure", value, "a whole number, 0 for the first failure")
        for column in columns:
            if column not in FAILURE_COLUMNS:
                raise self.wrong(f"{pointer}/column", "with of_failure one of "
                                 + ", ".join(FAILURE_COLUMNS))

    def split(self, pointer, value):
        if value is None:
            return None
        self.keys(pointer, value, _SPLIT_KEYS)
        return Split(self.text(f"{pointer}/column", value.get("column")),
                     self.texts(f"{pointer}/titles", value.get("titles", {})))

    def texts(self, pointer, value):
        if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
            raise self.wrong(pointer, "an object of texts")
        return value

    def reference(self, pointer, value):
        self.keys(pointer, value, _REFERENCE_KEYS)
        points = []
        for index, point in enumerate(self.listed(f"{pointer}/points", value.get("points"))):
            here = f"{pointer}/points/{index}"
            if not isinstance(point, list) or len(point) != 2:
                raise self.wrong(here, "a place along x and a height")
            if not isinstance(point[0], str):
                self.number(f"{here}/0", point[0])
            points.append((point[0], self.number(f"{here}/1", point[1])))
        return Reference(self.text(f"{pointer}/title", value.get("title")),
                         self.text(f"{pointer}/source", value.get("source")), value.get("panel"),
                         value.get("series"), tuple(points), bool(value.get("line", False)))

    def figure(self, pointer, value):
        self.keys(pointer, value, _FIGURE_KEYS)
        band = value.get("band")
        if band is not None and (len(self.listed(f"{pointer}/band", band)) != 2 or
                                 not 0 <= self.number(f"{pointer}/band/0", band[0])
                                 < self.number(f"{pointer}/band/1", band[1]) <= 100):
            raise self.wrong(f"{pointer}/band", "two percentiles, the lower first")
        name = self.name(f"{pointer}/name", value.get("name"))
        references = self.listed(f"{pointer}/references", value.get("references", []))
        where = self.texts(f"{pointer}/where", value.get("where", {}))
        statistic = self.one_of(f"{pointer}/statistic", value.get("statistic", "median"), "median",
                                "mean")
        return Figure(
            name, self.text(f"{pointer}/title", value.get("title")), value.get("caption", ""),
            self.axis(f"{pointer}/x", value.get("x")), self.axis(f"{pointer}/y", value.get("y")),
            self.split(f"{pointer}/panels", value.get("panels")),
            self.split(f"{pointer}/series", value.get("series")), tuple(band) if band else None,
            where, statistic,
            tuple(self.reference(f"{pointer}/references/{index}", entry)
                  for index, entry in enumerate(references)))


def take_settings(figures, results):
    """What was set for this run instead of being swept is no column of results.csv, but one value
    of the configuration: rows get it from there, so that a narrower run has its figures too."""
    named = {column for figure in figures
             for column in [*figure.x.columns, *figure.where,
                            *(split.column for split in (figure.panels, figure.series) if split)]}
    for column in named - set(results.points[0].replicates[0]):
        value = _setting(results.resolved, column)
        if value is None:
            continue
        text = value if isinstance(value, str) else json.dumps(value)
        for point in results.points:
            for row in point.replicates:
                row[column] = text


def _setting(value, path):
    """What the configuration has at a dotted path; None: nothing."""
    for step in path.split("."):
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return None
    return value


def points_of(figure, results):
    """The sweep points that the figure shows."""
    return [point for point in results.points
            if all(cell(point.replicates[0], column) == value
                   for column, value in figure.where.items())]


def values_of(split, figure, results):
    """The values by which `split` tells the figure's points apart, in order of appearance."""
    if split is None:
        return [None]
    found = []
    for point in points_of(figure, results):
        value = cell(point.replicates[0], split.column)
        if value not in found:
            found.append(value)
    return found


def cell(row, column):
    if column not in row:
        raise ResultsError(f"figures.json names the column {column}, which results.csv does not "
                           f"have; it has {', '.join(row)}.")
    return row[column]


def _amount(text, axis):
    """What the text says: a number, over the axis's divisor; or a time in seconds; else None."""
    try:
        return float(text) / axis.divisor
    except ValueError:
        return units.seconds_of(text)


def places(figure, results):
    """Where each sweep point of the figure stands along x, by its index: an amount, or all of them
    texts if one is no amount."""
    texts = {point.index: cell(point.replicates[0], figure.x.columns[0])
             for point in points_of(figure, results)}
    amounts = {index: _amount(text, figure.x) for index, text in texts.items()}
    return texts if None in amounts.values() else amounts


def _failure_height(failures, axis):
    """The value of one failure of a replicate, likewise; None also where there was none."""
    if axis.of_failure >= len(failures) or failures[axis.of_failure].detection_s is None:
        return None
    values = [getattr(failures[axis.of_failure], column) for column in axis.columns]
    return math.inf if None in values else sum(map(float, values)) / axis.divisor


def _heights(point, axis):
    if axis.of_failure is None:
        return [_height(row, axis) for row in point.replicates]
    by_replicate = {}
    for failure in point.failures:
        by_replicate.setdefault(failure.replicate, []).append(failure)
    return [_failure_height(failures, axis) for failures in by_replicate.values()]


def _height(row, axis):
    """The value of one replicate; inf: never; None: there is none."""
    total = 0.0
    for column in axis.columns:
        text = cell(row, column)
        if not text:
            return math.inf if axis.is_time and _should_have_come(row, column) else None
        total += _number(row, column)
    for column in axis.per:
        divisor = _number(row, column)
        if not divisor:
            return None
        total /= divisor
    return total / axis.divisor


def _number(row, column):
    text = cell(row, column)
    try:
        return float(text)
    except ValueError:
        raise ResultsError(f"figures.json draws the column {column}, which holds \"{text}\" in "
                           "results.csv; expected a column of numbers.") from None


def _should_have_come(row, column):
    """Whether an empty time means never, and not that there was nothing to measure: no failure to
    detect, no mistake to last, no cut to heal."""
    if column.startswith(("detection_", "propagation_", "known_")):
        return row.get("failures") != "0"
    if column.startswith("reconcile_"):  # of several cuts that healed, some were
        return row.get("reconciled") not in (None, "", "0")
    return not column.startswith("mistake_m")


def percentile(ordered, share):
    """The smallest of the sorted values that at least `share` percent do not exceed."""
    return ordered[max(0, math.ceil(share / 100 * len(ordered)) - 1)]


def _described(ordered, figure):
    """(middle, low, high) of the sorted values of the replicates."""
    if figure.statistic == "mean":
        middle = sum(ordered) / len(ordered)
        variance = (sum((value - middle) ** 2 for value in ordered) / (len(ordered) - 1)
                    if len(ordered) > 1 else math.nan)
        margin = NormalDist().inv_cdf(0.975) * math.sqrt(variance / len(ordered))
        low, high = middle - margin, middle + margin
    else:
        middle = intervals.median_of(ordered)
        low, high = intervals.summarise(ordered).interval or (math.nan, math.nan)
    if figure.band:
        low, high = (percentile(ordered, share) for share in figure.band)
    return middle, low, high


def marks(figure, results, panel, series):
    """The Marks of one series in one panel, by place."""
    found, along = [], places(figure, results)
    for point in points_of(figure, results):
        first = point.replicates[0]
        if any(split is not None and cell(first, split.column) != value
               for split, value in ((figure.panels, panel), (figure.series, series))):
            continue
        heights = _heights(point, figure.y)
        ordered = sorted(height for height in heights if height is not None)
        if not ordered:
            continue
        middle, low, high = _described(ordered, figure)
        found.append(Mark(along[point.index], low, middle, high, len(ordered),
                          sum(1 for height in ordered if math.isinf(height))))
    if all(isinstance(mark.x, float) for mark in found):
        found.sort(key=lambda mark: mark.x)
    return found

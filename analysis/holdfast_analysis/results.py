"""Reads a results folder into values, and says clearly what is wrong with one that cannot be read.

Needed: resolved.json, results.csv, failures.csv. Read when present: run.json, topology.json,
mapping.csv, README.md (the experiment's). Times are seconds, rates bits per second.
"""

import csv
import datetime
import io
import json
import os
from dataclasses import dataclass, field
from typing import Dict, List, Optional

from . import units


class ResultsError(Exception):
    """A results folder that cannot be read: which file, where, what was expected, the remedy."""


@dataclass(frozen=True)
class Failure:
    """One row of failures.csv. None: it did not happen before the repair or the end of the run."""
    replicate: int
    at_s: float
    what: str
    which: str
    processes: int  # live processes that it ended; 0: the part was down already
    suspicion_s: Optional[float]  # until anybody suspected it or believed it failed
    detection_s: Optional[float]
    propagation_s: Optional[float]
    repaired_at_s: Optional[float]
    rejoin_s: Optional[float]
    missed: int  # live processes that do not know at the end


@dataclass
class Point:
    """One sweep point: what was set, the rows of its replicates, its failures in order of time."""
    index: int
    settings: Dict[str, str]
    replicates: List[Dict[str, str]] = field(default_factory=list)
    failures: List[Failure] = field(default_factory=list)

    @property
    def label(self):
        """What sets this point apart: the swept values; empty without a sweep."""
        return ", ".join(self.settings.values())

    @property
    def processes(self):
        """How many there are in the job."""
        return int(float(self.replicates[0]["processes"]))

    def effective(self):
        """The failures that ended at least one live process."""
        return [failure for failure in self.failures if failure.processes > 0]

    def total(self, column):
        return sum(number(row, column) for row in self.replicates)


@dataclass
class Results:
    folder: str
    resolved: dict
    run: dict  # run.json; empty while the run is not finished
    points: List[Point]
    swept: List[str]
    fabric: Optional[dict]
    warnings: List[str]
    mapping: List[List[str]]  # mapping.csv with its header; empty when the run had no trace
    readme: str

    @property
    def name(self):
        return str(self.resolved.get("name") or os.path.basename(os.path.abspath(self.folder)))

    @property
    def duration_s(self):
        """How long each replicate lasts, in simulated or real seconds; None when not said. Without
        a duration, a run over a month or year of a trace lasts that long."""
        if "duration" in self.resolved:
            return units.seconds_of(self.resolved["duration"])
        if not self.start:
            return None
        trace = self.resolved["trace"]
        later = self.start.year * 12 + self.start.month - 1 + (1 if trace.get("month") else 12)
        return (datetime.datetime(later // 12, later % 12 + 1, 1) - self.start).total_seconds()

    @property
    def start(self):
        """The date of time zero, for traces that have one (lanl: the first minute of the period);
        None elsewhere."""
        trace = self.resolved.get("trace") or {}
        if trace.get("format") != "lanl" or not trace.get("year"):
            return None
        return datetime.datetime(int(trace["year"]), int(trace.get("month") or 1), 1)

    def date_text(self, seconds):
        """The date of a moment of the run, when `start` is known: "2004-03-17 12:34"."""
        return f"{self.start + datetime.timedelta(seconds=seconds):%Y-%m-%d %H:%M}"


def read(folder, readme=None):
    """The Results in `folder`; `readme`: the experiment's README elsewhere. Raises ResultsError."""
    if not os.path.isdir(folder):
        raise ResultsError(f"{folder}: not a folder. Expected the results folder of a run, as "
                           "`holdfast run` prints it at its end.")
    resolved = _read_json(folder, "resolved.json", required=True)
    swept, points = _read_points(folder)
    _read_failures(folder, points)
    fabric = _read_json(folder, "topology.json", required=False)
    return Results(folder=folder, resolved=resolved,
                   run=_read_json(folder, "run.json", required=False) or {},
                   points=[points[index] for index in sorted(points)], swept=swept,
                   fabric=_checked_fabric(folder, fabric), warnings=_read_warnings(folder, fabric),
                   mapping=_read_mapping(folder), readme=_read_readme(folder, readme))


def number(row, column):
    """The number in a row of results.csv; 0 where the column is absent or empty."""
    return float(row.get(column) or 0)


def _read_text(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return ""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read as UTF-8 text ({error}).") from error


def _read_readme(folder, elsewhere):
    if not elsewhere:
        return _read_text(folder, "README.md")
    if not os.path.exists(elsewhere):
        raise ResultsError(f"{elsewhere}: missing. Name the experiment's README.md, or leave "
                           "--readme out.")
    return _read_text(*os.path.split(elsewhere))


def _read_json(folder, name, required):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        if not required:
            return None
        raise ResultsError(f"{path}: missing. Every run writes it; give the folder of a run, or "
                           "run the experiment again.")
    value = _parse(path, _read_text(folder, name))
    if not isinstance(value, dict):
        raise ResultsError(f"{path}: expected a JSON object, found {type(value).__name__}.")
    return value


def _parse(path, text):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ResultsError(f"{path}:{error.lineno}:{error.colno}: not valid JSON ({error.msg}). "
                           "Was it edited or cut short? Run the experiment again.") from error


def read_table(folder, name, required_columns):
    """Rows of a CSV file as (line, dict); raises when a column or a cell is missing."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        raise ResultsError(f"{path}: missing. Every run writes it; give the folder of a run, or "
                           "run the experiment again.")
    reader = csv.DictReader(io.StringIO(_read_text(folder, name), newline=""))
    try:
        return _checked_rows(path, reader, required_columns)
    except csv.Error as error:
        raise ResultsError(f"{path}:{reader.line_num + 1}: not a table as the program writes it "
                           f"({error}). Run the experiment again.") from error


def read_medians(folder, name, quantity, unit):
    """Rows of a benchmark's table with the medians of `quantity` and their intervals, as multiples
    of `unit`; of under six samples there is no interval, and both its ends are the median."""
    columns = {"median": f"median_{quantity}", "low": f"low_{quantity}", "high": f"high_{quantity}"}
    rows = []
    for line, row in read_table(folder, name, ["measurement", "contender", "message_bytes",
                                               *columns.values()]):
        values = {key: cell(folder, name, line, row, column, float, optional=key != "median")
                  for key, column in columns.items()}
        rows.append({"measurement": row["measurement"], "contender": row["contender"],
                     "bytes": int(cell(folder, name, line, row, "message_bytes", float)),
                     **{key: (values["median"] if value is None else value) / unit
                        for key, value in values.items()}})
    return rows


def _checked_rows(path, reader, required_columns):
    missing = [column for column in required_columns if column not in (reader.fieldnames or [])]
    if missing:
        raise ResultsError(f"{path}:1: no column {', '.join(missing)}. Expected a header with "
                           f"{', '.join(required_columns)}.")
    rows = []
    for row in reader:
        if None in row or None in row.values():
            raise ResultsError(f"{path}:{reader.line_num}: expected "
                               f"{len(reader.fieldnames)} cells, as in the header. Was the file "
                               "cut short? `--resume` completes an interrupted run.")
        rows.append((reader.line_num, row))
    return rows


def cell(folder, name, line, row, column, kind, optional=False):
    """The cell as `kind` (int or float); None when it is empty and may be."""
    text = row[column].strip()
    if optional and not text:
        return None
    try:
        return kind(text)
    except ValueError:
        expected = "a whole number" if kind is int else "a number"
        raise ResultsError(f"{os.path.join(folder, name)}:{line}: column {column} holds "
                           f"\"{text}\"; expected {expected}"
                           f"{' or nothing' if optional else ''}.") from None


def _read_points(folder):
    """The swept paths, and the points by index with the rows of their replicates. What is swept
    stands between the columns replicate and processes."""
    name = "results.csv"
    rows = read_table(folder, name, ["point", "replicate", "processes", "failures"])
    if not rows:
        raise ResultsError(f"{os.path.join(folder, name)}: no rows. The run was stopped before its "
                           "first replicate was done; `--resume` continues it.")
    columns = list(rows[0][1])
    swept = columns[columns.index("replicate") + 1:columns.index("processes")]
    points = {}
    for line, row in rows:
        index = cell(folder, name, line, row, "point", int)
        cell(folder, name, line, row, "replicate", int)
        for column in row:
            if column not in swept and column != "state_hash":
                cell(folder, name, line, row, column, float, optional=True)
        point = points.setdefault(index, Point(index, {key: row[key] for key in swept}))
        point.replicates.append(row)
    return swept, points


def _read_failures(folder, points):
    name = "failures.csv"
    columns = ["point", "replicate", "at_s", "what", "which", "processes", "suspicion_s",
               "detection_s", "propagation_s", "repaired_at_s", "rejoin_s", "missed"]
    for line, row in read_table(folder, name, columns):
        def value(column, kind=float, optional=False, line=line, row=row):
            return cell(folder, name, line, row, column, kind, optional)

        index = value("point", int)
        if index not in points:
            raise ResultsError(f"{os.path.join(folder, name)}:{line}: sweep point {index} has no "
                               "row in results.csv.")
        points[index].failures.append(Failure(
            replicate=value("replicate", int), at_s=value("at_s"), what=row["what"],
            which=row["which"], processes=value("processes", int),
            suspicion_s=value("suspicion_s", optional=True),
            detection_s=value("detection_s", optional=True),
            propagation_s=value("propagation_s", optional=True),
            repaired_at_s=value("repaired_at_s", optional=True),
            rejoin_s=value("rejoin_s", optional=True), missed=value("missed", int)))
    for point in points.values():
        point.failures.sort(key=lambda failure: (failure.replicate, failure.at_s))


def _checked_fabric(folder, fabric):
    """topology.json, after a look at what the picture needs of it."""
    if fabric is None:
        return None
    path = os.path.join(folder, "topology.json")
    for key, needs in (("nodes", ("id", "kind")), ("links", ("a", "b", "bits_per_second"))):
        if not isinstance(fabric.get(key), list):
            raise ResultsError(f"{path}: /{key}: expected a list.")
        for position, item in enumerate(fabric[key]):
            for need in needs:
                if need not in item:
                    raise ResultsError(f"{path}: /{key}/{position}: no \"{need}\".")
    known = {node["id"] for node in fabric["nodes"]}
    for position, link in enumerate(fabric["links"]):
        for end in (link["a"], link["b"]):
            if end not in known:
                raise ResultsError(f"{path}: /links/{position}: there is no node {end!r}.")
    return fabric


def _read_warnings(folder, fabric):
    """What the program found wrong with the fabric: lines of warnings.json or of topology.json."""
    warnings = (fabric or {}).get("warnings", [])
    path = os.path.join(folder, "warnings.json")
    if os.path.exists(path):
        warnings = _parse(path, _read_text(folder, "warnings.json"))
    if not isinstance(warnings, list):
        raise ResultsError(f"{path}: expected a list of lines.")
    return [str(warning) for warning in warnings]


def _read_mapping(folder):
    """The rows of mapping.csv, header first: nodes of the trace and their hosts."""
    if not os.path.exists(os.path.join(folder, "mapping.csv")):
        return []
    rows = [row for _, row in read_table(folder, "mapping.csv", [])]
    return [list(rows[0])] + [list(row.values()) for row in rows] if rows else []

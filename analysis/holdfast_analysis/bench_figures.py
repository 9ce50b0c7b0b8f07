"""What the figures of all benchmarks share: how a file declares them, and how they are written."""

import json
import os
import sys

from . import results, style
from .reader import Reader


def read(path):
    """The object that a file of figures is. Raises ResultsError."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except ValueError as error:
        raise results.ResultsError(f"{path}: expected JSON ({error}).") from error
    if not isinstance(document, dict):
        raise results.ResultsError(f"{path}: expected an object.")
    return document


def checked(path, document, section, check):
    """The figures that the object declares under `section`. Each has a name and a title;
    check(reader, pointer, figure) looks at its keys. Raises ResultsError."""
    reader = Reader(path)
    figures = reader.listed(f"/{section}", document.get(section))
    for index, figure in enumerate(figures):
        pointer = f"/{section}/{index}"
        check(reader, pointer, figure)
        reader.name(f"{pointer}/name", figure.get("name"))
        reader.text(f"{pointer}/title", figure.get("title"))
    return figures


def check_references(reader, pointer, figure, keys, check_value):
    """What a paper published: each with these keys, whose number check_value(pointer, reference)
    looks at, and a source."""
    references = reader.listed(f"{pointer}/references", figure.get("references", []))
    for index, reference in enumerate(references):
        here = f"{pointer}/references/{index}"
        reader.keys(here, reference, keys)
        check_value(here, reference)
        reader.text(f"{here}/source", reference.get("source"))


def present(path, figures, shows, table, there, is_needed=True):
    """The figures of whose `shows` the table has something. A benchmark may have measured a part of
    what its experiment draws; the others are left out with a note. Raises ResultsError where
    `is_needed` and none is left."""
    shown = [figure for figure in figures if shows(figure) in there]
    absent = [f"the figure {figure['name']} shows \"{shows(figure)}\", of which {table} has nothing"
              for figure in figures if shows(figure) not in there]
    if absent and is_needed and not shown:
        raise results.ResultsError(f"{path}: {absent[0]}; it has "
                                   + ", ".join(dict.fromkeys(there)) + ".")
    for what in absent:
        print(f"analysis/bench: note: {what}; it is not drawn", file=sys.stderr)
    return shown


def of_measurement(figure, rows):
    """Those rows of a table that the figure shows."""
    return [row for row in rows if row["measurement"] == figure["measurement"]]


def write(folder, figures, draw):
    """Draws each into folder/figures; returns the paths without their ending."""
    files = os.path.join(folder, "figures")
    if figures:
        os.makedirs(files, exist_ok=True)
    written = []
    for figure in figures:
        drawn = draw(figure)
        path = os.path.join(files, figure["name"])
        style.save(drawn, files, figure["name"])
        style.close(drawn)
        written.append(path)
    return written

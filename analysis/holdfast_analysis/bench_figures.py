"""What the figures of all benchmarks share: how a file declares them, and how they are written."""

import json
import os
import re
import sys

from . import results, style


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# What a key may hold: what that is called, and whether a value is it.
TEXT = ("a text", lambda value: isinstance(value, str) and value != "")
NAME = ("the name of a file, of letters, digits, - and _",
        lambda value: isinstance(value, str) and re.fullmatch(r"[\w-]+", value) is not None)
NUMBER = ("a number", _is_number)
RATE = ("a number above zero", lambda value: _is_number(value) and value > 0)
COUNT = ("a whole number from 0 on",
         lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0)
TEXTS = ("a list of texts",
         lambda value: isinstance(value, list) and all(TEXT[1](item) for item in value))


def one_of(*texts):
    return (" or ".join(texts), lambda value: isinstance(value, str) and value in texts)


def objects(**kinds):
    """A list of objects, each of which has all of these keys."""
    def fits(value):
        return isinstance(value, list) and all(
            isinstance(item, dict) and set(item) == set(kinds)
            and all(kind[1](item[key]) for key, kind in kinds.items()) for item in value)

    return ("a list of objects, each with "
            + ", ".join(f"{key} ({kind[0]})" for key, kind in kinds.items()), fits)


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


def checked(path, document, section, needed, optional):
    """The figures that the object declares under `section`. `needed` and `optional` say what each
    key of a figure holds. Raises ResultsError."""
    figures = document.get(section)
    if not isinstance(figures, list):
        raise results.ResultsError(f"{path}: expected an object with \"{section}\", a list.")
    kinds = {**needed, **optional}
    for place, figure in enumerate(figures):
        where = f"{path}: /{section}/{place}"
        if not isinstance(figure, dict) or set(figure) - set(kinds) or set(needed) - set(figure):
            raise results.ResultsError(
                f"{where}: expected an object with " + ", ".join(needed)
                + (", and perhaps " + ", ".join(optional) if optional else "") + ".")
        for key, value in figure.items():
            what, fits = kinds[key]
            if not fits(value):
                raise results.ResultsError(f"{where}/{key}: expected {what}.")
    return figures


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

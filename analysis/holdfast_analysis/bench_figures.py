"""What the figures of all benchmarks share: how a file declares them, and how they are written."""

import json
import os

from . import results, style


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


def checked(path, document, kind, keys, needed, fits=lambda figure: True, more=""):
    """The figures that the object declares under `kind`, each of these keys; `more` says what else
    `fits` wants of one. Raises ResultsError."""
    figures = document.get(kind)
    if not isinstance(figures, list):
        raise results.ResultsError(f"{path}: expected an object with \"{kind}\".")
    for figure in figures:
        if (not isinstance(figure, dict) or set(figure) - keys or not needed <= set(figure)
                or not fits(figure)):
            raise results.ResultsError(f"{path}: expected {kind} of the keys "
                                       + ", ".join(sorted(keys)) + more + ".")
    return figures


def of_measurement(path, figure, table, rows):
    """Those rows of a table that the figure shows. Raises ResultsError where there are none."""
    shown = [row for row in rows if row["measurement"] == figure["measurement"]]
    if not shown:
        raise results.ResultsError(
            f"{path}: the figure {figure['name']} shows \"{figure['measurement']}\", of which "
            f"{table} has nothing; it has "
            + ", ".join(dict.fromkeys(row["measurement"] for row in rows)) + ".")
    return shown


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

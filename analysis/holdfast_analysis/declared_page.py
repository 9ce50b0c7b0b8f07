"""The part of the report with the figures that an experiment declares, and their values."""

import html
import math

from . import declared, units


def section(results, drawings, own, table, cell):
    """The section; empty without declared figures. table, cell: the page's makers of these."""
    parts = [_figure(figure, results, drawings, table, cell) for figure in own.figures
             if figure.name in drawings]
    return f"<section><h2>Figures</h2>\n{''.join(parts)}</section>" if parts else ""


def _figure(figure, results, drawings, table, cell):
    sources = "; ".join(dict.fromkeys(f"{reference.title}: {reference.source}"
                                      for reference in figure.references))
    note = f" <small>{html.escape(sources)}.</small>" if sources else ""
    return (f"<h3>{html.escape(figure.title)}</h3>\n<figure class=\"narrow\">"
            f"{drawings[figure.name]}\n<figcaption>{html.escape(figure.caption)} "
            f"File: <code>figures/{figure.name}.pdf</code>{note}</figcaption></figure>\n"
            "<details><summary>The values</summary>\n"
            + _values(figure, results, table, cell) + "</details>")


def _values(figure, results, table, cell):
    """One row a mark, with what is known from elsewhere at its place."""
    spread = (f"{figure.band[0]:g} to {figure.band[1]:g} %" if figure.band
              else f"95 % interval of the {figure.statistic}")
    splits = [split for split in (figure.panels, figure.series) if split is not None]
    elsewhere = list(dict.fromkeys(reference.title for reference in figure.references))
    rows = []
    for panel in declared.values_of(figure.panels, figure, results):
        for series in declared.values_of(figure.series, figure, results):
            values = [value for split, value in ((figure.panels, panel), (figure.series, series))
                      if split is not None]
            for mark in declared.marks(figure, results, panel, series):
                rows.append([cell(split.title(value), kind="text")
                             for split, value in zip(splits, values)]
                            + _mark_cells(figure, mark, cell)
                            + [cell(_elsewhere(figure, title, panel, series, mark.x))
                               for title in elsewhere])
    headings = [split.column for split in splits] + [
        figure.x.label, "replicates", f"{figure.y.label}, {figure.statistic}", spread] + elsewhere
    return table(headings, rows)


def _mark_cells(figure, mark, cell):
    def text(value):
        return units.time_text(value) if figure.y.is_time else units.significant(value)
    ends = "–" if math.isnan(mark.low) else f"{text(mark.low)} to {text(mark.high)}"
    place = f"{mark.x:,g}" if isinstance(mark.x, float) else mark.x
    never = f"{mark.never} never" if mark.never else ""
    return [cell(place), cell(units.count_text(mark.count), never), cell(text(mark.middle)),
            cell(ends)]


def _elsewhere(figure, title, panel, series, place):
    """The value of the reference of that title at that place, or nothing."""
    for reference in figure.references:
        if reference.title != title or reference.panel not in (None, panel) \
                or reference.series not in (None, series):
            continue
        for x, height in reference.points:
            if x == place:
                return (units.time_text(height) if figure.y.is_time
                        else units.significant(height))
    return ""

"""One self-contained HTML page from results and figures: nothing is loaded from anywhere."""

import html
import json
import math
import os

from . import declared_page, figures, intervals, markdown, phases, story, units

SCROLLS_BEYOND = 40   # rows of a table
MOST_ROWS = 5000      # failures in the page; the file has all
FROM_README = ("question", "expect")  # headings of the experiment's README that the report repeats


class Cell:
    """A cell of a table: its text, an optional second line, the value it is sorted by."""

    def __init__(self, text, small="", value=None, kind=""):
        self.text, self.small, self.value, self.kind = str(text), small, value, kind

    def html(self):
        data = "" if self.value is None else f' data-value="{html.escape(str(self.value))}"'
        kind = f' class="{self.kind}"' if self.kind else ""
        small = f"<small>{html.escape(self.small)}</small>" if self.small else ""
        return f"<td{kind}{data}>{html.escape(self.text)}{small}</td>"


def text_cell(text):
    return Cell(text, kind="text")


def time_cell(seconds):
    """A time; what never happened is sorted last."""
    return Cell(units.time_text(seconds), value=math.inf if seconds is None else seconds)


def table(headings, rows, sortable=False):
    """Rows of Cells under headings, which are aligned as the cells of the first row."""
    kinds = [cell.kind for cell in rows[0]] if rows else [""] * len(headings)
    head = "".join(f"<th{' class=text' if kind else ''}>{html.escape(heading)}</th>"
                   for heading, kind in zip(headings, kinds))
    body = "\n".join("<tr>" + "".join(cell.html() for cell in row) + "</tr>" for row in rows)
    kind = ' class="sortable"' if sortable else ""
    box = "long" if len(rows) > SCROLLS_BEYOND else "scroll"
    return (f'<div class="{box}"><table{kind}><thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table></div>")


def render(results, drawings, own, titles, cut_short):
    """The page. drawings: <svg> by the name of the figure. own: what the experiment declares.
    titles: of the pictures of the fabric, by name. cut_short: see waves.read."""
    parts = [_header(results), _from_readme(results), _asked(results), _summary(results),
             declared_page.section(results, drawings, own, table, Cell),
             _times(drawings), _phases(results, drawings),
             _waves(drawings, titles, cut_short), _fabric(results, drawings),
             _messages(results, drawings), _failures(results), _mapping(results), _method(),
             _provenance(results)]
    here = os.path.dirname(__file__)
    with open(os.path.join(here, "page.css"), encoding="utf-8") as file:
        css = file.read()
    with open(os.path.join(here, "page.js"), encoding="utf-8") as file:
        script = file.read()
    return ("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            f"<title>{html.escape(results.name)} – Holdfast</title>\n<style>\n{css}</style>\n"
            "</head>\n<body>\n" + "\n".join(part for part in parts if part)
            + f"\n<script>\n{script}</script>\n</body>\n</html>\n")


def _header(results):
    first = results.points[0].replicates[0]
    facts = []
    if first.get("nodes"):
        facts.append(story.many(float(first["nodes"]), "host"))
    facts.append(story.many(float(first["processes"]), "process", "processes"))
    if len(results.points) > 1:
        facts.append(story.many(len(results.points), "sweep point"))
    replicates = sum(len(point.replicates) for point in results.points)
    facts.append(story.many(replicates, "replicate")
                 + (" in all" if len(results.points) > 1 else ""))
    if results.duration_s:
        facts.append(f"{units.span_text(results.duration_s)} each")
    if "seed" in results.resolved:
        facts.append(f"seed {results.resolved['seed']}")
    unfinished = "" if results.run else \
        "<p class=\"unfinished\">Not finished: the replicates that were done so far.</p>"
    return (f"<header><h1>{html.escape(results.name)}</h1>\n"
            f"<p class=\"facts\">{html.escape(' · '.join(facts))}</p>{unfinished}</header>")


def _from_readme(results):
    chosen = [(heading, body) for heading, body in markdown.sections(results.readme)
              if any(word in heading.lower() for word in FROM_README) and body]
    return "\n".join(f"<section><h2>{html.escape(heading)}</h2>\n{markdown.to_html(body)}</section>"
                     for heading, body in chosen)


def _asked(results):
    return (f"<section><h2>What was run</h2>\n<p>{html.escape(story.asked(results))} "
            "The command that repeats it stands at the end.</p></section>")


def _median_cell(summary):
    if summary.median is None:
        return Cell("–")
    interval = units.interval_text(*summary.interval) if summary.interval else ""
    return Cell(units.time_text(summary.median), interval, summary.median)


def _longest_cell(summary):
    """The greatest of all: "never" if anything never was, and below it the greatest of the rest."""
    if not summary.never:
        return time_cell(summary.greatest)
    rest = "" if summary.greatest is None else f"the others {units.time_text(summary.greatest)}"
    return Cell("never", rest, math.inf)


def _summary(results):
    headings = list(results.swept) + ["deaths of", "failures", "detected", "detection, median",
                                      "longest", "propagation, median", "longest"]
    rows = []
    for point, what, failures in figures.groups(results):
        detection = intervals.summarise([failure.detection_s for failure in failures])
        spread = intervals.summarise([failure.propagation_s for failure in failures])
        rows.append([text_cell(value) for value in point.settings.values()]
                    + [text_cell(story.several(what)),
                       Cell(units.count_text(detection.count)),
                       Cell(units.count_text(detection.count - detection.never)),
                       _median_cell(detection), _longest_cell(detection),
                       _median_cell(spread), _longest_cell(spread)])
    times = table(headings, rows) if rows else \
        "<p class=none>No failure ended a process in this run.</p>"
    return (f"<section><h2>What came out</h2>\n<p>{html.escape(story.came_out(results))}</p>\n"
            f"{times}\n<p class=\"facts\">Small print: 95 % interval of "
            "the median. Detection is from the crash to the first correct verdict, propagation "
            "from that verdict to the last live process.</p>\n" + _verdicts(results) + "</section>")


VERDICTS = [("missed", "missed"), ("false_verdicts", "false verdicts"),
            ("unreachable_verdicts", "verdicts on the unreachable"),
            ("records_while_down", "records while down"), ("frames_lost", "frames lost")]


def _verdicts(results):
    """What went wrong or was left out, as totals over the replicates of each sweep point."""
    rows = [[text_cell(value) for value in point.settings.values()]
            + [Cell(units.count_text(len(point.replicates)))]
            + [Cell(units.count_text(point.total(column))) for column, _ in VERDICTS]
            for point in results.points]
    return (table(list(results.swept) + ["replicates"] + [title for _, title in VERDICTS], rows)
            + "<p class=\"facts\">Totals over the replicates. Missed: pairs of a failure and a "
              "live process that does not know of it at the end. Records while down: failures of "
              "parts that were down already.</p>")


CAPTIONS = {
    "times": "Each dot is one failure. The bar below the dots is the 95 % interval of the median, "
             "the diamond the median. Scales differ from panel to panel.",
    "cumulative": "The share of failures that were detected, and known everywhere, within the time "
                  "on the axis. A curve that ends below 100 % had failures that never were.",
    "timeline": "Each failure at its moment, with its detection above and its propagation below. "
                "Both scales are logarithmic. Crosses at the upper edge: never, before the repair "
                "or the end.",
    "messages": "Medians over the replicates, with their 95 % intervals as lines. Kinds that never "
                "occurred are left out.",
    "phases": "The first replicate of each sweep point. The spans differ by a factor of a million, "
              "so each has a column, with a scale of its own, that begins where the one before "
              "ended. Who suspects a part judges it at once, unless detector.hold lets the verdict "
              "wait.",
    "waves": "A line is a failure, and how many of those who lived from its crash on knew of it, "
             "over the time since the first of them did.",
    "wave": "Hosts by the moment at which all their processes knew, counted from the first process "
            "of all: the more a host stands out from the page, the later.",
    "fabric": "What happened in the first replicate{point}. Switches by level, hosts under the "
              "switch they are plugged into. Rest the pointer on a part for its name.",
}


WIDE = {"fabric", "phases", "wave"}  # figures that may be as wide as the page


def _figure(drawings, name, caption=None):
    if name not in drawings:
        return ""
    kind = "wide" if name.split("-")[0] in WIDE else "narrow"
    caption = CAPTIONS[name] if caption is None else caption
    return (f'<figure class="{kind}"><div class="scroll">{drawings[name]}</div>\n<figcaption>'
            f"{caption} File: <code>figures/{name}.pdf</code></figcaption></figure>")


def _phases(results, drawings):
    if "phases" not in drawings:
        return ""
    rows, count = phases.chosen(results)
    caption = CAPTIONS["phases"]
    if len(rows) < count:
        caption += f" The slowest {len(rows)} of {units.count_text(count)}."
    return (f"<section><h2>Time line of each failure</h2>\n{_figure(drawings, 'phases', caption)}"
            "</section>")


def _waves(drawings, titles, cut_short):
    """The news on its way; of a run whose raw events were written."""
    names = [name for name in titles if name.startswith("wave-")]
    if "waves" not in drawings and not names:
        return ""
    parts = [_figure(drawings, "waves")]
    for name in names:
        parts.append(f"<h3>{html.escape(titles[name])}</h3>\n"
                     + _figure(drawings, name, CAPTIONS["wave"]))
    if cut_short:
        parts.append("<p class=\"facts\">The raw events of some replicates end before the run "
                     "does; <code>events.rows</code> says where. What came later is not drawn.</p>")
    return "<section><h2>How the news spread</h2>\n" + "\n".join(parts) + "</section>"


def _times(drawings):
    drawn = "\n".join(_figure(drawings, name) for name in ("times", "cumulative", "timeline"))
    if not drawn.strip():
        return ""
    return f"<section><h2>Detection and propagation</h2>\n{drawn}</section>"


def _messages(results, drawings):
    rows = []
    for point in results.points:
        cells = [text_cell(value) for value in point.settings.values()]
        for column, _ in figures.MESSAGES:
            cells.append(_count_cell([figures.per_failure_and_process(row, column)
                                      for row in point.replicates]))
        cells.append(_count_cell([figures.heartbeat_rate(row, results.duration_s)
                                  for row in point.replicates]))
        rows.append(cells)
    headings = list(results.swept) + [title.replace("-\n", "\u00ad").replace("\n", " ")
                                      for _, title in figures.MESSAGES] + ["heartbeats"]
    return ("<section><h2>Messages</h2>\n" + _figure(drawings, "messages")
            + table(headings, rows)
            + "<p class=\"facts\">Frames sent per failure and process, heartbeats per process and "
              "second; medians over the replicates. All processes count, alive or not.</p>"
              "</section>")


def _count_cell(values):
    if any(value is None for value in values):
        return Cell("–")
    summary = intervals.summarise(values)
    interval = ""
    if summary.interval:
        ends = [units.significant(end) for end in summary.interval]
        interval = " to ".join(ends) if ends[0] != ends[1] else ""
    return Cell(units.significant(summary.median), interval, summary.median)


def _fabric(results, drawings):
    if results.fabric is None:
        return ""
    hosts = sum(1 for node in results.fabric["nodes"] if node["kind"] == "host")
    switches = sum(1 for node in results.fabric["nodes"] if node["kind"] == "switch")
    cables = sum(int(link.get("count", 1)) for link in results.fabric["links"])
    facts = ", ".join([story.many(hosts, "host"), story.many(switches, "switch", "switches"),
                       story.many(cables, "cable")])
    if results.warnings:
        items = "".join(f"<li>{html.escape(warning)}</li>" for warning in results.warnings)
        warnings = f"<h3>Warnings</h3>\n<ul class=\"warnings\">{items}</ul>"
    else:
        warnings = "<p class=none>No warnings: no link is slower than others of its kind.</p>"
    return (f"<section><h2>Fabric</h2>\n<p class=\"facts\">{facts}</p>\n"
            f"{_figure(drawings, 'fabric', _fabric_caption(results))}\n{warnings}</section>")


def _fabric_caption(results):
    label = results.points[0].label
    return CAPTIONS["fabric"].format(point=f" of {html.escape(label)}" if label else "")


def _moment_cell(results, seconds):
    if seconds is None:
        return Cell("–", value=math.inf)
    if results.start:
        return Cell(results.date_text(seconds), value=seconds)
    return Cell(units.moment_text(seconds), value=seconds)


def _failures(results):
    rows = []
    several = any(len(point.replicates) > 1 for point in results.points)
    for point in results.points:
        for failure in point.failures:
            cells = [text_cell(value) for value in point.settings.values()]
            if several:
                cells.append(Cell(failure.replicate))
            cells += [_moment_cell(results, failure.at_s), text_cell(failure.what),
                      text_cell(failure.which)]
            if failure.processes:
                cells += [Cell(failure.processes), time_cell(failure.detection_s),
                          time_cell(failure.propagation_s)]
            else:
                cells += [Cell("was down", value=0), Cell("", value=math.inf),
                          Cell("", value=math.inf)]
            cells += [_moment_cell(results, failure.repaired_at_s), time_cell(failure.rejoin_s)]
            rows.append(cells)
    if not rows:
        return ""
    headings = list(results.swept) + (["replicate"] if several else []) + [
        "at", "part", "which", "processes lost", "detection", "propagation", "repaired at",
        "rejoined after"]
    note = "Click a heading to sort. A dash: not before the repair or the end of the run."
    if len(rows) > MOST_ROWS:
        note += f" The first {MOST_ROWS:,} of {len(rows):,}; failures.csv has all."
    return (f"<section><h2>Failures</h2>\n<p class=\"facts\">{note}</p>\n"
            + table(headings, rows[:MOST_ROWS], sortable=True) + "</section>")


def _mapping(results):
    if not results.mapping:
        return ""
    headings, *mapped = results.mapping
    rows = [[text_cell(cell) for cell in row] for row in mapped]
    return ("<section><h2>Nodes of the trace</h2>\n<details><summary>"
            f"{story.many(len(rows), 'node')} of the trace and the hosts they were played on"
            "</summary>\n" + table(headings, rows, sortable=True)
            + "</details></section>")


def _method():
    return ("<section><h2>How the numbers were made</h2>\n"
            "<p>Each failure of each replicate is one sample; deaths of processes and of nodes are "
            "never pooled. A failure that was not detected counts as later than all others, so it "
            "moves the median up. Intervals are exact ones of order statistics, free of any "
            "assumption on the distribution; under six samples there is none. Failures of parts "
            "that were down already are listed and not counted.</p></section>")


def _flat(value, path=""):
    """(path, text) of each leaf of a JSON value."""
    if isinstance(value, dict) and value:
        return [leaf for key, item in value.items()
                for leaf in _flat(item, f"{path}.{key}" if path else key)]
    if isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value):
        return [(path, " ".join(map(str, value)))]
    return [(path, value if isinstance(value, str) else json.dumps(value))]


def _provenance(results):
    rows = [[text_cell(path), Cell(text, kind="wide")] for path, text in _flat(results.run)
            if path != "by_point"]
    command = results.run.get("command_line") or results.run.get("command")
    repeat = "<h3>The same again</h3>\n<pre>"
    repeat += f"{html.escape(str(command))}\n" if command else ""
    repeat += ("holdfast run resolved.json</pre>\n<p class=\"facts\">The second, in this results "
               "folder, needs no other file of the experiment but those that it names. Both give "
               "the same tables, byte for byte.</p>")
    resolved = html.escape(json.dumps(results.resolved, indent=2, ensure_ascii=False))
    told = table(["", ""], rows) if rows else ""
    return (f"<section><h2>Provenance</h2>\n{repeat}\n{told}\n<details><summary>"
            f"The configuration, with all defaults</summary>\n<pre>{resolved}</pre></details>"
            "</section>")

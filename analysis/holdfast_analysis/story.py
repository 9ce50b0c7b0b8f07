"""A run in sentences: what was asked of the program, and what came out. Plain text; what a results
folder does not say is left out."""

from . import figures, intervals, units

FEW_POINTS = 3  # so many sweep points are named one by one


def many(count, one, several=None):
    """A count with its noun: "1 host", "3 processes"."""
    return f"{units.count_text(count)} {one if count == 1 else several or one + 's'}"


def joined(parts):
    """"a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def asked(results):
    """The configuration in a sentence or two."""
    resolved = results.resolved
    first = results.points[0].replicates[0]
    detector, propagation = resolved.get("detector") or {}, resolved.get("propagation") or {}

    def known(section, name, key):
        return section.get(key) and f"{name}.{key}" not in results.swept

    parts = [many(float(first["processes"]), "process", "processes")
             + (f" on {many(float(first['nodes']), 'host')}" if first.get("nodes") else "")]
    if known(detector, "detector", "period") and known(detector, "detector", "timeout"):
        parts.append(f"a heartbeat every {detector['period']} and a verdict after "
                     f"{detector['timeout']} of silence")
    if known(propagation, "propagation", "kind"):
        parts.append(f"news that travels by {propagation['kind']}")
    text = "; ".join(parts) + "."
    for path in results.swept:
        values = list(dict.fromkeys(point.settings[path] for point in results.points))
        shown = joined(values) if len(values) <= 8 else \
            f"{len(values)} values from {values[0]} to {values[-1]}"
        text += f" Varied: {path}, {shown}."
    return text + _broken(resolved)


def _broken(resolved):
    """What was made to fail."""
    script = [line for line in resolved.get("failures") or []
              if line.get("model") in (None, "script")]
    models = len(resolved.get("failures") or []) - len(script)
    parts = ([many(len(script), "scripted fault")] if script else []) \
        + ([many(models, "failure model")] if models else []) \
        + (["a trace"] if resolved.get("trace") else [])
    return f" What fails: {joined(parts)}." if parts else ""


def came_out(results):
    """The answer in one paragraph: detection and propagation of each kind of death, and what went
    wrong."""
    told = [_counts(results)]
    groups = figures.groups(results)
    for kind in sorted({what for _, what, _ in groups}):
        told.append(_kind(kind, [(point.label, failures)
                                 for point, what, failures in groups if what == kind]))
    told.append(_wrongs(results))
    return " ".join(part for part in told if part)


def _counts(results):
    replicates = sum(len(point.replicates) for point in results.points)
    failures = [failure for point in results.points for failure in point.effective()]
    runs = many(replicates, "replicate") \
        + (f" at {len(results.points)} sweep points" if len(results.points) > 1 else "")
    if not failures:
        return f"In {runs} no failure ended a process."
    never = sum(1 for failure in failures if failure.detection_s is None)
    noticed = "every one was noticed" if not never else \
        f"{units.count_text(never)} {'was' if never == 1 else 'were'} not noticed before the " \
        "repair or the end"
    return f"In {runs}, {many(len(failures), 'failure')} ended processes, and {noticed}."


def _kind(kind, members):
    detection = [(label, intervals.summarise([f.detection_s for f in failures]))
                 for label, failures in members]
    spread = [(label, intervals.summarise([f.propagation_s for f in failures]))
              for label, failures in members]
    longest = max((summary.greatest for _, summary in detection if summary.greatest is not None),
                  default=None)
    if longest is None:
        return f"Deaths of {several(kind)} were never noticed."
    text = f"The death of a {kind} was noticed after {_medians(detection)} in the median, after " \
        f"{units.time_text(longest)} at the latest{_unless_never(detection)}"
    if any(summary.greatest is not None for _, summary in spread):
        text += f"; every other live process knew {_medians(spread)} later{_unless_never(spread)}"
    return text + "."


def _unless_never(summaries):
    """What restricts a sentence about failures some of which never were known."""
    never = sum(summary.never for _, summary in summaries)
    count = sum(summary.count for _, summary in summaries)
    if not never:
        return ""
    return f" (but {units.count_text(never)} of {units.count_text(count)} never)"


def several(kind):
    return {"process": "processes", "node": "nodes"}.get(kind, kind)


def _medians(summaries):
    """The medians of the sweep points in words: one value if all read the same, each by its name
    if they are few, else the least and the greatest."""
    texts = [(label, units.time_text(summary.median)) for label, summary in summaries]
    if len({text for _, text in texts}) == 1:
        return texts[0][1]
    if len(texts) <= FEW_POINTS:
        return joined([f"{text} ({label})" for label, text in texts])
    ordered = sorted(summaries, key=lambda item: item[1].median)
    (low, least), (high, most) = ordered[0], ordered[-1]
    return f"{units.time_text(least.median)} ({low}) to {units.time_text(most.median)} ({high})"


def _wrongs(results):
    missed, false, apart = (sum(point.total(column) for point in results.points)
                            for column in ("missed", "false_verdicts", "unreachable_verdicts"))
    text = "At the end nobody had missed a failure" if not missed else \
        f"At the end {many(missed, 'pair')} of a failure and a live process had missed each other"
    text += ", and nobody alive had been believed dead." if not false else \
        f", and {many(false, 'verdict')} had been made on processes that were alive."
    if apart:
        text += f" {many(apart, 'verdict')} fell on processes that were cut off."
    return text

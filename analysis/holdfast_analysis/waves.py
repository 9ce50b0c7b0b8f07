"""How the news of each failure spread, from the raw events of events.csv: which process knew when.

A process *knows* of a failure from the moment at which it believes all processes that the failure
ended failed. Waited for are those that live from the crash on without a break; who starts later
learns by joining, and is no part of the wave. Times are whole nanoseconds, those of a wave since
the crash.
"""

import os
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Dict, List, Set

from .results import ResultsError, cell, read_table

COLUMNS = ["point", "replicate", "at_s", "event", "process", "subjects", "failure"]


@dataclass
class Wave:
    """The news of one failure. `failure` is its row among those of its replicate."""
    point: int
    replicate: int
    failure: int
    at_ns: int
    ended: Set[int] = field(default_factory=set)      # processes
    living: Set[int] = field(default_factory=set)     # who is waited for
    knew_ns: Dict[int, int] = field(default_factory=dict)  # process: since the crash
    back_ns: Dict[int, int] = field(default_factory=dict)  # … when it believed all alive again

    def first_ns(self):
        """When the first process knew; None if none did."""
        return min(self.knew_ns.values(), default=None)

    def curve(self):
        """(nanoseconds since the first knew, share of the living that know), one for each step."""
        first, count = self.first_ns(), len(self.living)
        steps, known = [], 0
        for at in sorted(self.knew_ns.values()):
            known += 1
            if steps and steps[-1][0] == at - first:
                steps.pop()
            steps.append((at - first, known / count))
        return steps


def read(results):
    """The waves of a run by (point, replicate), in order of time; and the (point, replicate) whose
    events end before the run does. Nothing without events.csv."""
    folder, processes = results.folder, {point.index: point.processes for point in results.points}
    if not os.path.exists(os.path.join(folder, "events.csv")):
        return {}, set()
    found: Dict[tuple, _Replay] = {}
    cut_short = set()
    for line, row in read_table(folder, "events.csv", COLUMNS):
        def number(column, kind=int, line=line, row=row):
            return cell(folder, "events.csv", line, row, column, kind, optional=True)

        key = number("point"), number("replicate")
        if key[0] not in processes:
            raise ResultsError(f"{os.path.join(folder, 'events.csv')}:{line}: sweep point {key[0]} "
                               "has no row in results.csv.")
        if row["event"] == "ends_here":
            cut_short.add(key)
            continue
        if key not in found:
            found[key] = _Replay(*key, processes[key[0]])
        found[key].play(row["event"], number("at_s", _nanoseconds), number("process"),
                        _ranks(folder, line, row["subjects"]), number("failure"))
    return {key: replay.waves() for key, replay in found.items()}, cut_short


def _nanoseconds(text):
    """Exactly: after a year a float no longer tells nanoseconds."""
    whole, _, fraction = text.partition(".")
    return int(whole) * 10 ** 9 + int(fraction[:9].ljust(9, "0"))


def _ranks(folder, line, text):
    """The processes of "17" or "168-171"."""
    first, _, last = text.partition("-")
    try:
        return range(int(first), int(last or first) + 1)
    except ValueError:
        raise ResultsError(f"{os.path.join(folder, 'events.csv')}:{line}: column subjects holds "
                           f"\"{text}\"; expected a rank or a range of ranks, such as 168-171."
                           ) from None


class _Replay:
    """Follows one replicate from event to event."""

    def __init__(self, point, replicate, processes):
        self.point, self.replicate = point, replicate
        self.alive = set(range(processes))
        self.wave_of: Dict[int, Wave] = {}                # by failure
        self.believed = defaultdict(lambda: defaultdict(set))  # by failure, by observer: subjects
        self.mistakes = defaultdict(set)  # by observer: of the living that it believes failed

    def play(self, event, at_ns, process, subjects, failure):
        if event == "crash":
            self.crash(at_ns, subjects, failure)
        elif event == "repair":
            self.alive.update(subjects)
        elif event in ("suspected", "trusted"):
            pass  # who suspects does not know, and tells nobody
        elif failure in self.wave_of:
            self.believe(event == "failed", at_ns, process, subjects, failure)
        elif event == "failed":
            self.mistakes[process].update(subjects)
        else:
            self.mistakes[process].difference_update(subjects)

    def crash(self, at_ns, subjects, failure):
        wave = self.wave_of.setdefault(
            failure, Wave(self.point, self.replicate, failure, at_ns, living=set(self.alive)))
        wave.ended.update(subjects)
        self.alive.difference_update(subjects)
        for observer, mistaken in self.mistakes.items():  # which now are none: it knew at once
            if mistaken & wave.ended and observer in wave.living:
                self.believed[failure][observer].update(mistaken & wave.ended)
                if mistaken >= wave.ended:
                    wave.knew_ns[observer] = 0
                else:
                    wave.knew_ns.pop(observer, None)
        for other in self.wave_of.values():  # who dies is waited for no more, nor when it is back
            other.living.difference_update(
                rank for rank in subjects if rank not in other.knew_ns)

    def believe(self, failed, at_ns, process, subjects, failure):
        wave, believed = self.wave_of[failure], self.believed[failure][process]
        if failed:
            believed.update(subjects)
            if process in wave.living and believed >= wave.ended:
                wave.knew_ns.setdefault(process, at_ns - wave.at_ns)
        else:
            believed.difference_update(subjects)
            if not believed and process in wave.knew_ns:
                wave.back_ns.setdefault(process, at_ns - wave.at_ns)

    def waves(self):
        return [self.wave_of[failure] for failure in sorted(self.wave_of)]


def by_host(times, host_of):
    """The least and the greatest time of each host: {host: (first, last)}."""
    found: Dict[int, List[int]] = {}
    for process, at in times.items():
        pair = found.setdefault(host_of(process), [at, at])
        pair[0], pair[1] = min(pair[0], at), max(pair[1], at)
    return {host: tuple(pair) for host, pair in found.items()}

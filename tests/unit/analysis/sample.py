"""Makes results folders for the tests: the form of a run's results with values invented here.

Values come from a plain linear congruence, so that they are the same everywhere."""

import csv
import json
import os

COUNTS = ["heartbeats", "observes", "notices", "local_notices", "repeats", "acknowledgements",
          "differences", "frames_lost"]


class Numbers:
    """A stream of numbers in [0, 1), the same on every run."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (self.state >> 33) / 2 ** 31


def write_csv(folder, name, header, rows):
    with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_json(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)


def fat_tree(leaves, hosts, spines, parallel):
    """topology.json of a two-level fat tree at 100 Gb/s. Ids: hosts, then leaves, then spines."""
    first_leaf = leaves * hosts
    first_spine = first_leaf + leaves
    nodes = [{"id": i, "kind": "host", "level": 0, "name": f"host-{i}",
              "guid": f"{0x100 + i:016x}"} for i in range(first_leaf)]
    nodes += [{"id": first_leaf + i, "kind": "switch", "level": 1, "name": f"leaf-{i}",
               "guid": f"{0x2000 + i:016x}", "slow_hosts": False} for i in range(leaves)]
    nodes += [{"id": first_spine + i, "kind": "switch", "level": 2, "name": f"spine-{i}",
               "guid": f"{0x3000 + i:016x}", "slow_hosts": False} for i in range(spines)]
    rate = 100_000_000_000
    links = [{"a": i, "b": first_leaf + i // hosts, "bits_per_second": rate, "count": 1,
              "slow": False} for i in range(first_leaf)]
    links += [{"a": first_leaf + leaf, "b": first_spine + spine, "bits_per_second": rate,
               "count": parallel, "slow": False}
              for leaf in range(leaves) for spine in range(spines)]
    return {"nodes": nodes, "links": links, "warnings": []}


def sweep(folder, replicates=8, fabric=None, host="host-4", kinds=("bmg", "chord"), held=0.0):
    """A run like quickstart: two sweep points, deaths of processes and nodes, one undetected.
    host: the first that dies; held: how long the verdict on a node waits."""
    os.makedirs(folder, exist_ok=True)
    numbers = Numbers(1)
    kinds = list(kinds)
    write_json(folder, "resolved.json", {
        "name": "sample", "seed": 7, "replicates": replicates, "duration": "60 s",
        "processes": {"per_node": 4, "placement": "by_slot"},
        "detector": {"kind": "ring", "period": "100 ms", "timeout": "1 s"},
        "sweep": {"propagation.kind": kinds}})
    results, failures = [], []
    for point, kind in enumerate(kinds):
        for replicate in range(replicates):
            for at, what, which, processes in (
                    (10, "process", "17", 1), (20, "node", host, 4),
                    (30, "node", "host-9", 4), (30, "node", "host-9", 0)):
                node = what == "node"
                detection = (0.9 + 0.1 * numbers.next()) if node else 2e-6 * (1 + numbers.next())
                spread = (8e-6 if kind == "bmg" else 15e-6) * (1 + numbers.next())
                never = processes == 0 or (point == 1 and replicate == 0 and at == 30)
                failures.append([point, replicate, at, what, which, processes,
                                 "" if never else repr(detection - (held if node else 0)),
                                 "" if never else repr(detection), "" if never else repr(spread),
                                 "" if at != 20 else 45, "" if at != 20 else repr(spread * 3), 0])
            counts = [1296 * 600, 8, int(1296 * (20 if kind == "bmg" else 10) * 3 + replicate), 900,
                      int(40 * numbers.next()), int(1296 * (20 if kind == "bmg" else 10) * 3),
                      12, 0]
            results.append([point, replicate, kind, 1296, 324, 3, 3, 0, 0, 0, 1] + counts
                           + ["00ff" * 4])
    write_csv(folder, "results.csv",
              ["point", "replicate", "propagation.kind", "processes", "nodes", "failures",
               "detected", "missed", "false_verdicts", "unreachable_verdicts",
               "records_while_down"] + COUNTS + ["state_hash"], results)
    write_csv(folder, "failures.csv",
              ["point", "replicate", "at_s", "what", "which", "processes", "suspicion_s",
               "detection_s", "propagation_s", "repaired_at_s", "rejoin_s", "missed"], failures)
    write_json(folder, "run.json", {
        "version": "0.1.0", "seed": 7, "wall_s": 12.5, "events_per_second": 3.1e6,
        "command": "holdfast run sample.json"})
    if fabric:
        write_json(folder, "topology.json", fabric)


def events(folder):
    """events.csv of the first replicate of the first point of `sweep`: host 4 dies, and all come to
    know; the log ends before the next death."""
    rows = [[0, 0, "20.000000000", "crash", "", "16-19", 0, 1]]
    rows += [[0, 0, f"20.9{rank:08d}", "failed", rank, "16-19", 0, 1]
             for rank in range(32) if not 16 <= rank < 20]
    rows.append([0, 0, "30.000000000", "ends_here", "", "", "", ""])
    write_csv(folder, "events.csv", ["point", "replicate", "at_s", "event", "process", "subjects",
                                     "incarnation", "failure"], rows)


def year(folder, failures=1141):
    """A run like real-cluster: one sweep point, a year of node failures, a mapping, slow links."""
    os.makedirs(folder, exist_ok=True)
    numbers = Numbers(2)
    fabric = fat_tree(6, 15, 4, 3)
    for position in (3, 40):
        fabric["links"][position].update(slow=True, bits_per_second=20_000_000_000)
    fabric["warnings"] = ["host-3: its link to leaf-0 runs at 20 Gb/s, others there at 100 Gb/s",
                          "host-40: its link to leaf-2 runs at 20 Gb/s, others there at 100 Gb/s"]
    write_json(folder, "topology.json", fabric)
    write_json(folder, "resolved.json", {
        "name": "year", "seed": 1, "replicates": 1, "duration": "366 days",
        "trace": {"file": "trace.csv", "format": "lanl", "system": 18, "year": 2004}})
    rows, at = [], 0.0
    for index in range(failures):
        at += 2 * numbers.next() * 366 * 86400 / failures * 0.99
        host = int(89 * numbers.next() ** 2)
        down = index % 20 == 7
        detection = "" if down else repr(0.9 + 0.1 * numbers.next()
                                         + (2 if index % 97 == 5 else 0))
        rows.append([0, 0, repr(round(at, 3)), "node", f"host-{host}", 0 if down else 4,
                     detection, detection,
                     "" if down else repr(6e-6 + 8e-6 * numbers.next()),
                     repr(round(at + 3600, 3)), "" if down else "0.0001", 0])
    write_csv(folder, "failures.csv",
              ["point", "replicate", "at_s", "what", "which", "processes", "suspicion_s",
               "detection_s", "propagation_s", "repaired_at_s", "rejoin_s", "missed"], rows)
    write_csv(folder, "results.csv",
              ["point", "replicate", "processes", "nodes", "failures", "detected", "missed",
               "false_verdicts", "unreachable_verdicts", "records_while_down"] + COUNTS
              + ["state_hash"],
              [[0, 0, 356, 89, failures, failures - 57, 0, 0, 0, 57, 112_000_000_000, 9000,
                356 * 16 * failures, 4000, 12, 356 * 16 * failures, 500, 0, "0badcafe"]])
    write_csv(folder, "mapping.csv", ["trace_node", "host"],
              [[node, f"host-{node % 89}"] for node in range(1024)])
    write_json(folder, "run.json", {"version": "0.1.0", "wall_s": 99.5,
                                    "command": "holdfast run experiments/real-cluster"})

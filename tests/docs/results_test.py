#!/usr/bin/env python3
"""docs/results.md against runs: every file and column that the program writes stands there, in that
order, and nothing else does; a column is said to be empty sometimes just if it is seen empty.
"""

import csv
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import context
import markdown

TREE = {"kind": "fat_tree", "down": [4, 4], "up": [1, 2], "parallel": [1, 1]}
BASE = {
    "name": "run", "duration": "6 s", "topology": TREE,
    "detector": {"period": "100 ms", "timeout": "300 ms"},
}
# Together these leave every cell empty that can be, and fill every one.
RUNS = {
    "quiet": {"duration": "1 s"},
    # 3 dies just before the end: noticed in vain.
    "unnoticed": {
        "sweep": {"detector.order": ["rank"]},
        "failures": [{"at": "5.999 s", "what": "node", "which": 3}],
    },
    # Deaths with and without return, a cut that heals and one that does not, a pause.
    "eventful": {
        "events": {"replicates": 1},
        "failures": [
            {"at": "1 s", "what": "node", "which": 3, "repaired_after": "1 s"},
            {"at": "1 s", "what": "link", "which": "host-9", "repaired_after": "1 s"},
            {"at": "2 s", "what": "process", "which": 12, "action": "pause", "lasts": "1 s"},
            {"at": "4 s", "what": "switch", "which": "leaf-0"},
            {"at": "5.9 s", "what": "switch", "which": "leaf-1", "repaired_after": "50 ms"},
        ],
    },
    # So few nodes that the one cut off has the time to give up all others.
    "apart": {
        "events": {"replicates": 1, "rows": 3},
        "processes": {"nodes": 3},
        "failures": [{"at": "1 s", "what": "link", "which": "host-2", "repaired_after": "3 s"}],
    },
    "packets": {
        "duration": "20 ms", "detector": {"period": "1 ms", "timeout": "3 ms"},
        "fabric": {"fidelity": "packet"},
        "traffic": [{"pattern": "incast", "load": 0.8, "target": 0, "senders": 4}],
    },
    "real": {"duration": "1 s", "processes": {"nodes": 2}, "fabric": {"kind": "udp"}},
    "trace": {"trace": {"file": "trace.csv"}},
    "lanl": {
        "duration": "1 h",
        "trace": {"file": "lanl.csv", "format": "lanl", "system": 2, "year": 2004},
    },
}
FILES = {
    "trace.csv": "at_s,action,what,which\n1,crash,node,1\n",
    "lanl.csv": 'System,"nodes, all",nodenumz,Prob Started,Prob Fixed\n'
    "2,4,4,1/1/2004 0:10,1/1/2004 0:20\n",
}


def prepare(folder):
    """Runs all of RUNS; gives their results folders by name."""
    results = {}
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name, changes in RUNS.items():
        (folder / f"{name}.json").write_text(json.dumps({**BASE, **changes}), encoding="utf-8")
        results[name] = folder / "results" / name
        subprocess.run([context.PROGRAM, "run", f"{name}.json", "--quiet", "--output",
                        str(results[name])], cwd=folder, check=True, stdout=subprocess.PIPE)
    return results


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="holdfast-docs-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.results = prepare(cls.folder)
        text = (context.ROOT / "docs/results.md").read_text(encoding="utf-8")
        cls.sections = markdown.sections(text)

    def described(self, table):
        """(column, whether it is said to be empty sometimes) for each column of a table."""
        found = []
        for cells in markdown.rows(self.sections[table]):
            names = markdown.code(cells[0])
            if names and names[0].endswith("…"):  # as the nine of another kind of packets
                kind = names[0][:-1]
                nine = [c for c in found if c[0].startswith("control_")]
                found += [(kind + c[0][len("control_"):], c[1]) for c in nine]
            elif names:
                found.append((names[0], cells[3] != ""))
        return found

    def table(self, run, name):
        with open(self.results[run] / name, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            return reader.fieldnames, list(reader)

    def test_every_column_is_described_in_its_place(self):
        for name in ("results.csv", "failures.csv", "faults.csv", "cuts.csv", "events.csv"):
            written, _ = self.table("eventful", name)
            self.assertEqual([column for column, _ in self.described(name)], written, name)

        written, _ = self.table("lanl", "mapping.csv")
        self.assertEqual([column for column, _ in self.described("mapping.csv")], written)

    def test_a_swept_path_is_a_column_where_the_document_says(self):
        written, rows = self.table("unnoticed", "results.csv")
        self.assertEqual(written[:4], ["point", "replicate", "detector.order", "processes"])
        self.assertEqual(rows[0]["detector.order"], "rank")
        cells = markdown.rows(self.sections["results.csv"])
        self.assertIn("what is swept", cells[2][0])

    def test_columns_are_empty_where_and_only_where_it_is_said(self):
        for name in ("results.csv", "failures.csv", "faults.csv", "cuts.csv", "events.csv"):
            rows = [row for run, folder in self.results.items() if (folder / name).exists()
                    for row in self.table(run, name)[1]]
            for column, may_be_empty in self.described(name):
                empty = {row[column] == "" for row in rows}
                self.assertEqual(True in empty, may_be_empty, f"{name}: {column} is seen empty")
                self.assertIn(False, empty, f"{name}: {column} is never seen filled")

    def test_every_file_is_described(self):
        listed = {}
        for cells in markdown.rows(self.sections["What a run writes"]):
            listed[markdown.code(cells[0])[0]] = cells[2]
        rare = {"replicates/", "recordings.id"}  # of runs that were killed, and recorded
        seen = {entry.name for run in self.results.values() for entry in run.iterdir()}
        self.assertEqual(seen, set(listed) - rare)
        for entry, when in listed.items():
            if when == "":
                for run, folder in self.results.items():
                    self.assertTrue((folder / entry).exists(), f"{run}: {entry}")

    def test_every_key_of_run_json_is_described(self):
        listed = []
        for cells in markdown.rows(self.sections["run.json"]):
            listed += markdown.code(cells[0])
        written = json.loads((self.results["quiet"] / "run.json").read_text(encoding="utf-8"))
        self.assertEqual(listed, list(written))
        written = json.loads((self.results["real"] / "run.json").read_text(encoding="utf-8"))
        self.assertEqual([key for key in listed if key != "events_per_second"], list(written))

    def test_the_resolved_configuration_runs_again(self):
        done = subprocess.run([context.PROGRAM, "check", "resolved.json"], check=False,
                              cwd=self.results["eventful"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()

"""Jobs over RDMA adapters: eight processes on two hosts, each with two Soft-RoCE adapters of its
own and so two rails, kill -9 of two of which one comes back; the same file simulated; the
recordings; and again with a rail that is down when the process comes back. And jobs that others
make: by a rendezvous, and of programs that join."""

import csv
import io
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from vm_case import VmCase

BUILD = os.environ["HOLDFAST_BUILD"]
PROGRAM = f"{BUILD}/holdfast"
MEMBERS = f"{BUILD}/tests/unit/library/library_test"  # programs that join, see member_program.cpp
JOB = {"name": "verbs-job", "seed": 3, "replicates": 1, "duration": "9 s",
       "topology": {"kind": "fat_tree", "down": [2], "up": [1], "parallel": [1]},
       "processes": {"per_node": 4, "agents": False},
       "detector": {"kind": "ring", "period": "100 ms", "timeout": "1 s", "order": "shuffled"},
       "events": {"replicates": 1},
       "failures": [{"at": "1 s", "what": "process", "which": 2, "repaired_after": "3 s"},
                    {"at": "6 s", "what": "process", "which": 5}]}
# Files come back in the guest's output, each behind a line with its name.
RUN = r"""
"$0" run job.json --target verbs --set fabric.rails=2 --output results --record recordings \
  --quiet || exit 1
for table in failures results events; do echo "== $table"; cat results/$table.csv; done
echo "== replays"
for recording in recordings/0-0/*.recording; do "$0" replay $recording || exit 2; done
"""
# Rail 1 is down when process 2 comes back, and when process 5 dies it is the only one.
CUT = r"""
is_at() { while [ $(pidof holdfast | wc -w) != $1 ]; do sleep 0.1; done; }
{
  is_at 9; is_at 8; /sbin/ip link set cable1 down
  is_at 9; sleep 1; /sbin/ip link set cable1 up
  sleep 2; /sbin/ip link set cable0 down
} &
"""
MEET = r"""
export HOLDFAST_KEY=$(printf '%064d' 7)
for rank in 0 1 2 3; do
  "$0" node job.json --set fabric.kind=verbs --set duration=3s --set failures=[] \
    --set processes.per_node=2 --set fabric.rails=2 --rank $rank --rendezvous 127.0.0.1:7000 \
    --address rxe$((rank % 2 * 2)):1 --address rxe$((rank % 2 * 2 + 1)):1 &
  members="$members $!"
done
for member in $members; do wait $member || exit 3; done
echo "== launched"
"$0" launch -n 4 --per-node 2 --fabric verbs --rails 2 -- "$1" member one_dies
echo "ended with $?"
"""


def tables(output):
    parts = re.split(r"^== (\w+)\n", output, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def rows(table):
    return list(csv.DictReader(io.StringIO(table)))


def believers(events, kind, subject):
    """Who came to believe that of a process."""
    found = set()
    for event in rows(events):
        first, _, last = event["subjects"].partition("-")
        if event["event"] == kind and int(first) <= subject <= int(last or first):
            found.add(int(event["process"]))
    return found


class Jobs(VmCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="holdfast-vm-jobs-")
        self.addCleanup(folder.cleanup)
        self.job = Path(folder.name, "job.json")
        self.job.write_text(json.dumps(JOB), encoding="utf-8")

    def guest(self, script):
        """What the script says, with the programs as $0 and $1 and the job's file beside it."""
        script = f"ln -s {self.job} job.json\n{script}"
        done = self.boot("sh", "-c", script, PROGRAM, MEMBERS, cables=2,
                         extra=[PROGRAM, MEMBERS, str(self.job)])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def simulated(self):
        output = self.job.with_name("simulated")
        subprocess.run([PROGRAM, "run", self.job, "--output", output, "--quiet"], check=True,
                       capture_output=True, timeout=60)
        return rows(Path(output, "failures.csv").read_text(encoding="utf-8"))

    def test_survivors_know_whoever_is_killed_and_who_comes_back(self):
        found = tables(self.guest(RUN))
        result, = rows(found["results"])
        self.assertEqual([result[column] for column in ("failures", "detected", "propagated",
                                                        "missed", "false_verdicts")],
                         ["2", "2", "2", "0", "0"], found["results"])
        for real, simulated in zip(rows(found["failures"]), self.simulated(), strict=True):
            detections = [float(row["detection_s"]) for row in (real, simulated)]
            self.assertLess(abs(detections[0] - detections[1]), 0.25, found["failures"])
        # Process 2 came back, to another queue pair, and hears of the other death like the rest.
        self.assertEqual(believers(found["events"], "alive", 2), set(range(8)) - {2})
        self.assertEqual(believers(found["events"], "failed", 5), set(range(8)) - {5})
        replays = found["replays"]
        self.assertEqual(replays.count("turns replayed, every call equal"), 9, replays)

    def test_who_comes_back_goes_on_with_the_rails_that_are_there(self):
        job = {**JOB, "duration": "13 s", "failures": [JOB["failures"][0],
                                                       {**JOB["failures"][1], "at": "10 s"}]}
        self.job.write_text(json.dumps(job), encoding="utf-8")
        found = tables(self.guest(CUT + RUN))
        result, = rows(found["results"])
        self.assertEqual([result[column] for column in ("detected", "propagated", "missed",
                                                        "false_verdicts")],
                         ["2", "2", "0", "0"], found["results"] + found["events"])
        self.assertEqual(believers(found["events"], "alive", 2), set(range(8)) - {2})
        self.assertEqual(believers(found["events"], "failed", 5), set(range(8)) - {5})
        self.assertEqual(found["replays"].count("turns replayed, every call equal"), 9,
                         found["replays"])

    def test_processes_that_others_start_are_a_job_over_both_adapters(self):
        said, launched = self.guest(MEET).split("== launched\n")
        for rank in range(4):
            places = " and ".join(rf"GID ::ffff:10\.{cable}\.0\.{rank % 2 + 1}, queue pair \d+"
                                  for cable in (7, 8))
            self.assertRegex(said, f"process {rank}: has met all 4 processes; its frames arrive "
                                   f"at {places}\n")
            self.assertIn(f"process {rank}: left at the end\n", said)
        self.assertEqual(re.findall(r"failed after", said), [], said)
        # Process 1 kills itself; the three others hear it and leave, or they would be named too.
        self.assertRegex(launched, r"\Aholdfast launch: process 1 \(pid \d+\) was killed by "
                                   r"signal 9 \(Killed\)\nended with 137\n\Z")


if __name__ == "__main__":
    unittest.main()

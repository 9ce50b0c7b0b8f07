"""`holdfast bench failover` in a short form between network namespaces: what it writes and prints,
and what it refuses. How fast this machine is asserts nothing. Skipped where namespaces are not
allowed."""

import ctypes
import json
import os
import re
import shutil
import subprocess

from holdfast import NOT_HERE, PROGRAM, ROOT, Scenario, main

PR_CAPBSET_DROP, CAP_SYS_ADMIN = 24, 21
MESSAGE_KIB = 64
# How each fault is noticed.
FAULTS = {"cut": "netlink", "closed": "errno", "silent_out": "silence"}


class Failover(Scenario):
    def failover(self, *words):
        """Runs it where it can; gives what it printed."""
        done = subprocess.run(
            [PROGRAM, "bench", "failover", "--message", str(MESSAGE_KIB), *words], check=False,
            cwd=self.folder, capture_output=True, text=True, timeout=100)
        if done.returncode == 2 and any(why in done.stderr for why in NOT_HERE):
            self.cannot_run_here(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def came_meanwhile(self, fault, rail, contender="holdfast"):
        """Messages in the second in which the rail was broken."""
        rows = [row for row in self.rows("out", "results.csv")
                if (row["contender"], row["fault"], row["rail"]) == (contender, fault, rail)]
        self.assertLess(float(rows[0]["at_s"]), -0.25)
        self.assertGreater(float(rows[-1]["at_s"]), 1)
        return sum(float(row["bytes_per_s"]) * 0.01 for row in rows
                   if 0 < float(row["at_s"]) < 1) / (MESSAGE_KIB << 10)

    def test_messages_go_on_over_the_rail_that_is_left(self):
        said = self.failover("--faults", ",".join(FAULTS), "--times", "2", "--rates", "100,100",
                             "--no-mpi", "--output", "out")
        gaps = self.rows("out", "gaps.csv")
        self.assertEqual([(row["fault"], row["rail"]) for row in gaps],
                         [(fault, rail) for fault in FAULTS for rail in ("0", "1")])
        for row in gaps:
            self.assertEqual((row["contender"], row["outcome"]), ("holdfast", "recovered"))
            self.assertEqual(row["noticed_by"], FAULTS[row["fault"]])
            self.assertGreater(float(row["gap_s"]), 0)
            self.assertGreater(float(row["gap_at_s"]), -float(row["gap_s"]))
            self.assertLessEqual(float(row["first_gap_s"]), float(row["gap_s"]))
            self.assertGreaterEqual(float(row["back_s"]), 0)
            self.assertGreater(self.came_meanwhile(row["fault"], row["rail"]), 4)
        steady = self.rows("out", "steady.csv")
        self.assertEqual([(row["rails"], row["repetition"]) for row in steady],
                         [(rails, repetition) for repetition in ("0", "1")
                          for rails in ("0", "1", "0 and 1")])
        for row in steady:
            self.assertGreater(float(row["gap_s"]), 0)
            wire = 12.5e6 * len(row["rails"].split(" and "))
            self.assertEqual(float(row["wire_bytes_per_s"]), wire)
            self.assertLess(float(row["bytes_per_s"]), wire)
        shows = {(row["show"], row["fault"]): float(row["limit"])
                 for row in self.rows("out", "shows.csv")}
        self.assertEqual(shows["gap, 99 %, s", "cut"], 0.01)
        self.assertEqual(shows["gap, 99 %, s", "silent_out"], 0.025)
        self.assertEqual(shows["first gap, 99 %, s", "silent_out"], 0.025)
        self.assertEqual(shows["rail back, 99 %, s", "closed"], 0.25)
        self.assertEqual(shows["two rails / one", "none"], 1.7)
        machine = json.loads(self.read("out", "machine.json"))
        self.assertEqual((machine["rates_megabits_per_s"], machine["message_bytes"],
                          machine["times"]), ([100, 100], MESSAGE_KIB << 10, 2))
        self.assertGreaterEqual(machine["messages_compared"],
                                sum(int(row["messages"]) for row in gaps))
        left_well = re.search("left a rail that was well: ([0-9]+)\n", said)
        self.assertGreaterEqual(int(left_well[1]), sum(int(row["left_well"]) for row in gaps))
        self.assertIn("results: out\n", said)

    def test_the_timers_of_the_paper_wait_ten_seconds_where_nobody_is_told(self):
        self.failover("--faults", "silent_out,cut", "--times", "1", "--rates", "100,100",
                      "--timers", "measured,paper", "--no-mpi", "--output", "out")
        gaps = {(row["contender"], row["fault"]): row for row in self.rows("out", "gaps.csv")}
        self.assertEqual(list(gaps), [(contender, fault)
                                      for contender in ("holdfast", "paper timers")
                                      for fault in ("silent_out", "cut")])
        # The time-out runs from when a virtual fragment had been sent, a message before at most.
        self.assertGreater(float(gaps["paper timers", "silent_out"]["gap_s"]), 9.5)
        self.assertLess(float(gaps["holdfast", "silent_out"]["gap_s"]), 9.5)
        # A rail that was given up never comes back.
        self.assertEqual(gaps["paper timers", "cut"]["outcome"], "rail_not_back")
        self.assertEqual(gaps["holdfast", "cut"]["outcome"], "recovered")
        self.assertEqual(json.loads(self.read("out", "machine.json"))["timers"],
                         ["measured", "paper"])

    def test_open_mpi_is_in_the_same_figure_where_it_is_installed(self):
        if shutil.which("mpirun") is None or not os.path.exists(
                os.path.join(os.path.dirname(PROGRAM), "mpi_failover")):
            self.skipTest("Open MPI is not installed, or mpi_failover was not built")
        self.failover("--faults", "cut,cut_unwatched", "--times", "1", "--rates", "200,100",
                      "--output", "out")
        found = [(row["contender"], row["fault"]) for row in self.rows("out", "gaps.csv")]
        # It is told nothing of rails, so both are the same to it.
        self.assertEqual(found, [("holdfast", "cut"), ("holdfast", "cut_unwatched"),
                                 ("ob1 tcp", "cut")])
        self.assertGreater(int(self.rows("out", "gaps.csv")[2]["messages"]), 0)
        self.draw()

    def draw(self):
        """The figures of dr-7, of the rail that was broken here."""
        with open(os.path.join(ROOT, "experiments", "dr-7", "bandwidth.json"),
                  encoding="utf-8") as file:
            figures = json.load(file)["over_time"]
        shown = [{**figure, "rail": 0} for figure in figures if figure["fault"] != "silent_out"]
        self.write("figures.json", {"over_time": shown})
        subprocess.run([os.path.join(ROOT, "analysis", "bench"), self.path("out"), "--figures",
                        self.path("figures.json")], check=True, stdout=subprocess.PIPE)
        self.assertEqual(len(os.listdir(self.path("out", "figures"))), 6)

    def test_what_is_refused_measures_nothing(self):
        for words, expected in ((["--faults", "cats"], "did you mean \"cut\"?"),
                                (["--faults", "cut,"], "--faults has \"\""),
                                (["--rates", "100"], "expected two whole numbers"),
                                (["--rates", "100,0"], "expected two whole numbers"),
                                (["--message", "63"], "KiB from 64 to 16384"),
                                (["--times", "0"], "--times"),
                                (["--timers", "papper"], "did you mean \"paper\"?"),
                                (["--rounds", "3"], "failover has no option --rounds")):
            self.assertIn(expected, self.refused("bench", "failover", *words))

    def test_without_rights_it_says_which(self):
        def drop():
            ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0)

        done = subprocess.run([PROGRAM, "bench", "failover"], check=False, cwd=self.folder,
                              capture_output=True, text=True, timeout=60, preexec_fn=drop)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("expected root, or the capabilities CAP_SYS_ADMIN and CAP_NET_ADMIN",
                      done.stderr)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    main()

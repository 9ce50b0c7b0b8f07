"""What a person meets at the command line: help, errors, results, resuming, stopping."""

import filecmp
import json
import os
import re
import signal
import time
import unittest
from xml.etree import ElementTree

from holdfast import ROOT, SMALL, Scenario

COMMANDS = ["run", "launch", "check", "topology", "info", "replay", "node", "compare",
            "status"]


class Help(Scenario):
    def test_every_command_has_help(self):
        said, _ = self.run_program("--help")
        for command in COMMANDS:
            self.assertRegex(said, rf"\n  {command} ")
            text, _ = self.run_program(command, "--help")
            self.assertTrue(text.startswith(f"usage: holdfast {command}"), text)
            self.assertIn("--help", text)

    def test_lines_fit_a_terminal(self):
        for command in COMMANDS:
            text, _ = self.run_program(command, "--help")
            for line in text.splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_version_names_the_build(self):
        said, _ = self.run_program("--version")
        self.assertRegex(said, r"^holdfast \d+\.\d+\.\d+ .*\((gcc|clang) ")


class Mistakes(Scenario):
    def setUp(self):
        super().setUp()
        self.write("small.json", SMALL)

    def test_no_command(self):
        self.assertIn("a command is missing", self.refused())

    def test_unknown_command(self):
        self.assertIn('no command "rum"; did you mean run?', self.refused("rum"))

    def test_unknown_option(self):
        self.assertIn("no option --job; did you mean --jobs?",
                      self.refused("run", "small.json", "--job", "2"))

    def test_value_missing(self):
        self.assertIn("--jobs needs a value", self.refused("run", "small.json", "--jobs"))
        self.assertIn("--resume takes no value", self.refused("run", "small.json", "--resume=1"))

    def test_operands(self):
        self.assertIn("expected: holdfast run CONFIG", self.refused("run"))
        self.assertIn('"b" is one too many', self.refused("check", "a", "b"))

    def test_numbers(self):
        for bad in ["0", "-1", "two", "1.5", "99999999999"]:
            self.assertIn("expected a whole number from 1 to 4294967295",
                          self.refused("run", "small.json", "--jobs", bad))

    def test_experiment_that_is_not_there(self):
        self.assertIn("no-such.json", self.refused("run", "no-such.json"))

    def test_wrong_value(self):
        complaint = self.refused("run", "small.json", "--set", "detector.period=12 parsecs")
        self.assertIn("detector", complaint)

    def test_parts_that_are_not_there(self):
        for value, expected in [
                ('{"at": "1 s", "what": "process", "which": 16}', "expected a rank from 0 to 15"),
                ('{"at": "1 s", "what": "node", "which": "host-8"}', ": /failures/0/which: ")]:
            complaint = self.refused("run", "small.json", "--set", f"failures=[{value}]")
            self.assertIn(expected, complaint)
            self.assertTrue(complaint.startswith(f"--set failures=[{value}]: "), complaint)
        complaint = self.refused("run", "small.json", "--set", "processes.nodes=9")
        self.assertIn("expected at most 8", complaint)
        self.write("late.json", dict(SMALL, failures=[
            {"at": "1 s", "what": "node", "which": "host-8"}]))
        self.assertRegex(self.refused("check", "late.json"),
                         r"^late\.json:\d+:\d+: /failures/0/which: no host is called")

    def test_files_that_are_not_there(self):
        for option in ["--topology", "--trace"]:
            words = ["run", "small.json", option, "no-such-file"]
            if option == "--trace":
                words += ["--set", "trace.format=csv"]
            self.assertIn("no-such-file", self.refused(*words))

    def test_what_does_not_go_together(self):
        self.assertIn("one replicate at a time",
                      self.refused("run", "small.json", "--set", "fabric.kind=udp",
                                   "--jobs", "2"))
        self.assertIn("--record is for real processes",
                      self.refused("run", "small.json", "--record", "somewhere"))
        self.assertIn("nothing to tell them by",
                      self.refused("run", "small.json", "--set", "fabric.corrupt=0.1"))

    def test_node_needs_a_launcher(self):
        self.assertIn("holdfast run", self.refused("node"))

    def test_launch_says_what_is_wrong_with_its_command_line(self):
        for words, complaint in [
                (["small.json"], "-n N is missing"),
                (["-n", "0", "true"], "-n is \"0\""),
                (["-n", "5000", "true"], "expected a whole number from 1 to 4096"),
                (["-n", "4"], "something is missing"),
                (["-n", "4", "--per-node", "3", "true"], "does not divide 4"),
                (["-n", "4", "--period", "soon", "true"], "--period is \"soon\""),
                (["-n", "4", "--period", "99999999999999s", "true"], "number that is too large"),
                (["-n", "4", "--period", "--timeout=1s", "true"],
                 "--period needs a value, and --timeout is an option; if it is meant: "
                 "--period=--timeout=1s"),
                (["-n", "4", "--timeout", "150ms", "true"], "at least two periods of 100 ms"),
                (["-n", "4", "--rails", "9", "true"], "expected a whole number from 1 to 8"),
                (["-n", "4", "--rails", "2", "--fabric", "shm", "true"], "is one rail; give"),
                (["-n", "4", "--rails", "2", "--timeout", "399ms", "true"],
                 "at least 4 periods of 100 ms, two for each of the rails"),
                (["-n", "4", "no-such-program"], "no program \"no-such-program\"")]:
            self.assertIn(complaint, self.refused("launch", *words), words)

    def test_launch_gives_a_program_its_words_and_passes_its_end_on(self):
        said, _ = self.run_program("launch", "-n", "3", "sh", "-c", 'echo "$@"', "-n", "-q")
        self.assertEqual(said, "-q\n" * 3)
        said, _ = self.run_program("launch", "-n", "2", "--", "cat")
        self.assertEqual(said, "")
        _, complaint = self.run_program("launch", "-n", "2", "sh", "-c", "exit 5", status=5)
        self.assertRegex(complaint, r"process [01] \(pid \d+\) ended with exit status 5")
        self.assertNotIn("note", complaint)
        self.run_program("launch", "-n", "2", "sh", "-c", "kill -TERM $$", status=128 + 15)

    def test_launch_notes_once_that_nobody_has_joined(self):
        _, note = self.run_program("launch", "-n", "2", "true")
        self.assertEqual(note, "holdfast launch: note: all processes ended with 0 and none had "
                         "joined the job (holdfast_join, see holdfast/holdfast.h), so there was "
                         "none; exit status 0\n")

    def test_replay_of_no_recording(self):
        self.assertIn("is not a recording", self.refused("replay", "small.json"))
        self.assertIn("no-such", self.refused("replay", "no-such"))

    def test_info(self):
        self.assertIn("expected machine, propagation or skeletons",
                      self.refused("info", "weather"))
        self.assertIn("goes with holdfast info propagation only",
                      self.refused("info", "--processes", "5"))
        self.assertIn("goes with holdfast info machine only",
                      self.refused("info", "propagation", "--json"))
        self.assertIn("expected a whole number from 1 to 1048576",
                      self.refused("info", "propagation", "--processes", "2000000"))

    def test_info_on_a_skeleton(self):
        said, _ = self.run_program("info", "skeletons", "--job", "is.s.4")
        self.assertEqual(len(said.splitlines()), 9, said)
        rows = re.findall(r"(?m)^IS +S +4 .*$", said)
        self.assertEqual(len(rows), 2, said)
        self.assertRegex(rows[1], r" 36\.0$")  # 11 times three collective operations, and three
        for job, complaint in [
                ("bt.C.15", "BT.C does not run on 15 processes; expected a square number, such as"),
                ("ep.A.4", "the benchmarks are BT, SP, LU, CG, MG, FT and IS"),
                ("ft.E.4", "the classes are S, W, A, B, C and D"),
                ("cg.C.x", "the processes are a number")]:
            self.assertIn(complaint, self.refused("info", "skeletons", "--job", job))
        self.assertIn("goes with holdfast info skeletons only",
                      self.refused("info", "machine", "--job", "bt.C.16"))

    def test_info_on_skeletons_beside_what_was_measured(self):
        said, _ = self.run_program("info", "skeletons")
        rows = re.findall(r"(?m)^[A-Z]{2}\.C\.64 .*$", said)
        self.assertEqual(len(rows), 14 + 6, said)
        for row in rows:
            self.assertIn("+0", row)
            self.assertNotRegex(row, r"[+-][1-9]")


class Running(Scenario):
    def setUp(self):
        super().setUp()
        self.write("small.json", SMALL)

    def test_results_folder(self):
        said, _ = self.run_program("run", "small.json")
        self.assertEqual(said.splitlines()[-1], "results: results/small")
        self.assertEqual(sorted(os.listdir(self.path("results", "small"))),
                         ["cuts.csv", "failures.csv", "faults.csv", "resolved.json", "results.csv",
                          "run.json", "run.log", "topology.json", "warnings.json"])
        rows = self.rows("results", "small", "results.csv")
        self.assertEqual([row["replicate"] for row in rows], ["0", "1"])
        for row in rows:
            self.assertEqual((row["processes"], row["nodes"]), ("16", "8"))
            self.assertEqual((row["failures"], row["detected"], row["missed"]), ("2", "2", "0"))
        run = json.loads(self.read("results", "small", "run.json"))
        self.assertEqual([point["replicates"] for point in run["by_point"]], [2])
        self.assertEqual(run["by_point"][0]["events"], run["events"])
        self.assertEqual((run["replicates"], run["seed"]), (2, 1))
        self.assertGreater(run["events_per_second"], 0)
        self.assertGreater(run["peak_memory_bytes"], 1_000_000)

    def test_failures(self):
        """An agent tells of its node's process at once; a node is noticed by its silence."""
        self.run_program("run", "small.json")
        failures = self.rows("results", "small", "failures.csv")
        self.assertEqual(len(failures), 4)
        for row in failures:
            detection = float(row["detection_s"])
            if row["what"] == "process":
                self.assertEqual((row["which"], row["processes"]), ("2", "1"))
                self.assertLess(detection, 0.001)
                self.assertEqual(row["repaired_at_s"], "")
            else:
                self.assertEqual((row["which"], row["processes"]), ("host-5", "2"))
                # (timeout - period, timeout] and a message time.
                self.assertGreater(detection, 0.9)
                self.assertLess(detection, 1.001)
                self.assertEqual(row["repaired_at_s"], "4.000000000")
                self.assertLess(float(row["rejoin_s"]), 1.0)

    def test_a_folder_stands_for_its_experiment(self):
        os.mkdir(self.path("mine"))
        self.write(os.path.join("mine", "experiment.json"), SMALL)
        said, _ = self.run_program("run", "mine", "--output", "out", "--quiet")
        self.assertEqual(said, "results: out\n")

    def test_jobs_change_nothing(self):
        for name, jobs in [("one", "1"), ("two", "2"), ("many", "7")]:
            self.run_program("run", "small.json", "--jobs", jobs, "--output", name,
                             "--set", "replicates=6", "--set", "fabric.loss=0.02",
                             "--set", 'sweep={"detector.order": ["rank", "shuffled"]}')
        for table in ["results.csv", "failures.csv"]:
            self.assertEqual(self.read("one", table), self.read("two", table))
            self.assertEqual(self.read("one", table), self.read("many", table))
        rows = self.rows("one", "results.csv")
        self.assertEqual([row["detector.order"] for row in rows], ["rank"] * 6 + ["shuffled"] * 6)
        self.assertEqual(len({row["state_hash"] for row in rows}), 12)

    def test_resolved_runs_to_the_same_results(self):
        self.run_program("run", "small.json", "--output", "first")
        self.run_program("run", "first/resolved.json", "--output", "second")
        self.assertEqual(self.read("first", "results.csv"), self.read("second", "results.csv"))

    def test_a_folder_is_never_overwritten(self):
        for folder in ["results/small", "results/small-2"]:
            said, _ = self.run_program("run", "small.json")
            self.assertIn(f"results: {folder}\n", said)
        self.assertIn("never overwritten",
                      self.refused("run", "small.json", "--output", "results/small"))

    def test_resuming_another_configuration(self):
        self.run_program("run", "small.json", "--output", "out")
        before = self.read("out", "results.csv")
        complaint = self.refused("run", "small.json", "--output", "out", "--resume",
                                 "--set", "seed=2")
        self.assertIn('`"seed": 1,` there and `"seed": 2,` now', complaint)
        self.assertEqual(self.read("out", "results.csv"), before)

    def test_resuming_what_is_complete(self):
        self.run_program("run", "small.json", "--output", "out")
        log = self.read("out", "run.log")
        _, said = self.run_program("run", "small.json", "--output", "out", "--resume")
        self.assertIn("nothing is left to run", said)
        self.assertEqual(self.read("out", "run.log"), log)

    def test_control_c_keeps_what_is_done(self):
        words = ["run", "small.json", "--set", "replicates=400", "--output", "out", "--jobs", "1"]
        program = self.start(*words)
        while not os.path.exists(self.path("out", "replicates", "0-3.json")):
            time.sleep(0.005)
        program.send_signal(signal.SIGINT)
        said, complaint = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 130)
        self.assertIn("--resume --output out", complaint)
        self.assertEqual(said.splitlines()[-1], "results: out")
        self.assertGreater(len(self.rows("out", "results.csv")), 2)
        _, again = self.run_program(*words, "--resume")
        self.assertRegex(again, r"Resuming out: \d+ of 400 replicates are finished")
        self.assertEqual(len(self.rows("out", "results.csv")), 400)

    def test_check_knows_the_memory(self):
        words = ["small.json", "--set", "topology={\"kind\": \"preset\", \"name\": \"8192\"}",
                 "--set", "processes.per_node=4", "--set", "replicates=1", "--set", "duration=3 s",
                 "--set", 'failures=[{"at": "1 s", "what": "node", "which": 5}]']
        said, _ = self.run_program("check", *words)
        expected = re.search(r"about (\d+) MiB, and (\d+) MiB for each replicate", said)
        self.run_program("run", *words, "--output", "out", "--jobs", "1")
        peak = json.loads(self.read("out", "run.json"))["peak_memory_bytes"] / 2**20
        self.assertGreater(sum(map(int, expected.groups())), 0.9 * peak)
        self.assertLess(sum(map(int, expected.groups())), 1.5 * peak)

    def test_check_writes_nothing(self):
        before = sorted(os.listdir(self.folder))
        said, _ = self.run_program("check", "small.json", "--set", "replicates=7")
        for line in ["replicates  7 in all", "processes   16 on 8 of 8 hosts",
                     "duration    6.000000000 s", "2 crashes, 1 repairs"]:
            self.assertIn(line, said)
        self.assertEqual(sorted(os.listdir(self.folder)), before)


class Traces(Scenario):
    def setUp(self):
        super().setUp()
        self.write("small.json", {key: value for key, value in SMALL.items() if key != "failures"})

    def test_csv(self):
        self.write("trace.csv", "at_s,action,what,which\n2.5,crash,node,host-3\n1,crash,process,0\n"
                                "2.75,crash,node,3\n4,repair,node,host-3\n")
        self.run_program("run", "small.json", "--trace", "trace.csv", "--set", "trace.format=csv",
                         "--output", "out")
        failures = self.rows("out", "failures.csv")[:2]
        self.assertEqual([(row["at_s"], row["what"], row["which"]) for row in failures],
                         [("1.000000000", "process", "0"), ("2.500000000", "node", "host-3")])
        self.assertEqual(failures[1]["repaired_at_s"], "4.000000000")
        self.assertEqual(self.rows("out", "results.csv")[0]["records_while_down"], "1")

    def test_csv_error(self):
        self.write("trace.csv", "at_s,action,what,which\n2.5,crash,node,host-9\n")
        complaint = self.refused("run", "small.json", "--trace", "trace.csv",
                                 "--set", "trace.format=csv")
        self.assertIn('trace.csv:2: which is "host-9"', complaint)

    def test_lanl(self):
        self.write("trace.csv", "System,nodenumz,Prob Started,Prob Fixed\n"
                                "7,11,2/3/2004 0:01,2/3/2004 0:02\n"
                                "7,12,3/3/2004 0:01,3/3/2004 0:02\n")
        self.run_program("run", "small.json", "--trace", "trace.csv", "--trace-system", "7",
                         "--trace-year", "2004", "--trace-month", "2", "--set", "replicates=1",
                         "--set", "duration=3 days", "--output", "out")
        failures = self.rows("out", "failures.csv")
        # Node 11 on 8 hosts is host 3; in the second minute of the month's third day.
        self.assertEqual([row["which"] for row in failures], ["host-3"])
        self.assertEqual(float(failures[0]["at_s"]) // 60, 2 * 24 * 60 + 1)
        self.assertEqual(float(failures[0]["repaired_at_s"]) // 60, 2 * 24 * 60 + 2)
        self.assertEqual(self.read("out", "mapping.csv"), "node,host,records\n11,host-3,1\n")


class Facts(Scenario):
    def test_propagation_values_of_the_papers(self):
        """Rounds until the last first copy, and mean messages received per process."""
        for processes, expected in [("48", {"chord": ("5", "6.00"), "bmg": ("3", "10.00")}),
                                    ("1024", {"chord": ("10", "10.00"), "bmg": ("5", "19.00")})]:
            said, _ = self.run_program("info", "propagation", "--processes", processes)
            for name, (rounds, messages) in expected.items():
                self.assertRegex(said, rf"(?m)^{name}\s+{rounds}\s+{re.escape(messages)}\s+"
                                       rf"{processes}\s")

    def test_topology_of_an_experiment(self):
        said, _ = self.run_program("topology", os.path.join(ROOT, "experiments", "quickstart"))
        self.assertIn("324", said)
        self.assertIn("27", said)

    def test_topology_of_a_folder_with_a_dot_in_its_path(self):
        whole, _ = self.run_program("topology", os.path.join(ROOT, "experiments", "quickstart"))
        os.makedirs(self.path("v1.2/quickstart.new"))
        with open(os.path.join(ROOT, "experiments", "quickstart", "experiment.json"),
                  encoding="utf-8") as config:
            self.write("v1.2/quickstart.new/experiment.json", json.load(config))
        for name in ["v1.2/quickstart.new", "v1.2/quickstart.new/", "./v1.2/quickstart.new/."]:
            self.assertEqual(self.run_program("topology", name)[0], whole)

    def test_topology_check(self):
        self.write("small.json", dict(SMALL, topology={
            "kind": "fat_tree", "down": [4, 4], "up": [1, 2], "parallel": [1, 2]}))
        said, _ = self.run_program("topology", "small.json", "--check")
        self.assertIn("pattern   1 group of 4 switches of level 1 and 2 of level 2, 2 cables a pair"
                      "\nnothing found\n", said)
        whole, _ = self.run_program("topology", "small.json", "--convert", "ibnetdiscover")
        # leaf-1's first cable to spine-0 is pulled: a line in either section.
        lines = [line for line in whole.splitlines()
                 if not re.search(r'^\[5\].*"S-0002020000000000"\[3\]|'
                                  r'^\[3\].*"S-0002010000000001"\[5\]', line)]
        self.assertEqual(len(lines) + 2, len(whole.splitlines()))
        self.write("pulled.txt", "\n".join(lines) + "\n")
        said, _ = self.run_program("topology", "pulled.txt", "--check", status=1)
        self.assertIn('found     1 cable missing: "leaf-1" 0x0002010000000001[5] to '
                      '"spine-0" 0x0002020000000000[3]\n', said)
        self.assertTrue(said.endswith("\n1 finding: 1 degraded\n"), said)
        found = json.loads(self.run_program("topology", "pulled.txt", "--check", "--json",
                                            status=1)[0])["findings"]
        self.assertEqual([(f["kind"], [(p["guid"], p["port"]) for p in f["ports"]]) for f in found],
                         [("missing-cable", [("0x0002010000000001", 5),
                                             ("0x0002020000000000", 3)])])
        self.write("cut.txt", "".join(whole.splitlines(True)[:40]))
        self.assertRegex(self.refused("topology", "cut.txt", "--check"),
                         r"^cut.txt:\d+: the link leads to \S+, which has no section, and so it is "
                         r"with \d+ other links; the file is not complete.*\n$")
        self.assertIn("expected --check --json", self.refused("topology", "cut.txt", "--json"))
        self.assertIn("expected one of them",
                      self.refused("topology", "cut.txt", "--check", "--convert", "dot"))

    def test_topology_draw(self):
        self.write("small.json", SMALL)
        said, complaint = self.run_program("topology", "small.json", "--draw", "small.svg")
        self.assertEqual((said, complaint), ("", ""))
        svg = "{http://www.w3.org/2000/svg}"
        drawn = ElementTree.parse(os.path.join(self.folder, "small.svg")).getroot()
        self.assertEqual(drawn.tag, svg + "svg")
        titles = [title.text for title in drawn.iter(svg + "title")]
        for part in ("host-7", "leaf-0"):
            self.assertTrue(any(part in title for title in titles), f"{part} in {titles}")
        # Drawing goes with what prints.
        said, _ = self.run_program("topology", "small.json", "--draw", "again.svg", "--check")
        self.assertIn("nothing found\n", said)
        self.assertTrue(filecmp.cmp(os.path.join(self.folder, "small.svg"),
                                    os.path.join(self.folder, "again.svg"), shallow=False))
        self.assertIn("expected the name of an SVG file, which ends in .svg",
                      self.refused("topology", "small.json", "--draw", "small.png"))
        self.assertRegex(self.refused("topology", "small.json", "--draw", "no/such/folder.svg"),
                         r"^holdfast topology: --draw: no/such/folder.svg\S*: .*No such file")

    def test_topology_refuses_options_that_would_do_nothing(self):
        self.write("small.json", SMALL)
        self.assertRegex(self.refused("topology", "small.json", "--names", "map"),
                         r"^holdfast topology: --names .*\"small.json\" is an experiment; expect")
        self.assertRegex(self.refused("topology", "fabric.txt", "--set", "seed=2"),
                         r"^holdfast topology: --set .*\"fabric.txt\" is an ibnetdiscover file; ")

    def test_what_is_a_folder_is_an_experiment_or_no_topology(self):
        os.mkdir(self.path("folder.d"))
        self.assertIn("folder.d/experiment.json: there is no such file; expected an experiment",
                      self.refused("topology", "folder.d"))

    def test_what_is_no_program_is_not_launched(self):
        os.mkdir(self.path("folder"))
        self.assertIn('there is no program "./folder" that can be executed',
                      self.refused("launch", "-n", "2", "./folder"))
        self.write("text", "no program")
        os.chmod(self.path("text"), 0o755)
        program = self.start("launch", "-n", "2", "./text")
        _, complaint = program.communicate(timeout=60)
        self.assertIn("launch: cannot execute ./text: Exec format error\n", complaint)

    def test_topology_for_other_programs(self):
        self.write("small.json", SMALL)
        for form, line in [("ibnetdiscover", 'Switch\t8 "S-0002010000000000"\t\t# "leaf-0" base'),
                           ("ibsim", '[8]\t"host-7"[1]\tw=2 s=4\t# 4xEDR'),
                           ("dot", "graph fabric {"),
                           ("slurm", "SwitchName=leaf-0 Nodes=host-[0-7]")]:
            said, complaint = self.run_program("topology", "small.json", "--convert", form)
            self.assertIn("\n" + line, said)
            self.assertEqual(complaint, "")
        said, _ = self.run_program("topology", "small.json", "--convert", "ibnetdiscover")
        self.write("small.txt", said)
        described, _ = self.run_program("topology", "small.txt")
        self.assertEqual(described, self.run_program("topology", "small.json")[0])
        self.assertIn("did you mean slurm?; expected one of ibnetdiscover, ibsim, dot, slurm",
                      self.refused("topology", "small.txt", "--convert", "slrm"))
        self.assertIn("has 56 Gb/s, which no InfiniBand link has",
                      self.refused("topology", "small.json", "--convert", "ibsim",
                                   "--set", "fabric.link.rate=56 Gb/s"))

    def test_topology_of_a_file(self):
        data = os.environ.get("HOLDFAST_DATA")
        if not data:
            self.skipTest("HOLDFAST_DATA does not name the folder of outside data")
        said, _ = self.run_program("topology", os.path.join(data, "topologies",
                                                            "psmn-x5.ibnetdiscover"))
        self.assertIn("89", said)
        self.assertIn("11", said)


class RealCluster(Scenario):
    def setUp(self):
        super().setUp()
        data = os.environ.get("HOLDFAST_DATA")
        if not data:
            self.skipTest("HOLDFAST_DATA does not name the folder of outside data")
        self.words = ["run", os.path.join(ROOT, "experiments", "real-cluster"),
                      "--topology", os.path.join(data, "topologies", "psmn-x5.ibnetdiscover"),
                      "--trace", os.path.join(data, "lanl-failures-1996-2005.csv.xz"),
                      "--trace-system", "18", "--trace-year", "2004"]

    def test_a_month_without_skipping_gives_the_same(self):
        """With a slow detector, so that all of its heartbeats can be sent in seconds."""
        month = ["--trace-month", "3", "--set", "detector.period=20 s",
                 "--set", "detector.timeout=200 s"]
        self.run_program(*self.words, *month, "--output", "skipped")
        self.run_program(*self.words, *month, "--output", "whole",
                         "--set", "skip_quiet_time=false")
        for table in ["results.csv", "failures.csv"]:
            self.assertEqual(self.read("skipped", table), self.read("whole", table))
        skipped = json.loads(self.read("skipped", "run.json"))
        whole = json.loads(self.read("whole", "run.json"))
        self.assertGreater(skipped["heartbeats_skipped"], skipped["heartbeats"] // 10)
        self.assertEqual(whole["heartbeats_skipped"], 0)


if __name__ == "__main__":
    unittest.main()

"""`holdfast bench` in a short form: what it writes and prints, and what it refuses. How fast this
machine is asserts nothing."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from holdfast import NOT_HERE, PROGRAM, ROOT, Scenario

CHECKSUMS = {"sum32", "xor32", "adler32", "fletcher64", "jenkins_oaat", "fnv1a", "knuth",
             "murmur2a", "superfast", "crc32c", "xxh3"}


class Bench(Scenario):
    def bench(self, *words):
        """What it gave; `args` is its process number."""
        environment = {**os.environ, "XDG_CACHE_HOME": self.path("cache")}
        with subprocess.Popen([PROGRAM, "bench", *words], cwd=self.folder, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as done:
            stdout, stderr = done.communicate()
        return subprocess.CompletedProcess(done.pid, done.returncode, stdout, stderr)

    def test_every_checksum_is_measured_beside_the_limits(self):
        done = self.bench("checksum", "--rounds", "1", "--largest", "1", "--output", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("measured now", done.stdout)
        self.assertIn("results: out\n", done.stdout)
        found = {}
        for row in csv.DictReader(self.read("out", "bandwidth.csv").splitlines()):
            found.setdefault(row["measurement"], set()).add(row["contender"])
            self.assertGreater(float(row["median_bytes_per_s"]), 0)
        self.assertEqual(found["checksum"] - {"isal_crc32c"},
                         CHECKSUMS | {"memory_read", "memcpy"})
        for measurement in ("copy_then_checksum", "fused"):
            self.assertEqual(found[measurement], CHECKSUMS | {"memcpy"})
        shows = list(csv.DictReader(self.read("out", "shows.csv").splitlines()))
        self.assertGreaterEqual(len(shows), 3)
        machine = json.loads(self.read("out", "machine.json"))
        from_4096 = "1" if machine["crc32c_kernel"].startswith("avx512") else "0.9"
        for row in shows:
            self.assertIn(row["limit"], ("memcpy", "memory_read"))
            is_long_beside_isal = "ISA-L" in row["show"] and int(row["message_bytes"]) >= 4096
            self.assertEqual(row["least_ratio"], from_4096 if is_long_beside_isal else "0.9", row)
        self.assertTrue(machine["measured"])
        self.assertIn("model", machine["processor"])
        for experiment in ("csum-1", "csum-2"):
            figures = os.path.join(ROOT, "experiments", experiment, "bandwidth.json")
            subprocess.run([os.path.join(ROOT, "analysis", "bench"), self.path("out"), "--figures",
                            figures], check=True, stdout=subprocess.PIPE)
        self.assertEqual(len(os.listdir(self.path("out", "figures"))), 9)

        again = self.bench("checksum", "--rounds", "1", "--largest", "1", "--output", "again")
        self.assertIn("measured before", again.stdout)

    def test_the_models_are_drawn_with_the_papers_parameters_and_this_machines(self):
        done = self.bench("pipeline-model", "--output", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("results: out\n", done.stdout)
        found = {}
        for row in csv.DictReader(self.read("out", "bandwidth.csv").splitlines()):
            found[row["measurement"], row["contender"], int(row["message_bytes"])] = \
                float(row["median_bytes_per_s"])
        self.assertEqual({key[0] for key in found}, {"model_jack", "model_here"})
        for measurement, contender, length in found:
            self.assertLessEqual(found[measurement, contender, length], 3e9, contender)
            self.assertLessEqual(found[measurement, contender, length],
                                 found[measurement, "network", length])
        # T = 2 L / 6 GB/s + 1.4 us + L / 3 GB/s, and 1 / (1/3 + 2/6) of an endless message.
        self.assertAlmostEqual(found["model_jack", "eager", 4096] / 1e9,
                               4.096 / (2 * 4.096 / 6 + 1.4 + 4.096 / 3), 3)
        self.assertAlmostEqual(found["model_jack", "naive", 64 << 20] / 1e9, 1.5, 2)
        model = json.loads(self.read("out", "model.json"))
        self.assertEqual(model["here"]["network_gap_ns"], 300)
        self.assertGreater(model["here"]["copy_bytes_per_s"], 0)
        figures = os.path.join(ROOT, "experiments", "csum-model", "bandwidth.json")
        subprocess.run([os.path.join(ROOT, "analysis", "bench"), self.path("out"), "--figures",
                        figures], check=True, stdout=subprocess.PIPE)
        self.assertEqual(len(os.listdir(self.path("out", "figures"))), 6)

        again = self.bench("pipeline-model", "--output", "again")
        self.assertIn("measured before", again.stdout)

    def test_the_skeletons_are_played_and_drawn_beside_the_papers_run_times(self):
        done = self.bench("nas", "--figure", "csum-table-1", "--job", "is.b.16", "--output", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("results: out\n", done.stdout)
        rows = {row["contender"]: row
                for row in csv.DictReader(self.read("out", "runtimes.csv").splitlines())}
        self.assertEqual(list(rows), ["unprotected", "unprotected, summed up", "reliable",
                                      "reliable, crc32c"])
        seconds = {name: float(row["seconds"]) for name, row in rows.items()}
        # What it computes was chosen so that it takes as long as the paper's.
        self.assertAlmostEqual(seconds["unprotected"], 0.35, 3)
        self.assertEqual(float(rows["reliable"]["published_seconds"]), 0.37)
        # 16 processes in five iterations, one of them untimed: 4 rounds to add up, 4 to tell the
        # lengths, 15 exchanges; and a broadcast, two sums and the greatest keys, 15 each.
        played = 5 * 16 * (4 + 4 + 15) + 4 * 15
        self.assertEqual({row["played_messages"] for row in rows.values()}, {str(played)})
        self.assertGreater(seconds["unprotected, summed up"], 1.1 * seconds["unprotected"])
        self.assertLess(seconds["reliable, crc32c"], 1.02 * seconds["reliable"])
        again = self.bench("nas", "--figure", "csum-table-1", "--job", "is.b.16", "--output",
                           "again")
        self.assertEqual(again.returncode, 0)
        self.assertEqual(self.read("again", "runtimes.csv"), self.read("out", "runtimes.csv"))
        figures = os.path.join(ROOT, "experiments", "csum-table-1", "runtimes.json")
        subprocess.run([os.path.join(ROOT, "analysis", "bench"), self.path("out"), "--figures",
                        figures], check=True, stdout=subprocess.PIPE)
        self.assertEqual(len(os.listdir(self.path("out", "figures"))), 6)

    def readme_rows(self, experiment):
        """The table of what its run answered: the cells of each row by the first one."""
        with open(os.path.join(ROOT, "experiments", experiment, "README.md"),
                  encoding="utf-8") as file:
            answer = file.read().split("## What the run answered")[1].split("\n## ")[0]
        rows = [[cell.strip() for cell in line.strip("|").split("|")]
                for line in answer.splitlines() if line.startswith("|")]
        return {cells[0]: cells[1:] for cells in rows}

    def assert_rounded(self, cell, value, where):
        number = cell.split()[0]
        half = 0.51 * 10.0 ** -len(number.partition(".")[2])  # the table's own digits are few
        self.assertAlmostEqual(float(number), value, delta=half, msg=where)

    def test_the_readme_has_the_run_times_of_this_build(self):
        done = self.bench("nas", "--figure", "csum-table-1", "--output", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        runs = {}
        for row in csv.DictReader(self.read("out", "runtimes.csv").splitlines()):
            name = ".".join((row["benchmark"].lower(), row["class"], row["processes"]))
            runs.setdefault(name, {})[row["contender"]] = row
        table = self.readme_rows("csum-table-1")
        self.assertLessEqual(set(runs), set(table))
        for name, run in runs.items():
            cells = table[name]
            summed, protected = run["unprotected, summed up"], run["reliable, crc32c"]
            for column, value in ((2, float(summed["seconds"])),
                                  (4, 100 * (float(summed["over_unsummed"]) - 1)),
                                  (6, float(run["reliable"]["seconds"])),
                                  (8, float(protected["seconds"])),
                                  (10, 100 * (float(protected["over_unsummed"]) - 1))):
                self.assert_rounded(cells[column], value, (name, column))

    def test_nas_says_what_of_reliable_messages_costs_how_much(self):
        done = self.bench("nas", "--figure", "dr-6", "--job", "is.c.16", "--output", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = list(csv.DictReader(self.read("out", "runtimes.csv").splitlines()))
        self.assertEqual([row["contender"] for row in rows],
                         ["unprotected", "reliable, untimed", "reliable, uncopied", "reliable",
                          "reliable, crc32c"])
        seconds = [float(row["seconds"]) for row in rows]
        self.assertEqual(seconds, sorted(set(seconds)))
        self.assertEqual([row["over_unsummed"] != "" for row in rows], [False] * 4 + [True])
        figures = os.path.join(ROOT, "experiments", "dr-6", "runtimes.json")
        subprocess.run([os.path.join(ROOT, "analysis", "bench"), self.path("out"), "--figures",
                        figures], check=True, stdout=subprocess.PIPE)
        self.assertEqual({name.split(".")[0] for name in os.listdir(self.path("out", "figures"))},
                         {"class-c"})  # no run of class D was played

    def netpipe(self, target, *words):
        """A round of a few lengths; the rows by (pattern, contender, bytes)."""
        sizes = [1, 8, 5000, 65536, 1048576]
        done = self.bench("netpipe", "--target", target, "--rounds", "1", "--sizes",
                          ",".join(map(str, sizes)), "--output", target, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = {}
        for row in csv.DictReader(self.read(target, "bandwidth.csv").splitlines()):
            kind, pattern = row["measurement"].split()
            self.assertEqual(kind, target)
            self.assertGreater(float(row["median_bytes_per_s"]), 0)
            rows[pattern, row["contender"], int(row["message_bytes"])] = row
        contenders = {contender for _, contender, _ in rows}
        self.assertEqual(set(rows), {(pattern, contender, size) for size in sizes
                                     for pattern in ("ping_pong", "stream")
                                     for contender in contenders})
        # Of a step: 4 MiB of messages, 2 to 200 of them; there and back in a ping-pong.
        each = sum(3 * min(200, max(2, 4 * 2**20 // size)) for size in sizes)
        machine = json.loads(self.read(target, "machine.json"))
        self.assertEqual(machine["messages_compared"], each * len(contenders))
        self.assertEqual(machine["steps"], 2 * len(sizes) * len(contenders))
        self.assertLess(0, machine["additions_per_cycle"]["median"])
        self.assertLessEqual(machine["additions_per_cycle"]["median"],
                             machine["additions_per_cycle"]["best"])
        told = Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text().strip()
        over_tcp = any(contender.endswith(" tcp") for contender in contenders)
        self.assertEqual(machine.get("tcp_congestion_control"), told if over_tcp else None)
        self.assertEqual("have the congestion control" in done.stdout,
                         over_tcp and told != "cubic")
        self.assertIn(f"results: {target}\n", done.stdout)
        self.assertEqual([name for name in os.listdir("/dev/shm")
                          if name.startswith(f"holdfast-bench-{done.args}-")], [])
        return contenders, machine

    def test_messages_over_the_network_of_a_paper_are_computed(self):
        for folder in ("once", "again"):
            done = self.bench("netpipe", "--target", "sim-csum", "--sizes", "8,65536", "--output",
                              folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(self.path("once"))),
                         ["bandwidth.csv", "model.json", "overhead.csv", "shows.csv"])
        for name in os.listdir(self.path("once")):
            self.assertEqual(self.read("once", name), self.read("again", name))
        self.assertEqual({row["contender"] for row in self.rows("once", "bandwidth.csv")},
                         {"holdfast crc32c", "holdfast none", "raw sim-csum"})
        for row in self.rows("once", "shows.csv"):
            self.assertGreaterEqual(float(row["ratio"]), 0.97)
        network = json.loads(self.read("once", "model.json"))["networks"]["sim-csum"]
        self.assertEqual((network["bits_per_s"], network["latency_ns"]), (24_000_000_000, 1400))

    def test_the_readme_has_the_bandwidth_of_this_build(self):
        done = self.bench("netpipe", "--target", "sim-dr", "--output", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = {(row["measurement"], row["contender"], int(row["message_bytes"])):
                 float(row["median_bytes_per_s"])
                 for row in csv.DictReader(self.read("out", "bandwidth.csv").splitlines())}
        table = self.readme_rows("dr-4-simulated")
        for name, contender in (("nothing protects", "raw sim-dr"),
                                ("ours, no checksum", "holdfast none"),
                                ("ours, CRC-32C", "holdfast crc32c")):
            cells = table[name]
            self.assert_rounded(cells[0], 1e6 / found["sim-dr ping_pong", contender, 1], name)
            for cell, size in zip(cells[1:5], (4096, 65536, 1 << 20, 4 << 20)):
                self.assert_rounded(cell, found["sim-dr ping_pong", contender, size] / 1e9,
                                    (name, size))
            self.assert_rounded(cells[5], found["sim-dr stream", contender, 4 << 20] / 1e9, name)

    def test_messages_over_udp_on_two_rails(self):
        contenders, machine = self.netpipe("udp", "--no-mpi", "--rails", "2", "--seal",
                                           "siphash128")
        self.assertEqual(contenders, {"holdfast crc32c", "holdfast none", "raw udp"})
        self.assertEqual((machine["rails"], machine["seal"]), (2, "siphash128"))
        shows = list(csv.DictReader(self.read("udp", "shows.csv").splitlines()))
        promised = {(row["show"], int(row["message_bytes"])): float(row["least_ratio"])
                    for row in shows}
        self.assertEqual(promised[("udp stream: checksum / raw", 1048576)], 0.4)
        self.assertEqual(promised[("udp ping_pong: checksum / raw", 8)], 0.7407)
        for row in shows:
            self.assertEqual(row["limit"], "raw udp")

    def test_messages_over_tcp_by_processes_that_sleep(self):
        contenders, machine = self.netpipe("tcp", "--no-mpi", "--sleep", "--checksum", "sum32")
        self.assertEqual(contenders, {"holdfast sum32", "holdfast none", "raw tcp"})
        self.assertEqual(machine["waiting"], "sleeping")
        self.assertNotIn("polled_steps", machine)  # who sleeps has no processor to be deprived of

    def test_a_processor_that_another_program_takes_is_noticed(self):
        processor = min(os.sched_getaffinity(0))
        busy = subprocess.Popen([sys.executable, "-c",
                                 f"import os; os.sched_setaffinity(0, {{{processor}}})\n"
                                 "while True: pass"])
        try:
            done = self.bench("netpipe", "--target", "shm", "--no-mpi", "--rounds", "5",
                              "--sizes", str(16 * 2**20), "--output", "busy")
        finally:
            busy.kill()
            busy.wait()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        machine = json.loads(self.read("busy", "machine.json"))
        self.assertEqual(machine["polled_steps"], 5 * 2 * 2)  # rounds, patterns, contenders
        self.assertIn(f"note: in {machine['disturbed_steps']} of 20 steps a process", done.stdout)

    def test_messages_between_two_hosts_are_not_faster_than_the_wire(self):
        done = self.bench("netpipe", "--rate", "400", "--rounds", "1", "--sizes", "65536,1048576",
                          "--output", "wire")
        if done.returncode == 2 and any(why in done.stderr for why in NOT_HERE):
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = self.rows("wire", "bandwidth.csv")
        self.assertEqual({row["measurement"] for row in rows},
                         {f"{target} at 400 Mbit/s {pattern}" for target in ("udp", "tcp")
                          for pattern in ("ping_pong", "stream")})
        for row in rows:
            if row["message_bytes"] == "1048576":  # eight bursts
                self.assertLess(float(row["median_bytes_per_s"]), 1.3 * 400e6 / 8)
        self.assertEqual({row["least_ratio"] for row in self.rows("wire", "shows.csv")}, {"0.97"})
        self.assertEqual(json.loads(self.read("wire", "machine.json"))["megabits_per_s"], 400)

    def test_messages_in_shared_memory_cut_in_two_ways(self):
        contenders, _ = self.netpipe("shm", "--no-mpi", "--fragment", "4096,16384")
        self.assertEqual(contenders, {"holdfast crc32c 4096", "holdfast crc32c 16384",
                                      "holdfast none 4096", "holdfast none 16384", "raw shm"})

    def test_messages_with_the_timers_of_the_paper_beside_ours(self):
        contenders, machine = self.netpipe("tcp", "--no-mpi", "--timers", "paper,measured")
        self.assertEqual(contenders, {f"holdfast {checksum}{timers}"
                                      for checksum in ("crc32c", "none")
                                      for timers in ("", " paper timers")} | {"raw tcp"})
        self.assertEqual(machine["timers"], ["measured", "paper"])

    def test_what_each_checksum_takes_is_in_one_run(self):
        contenders, machine = self.netpipe("shm", "--no-mpi", "--checksum",
                                           "fnv1a,none,xxh3,fnv1a")
        self.assertEqual(contenders, {"holdfast fnv1a", "holdfast xxh3", "holdfast none",
                                      "raw shm"})
        self.assertEqual(machine["checksums"], ["fnv1a", "xxh3"])
        overheads = {(row["measurement"], row["contender"], int(row["message_bytes"]))
                     for row in csv.DictReader(self.read("shm", "overhead.csv").splitlines())}
        self.assertEqual(overheads, {(measurement, contender, size)
                                     for measurement in ("shm ping_pong", "shm stream")
                                     for contender in ("holdfast fnv1a", "holdfast xxh3")
                                     for size in (1, 8, 5000, 65536, 1048576)})
        figures = os.path.join(ROOT, "experiments", "csum-6", "bandwidth.json")
        subprocess.run([os.path.join(ROOT, "analysis", "bench"), self.path("shm"), "--figures",
                        figures], check=True, stdout=subprocess.PIPE)
        self.assertIn("overhead-stream.svg", os.listdir(self.path("shm", "figures")))

    def test_open_mpi_is_measured_beside_where_it_is_installed(self):
        if shutil.which("mpirun") is None or not os.path.exists(
                os.path.join(os.path.dirname(PROGRAM), "mpi_netpipe")):
            self.skipTest("Open MPI is not installed, or mpi_netpipe was not built")
        contenders, _ = self.netpipe("shm")
        self.assertIn("ob1 vader", contenders)
        self.draw("dr-4-shm", {"measurement": "shm ping_pong"})

    def draw(self, name, figure):
        """One figure of the benchmark in the folder `shm`, over time and over bandwidth."""
        declared = {"figures": [{"name": name, "title": "t", **figure},
                                {"name": name + "-time", "title": "t", "quantity": "time",
                                 **figure}]}
        with open(self.path("figures.json"), "w", encoding="utf-8") as file:
            json.dump(declared, file)
        subprocess.run([os.path.join(ROOT, "analysis", "bench"), self.path("shm"), "--figures",
                        self.path("figures.json")], check=True, stdout=subprocess.PIPE)
        self.assertEqual(len(os.listdir(self.path("shm", "figures"))), 6)

    def test_a_stream_goes_on_while_datagrams_are_lost_and_late(self):
        done = self.bench("goodput", "--rounds", "2", "--output", "lossy")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = list(csv.DictReader(self.read("lossy", "goodput.csv").splitlines()))
        faults = ["none", "1 of 10000 lost", "1 of 1000 lost", "1 of 100 lost", "5 of 100 late"]
        self.assertEqual([(row["contender"], row["fault"]) for row in rows],
                         [("holdfast", fault) for fault in faults] + [("raw udp", "none")])
        lost = [int(row["lost"]) for row in rows]
        fragments = 2 * 32 * (-(-2**20 // 1424) + 1)  # and a request of each message
        self.assertEqual({int(row["fragments"]) for row in rows[:-1]}, {fragments})
        # Of a hundredth, five standard deviations; what is sent again is lost as well.
        self.assertLess(abs(lost[3] - 0.01 * fragments), 5 * (0.01 * fragments)**0.5 + 10)
        self.assertGreaterEqual(int(rows[3]["resent"]), 0.98 * lost[3])
        self.assertLess(lost[2], lost[3])
        self.assertEqual((lost[0], lost[4]), (0, 0))
        late = [int(row["late"]) for row in rows]
        self.assertEqual(late[:4], [0] * 4)
        self.assertLess(abs(late[4] - 0.05 * fragments), 5 * (0.05 * fragments)**0.5 + 10)
        self.assertEqual([row["share_of_undisturbed"] != "" for row in rows],
                         [False, True, True, True, True, False])
        shows = list(csv.DictReader(self.read("lossy", "shows.csv").splitlines()))
        self.assertEqual([row["limit"] for row in shows if row["show"].startswith("share")],
                         ["0.98", "0.95", "0.8"])
        machine = json.loads(self.read("lossy", "machine.json"))
        self.assertGreater(machine["round_trip_s"], 0)
        self.assertEqual(machine["messages_compared"], (7 + 2 * 6) * 32)  # seven: the round trip
        self.assertIn("results: lossy\n", done.stdout)

    def test_what_is_stopped_leaves_nothing(self):
        for words in (["checksum"], ["nas"],
                      ["netpipe", "--target", "shm", "--no-mpi", "--rounds", "100000"],
                      ["goodput", "--rounds", "100000"]):
            for number in (signal.SIGINT, signal.SIGTERM):
                with subprocess.Popen([PROGRAM, "bench", *words, "--output", "out"],
                                      cwd=self.folder, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT) as done:
                    while not os.path.exists(self.path("out")):
                        self.assertIsNone(done.poll())
                        time.sleep(0.01)
                    time.sleep(0.2)
                    done.send_signal(number)  # to it alone: not to those that it has started
                    done.communicate(timeout=60)
                self.assertIn(done.returncode, (130, -number), words)
                self.assertEqual(os.listdir(self.folder), [], words)

    def test_what_is_refused_measures_nothing(self):
        os.mkdir(self.path("there"))
        for words, expected in (
                (["goodput", "--output", "new/.."], "holdfast bench: . is there already"),
                (["checksums"], "expected checksum"),
                (["nas", "--figure", "dr6"], "did you mean \"dr-6\"?"),
                (["nas", "--job", "bt.C.16"], "expected one of IS.B.16, LU.B.16"),
                (["nas", "--job", "bt.C.17"], "--job: "),
                (["nas", "--rounds", "3"], "nas has no option --rounds"),
                (["pipeline-model", "--rounds", "3"], "pipeline-model has no option --rounds"),
                (["pipeline-model", "--output", "there"], "there is there already"),
                (["checksum", "--largest", "3"], "power of two"),
                (["checksum", "--rounds", "0"], "--rounds"),
                (["checksum", "--output", "there"], "there is there already"),
                (["checksum", "--target", "udp"], "has no option --target"),
                (["goodput", "--timers", "paper"], "has no option --timers"),
                (["netpipe", "--timers", "mesured"], "did you mean \"measured\"?"),
                (["netpipe", "--target", "udp,shm", "--timers", "paper"], "lane of shared memory"),
                (["netpipe", "--largest", "4"], "has no option --largest"),
                (["netpipe", "--target", "tdp"], "expected some of udp, tcp, shm and verbs, or of"),
                (["netpipe", "--target", "sim-drr"], "did you mean \"sim-dr\"?"),
                (["netpipe", "--target", "sim-dr,udp"], "simulated networks and real ones"),
                (["netpipe", "--target", "sim-dr", "--rails", "2"], "--rails is not for simulated"),
                (["netpipe", "--rails", "9"], "expected a whole number from 1 to 8"),
                (["netpipe", "--rate", "13"], "expected 14 to 100000 megabits a second"),
                (["netpipe", "--rate", "800", "--target", "shm"], "share neither memory nor"),
                (["netpipe", "--rate", "800", "--target", "udp", "--fragment", "4096"],
                 "do not fit a packet of Ethernet"),
                (["failover", "--rate", "800"], "has no option --rate"),
                (["goodput", "--target", "tcp"], "has no option --target"),
                (["goodput", "--output", "there"], "there is there already"),
                (["netpipe", "--sizes", "8,0"], "--sizes has \"0\""),
                (["netpipe", "--checksum", "crc32"], "did you mean \"crc32c\"?"),
                (["netpipe", "--seal", "wax"], "expected none or siphash128"),
                (["netpipe", "--target", "udp", "--fragment", "65536"],
                 "do not fit a datagram of UDP")):
            done = self.bench(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(expected, done.stderr)
        self.assertEqual(os.listdir(self.folder), ["there"])


if __name__ == "__main__":
    unittest.main()

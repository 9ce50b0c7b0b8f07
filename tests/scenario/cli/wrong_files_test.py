"""Files that an experiment names and that are wrong: topologies cut short, traces with bad dates.
One message names the file and the line, and says what was expected; nothing is written. And what
is probably not meant, but runs: a warning, and the run goes on."""

import os
import unittest

from holdfast import ROOT, SMALL, Scenario

LANL = "System,nodenumz,Prob Started,Prob Fixed\n"
CSV = "at_s,action,what,which\n"


def ibnetdiscover(hosts, slow=()):
    """One switch with so many hosts; those of `slow` have links of half the rate."""
    rate = ["4xDDR" if host in slow else "4xQDR" for host in range(hosts)]
    text = f'switchguid=0x10(10)\nSwitch\t36 "S-{0x10:016x}"\t\t# "leaf" base port 0 lid 1 lmc 0\n'
    for host in range(hosts):
        text += (f'[{host + 1}]\t"H-{0x100 + host:016x}"[1]({0x1000 + host:x}) \t\t'
                 f'# "host-{host}" lid {host + 2} {rate[host]}\n')
    for host in range(hosts):
        text += (f'\ncaguid=0x{0x100 + host:x}\nCa\t1 "H-{0x100 + host:016x}"\t\t# "host-{host}"\n'
                 f'[1]({0x1000 + host:x}) \t"S-{0x10:016x}"[{host + 1}]\t\t'
                 f'# lid {host + 2} lmc 0 "leaf" lid 1 {rate[host]}\n')
    return text


class CutTopologies(Scenario):
    def test_cut_at_every_tenth_line(self):
        self.write("small.json", dict(SMALL, failures=[]))
        self.refuse_cuts(ibnetdiscover(18), 10)

    def test_a_real_one(self):
        data = os.environ.get("HOLDFAST_DATA")
        if not data:
            self.skipTest("HOLDFAST_DATA does not name the folder of outside data")
        self.write("small.json", dict(SMALL, failures=[]))
        with open(os.path.join(data, "topologies", "psmn-x5.ibnetdiscover"),
                  encoding="utf-8") as file:
            self.refuse_cuts(file.read(), 10)

    def refuse_cuts(self, text, step):
        lines = text.splitlines(keepends=True)
        self.write("cut.txt", text)
        words = ["small.json", "--topology", "cut.txt"]
        self.run_program("check", *words)
        for end in range(0, len(lines), step):
            with self.subTest(lines=end):
                self.write("cut.txt", "".join(lines[:end]))
                said = self.refused("run", *words)
                self.assertTrue(said.startswith("small.json: cut.txt:"), said)
                self.assertRegex(said, "complete|expected")


class WrongTraces(Scenario):
    def complaint(self, text, *options):
        self.write("small.json", {k: v for k, v in SMALL.items() if k != "failures"})
        self.write("trace.csv", text)
        words = ["small.json", "--trace", "trace.csv", *options]
        said = self.refused("check", *words)
        self.assertEqual(self.refused("run", *words), said)
        self.assertEqual(said.count("\n"), 1, said)
        return said

    def test_dates(self):
        options = ["--trace-system", "7", "--trace-year", "2004"]
        sound = "7,1,1/3/2004 0:01,1/3/2004 0:02\n"
        for date in ["2/30/2004 0:01", "13/3/2004 0:01", "2/3/2004 25:01", "2/3/2004 7:60",
                     "2004-02-03 00:01", "2/3/04 0:01", "", "yesterday", "2/3/2004"]:
            with self.subTest(date=date):
                said = self.complaint(f"{LANL}{sound}7,1,{date},2/3/2004 0:02\n", *options)
                self.assertEqual(said, "small.json: trace.csv:3: Prob Started is "
                                       f'"{date}"; expected M/D/YYYY H:MM\n')

    def test_years_and_systems_that_are_not_in_it(self):
        text = LANL + "7,1,1/3/2004 0:01,1/3/2004 0:02\n"
        self.assertIn("it has them in 2004",
                      self.complaint(text, "--trace-system", "7", "--trace-year", "2003"))
        self.assertIn("its systems are 7",
                      self.complaint(text, "--trace-system", "8", "--trace-year", "2004"))

    def test_csv(self):
        for row, expected in [
                ("soon,crash,node,1", 'at_s is "soon"; expected seconds such as 12.5'),
                ("-1,crash,node,1", "not negative"),
                ("1,explode,node,1", "expected crash, repair, pause or resume"),
                ("1,crash,rack,1", "expected process or node"),
                ("1,crash", "has 2 fields; expected 4")]:
            with self.subTest(row=row):
                said = self.complaint(CSV + row + "\n", "--set", "trace.format=csv")
                self.assertIn("trace.csv:2: ", said)
                self.assertIn(expected, said)

    def test_the_documents_name_the_actions_of_csv(self):
        said = self.complaint(CSV + "1,explode,node,1\n", "--set", "trace.format=csv")
        actions = said.rstrip("\n").split("; expected ")[1]
        for document in ["docs/configuration.md", "experiments/real-cluster/README.md"]:
            with open(os.path.join(ROOT, document), encoding="utf-8") as file:
                self.assertIn(f"action ({actions})", file.read().replace("`", ""), document)
        self.write("trace.csv", CSV + "1,pause,node,1\n2,resume,node,1\n")
        found, _ = self.run_program("check", "small.json", "--trace", "trace.csv")
        self.assertIn(" 1 pauses", found)


class Warnings(Scenario):
    """Lines of `check`, and of `run` on stderr; the run goes on."""

    def warnings(self, *words):
        said, _ = self.run_program("check", "small.json", *words)
        shown = [line for line in said.splitlines() if line.startswith("warning: ")]
        _, told = self.run_program("run", "small.json", *words)
        self.assertEqual([line for line in told.splitlines() if line.startswith("warning: ")],
                         shown)
        _, told = self.run_program("run", "small.json", "--quiet", *words)
        self.assertEqual(told, "")
        return shown

    def test_nothing_to_say(self):
        self.write("small.json", SMALL)
        self.assertEqual(self.warnings(), [])

    def test_a_period_of_three_frames(self):
        """Between processes of a node a frame takes 500 ns; it must be below a third of the
        period. Over the fabric less: 2 x 150 ns, 90 ns of the switch, 43.68 ns for 546 bytes."""
        self.write("small.json", dict(SMALL, duration="10 ms", failures=[]))
        period = "detector.period"
        timeout = ["--set", "detector.timeout=1 ms"]
        warning, = self.warnings("--set", f"{period}=1500 ns", *timeout)
        self.assertTrue(warning.startswith("warning: detector.period is 1.500 us, and a frame takes"
                                           " up to 0.500 us"), warning)
        self.assertEqual(self.warnings("--set", f"{period}=1501 ns", *timeout), [])
        alone = ["--set", "processes.per_node=1", *timeout]
        warning, = self.warnings("--set", f"{period}=1302 ns", *alone)
        self.assertIn("up to 0.434 us", warning)
        self.assertEqual(self.warnings("--set", f"{period}=1303 ns", *alone), [])

    def test_links_that_are_slow(self):
        self.write("small.json", dict(SMALL, failures=[]))
        self.write("fabric.txt", ibnetdiscover(4, slow=[2]))
        warning, = self.warnings("--topology", "fabric.txt")
        self.assertTrue(warning.startswith("warning: slow link: "), warning)
        self.assertIn("host-2", warning)

    def test_rails_that_are_not_simulated(self):
        """One file may run on both, so it is not refused."""
        self.write("small.json", SMALL)
        warning, = self.warnings("--set", "fabric.rails=2", "--set",
                                 'sweep.detector.order=["rank", "shuffled"]')
        self.assertTrue(warning.startswith("warning: fabric.rails is 2, and the simulated fabric "
                                           "has one rail"), warning)
        said, _ = self.run_program("check", "small.json", "--set", "fabric.rails=2",
                                   "--set", "fabric.kind=udp", "--set", "fabric.link.rate=1 Gb/s")
        self.assertNotIn("warning", said)

    def test_faults_after_the_end(self):
        """Those of a script are refused; of a trace one plays a part."""
        self.write("small.json", dict(SMALL, failures=[]))
        self.write("trace.csv", CSV + "5,crash,node,1\n6,crash,node,2\n7,crash,node,3\n")
        trace = ["--trace", "trace.csv", "--set", "trace.format=csv"]
        warning, = self.warnings(*trace)
        self.assertTrue(warning.startswith("warning: 2 faults begin when the run is over"), warning)
        self.assertEqual(self.warnings(*trace, "--set", "duration=7001 ms"), [])


if __name__ == "__main__":
    unittest.main()

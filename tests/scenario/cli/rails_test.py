"""Hosts that are network namespaces, whose rails are cut or silent: the same script as in the
simulation, with the same columns and the same beliefs. Skipped where namespaces are not allowed."""

import os

from holdfast import SMALL, Scenario, main

TIMEOUT_S = 0.5
CUT, SILENT = "host-1", "host-3"
CUT_S = 1.5  # TCP repeats after pauses that double: it may wait as long again when the rail is back
RAILS = dict(
    SMALL, replicates=1, duration="6500 ms",
    topology={"kind": "fat_tree", "down": [4], "up": [1], "parallel": [1]},
    fabric={"hosts": "namespaces"}, events={"replicates": 1},
    detector=dict(SMALL["detector"], timeout=f"{TIMEOUT_S} s", order="rank"),
    failures=[{"at": "500 ms", "what": "adapter", "which": CUT, "repaired_after": f"{CUT_S} s"},
              {"at": "3 s", "what": "link", "which": SILENT, "action": "impair", "share": 1,
               "one_way": True, "lasts": "1200 ms"}])


def beliefs(events, kind):
    """(time, (who, of whom)) of the events of a kind."""
    found = []
    for event in events:
        first, _, last = event["subjects"].partition("-")
        for subject in range(int(first), int(last or first) + 1):
            if event["event"] == kind:
                found.append((float(event["at_s"]), (int(event["process"]), subject)))
    return found


class RailsOfHosts(Scenario):
    def setUp(self):
        super().setUp()
        self.write("rails.json", RAILS)

    def test_a_rail_fails_as_in_the_simulation(self):
        self.run_program("run", "rails.json", "--output", "native")
        expected = self.judge("native")
        running = {}
        for fabric in ("udp", "tcp"):
            running[fabric] = self.start("run", "rails.json", "--target", fabric,
                                         "--output", fabric)
        for process in running.values():
            self.end_of(process)
        for fabric in running:
            with self.subTest(fabric):
                self.assertEqual(self.judge(fabric), expected)
                for table in os.listdir(self.path("native")):
                    if table.endswith(".csv"):
                        self.assertEqual(self.read(fabric, table).splitlines()[0],
                                         self.read("native", table).splitlines()[0])

    def end_of(self, process):
        _, complaint = process.communicate(timeout=60)
        if process.returncode == 2 and ("expected root" in complaint or
                                        "install the Debian package" in complaint):
            self.cannot_run_here(complaint)
        self.assertEqual(process.returncode, 0, complaint)

    def judge(self, output):
        """What must not depend on the fabric; times are compared here."""
        row, = self.rows(output, "results.csv")
        cut, = self.rows(output, "cuts.csv")
        self.assertLess(float(cut["others_knew_s"]), TIMEOUT_S + 0.1)
        self.assertLess(float(cut["reconciled_s"]),
                        CUT_S + 0.3 if output == "tcp" else 0.3)
        events = self.rows(output, "events.csv")
        verdicts = beliefs(events, "failed")
        self.assertEqual({pair for _, pair in verdicts},
                         {pair for _, pair in beliefs(events, "alive")})
        of_cut = {process for at, (process, subject) in verdicts if at < 2 and subject in (2, 3)}
        of_silent = {process for at, (process, subject) in verdicts if at > 3 and subject in (6, 7)}
        return (row["mistakes"], row["false_verdicts"], row["missed"], cut["cut_off"],
                cut["others"], cut["pairs"], cut["believed_by_others"], of_cut, of_silent)

    def test_of_two_rails_one_may_fail_and_nobody_is_judged(self):
        """Rail 0 cut, rail 1 silent in one direction, and then both at a time."""
        both = ("4500 ms", "1500 ms")
        script = dict(
            RAILS, duration="9 s", fabric={"kind": "udp", "hosts": "namespaces", "rails": 2},
            failures=[
                {"at": "500 ms", "what": "adapter", "which": CUT, "rail": 0,
                 "repaired_after": "1500 ms"},
                {"at": "2500 ms", "what": "link", "which": SILENT, "rail": 1, "action": "impair",
                 "share": 1, "one_way": True, "lasts": "1500 ms"},
                {"at": both[0], "what": "adapter", "which": CUT, "rail": 0,
                 "repaired_after": both[1]},
                {"at": both[0], "what": "node", "which": CUT, "rail": 1, "action": "impair",
                 "loss": 1, "lasts": both[1]}])
        self.write("two.json", script)
        self.end_of(self.start("run", "two.json", "--output", "two"))
        verdicts = beliefs(self.rows("two", "events.csv"), "failed")
        self.assertGreater(min(at for at, _ in verdicts), 4.5 + TIMEOUT_S - 0.25)
        self.assertTrue({who for _, (who, subject) in verdicts if subject in (2, 3)} >=
                        {0, 1, 4, 5, 6, 7})
        row, = self.rows("two", "results.csv")
        self.assertEqual((row["mistakes"], row["false_verdicts"]), ("0", "0"))
        self.assertGreater(int(row["unreachable_verdicts"]), 1)
        self.assertEqual([fault["which"][-6:] for fault in self.rows("two", "faults.csv")],
                         ["rail 0", "rail 1", "rail 0", "rail 1"])

    def test_what_real_rails_cannot_do_is_refused(self):
        for change, complaint in [
                ("fabric.kind=shm", "share memory and are apart"),
                ("failures.1.share=0.5", 'expected "share": 1'),
                ("fabric.hosts=shared", 'expected "hosts": "namespaces"'),
                ("failures.0.what=switch", "found a fault of a switch")]:
            words = ["run", "rails.json", "--target", "udp", "--set", change]
            if change.endswith("switch"):
                words += ["--set", "failures.0.which=leaf-0"]
            told = self.refused(*words)
            self.assertIn(complaint, told)
            self.assertEqual(self.refused("check", *words[1:]), told)
        two = dict(RAILS, topology={"kind": "fat_tree", "down": [2, 2], "up": [1, 1],
                                    "parallel": [1, 1]},
                   failures=[{"at": "1 s", "what": "link", "which": "leaf-0[3]",
                              "repaired_after": "1 s"}])
        self.write("two.json", two)
        self.assertRegex(self.refused("run", "two.json", "--target", "udp"),
                         r"^two\.json:\d+:\d+: /failures/0/which: found a link between switches")


if __name__ == "__main__":
    main()

"""48 real processes on three hosts, of which one to five are killed at once: every live process
knows of every death, every time, and the medians of detection are those of the simulation, which
has the same victims, ring and moments of the heartbeats. Skipped where namespaces are not allowed.

argument: how many runs of each point; more than one also plays ring-fig4-left; the rest goes to
unittest
"""

import statistics
import sys

from experiment import Scenario, folder, main, of

RUNS = 1


class SimVsReal(Scenario):
    def compare(self, name, deaths, *options):
        said = self.start("run", folder(name), "--quiet", "--output", name,
                          "--set", f"replicates={RUNS}", "--set", "fabric.hosts=namespaces",
                          "--set", 'sweep.fabric.kind=["native", "udp"]',
                          "--set", 'sweep.propagation.kind=["bmg", "chord"]',
                          "--set", f"sweep.failures.0.count={deaths}",
                          "--set", "failures.0.at=500ms", *options)
        _, complaint = said.communicate(timeout=5000)
        if said.returncode == 2 and "expected root" in complaint:
            self.cannot_run_here(complaint)
        self.assertEqual(said.returncode, 0, complaint)
        results = self.rows(name, "results.csv")
        for kind in ("bmg", "chord"):
            for count in deaths:
                medians = {fabric: self.check(of(results, fabric__kind=fabric,
                                                 propagation__kind=kind, failures__0__count=count))
                           for fabric in ("native", "udp")}
                print(f"{name}: {kind}, {count} deaths: detection {medians['udp']:.3f} s, "
                      f"{medians['udp'] / medians['native'] - 1:+.2%} of the simulation's")
                self.assertLess(abs(medians["udp"] / medians["native"] - 1), 0.1)

    def check(self, rows):
        self.assertEqual(len(rows), RUNS)
        for row in rows:
            with self.subTest(row=row):
                self.assertEqual(row["missed"], "0")
                self.assertEqual(row["propagated"], row["failures"])
        return statistics.median(float(row["detection_max_s"]) for row in rows)

    def test_random_victims_of_a_shuffled_ring(self):
        if RUNS == 1:
            self.compare("sim-vs-real", [3], "--set", "duration=2500ms")
        else:
            self.compare("sim-vs-real", [1, 2, 3, 4, 5])

    def test_consecutive_ranks(self):
        if RUNS == 1:
            self.skipTest("only with more than one run of each point")
        self.compare("ring-fig4-left", [1, 2, 3, 4, 5], "--set", "duration=4800ms")

    def test_consecutive_ranks_of_a_shuffled_ring(self):
        """Of these orders none puts more than two of the dead in a row."""
        self.compare("ring-fig4-right", [3] if RUNS == 1 else [1, 2, 3, 4, 5],
                     "--set", "sweep.failures.0.which=[20]",
                     "--set", 'sweep.detector.order=["shuffled"]',
                     "--set", "duration=2500ms" if RUNS == 1 else "duration=4500ms")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        RUNS = int(sys.argv.pop(1))
    main()

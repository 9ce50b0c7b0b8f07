"""A process that stands still (SIGSTOP) for less than the timeout is judged by nobody. One that
stands still for longer is, and once it goes on every view is mended within two periods and one
propagation.

argument: how many runs on each fabric; the rest goes to unittest
"""

import sys
import unittest

from holdfast import SMALL, Scenario

PERIOD_S, TIMEOUT_S = 0.2, 1.0
BRIEFLY, FOR_LONG = 2, 5  # ranks
GOES_ON_S = 3.2
# Over loopback a propagation takes a few milliseconds; the rest is for a machine that is busy.
PROPAGATION_S = 0.1

PAUSES = dict(
    SMALL, duration="4.2 s", processes={"per_node": 1},
    detector=dict(SMALL["detector"], period=f"{PERIOD_S} s", timeout=f"{TIMEOUT_S} s"),
    failures=[{"at": "400 ms", "what": "process", "which": BRIEFLY, "action": "pause",
               "lasts": "500 ms"},
              {"at": "1200 ms", "what": "node", "which": FOR_LONG, "action": "pause",
               "lasts": "2 s"}])

RUNS = 1


class Pauses(Scenario):
    def test_a_short_one_makes_no_verdict_and_a_long_one_a_verdict_that_is_mended(self):
        self.write("pauses.json", dict(PAUSES, replicates=RUNS, events={"replicates": RUNS}))
        # At the same time, since nearly all of it is waiting.
        running = {fabric: self.start("run", "pauses.json", "--set", f"fabric.kind={fabric}",
                                      "--output", fabric) for fabric in ("udp", "tcp", "shm")}
        for fabric, process in running.items():
            _, complaint = process.communicate(timeout=100 + 10 * RUNS)
            self.assertEqual(process.returncode, 0, complaint)
        for fabric in running:
            self.check_runs(fabric)

    def check_runs(self, fabric):
        results = self.rows(fabric, "results.csv")
        events = self.rows(fabric, "events.csv")
        self.assertEqual(len(results), RUNS)
        mended = []
        for row in results:
            with self.subTest(fabric, replicate=row["replicate"]):
                self.assertEqual((row["false_verdicts"], row["mistakes"]), ("1", "1"))
                mended.append(self.check([event for event in events
                                          if event["replicate"] == row["replicate"]]))
        print(f"{fabric}: {len(mended)} of {RUNS} right, mended after at most "
              f"{max(mended, default=0):.3f} s")

    def check(self, events):
        """Gives how long after it went on the last view was mended, in seconds."""
        others = {str(rank) for rank in range(8)} - {str(FOR_LONG)}
        self.assertEqual({event["subjects"] for event in events}, {str(FOR_LONG)})
        judged = {event["process"] for event in events if event["event"] == "failed"}
        mended = [event for event in events if event["event"] == "alive"]
        self.assertEqual(judged, others)
        self.assertEqual({event["process"] for event in mended}, others)
        took = max(float(event["at_s"]) for event in mended) - GOES_ON_S
        self.assertGreater(took, 0)
        self.assertLess(took, 2 * PERIOD_S + PROPAGATION_S)
        return took


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        RUNS = int(sys.argv.pop(1))
    unittest.main()

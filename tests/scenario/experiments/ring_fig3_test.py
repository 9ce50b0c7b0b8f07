"""ring-fig3 in short form: an MPI program that joins through PMIx is measured without the detector,
with it and without it again, and the results are a run's that can be drawn."""

import os
import shutil
import subprocess
import unittest

from experiment import Scenario, folder
from holdfast import PROGRAM, ROOT

MEASURE = os.path.join(folder("ring-fig3"), "measure")
MPI_SLOWDOWN = os.path.join(os.path.dirname(PROGRAM), "mpi_slowdown")


@unittest.skipUnless(os.path.exists(MPI_SLOWDOWN) and shutil.which("mpirun"),
                     "needs the Debian packages libopenmpi-dev and openmpi-bin")
class RingFig3(Scenario):
    def measure(self, *options):
        return subprocess.run([MEASURE, "--program", MPI_SLOWDOWN, "--output",
                               self.path("results"), *options],
                              capture_output=True, text=True, check=False, timeout=250)

    def test_each_pattern_and_size_is_measured_in_one_job_with_and_without(self):
        done = self.measure("--replicates", "1", "--periods", "50ms", "--blocks", "3",
                            "--block-ms", "10", "--all-reduce-processes", "4")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = self.rows("results", "results.csv")
        self.assertEqual([(row["pattern"], row["processes"], row["bytes"]) for row in rows],
                         [(pattern, processes, size)
                          for pattern, processes in (("ping-pong", "2"), ("all-reduce", "4"))
                          for size in ("8", "4096", "65536")])
        for row in rows:
            with self.subTest(row=row):
                self.assertEqual((row["timeout_s"], row["mistakes"]), ("0.5", "0"))
                self.assertAlmostEqual(float(row["with_s"]) / float(row["without_s"]),
                                       float(row["slowdown"]), places=3)
                self.assertGreater(float(row["without_s"]), 0)
        drawn = subprocess.run([os.path.join(ROOT, "analysis", "report"), self.path("results"),
                                "--readme", os.path.join(folder("ring-fig3"), "README.md"),
                                "--figures", os.path.join(folder("ring-fig3"), "figures.json")],
                               capture_output=True, text=True, check=False, timeout=200)
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        for name in ("slowdown", "accuracy", "operation"):
            self.assertTrue(os.path.exists(self.path("results", "figures", f"{name}.svg")), name)

    def test_what_is_wrong_is_said_before_anything_is_written(self):
        for options, complaint in ((["--periods", "10"], "'10'; expected a whole number and ns"),
                                   (["--timeout-periods", "1"], "expected 2 or more"),
                                   (["--program", "nowhere"], "needs the Debian packages")):
            done = self.measure(*options)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(complaint, done.stderr)
            self.assertFalse(os.path.exists(self.path("results")))


if __name__ == "__main__":
    unittest.main()

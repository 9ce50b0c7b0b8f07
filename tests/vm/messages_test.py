"""Messages over RDMA adapters: the roles of tests/unit/library/messages_test.cpp between processes
at two Soft-RoCE adapters, in datagrams of as many bytes as these carry; over two rails, which are
cut in turn while messages are under way; of processes that Open MPI's mpirun starts; and what
`holdfast bench netpipe` measures of them."""

import csv
import os
import re
import shutil
import unittest
from pathlib import Path

from vm_case import VmCase

BUILD = os.environ["HOLDFAST_BUILD"]
PROGRAM = f"{BUILD}/holdfast"
MESSAGES = f"{BUILD}/tests/unit/library/library_test"
# Each rail is gone once, and the other one comes back just before: it has to be of use again.
FAULTS = r"""
export HOLDFAST_TEST_FAULTS="true
/sbin/ip link set cable0 down
/sbin/ip link set cable0 up
/sbin/ip link set cable1 down
/sbin/ip link set cable1 up
/sbin/ip link set cable0 down"
exec "$0" launch -n 4 --per-node 2 --period 200ms --timeout 3s --fabric verbs --rails 2 -- \
  "$1" member through_faults
"""
# The job's rails are what the environment says.
MPIRUN = r"""
hostname guest
mpirun --allow-run-as-root --oversubscribe --mca plm isolated -n 4 -x HOLDFAST_FABRIC=verbs \
  -x HOLDFAST_ADDRESSES=rxe0:1,rxe1:1 -x HOLDFAST_PER_NODE=2 "$0" member all_to_all ||
  exit 1
cat /sys/class/infiniband/rxe[01]/ports/1/hw_counters/sent_pkts
"""

NETPIPE = r"""
"$0" bench netpipe --target verbs --sizes 8,65536 --rounds 1 --no-mpi --quiet --output /tmp/out \
  >/tmp/said || exit 1
cat /tmp/out/bandwidth.csv
"""


def openmpi():
    """What mpirun is made of: itself, and the plugins that it and PMIx look for."""
    plugins = Path("/usr/lib").glob("*/openmpi/lib/openmpi3/mca_*.so")
    of_pmix = Path("/usr/lib").glob("*/pmix2/lib/pmix/*.so")
    texts = Path("/usr/share/openmpi").glob("*.txt")
    found = [shutil.which("mpirun"), *plugins, *of_pmix, *texts]
    return [str(path) for path in found]


class Messages(VmCase):
    def test_arrive_bit_by_bit_or_say_why_not(self):
        done = self.boot(MESSAGES, "--gtest_color=no", "--gtest_filter=*/Messages.*/Verbs",
                         seconds=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        passed, = re.findall(r"PASSED  \] (\d+) tests", done.stdout)
        self.assertGreaterEqual(int(passed), 12, done.stdout)

    def test_take_the_rail_that_is_left(self):
        done = self.boot("sh", "-c", FAULTS, PROGRAM, MESSAGES, seconds=200, cables=2,
                         extra=[PROGRAM, MESSAGES])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")

    def test_are_measured_beside_a_plain_connection(self):
        done = self.boot("sh", "-c", NETPIPE, PROGRAM, seconds=200, extra=[PROGRAM])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = list(csv.DictReader(done.stdout.splitlines()))
        self.assertEqual({(row["measurement"], row["contender"], row["message_bytes"])
                          for row in rows},
                         {(f"verbs {pattern}", contender, size)
                          for pattern in ("ping_pong", "stream")
                          for contender in ("holdfast crc32c", "holdfast none", "raw verbs")
                          for size in ("8", "65536")})
        for row in rows:
            self.assertGreater(float(row["median_bytes_per_s"]), 0)

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun (Debian: openmpi-bin)")
    def test_go_between_processes_that_mpirun_starts(self):
        done = self.boot("sh", "-c", MPIRUN, MESSAGES, seconds=200, cables=2,
                         extra=[MESSAGES, *openmpi()])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        packets = done.stdout.split()  # of either adapter, and mpirun is silent
        self.assertEqual(len(packets), 2, done.stdout)
        self.assertGreater(min(map(int, packets)), 100, done.stdout)


if __name__ == "__main__":
    unittest.main()

"""Jobs of several rails that `holdfast run` does not start: at a rendezvous, under mpirun, and
programs under `holdfast launch` and mpirun. Each rail is an address of the loopback of a network of
this test's own, where nftables drop what goes to it: nobody hears of that. Whoever has a rail left
is not judged and gets its messages; whoever has none is. Needs root."""

import os
import shutil
import subprocess
import unittest

from frames_on_loopback import NotAllowed, leave_network
from holdfast import PROGRAM, Scenario, main
from marked import Marked
from mpirun_test import HERE, MPIRUN, job_of
from pmix_messages_test import MEMBERS
from rendezvous_test import KEY

PROCESSES = 3
RAILS = ("127.0.0.2", "127.0.0.3")  # what mpirun and its processes say to each other is on none
PLACE = "127.0.0.1:7000"
NODE = [PROGRAM, "node", "job.json", "--set", "fabric.rails=2"]


def at(*places):
    return [word for place in places for word in ("--address", place)]


class MetRails(Scenario):
    def setUp(self):
        super().setUp()
        nft = shutil.which("nft", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if nft is None:
            self.cannot_run_here("there is no nft (Debian: nftables)")
        try:
            leave_network()
        except NotAllowed as why:
            self.cannot_run_here(str(why))
        self.nft = nft
        self.filter("add table inet cut\n"
                    "add chain inet cut arriving { type filter hook input priority 0; }")
        self.marked = Marked()
        self.addCleanup(self.marked.kill)
        # Both of its rails, half of its heartbeats each, have long been silent when it ends.
        self.write("job.json", job_of(PROCESSES, "4 s"))

    def filter(self, rules):
        subprocess.run([self.nft, "-f", "-"], input=rules + "\n", text=True, check=True)

    def cut(self, address):
        self.filter(f"add rule inet cut arriving ip daddr {address} drop")

    def begin(self, *words, **environment):
        process = subprocess.Popen(
            words, cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**self.marked.environment, "HOLDFAST_KEY": KEY, **environment})
        for end in (process.stdout.close, process.wait, process.kill):
            self.addCleanup(end)
        return process

    def meet(self, rank, *words):
        return self.begin(*NODE, "--rank", str(rank), "--rendezvous", PLACE, *words)

    def begin_at_rendezvous(self, fabric="udp"):
        return [self.meet(rank, "--set", f"fabric.kind={fabric}", *at(*RAILS))
                for rank in range(PROCESSES)]

    def judged(self, processes, lines_of_each, cut):
        """What they say of each other after the cut, which is when all have met."""
        for process in processes:
            for _ in range(lines_of_each):
                self.assertRegex(
                    process.stdout.readline(),
                    r"^process \d: has met all 3 processes; its frames arrive at "
                    r"127\.0\.0\.2:\d+ and 127\.0\.0\.3:\d+\n$")
        for address in cut:
            self.cut(address)
        said = []
        for process in processes:
            rest, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, rest)
            said += [line for line in rest.splitlines() if not line.endswith("left at the end")]
        self.filter("flush chain inet cut arriving")
        return said

    def test_with_either_rail_cut_nobody_is_judged(self):
        for fabric, rail in (("udp", RAILS[0]), ("udp", RAILS[1]), ("tcp", RAILS[0])):
            with self.subTest(fabric=fabric, rail=rail):
                self.assertEqual(self.judged(self.begin_at_rendezvous(fabric), 1, [rail]), [])

    def test_with_both_rails_cut_everybody_is(self):
        said = self.judged(self.begin_at_rendezvous(), 1, RAILS)
        for rank in range(PROCESSES):
            self.assertTrue([line for line in said if f" {rank} failed after" in line], said)

    @unittest.skipUnless(HERE, "there is no mpirun of Open MPI (Debian: openmpi-bin)")
    def test_under_mpirun_with_a_rail_cut_nobody_is_judged(self):
        mpirun = self.begin(*MPIRUN, "-n", str(PROCESSES), *NODE, *at(*RAILS))
        self.assertEqual(self.judged([mpirun], PROCESSES, RAILS[:1]), [])

    @unittest.skipUnless(HERE, "there is no mpirun of Open MPI (Debian: openmpi-bin)")
    def test_under_mpirun_messages_take_the_rail_that_is_left(self):
        for rail in RAILS:
            with self.subTest(rail):
                self.cut(rail)
                mpirun = self.begin(*MPIRUN, "-n", str(PROCESSES), MEMBERS, "member", "all_to_all",
                                    HOLDFAST_ADDRESSES=",".join(RAILS), HOLDFAST_PER_NODE="1")
                said, _ = mpirun.communicate(timeout=60)
                self.assertEqual(mpirun.returncode, 0, said)
                self.filter("flush chain inet cut arriving")

    def test_under_launch_messages_take_the_rail_that_is_left(self):
        for fabric, rail in (("udp", "127.0.0.1"), ("udp", "127.0.0.2"), ("tcp", "127.0.0.1"),
                             ("tcp", "127.0.0.2")):
            with self.subTest(fabric=fabric, rail=rail):
                self.cut(rail)
                launched = self.begin(PROGRAM, "launch", "-n", str(PROCESSES), "--per-node", "1",
                                      "--fabric", fabric, "--rails", "2", "--", MEMBERS, "member",
                                      "all_to_all")
                said, _ = launched.communicate(timeout=60)
                self.assertEqual(launched.returncode, 0, said)
                self.filter("flush chain inet cut arriving")

    def test_who_brings_another_number_of_rails_is_named(self):
        waiting = self.meet(0, *at(*RAILS), "--patience", "3s")
        other = self.meet(1, "--set", "fabric.rails=1", *at(RAILS[0]))
        said, _ = other.communicate(timeout=30)
        self.assertEqual(other.returncode, 2)
        self.assertIn("process 1 has 1 rail and process 0 has 2; every process of a job brings an "
                      "address for each of its rails", said)
        self.assertIn("1 were turned away or gave up", waiting.communicate(timeout=30)[0])


if __name__ == "__main__":
    main()

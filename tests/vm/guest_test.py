"""The guest itself: Debian's ping-pongs over its adapters, and what comes back from it, however it
ends."""

import re
import subprocess
import unittest

from vm_case import BOOT, SKIPPED, VmCase

NO_ANSWER = 124
# A server at the one adapter and a client at the other. Packets must cross the cable and not be
# short-cut, so those that entered it are counted.
PING_PONGS = r"""
crossed() { cat /sys/class/net/cable0/statistics/tx_packets; }
for kind in rc ud; do
  before=$(crossed)
  ibv_${kind}_pingpong -d rxe0 -g 1 -n 100 -s 1000 >/dev/null & server=$!
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    ibv_${kind}_pingpong -d rxe1 -g 1 -n 100 -s 1000 10.7.0.1 2>/dev/null && break
    sleep 0.2
  done
  wait $server && echo "$kind server done"
  echo "$kind crossed $(($(crossed) - before))"
done
ping -c 1 -W 1 10.7.0.77 >/dev/null || printf "nobody else"
exit 3
"""


class Guest(VmCase):
    def test_ping_pongs_of_debian_and_an_exit_status_come_back(self):
        done = self.boot("sh", "-c", PING_PONGS)
        for kind in ("rc", "ud"):
            self.assertIn(f"{kind} server done\n", done.stdout, done)
            crossed = int(re.search(rf"{kind} crossed (\d+)", done.stdout).group(1))
            self.assertGreaterEqual(crossed, 100)
        self.assertEqual(len(re.findall(r"^100 iters in", done.stdout, re.M)), 2)
        self.assertTrue(done.stdout.endswith("nobody else"), done.stdout[-100:])
        self.assertEqual(done.returncode, 3)

    def test_who_hangs_is_ended(self):
        done = self.boot("sleep", "1000", seconds=5)
        self.assertEqual(done.returncode, NO_ANSWER)
        self.assertIn("the guest did not end within 5.0 s; its console, ", done.stderr)

    def test_a_kernel_that_panics_is_no_success(self):
        done = self.boot("sh", "-c", "echo c >/proc/sysrq-trigger; exit 0")
        self.assertEqual(done.returncode, NO_ANSWER)
        self.assertIn("the guest ended without an answer", done.stderr)
        self.assertIn("Kernel panic", done.stderr)

    def test_a_machine_without_qemu_says_so(self):
        done = subprocess.run(["/usr/bin/python3", "-B", BOOT, "true"], capture_output=True,
                              text=True, check=False, timeout=60, env={"PATH": "/nowhere"})
        self.assertEqual(done.returncode, SKIPPED)
        self.assertIn("SKIPPED: qemu-system-x86_64 is not there", done.stdout)


if __name__ == "__main__":
    unittest.main()

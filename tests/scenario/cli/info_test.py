"""What `holdfast info` says of this machine, against what others say of it: the kernel's files, ip,
python. And of a network namespace with a device that was made up for it."""

import json
import os
import resource
import shutil
import socket
import subprocess
import unittest

from holdfast import PROGRAM, Scenario

# Made-up devices; a kernel has some of the kinds.
KINDS = ["dummy", "bridge", "veth", "ifb", "tun"]


def plain(fact):
    """The value of a fact, with or without a unit."""
    return fact["value"] if isinstance(fact, dict) and "value" in fact else fact


def addresses_by_ip(prefix=()):
    """{device: its addresses} as iproute2 says."""
    told = subprocess.run([*prefix, "ip", "-j", "addr"], capture_output=True, check=True)
    return {device["ifname"]: {f"{a['local']}/{a['prefixlen']}" for a in device["addr_info"]}
            for device in json.loads(told.stdout)}


class Machine(Scenario):
    def setUp(self):
        super().setUp()
        said, _ = self.run_program("info", "--json")
        self.machine = json.loads(said)

    @staticmethod
    def content(*path):
        with open(os.path.join(*path), encoding="utf-8") as file:
            return file.read().strip()

    def test_network(self):
        network = self.machine["network"]
        self.assertEqual(set(network), {name for _, name in socket.if_nameindex()})
        for name, device in network.items():
            folder = os.path.join("/sys/class/net", name)
            self.assertEqual(plain(device["mtu"]), int(self.content(folder, "mtu")))
            self.assertEqual(device["loopback"], self.content(folder, "type") == "772")
            if self.content(folder, "addr_len") == "6":
                self.assertEqual(device["hardware_address"], self.content(folder, "address"))

    def test_nothing_is_used_that_is_not_there(self):
        used = {use["what"]: use["used"] for use in self.machine["uses"]}
        for name, device in self.machine["network"].items():
            if used.get("network device " + name):
                self.assertTrue(device["up"], name)
                self.assertNotEqual(device["addresses"], "none", name)
        self.assertEqual(used["UDP_SEGMENT"], self.machine["sockets"]["sends_runs"] is True)
        self.assertEqual(used["UDP_GRO"], self.machine["sockets"]["receives_runs"] is True)
        self.assertTrue(used["CRC-32C kernel " + self.machine["checksums"]["crc32c"]])

    def test_addresses(self):
        if not shutil.which("ip"):
            self.skipTest("ip is not installed (Debian: iproute2)")
        for name, expected in addresses_by_ip().items():
            said = self.machine["network"][name]["addresses"]
            self.assertEqual(set(said.split(", ")) - {"none"}, expected)

    def test_limits(self):
        limits = self.machine["limits"]
        for name in ["net.core.rmem_max", "net.core.wmem_max", "net.core.netdev_max_backlog"]:
            path = os.path.join("/proc/sys", name.replace(".", "/"))
            if os.path.exists(path):
                self.assertEqual(plain(limits[name]), int(self.content(path)))
            else:
                self.assertIn("No such file", limits[name]["not_known"])
        for name, which in [("open_files", resource.RLIMIT_NOFILE),
                            ("locked_memory", resource.RLIMIT_MEMLOCK)]:
            for fact, limit in zip([name, name + "_most"], resource.getrlimit(which)):
                expected = "unlimited" if limit == resource.RLIM_INFINITY else limit
                self.assertEqual(plain(limits[fact]), expected)

    def test_processor_and_memory(self):
        processor = self.machine["processor"]
        self.assertEqual(processor["cores"], len(os.sched_getaffinity(0)))
        self.assertEqual(processor["online"], os.sysconf("SC_NPROCESSORS_ONLN"))
        flags = [line.split() for line in self.content("/proc/cpuinfo").splitlines()
                 if line.startswith("flags")]
        if flags:
            # Some processors have the instruction for 256 bits only.
            for fact, needed in [("sse4_2", {"sse4_2"}), ("pclmulqdq", {"pclmulqdq"}),
                                 ("avx2_vpclmulqdq", {"avx2", "vpclmulqdq"}),
                                 ("avx512_vpclmulqdq", {"avx512f", "vpclmulqdq"})]:
                self.assertEqual(processor[fact], needed <= set(flags[0]), fact)
        total = int(self.content("/proc/meminfo").split()[1]) * 1024
        self.assertEqual(plain(self.machine["memory"]["total"]), total)

    def test_software(self):
        for name in ["mpirun", "ibnetdiscover", "opensm", "ibsim"]:
            self.assertEqual(self.machine["software"][name]["present"],
                             shutil.which(name) is not None)
        for name, loaded in self.machine["modules"].items():
            self.assertEqual(loaded, os.path.isdir(f"/sys/module/{name}"))

    def test_rdma(self):
        folder = "/sys/class/infiniband"
        devices = os.listdir(folder) if os.path.isdir(folder) else []
        self.assertEqual(sorted(self.machine["rdma"]), sorted(devices))

    def test_text_says_what_is_used_and_why_not_the_rest(self):
        said, _ = self.run_program("info")
        self.assertIn("\nHoldfast uses\n", said)
        self.assertIn("\nand does not use\n", said)
        for use in self.machine["uses"]:
            self.assertIn(f"  {use['what']}: ", said)
            self.assertNotEqual(use["why"], "")


class MadeUpDevice(Scenario):
    """A network namespace of its own: its loopback is down, and one device is made up."""

    def test_device(self):
        if not shutil.which("ip"):
            self.skipTest("ip is not installed (Debian: iproute2)")
        makes = " || ".join(f"ip link add made0 type {kind} 2>/dev/null" for kind in KINDS[:4])
        makes += " || ip tuntap add made0 mode tap 2>/dev/null"
        script = (f"({makes}) || exit 77; "
                  "ip link set made0 mtu 1281 address 02:00:00:00:be:ef up && "
                  "ip addr add 10.9.8.7/22 dev made0 && ip addr add fd00::7/77 dev made0 nodad && "
                  '"$0" info --json && ip -j addr')
        options = ["-n"] if os.geteuid() == 0 else ["-rn"]
        done = subprocess.run(["unshare", *options, "sh", "-c", script, PROGRAM],
                              capture_output=True, text=True, check=False, timeout=60)
        if done.returncode in (1, 77) and not done.stdout:
            self.skipTest("this machine lets nobody make a network device: " + done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        said, end = json.JSONDecoder().raw_decode(done.stdout)
        listed = {device["ifname"]: device for device in json.loads(done.stdout[end:])}
        self.assertEqual(set(said["network"]), set(listed))
        made = said["network"]["made0"]
        self.assertEqual(plain(made["mtu"]), 1281)
        self.assertEqual(made["hardware_address"], "02:00:00:00:be:ef")
        expected = {f"{a['local']}/{a['prefixlen']}" for a in listed["made0"]["addr_info"]}
        self.assertEqual(set(made["addresses"].split(", ")), expected)
        self.assertTrue({"10.9.8.7/22", "fd00::7/77"} <= expected)
        self.assertFalse(said["network"]["lo"]["up"])
        uses = {use["what"]: use for use in said["uses"]}
        self.assertFalse(uses["UDP over the loopback"]["used"])
        self.assertIn("ip link set lo up", uses["UDP over the loopback"]["why"])


if __name__ == "__main__":
    unittest.main()

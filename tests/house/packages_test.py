#!/usr/bin/env python3
"""cmake/house.sh on imagined machines: dpkg-query, apt-get, id and sudo are stand-ins in a folder
that is the whole PATH, beside the few tools the script needs. They log how they were called.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("bash", "sed", "paste", "tail", "env", "cat", "grep")


class Machine:
    """Has the packages `installed`; `user` is a numeric user id."""

    def __init__(self, folder, installed, user=0, sudo=True, debian=True, apt_status=0):
        self.bin = Path(folder) / "bin"
        self.log = Path(folder) / "log"
        self.bin.mkdir()
        self.log.touch()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.stand_in("id", f"echo {user}")
        self.stand_in("apt-get", f'echo "apt-get $*" >>{self.log}; exit {apt_status}')
        if sudo:
            self.stand_in("sudo", f'echo sudo >>{self.log}; exec "$@"')
        if debian:
            names = "|".join(sorted(installed) or ["-"])
            answer = f'case "$3" in {names}) printf installed ;; *) exit 1 ;; esac'
            self.stand_in("dpkg-query", answer)

    def stand_in(self, name, body):
        path = self.bin / name
        path.write_text(f"#!{shutil.which('bash')}\n# A stand-in.\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def ensure(self, *groups):
        """(status, what was printed, what the stand-ins were asked)"""
        script = f'set -euo pipefail\nroot={ROOT}\nsource "$root/cmake/house.sh"\n'
        script += 'packages_ensure "$@"'
        done = subprocess.run(
            [str(self.bin / "bash"), "-c", script, "test", *groups],
            env={"PATH": str(self.bin)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            text=True,
        )
        return done.returncode, done.stdout, self.log.read_text(encoding="utf-8")


def listed(*groups):
    """The packages of these groups, read independently of the script."""
    lines = (ROOT / "cmake/packages.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("#")[0].split() for line in lines]
    return [row[1] for row in rows if len(row) == 2 and row[0] in groups]


class Packages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def machine(self, installed, **what):
        return Machine(self.folder, installed, **what)

    def test_nothing_is_called_when_all_is_there(self):
        machine = self.machine(listed("run", "test"), user=1000, sudo=False)
        self.assertEqual(machine.ensure("run", "test"), (0, "", ""))

    def test_only_what_is_missing_is_named_and_installed(self):
        there = [name for name in listed("run") if name not in ("cmake", "python3")]
        status, said, called = self.machine(there).ensure("run")
        self.assertEqual(status, 0)
        self.assertIn("to be installed with apt-get: cmake python3\n", said)
        update, install = called.splitlines()
        self.assertTrue(update.endswith(" update"), update)
        self.assertTrue(install.endswith(" install --no-install-recommends cmake python3"), install)
        self.assertIn("-y", install.split())

    def test_groups_do_not_mix(self):
        machine = self.machine(listed("run"))
        self.assertEqual(machine.ensure("run"), (0, "", ""))
        status, said, _ = machine.ensure("run", "test")
        self.assertEqual(status, 0)
        self.assertIn(" ".join(listed("test")), said)

    def test_a_user_with_sudo_uses_it(self):
        status, _, called = self.machine([], user=1000).ensure("run")
        self.assertEqual(status, 0)
        self.assertEqual([line.split()[0] for line in called.splitlines()], ["sudo", "apt-get"] * 2)

    def test_a_user_without_sudo_is_told_what_to_ask_for(self):
        status, said, called = self.machine([], user=1000, sudo=False).ensure("run")
        self.assertEqual((status, called), (2, ""))
        self.assertIn("apt-get install --no-install-recommends " + " ".join(listed("run")), said)

    def test_a_failing_apt_get_is_status_2(self):
        status, said, _ = self.machine([], apt_status=100).ensure("run")
        self.assertEqual(status, 2)
        self.assertIn("Could not install them.", said)

    def test_another_system_is_told_and_trusted(self):
        status, said, called = self.machine([], debian=False).ensure("run")
        self.assertEqual((status, called), (0, ""))
        self.assertIn("not a Debian system", said)


if __name__ == "__main__":
    unittest.main()

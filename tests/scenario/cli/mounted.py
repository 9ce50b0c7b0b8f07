"""A small disk of its own for a test: a tmpfs in a mount namespace, which needs no right on most
machines. A process holds the namespace; its view of the file system is /proc/PID/root."""

import os
import subprocess
import unittest


class SmallDisk:
    """A disk of `size` (as mount's size=) at `path`, seen as `self.path`. Ends with close()."""

    def __init__(self, path, size):
        os.makedirs(path, exist_ok=True)
        self.mount_point = path
        # As root a mount namespace is enough; others map themselves to root first.
        options = ["-m"] if os.geteuid() == 0 else ["-rm"]
        self.shell = subprocess.Popen(["unshare", *options, "sh"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if not self.tell(f"mount -t tmpfs -o size={size} tmpfs '{path}'"):
            self.close()
            raise unittest.SkipTest("this machine lets nobody mount a tmpfs")
        self.path = f"/proc/{self.shell.pid}/root{path}"

    def tell(self, command):
        """Whether a shell command succeeds inside."""
        try:
            self.shell.stdin.write(f"({command}) >/dev/null 2>&1 && echo done || echo failed\n")
            self.shell.stdin.flush()
        except BrokenPipeError:
            return False
        return self.shell.stdout.readline() == "done\n"

    def remount(self, options):
        return self.tell(f"mount -o remount,{options} '{self.mount_point}'")

    def close(self):
        self.shell.stdin.close()
        self.shell.wait(timeout=10)
        self.shell.stdout.close()

"""Processes that are known by a mark in their environment, whoever has become their parent: what a
job has started, and what is left of it."""

import os
import time
import uuid

VARIABLE = "HOLDFAST_TEST_MARK"


class Marked:
    def __init__(self):
        self.mark = uuid.uuid4().hex
        self.environment = dict(os.environ, **{VARIABLE: self.mark})

    def processes(self):
        """{pid: command line} of those that live, and not of those that are to be waited for."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if f"{VARIABLE}={self.mark}".encode() not in file.read().split(b"\0"):
                        continue
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:  # ended meanwhile, or another user's
                continue
            if words != [b""]:
                found[int(pid)] = b" ".join(words).decode().strip()
        return found

    def await_end(self, within_s):
        """What is left after so long; returns as soon as nothing is."""
        end = time.monotonic() + within_s
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.02)
        return left

    def kill(self):
        for pid in self.processes():
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass

"""A program of somebody's, in a language that the library has no header for: joins the job, says
what it hears, and leaves when it has been told as often as its argument says.

usage: pmix_member.py LIBRARY VERDICTS
"""

import ctypes
import os
import sys

STATES = ("joining", "alive", "suspected", "failed", "left", "committed")
JOIN_MS, HEAR_MS, LEAVE_MS = 20_000, 20_000, 5_000


class Member(ctypes.Structure):
    _fields_ = [("process", ctypes.c_uint32), ("node", ctypes.c_uint32),
                ("incarnation", ctypes.c_uint32), ("state", ctypes.c_int32)]


class Verdict(ctypes.Structure):
    _fields_ = [("member", Member), ("view_version", ctypes.c_uint64), ("at_ns", ctypes.c_int64)]


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.holdfast_error.restype = ctypes.c_char_p
    job = ctypes.c_void_p()
    status = library.holdfast_join(JOIN_MS, ctypes.byref(job))
    if status != 0:
        os.write(1, f"status {status}: {library.holdfast_error().decode()}\n".encode())
        return 1
    self, nodes = library.holdfast_self(job), library.holdfast_nodes(job)
    os.write(1, f"process {self} of {library.holdfast_processes(job)} on {nodes} nodes: pid "
                f"{os.getpid()}\n".encode())
    for _ in range(int(sys.argv[2])):
        verdict = Verdict()
        if library.holdfast_next_verdict(job, HEAR_MS, ctypes.byref(verdict)) != 0:
            break
        os.write(1, f"process {self} hears: {verdict.member.process} "
                    f"{STATES[verdict.member.state]}\n".encode())
    return library.holdfast_leave(job, LEAVE_MS)


if __name__ == "__main__":
    sys.exit(main())

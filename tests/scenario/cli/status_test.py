"""A live job is looked at: eight processes are well; one is killed, and every view says so; one is
stopped, believed dead, goes on, and the verdict is counted as a mistake. The picture, the live
screen, the pages for Prometheus, several jobs and none."""

import fcntl
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest
import urllib.request

from holdfast import PROGRAM, Scenario
from marked import Marked
from mpirun_test import job_of
from rendezvous_test import KEY, free_port

LIBRARY = os.path.join(os.path.dirname(PROGRAM), "libholdfast.so")
# A program that joins by the library.
MEMBER = f"""
import ctypes, time
library = ctypes.CDLL({LIBRARY!r})
job = ctypes.c_void_p()
assert library.holdfast_join(20000, ctypes.byref(job)) == 0
time.sleep(60)
"""
# One whose process 0 sends a message to each other one, and all are answered; then all wait in a
# receive.
TALKER = f"""
import ctypes
from ctypes import byref, c_int32, c_uint32, c_uint64, c_void_p
library = ctypes.CDLL({LIBRARY!r})
job = c_void_p()
assert library.holdfast_join(20000, byref(job)) == 0
class Pattern(ctypes.Structure):
    _fields_ = [("source", c_uint32), ("context", c_uint32), ("tag", c_uint64), ("mask", c_uint64)]
memory = ctypes.create_string_buffer(100000)
def send(to):
    assert library.holdfast_send(job, c_uint32(to), c_uint32(0), c_uint64(0), memory,
                                 c_uint64(len(memory)), c_int32(-1), None) == 0
def receive():
    anything = Pattern(0xffffffff, 0, 0, 0)
    assert library.holdfast_receive(job, byref(anything), memory, c_uint64(len(memory)),
                                    c_int32(-1), None, None) == 0
if library.holdfast_self(job) == 0:
    for to in range(1, library.holdfast_processes(job)):
        send(to)
        receive()
else:
    receive()
    send(0)
receive()
"""
LONG_S = 30  # a test that waits so long has failed


class Watched(Scenario):
    def setUp(self):
        super().setUp()
        self.marked = Marked()
        self.addCleanup(self.marked.kill)
        # Apart from the other jobs of this machine, and with a name as short as sockets need.
        self.sockets = self.path("sockets")
        self.environment = dict(self.marked.environment, HOLDFAST_RUNTIME_DIR=self.sockets,
                                HOLDFAST_KEY=KEY)

    def begin(self, *words):
        process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for end in (process.stdout.close, process.wait, process.kill):
            self.addCleanup(end)
        return process

    def begin_eight(self, *words, timeout="1 s"):
        job = job_of(8, "120 s")
        job["detector"] = dict(job["detector"], timeout=timeout)
        self.write("job.json", job)
        place = f"127.0.0.1:{free_port()}"
        return [self.begin("node", "job.json", "--rank", str(rank), "--rendezvous", place, *words)
                for rank in range(8)]

    def status(self, *words):
        done = subprocess.run([PROGRAM, "status", *words], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def await_status(self, holds):
        """Looks until `holds` of the exit status and the document; gives the document."""
        end = time.monotonic() + LONG_S
        while True:
            code, said, complaint = self.status("--json")
            document = json.loads(said) if said else None
            if document and holds(code, document):
                return document
            self.assertLess(time.monotonic(), end, f"{code}\n{said}\n{complaint}")
            time.sleep(0.1)

    def await_eight(self):
        return self.await_status(lambda code, job: code == 0 and len(job["views"]) == 8 and all(
            view["heard_s_ago"] is not None for view in job["views"]))


class Eight(Watched):
    def test_a_killed_one_is_failed_in_all_views(self):
        processes = self.begin_eight()
        job = self.await_eight()
        self.assertTrue(job["well"])
        self.assertEqual([member["state"] for member in job["members"]], ["alive"] * 8)
        self.assertEqual([view["pid"] for view in job["views"]],
                         [process.pid for process in processes])
        for view in job["views"]:
            self.assertEqual(job["views"][view["watches"]]["watched_by"], view["process"])
            self.assertLess(view["heard_s_ago"], 1)
            rail, = view["rails"]
            self.assertEqual((rail["kind"], rail["up"]), ("udp", True))
            self.assertGreater(rail["bytes_sent"], 64 * rail["frames_sent"] - 1)
        os.kill(processes[3].pid, signal.SIGKILL)
        job = self.await_status(lambda code, job: code == 1 and not any(
            member["disputed"] for member in job["members"]) and not job["silent"] and
            job["members"][3]["state"] == "failed")
        self.assertEqual(job["members"][3]["opinions"],
                         [{"state": "failed", "boot": 0, "refutations": 0,
                           "by": [0, 1, 2, 4, 5, 6, 7]}])
        self.assertFalse(job["well"])
        self.assertEqual(sum(view["verdicts"]["own"] for view in job["views"]), 1)
        self.assertEqual(sum(view["verdicts"]["heard"] for view in job["views"]), 6)
        code, picture, _ = self.status()
        self.assertEqual(code, 1)
        self.assertRegex(picture, rf"^job {job['job']}: 8 processes on 8 nodes: 7 alive, 1 failed; "
                                  r"7 answer here\n")
        self.assertRegex(picture, r"\n +3 +3 failed +since \S+ m?s\n")
        self.assertRegex(picture, r"ago  process 3 failed, first known to \d, who noticed it\n")
        self.assertNotIn("\033", picture)
        self.assertEqual(self.status(job["job"][:4], "--once")[0], 1)
        self.assertNotIn(f"job-{job['job']}.process-3.sock", os.listdir(self.sockets))

    def test_a_mistake_is_counted(self):
        processes = self.begin_eight(timeout="300 ms")
        self.await_eight()
        os.kill(processes[5].pid, signal.SIGSTOP)
        job = self.await_status(lambda code, job: job["members"][5]["state"] == "failed")
        self.assertEqual(job["silent"], [5])
        os.kill(processes[5].pid, signal.SIGCONT)
        job = self.await_status(lambda code, job: code == 0 and
                                job["views"][5]["verdicts"]["of_this_process"] > 0)
        self.assertGreater(job["members"][5]["refutations"], 0)
        self.assertGreater(sum(view["verdicts"]["own_refuted"] for view in job["views"]), 0)

    def test_who_ends_in_order_leaves_nothing_behind(self):
        processes = self.begin_eight()
        self.await_eight()
        for process in processes:
            process.terminate()
        for process in processes:
            process.communicate(timeout=LONG_S)
        self.assertEqual(os.listdir(self.sockets), [])

    def test_pages_for_prometheus(self):
        # No other program of this machine uses ports of this address.
        address = f"127.{random.randrange(1, 255)}.{random.randrange(256)}.77:9100"
        self.begin_eight("--metrics", address)
        number = self.await_eight()["job"]
        host = address.partition(":")[0]
        for rank in range(8):
            with urllib.request.urlopen(f"http://{host}:{9100 + rank}/metrics",
                                        timeout=LONG_S) as answer:
                self.assertEqual(answer.headers["Content-Type"],
                                 "text/plain; version=0.0.4; charset=utf-8")
                page = answer.read().decode()
            self.assertIn(f'\nholdfast_members{{job_id="{number}",process="{rank}",'
                          'state="alive"} 8\n', page)
        if shutil.which("promtool"):
            subprocess.run(["promtool", "check", "metrics"], input=page, text=True, check=True)


class Screen(Watched):
    def test_is_drawn_again_and_given_back(self):
        self.begin_eight()
        self.await_eight()
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(PROGRAM, [PROGRAM, "status"], dict(self.environment, TERM="xterm"))
        self.addCleanup(os.close, terminal)
        shown = self.read_until(terminal, b"", lambda text: text.count(b"\033[H") >= 3)
        self.assertTrue(shown.startswith(b"\033[?1049h\033[?25l\033[H"), shown[:100])
        self.assertIn(b"8 alive; 8 answer here", shown)
        os.write(terminal, b"\x03")
        shown = self.read_until(terminal, shown, lambda text: b"\033[?1049l" in text)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        after = shown[shown.index(b"\033[?25h\033[?1049l"):]
        self.assertEqual(shown.count(b"\033[?1049h"), 1)
        # What was seen last stays.
        after = self.read_until(terminal, after, lambda text: b"dropped by engines" in text)
        self.assertIn(b"8 alive; 8 answer here", after)

    def test_shows_all_columns_and_whole_lines_on_any_terminal(self):
        self.begin_eight(timeout="20 s")
        self.await_eight()
        for columns in (80, 120):
            screen = self.screen(24, columns)
            self.assertLessEqual(max(len(row) for row in screen), columns)
            heading = screen.index("process node state          pid watches  heard watcher "
                                   "sent/s recv/s turn/s cpu%")
            for rank, row in enumerate(screen[heading + 1:heading + 9]):
                self.assertRegex(row, rf"^ +{rank} +{rank} alive +\d+ +\d +(\d+ ms|\d+\.\d s) +\d"
                                      r"( +\d+\.\d){3} +\d+\.\d+$")
            verdicts = ("verdicts of those who answer: 0 noticed by themselves, 0 of these refuted"
                        "; 0 times one was believed dead itself")
            self.assertIn(verdicts, " ".join(" ".join(screen).split()))
            self.assertEqual(verdicts in screen, columns == 120)
            self.assertIn("frames lost by rails: ", "\n".join(screen))
        # On a terminal that is too small the table gives way.
        screen = self.screen(14, 80)
        self.assertIn("        and 4 more", screen)
        self.assertEqual(len([row for row in screen if " alive " in row]), 4)

    def screen(self, rows, columns):
        """The rows of the second picture on such a terminal."""
        pid, terminal = pty.fork()
        if pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))
            os.execve(PROGRAM, [PROGRAM, "status"], dict(self.environment, TERM="xterm"))
        self.addCleanup(os.close, terminal)
        shown = self.read_until(terminal, b"", lambda text: text.count(b"\033[J") >= 2)
        os.write(terminal, b"\x03")
        self.read_until(terminal, shown, lambda text: b"dropped by engines" in
                        text.partition(b"\033[?1049l")[2])
        os.waitpid(pid, 0)
        picture = shown.split(b"\033[H")[2].partition(b"\033[J")[0].decode()
        # Each is cleared before it is written; after it, the last letter of a full row would go.
        drawn = picture.split("\r\n")[:-1]
        self.assertTrue(all(row.startswith("\033[K") for row in drawn), drawn)
        return [row[3:] for row in drawn]

    def read_until(self, terminal, text, enough):
        end = time.monotonic() + LONG_S
        while not enough(text):
            self.assertLess(time.monotonic(), end, text)
            if select.select([terminal], [], [], 1)[0]:
                text += os.read(terminal, 65536)
        return text


class Launched(Watched):
    def setUp(self):
        super().setUp()
        self.write("member.py", MEMBER)

    def test_programs_that_join_are_seen_and_the_killed_are_cleared_away(self):
        launched = self.begin("launch", "-n", "3", "--per-node", "1", "--fabric", "shm", "--",
                              sys.executable, "member.py")
        job = self.await_status(lambda code, job: code == 0 and len(job["views"]) == 3)
        self.assertEqual({rail["kind"] for view in job["views"] for rail in view["rails"]}, {"shm"})
        launched.kill()  # and all with it
        self.assertEqual(self.marked.await_end(LONG_S), {})
        self.assertEqual(len(os.listdir(self.sockets)), 3)
        code, said, complaint = self.status()
        self.assertEqual((code, said), (2, ""))
        self.assertIn("no job of this user runs on this machine", complaint)
        self.assertEqual(os.listdir(self.sockets), [])

    def test_how_messages_travel_is_shown_while_all_wait_for_the_next(self):
        self.write("talker.py", TALKER)
        self.begin("launch", "-n", "3", "--fabric", "udp", "--", sys.executable, "talker.py")
        job = self.await_status(lambda code, job: code == 0 and len(job["views"]) == 3 and all(
            rail["bytes_sent"] > 1e5 for view in job["views"] for rail in view["message_rails"] or
            [{"bytes_sent": 0}]))
        for view in job["views"]:
            rail, = view["message_rails"]
            self.assertEqual((rail["kind"], rail["up"], rail["not_up"]), ("udp", True, []))
            self.assertNotEqual(rail["address"], view["rails"][0]["address"])
            self.assertEqual(rail["peers"], {"up": 2, "suspect": 0, "down": 0, "probation": 0})
            self.assertGreater(rail["bytes_received"], 1e5)
            self.assertGreater(rail["round_trip_median_s"], 0)
            self.assertGreaterEqual(rail["round_trip_max_s"], rail["round_trip_median_s"])
            self.assertGreaterEqual(rail["fragments_given_up"], 0)
        _, picture, _ = self.status()
        self.assertRegex(picture, r"\nmessage rail 0 udp: 6 up; round trip up to \S+ [um]s; sent "
                                  r"\d+ kB, received \d+ kB, \d+ fragments sent again\n")

    def test_copies_of_several_rails_are_no_fault(self):
        self.begin("launch", "-n", "4", "--per-node", "1", "--rails", "2", "--", sys.executable,
                   "member.py")
        job = self.await_status(lambda code, job: code == 0 and len(job["views"]) == 4)
        os.kill(job["views"][2]["pid"], signal.SIGKILL)
        self.await_status(lambda code, job: [view["process"] for view in job["views"] if
                                             view["frames_dropped"]["copies"] > 0] == [0, 1, 3])
        _, picture, _ = self.status()
        self.assertRegex(picture, r"\nframes lost by rails: [^;]*; dropped by engines: [^;]*; \d+ "
                                  r"copies that another rail had brought\n")
        self.assertNotIn("copies", picture.partition("dropped by engines: ")[2].partition(";")[0])

    def test_of_several_jobs_one_must_be_chosen(self):
        for _ in range(2):
            self.begin("launch", "-n", "1", "--", sys.executable, "member.py")
        end = time.monotonic() + LONG_S
        while len(os.listdir(self.sockets) if os.path.isdir(self.sockets) else []) < 2:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)
        code, said, complaint = self.status("--json")
        self.assertEqual((code, said), (2, ""))
        jobs = re.findall(r"\n  holdfast status ([0-9a-f]{8}) ", complaint)
        self.assertEqual(len(jobs), 2, complaint)
        for job in jobs:
            code, said, _ = self.status(job, "--json")
            self.assertEqual(json.loads(said)["job"], job)

    def test_a_real_run_is_seen(self):
        job = dict(job_of(4, "60 s"), fabric={"kind": "tcp"})
        self.write("job.json", job)
        run = self.begin("run", "job.json", "--output", "out", "--quiet")
        self.await_status(lambda code, job: code == 0 and len(job["views"]) == 4)
        run.terminate()
        run.communicate(timeout=LONG_S)


    def test_a_recording_is_none_of_who_looks(self):
        self.write("job.json", job_of(4, "3 s"))
        run = self.begin("run", "job.json", "--set", "fabric.kind=udp", "--output", "out",
                         "--quiet", "--record", "recordings")
        looks = 0
        while run.poll() is None:
            looks += self.status("--json")[0] == 0
        self.assertEqual(run.returncode, 0, run.stdout.read())
        self.assertGreater(looks, 3)
        for rank in range(4):
            said, _ = self.run_program(
                "replay", self.path("recordings", "0-0", f"process-{rank}.boot-0.recording"))
            self.assertIn("turns replayed, every call equal", said)


class Mistaken(Watched):
    def test_there_is_no_job(self):
        for words in ([], ["7f3a"], ["--json"]):
            code, said, complaint = self.status(*words)
            self.assertEqual((code, said), (2, ""))
            self.assertIn(self.sockets, complaint)
        self.assertFalse(os.path.exists(self.sockets))

    def test_the_folder_is_not_the_users_alone(self):
        os.mkdir(self.sockets)
        os.chmod(self.sockets, 0o755)
        code, _, complaint = self.status()
        self.assertEqual(code, 2)
        self.assertIn(f"mend with: chmod 700 {self.sockets}", complaint)

    def test_what_is_no_process_is_said(self):
        os.mkdir(self.sockets, 0o700)
        with open(os.path.join(self.sockets, "job-00000001.process-0.sock"), "w",
                  encoding="utf-8"):
            pass
        self.assertEqual(self.status()[0], 2)

    def test_metrics_places_that_cannot_be(self):
        self.write("job.json", job_of(8, "60 s"))
        for place in ("9100", "0.0.0.0:9100", "127.0.0.1:65530"):
            for words in (["launch", "-n", "8", "true"], ["run", "job.json"],
                          ["node", "job.json", "--rank", "0", "--rendezvous", "127.0.0.1:1"]):
                done = subprocess.run([PROGRAM, *words[:1], "--metrics", place, *words[1:]],
                                      cwd=self.folder, env=self.environment, capture_output=True,
                                      text=True, check=False, timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f'--metrics is "{place}"', done.stderr)


if __name__ == "__main__":
    unittest.main()

"""Where results cannot be written: a disk that is full or fills up, a folder that may not be
written to, names that lead nowhere. One message says what and where and how to mend it; nothing is
lost, and what could not be begun is not there."""

import os
import resource
import subprocess
import unittest

from holdfast import PROGRAM, SMALL, Scenario, begun_again
from mounted import SmallDisk

MANY = dict(SMALL, replicates=60)
# Real processes whose recordings soon have tens of kilobytes.
RECORDED = {
    "name": "recorded", "seed": 1, "replicates": 2, "duration": "2 s", "fabric": {"kind": "udp"},
    "topology": {"kind": "fat_tree", "down": [2], "up": [1], "parallel": [1]},
    "detector": {"kind": "ring", "period": "10 ms", "timeout": "500 ms"},
    "propagation": {"kind": "bmg"},
}
NOBODY = 65534


class Output(Scenario):
    """Output folders that cannot be."""

    def setUp(self):
        super().setUp()
        self.write("small.json", SMALL)

    def complaint(self, output, *words):
        said = self.refused("run", "small.json", "--output", output, *words)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn(output, said)
        self.assertIn("another folder with --output", said)
        return said

    def test_a_file_in_its_place(self):
        self.write("file", "precious")
        self.assertIn("file is a file", self.complaint("file"))
        self.assertIn("file is a file", self.complaint("file/deeper/out"))
        self.assertEqual(self.read("file"), "precious")
        self.write("results", "precious")
        self.assertIn("results is a file", self.refused("run", "small.json"))

    def test_a_folder_of_something_else(self):
        os.mkdir(self.path("mine"))
        self.write("mine/thesis.tex", "precious")
        self.complaint("mine")
        self.complaint("mine", "--resume")
        self.assertEqual(os.listdir(self.path("mine")), ["thesis.tex"])

    def test_results_of_another_experiment(self):
        self.run_program("run", "small.json", "--set", "name=other", "--output", "out")
        before = {name: self.read("out", name) for name in os.listdir(self.path("out"))}
        said = self.refused("run", "small.json", "--output", "out", "--resume")
        self.assertIn('says `"name": "other",` there and `"name": "small",` now', said)
        self.assertIn("out/resolved.json", said)
        self.assertIn("without --resume", said)
        after = {name: self.read("out", name) for name in os.listdir(self.path("out"))}
        self.assertEqual(after, before)

    def test_a_name_that_is_too_long(self):
        self.assertIn("File name too long", self.complaint("x" * 300))

    def test_recordings_that_cannot_be_written(self):
        self.write("file", "precious")
        for folder in ["file", "file/deeper"]:
            said = self.refused("run", "small.json", "--record", folder,
                                "--set", "fabric.kind=udp")
            self.assertIn(f"--record {folder}: recordings cannot be written there: Not a d", said)

    def test_too_little_memory(self):
        def limit_memory():
            resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
        done = subprocess.run([PROGRAM, "run", "small.json", "--jobs", "1", "--output", "out",
                               "--set", "topology.down=[60000]", "--set",
                               "processes.per_node=4"], cwd=self.folder,
                              capture_output=True, text=True, check=False, timeout=100,
                              preexec_fn=limit_memory)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("there is not enough memory; `holdfast check` says how much", done.stderr)
        self.assertIn("--resume --output out\n", done.stderr)

    def test_names_that_messages_cannot_hold(self):
        for bad in ["two\nlines", "a bell\a"]:
            self.assertIn("the value of --output has a line break",
                          self.refused("run", "small.json", "--output", bad))
        self.assertIn("--output needs a value", self.refused("run", "small.json", "--output", ""))

    def test_spaces_and_other_alphabets(self):
        for name in ["my results", "résultats à lire", "結果"]:
            said, _ = self.run_program("run", "small.json", "--quiet", "--output", name)
            self.assertEqual(said, f"results: {name}\n")
            self.assertEqual(len(self.rows(name, "results.csv")), 2)

    def test_bytes_of_no_alphabet(self):
        said = subprocess.run([PROGRAM, "run", "small.json", "--quiet", "--output", b"caf\xe9"],
                              cwd=self.folder, capture_output=True, check=False, timeout=100)
        self.assertEqual((said.returncode, said.stdout), (0, b"results: caf\xe9\n"), said.stderr)

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "check", "small.json"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False, timeout=100)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "holdfast: cannot write to the standard output: "
                                      "No space left on device\n")


class NoPermission(Scenario):
    def setUp(self):
        super().setUp()
        self.write("small.json", SMALL)

    def refused_to_nobody(self, *words):
        """What nobody is told, who may read all of the test's folder and write nothing."""
        os.chmod(self.folder, 0o755)
        user = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True,
                              check=False, timeout=100, **user)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr

    def test_a_folder_that_may_not_be_written_to(self):
        os.mkdir(self.path("theirs"), 0o555)
        for output in ["theirs/out", "theirs"]:
            said = self.refused_to_nobody("run", "small.json", "--output", output)
            self.assertIn(f"{output}", said)
            self.assertIn("Permission denied", said)
            self.assertEqual(os.listdir(self.path("theirs")), [])

    def test_files_that_may_not_be_read(self):
        self.write("secret.json", SMALL)
        self.write("secret.txt", "")
        os.chmod(self.path("secret.json"), 0)
        os.chmod(self.path("secret.txt"), 0)
        self.assertEqual(self.refused_to_nobody("check", "secret.json"),
                         "secret.json: the file cannot be opened: Permission denied\n")
        self.assertIn("it cannot be read: Permission denied",
                      self.refused_to_nobody("check", "small.json", "--topology", "secret.txt"))


class LimitedFiles(Scenario):
    """A limit of a file's size is like a full disk, on any machine."""

    def run_limited(self, limit, *words):
        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True,
                              check=False, timeout=100, preexec_fn=limit_files)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr

    def test_what_cannot_be_begun_is_not_there(self):
        self.write("small.json", SMALL)
        said = self.run_limited(1000, "run", "small.json")
        self.assertEqual(said, "holdfast run: results/small/resolved.json: cannot write: "
                               "File too large; mend that and give the command again, or another "
                               "folder with --output\n")
        self.assertEqual(os.listdir(self.folder), ["small.json"])

    def test_a_table_that_cannot_grow(self):
        self.write("many.json", MANY)
        self.run_program("run", "many.json", "--quiet", "--output", "undisturbed")
        words = ["run", "many.json", "--quiet", "--jobs", "1", "--output", "out"]
        said = self.run_limited(4096, *words)
        self.assertIn("out/results.csv: cannot write: File too large\n", said)
        self.assertIn("holdfast run many.json --quiet --jobs 1 --resume --output out\n", said)
        # Whole rows, as many as fit.
        whole = self.read("undisturbed", "results.csv")
        part = self.read("out", "results.csv")
        self.assertTrue(whole.startswith(part) and part.endswith("\n"), part)
        self.assertGreater(len(part), 2000)
        self.run_program(*words, "--resume")
        self.assertEqual(self.read("out", "results.csv"), whole)


    def test_a_recording_that_cannot_grow(self):
        self.write("recorded.json", RECORDED)
        said = self.run_limited(16384, "run", "recorded.json", "--quiet", "--output", "out",
                                "--record", "recordings")
        lines = said.splitlines()
        self.assertEqual(len(lines), 3, said)
        self.assertRegex(lines[0], r"^holdfast run: point 0 replicate 0: launch: process [01] has "
                                   r"ended: cannot write the recording recordings/0-0/process-"
                                   r"[01]\.boot-0\.recording: File too large$")
        self.assertIn("The finished replicates are kept.", lines[1])
        self.assertEqual(lines[2], "  holdfast run recorded.json --quiet --record recordings "
                                   "--resume --output out")
        self.run_program(*lines[2].split()[1:])
        self.assertEqual(len(self.rows("out", "results.csv")), 2)
        replayed, _ = self.run_program("replay", "recordings")
        self.assertIn("4 of 4 recordings are equal to their ends", replayed)


class FullDisk(Scenario):
    def disk(self, size):
        disk = SmallDisk(self.path("disk"), size)
        self.addCleanup(disk.close)
        return disk

    def test_full_from_the_beginning(self):
        self.write("small.json", SMALL)
        disk = self.disk("4k")
        with open(os.path.join(disk.path, "ballast"), "wb") as file:
            file.write(bytes(4096))
        said = self.refused("run", "small.json", "--output", disk.path + "/out")
        self.assertIn("out/resolved.json: cannot write: No space left on device; mend that", said)
        self.assertEqual(os.listdir(disk.path), ["ballast"])

    def test_recordings_fill_it_up(self):
        self.write("recorded.json", RECORDED)
        disk = self.disk("32k")
        said, complaint = self.run_program("run", "recorded.json", "--quiet", "--output", "out",
                                           "--record", disk.path, status=2)
        self.assertEqual(said, "")
        self.assertRegex(complaint, r"^holdfast run: point 0 replicate 0: launch: \S[^\n]*: No "
                                    r"space left on device\nThe finished replicates are kept")
        self.assertFalse(os.path.exists(self.path("out", "run.json")))

    def test_read_only(self):
        self.write("small.json", SMALL)
        disk = self.disk("1m")
        self.assertTrue(disk.remount("ro"))
        for output in [disk.path, disk.path + "/out"]:
            said = self.refused("run", "small.json", "--output", output)
            self.assertIn("Read-only file system", said)
        self.assertEqual(os.listdir(disk.path), [])

    def test_fills_up_and_is_resumed(self):
        self.write("many.json", MANY)
        self.run_program("run", "many.json", "--quiet", "--output", "undisturbed")
        disk = self.disk("128k")
        output = disk.path + "/out"
        words = ["run", "many.json", "--jobs", "2", "--output", output]
        finished = 0
        for resume in [[], ["--resume"]]:  # still full the second time
            said, complaint = self.run_program(*words, *resume, status=2)
            self.assertEqual(said, "")
            self.assertIn("No space left on device", complaint)
            self.assertIn(f"--resume --output {output}\n", complaint)
            names = sorted(os.listdir(output + "/replicates"))
            self.assertTrue(all(name.endswith(".json") for name in names), names)
            self.assertGreaterEqual(len(names), max(finished, 3))
            finished = len(names)
            for table in ["results.csv", "failures.csv"]:
                with open(f"{output}/{table}", encoding="utf-8") as file:
                    part = file.read()
                self.assertTrue(self.read("undisturbed", table).startswith(part), part)
                self.assertTrue(part.endswith("\n"))
        self.assertTrue(disk.remount("size=8m"))
        _, told = self.run_program(*words, "--resume")
        self.assertIn(f"{finished} of 60 replicates are finished", told)
        for table in ["results.csv", "failures.csv", "faults.csv", "cuts.csv"]:
            with open(f"{output}/{table}", encoding="utf-8") as file:
                self.assertEqual(file.read(), self.read("undisturbed", table))
        with open(output + "/run.log", encoding="utf-8") as file:
            self.assertEqual(begun_again(file.read()), [])


if __name__ == "__main__":
    unittest.main()

"""Figures of benchmarks: what is drawn of a bandwidth.csv, and what is refused."""

import glob
import json
import os
import subprocess
import tempfile
import unittest

import context
from holdfast_analysis import bandwidth, bench_figures, over_time, overhead, results, runtimes

HEADER = ("measurement,contender,message_bytes,samples,median_bytes_per_s,low_bytes_per_s,"
          "high_bytes_per_s\n")
ALONE = {"name": "alone", "title": "Alone", "measurement": "checksum", "limits": ["memory_read"],
         "references": [{"contender": "crc32c", "bytes_per_s": 6e9, "source": "a paper"}]}
FUSED = {"name": "fused", "title": "Fused", "measurement": "fused", "limits": ["memcpy"]}
COMMAND = os.path.join(context.ANALYSIS, "bench")


def write(folder, rows, *figures):
    path = os.path.join(folder, "figures.json")
    with open(os.path.join(folder, "bandwidth.csv"), "w", encoding="utf-8") as file:
        file.write(HEADER + "".join(",".join(map(str, row)) + "\n" for row in rows))
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"figures": figures}, file)
    return path


ROWS = [("checksum", "memory_read", 32768, 9, 2e11, 1.9e11, 2.1e11),
        ("checksum", "crc32c", 32768, 9, 6.2e10, 6.1e10, 6.3e10),
        *(("fused", name, 64 << (4 * step), 9, rate, rate / 1.1, rate * 1.1)
          for name, rate in (("memcpy", 9e10), ("crc32c", 6e10)) for step in range(5))]


class Bandwidth(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name

    def test_bars_show_each_median_and_what_was_published(self):
        shown = [row for row in bandwidth._read(self.written(ALONE)) if row["bytes"] == 32768]
        axis = bandwidth._bars(ALONE, shown[:2]).axes[0]
        self.assertEqual([round(bar.get_width(), 6) for bar in axis.patches], [62.0, 200.0])
        self.assertEqual([label.get_text() for label in axis.get_yticklabels()],
                         ["crc32c", "memory_read"])
        self.assertIn([6.0], [list(line.get_xdata()) for line in axis.get_lines()])

    def test_lines_go_through_the_medians_over_length(self):
        shown = [row for row in bandwidth._read(self.written(FUSED))
                 if row["measurement"] == "fused"]
        axis = bandwidth._lines(FUSED, shown).axes[0]
        crc32c = next(line for line in axis.get_lines() if line.get_label() == "crc32c")
        self.assertEqual(list(crc32c.get_xdata()), [64 << (4 * step) for step in range(5)])
        self.assertEqual(list(crc32c.get_ydata()), [60.0] * 5)
        self.assertIn("1 KiB", [label.get_text() for label in axis.get_xticklabels()])

    def written(self, *figures):
        write(self.folder, ROWS, *figures)
        return self.folder

    def test_the_same_results_give_the_same_files(self):
        path = write(self.folder, ROWS, ALONE, FUSED)
        contents = []
        for _ in range(2):
            done = subprocess.run([COMMAND, self.folder, "--figures", path], check=True,
                                  capture_output=True, text=True)
            self.assertEqual(len(done.stdout.split()), 2)
            contents.append({})
            for name in sorted(os.listdir(os.path.join(self.folder, "figures"))):
                with open(os.path.join(self.folder, "figures", name), "rb") as file:
                    contents[-1][name] = file.read()
        self.assertEqual(len(contents[0]), 6)
        self.assertEqual(contents[0], contents[1])

    def test_results_of_another_benchmark_are_not_called_a_wrong_file_of_figures(self):
        path = write(self.folder, ROWS, FUSED)
        for folder, figures, table in (
                (self.folder, [{"name": "n", "title": "t", "value": "seconds"}], "runtimes.csv"),
                (os.path.join(self.folder, "nothere"), [FUSED], "bandwidth.csv")):
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"figures": figures}, file)
            done = subprocess.run([COMMAND, folder, "--figures", path], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{folder}: there is no {table} in it, of which {path}", done.stderr)

    def test_a_label_is_not_under_what_was_published(self):
        near = {**ALONE, "references": [
            {"contender": "crc32c", "bytes_per_s": 6.4e10, "source": "a paper"}]}
        for figure, begins in ((ALONE, 63.0), (near, 64.0)):
            shown = [row for row in bandwidth._read(self.written(ALONE)) if row["bytes"] == 32768]
            axis = bandwidth._bars(figure, shown).axes[0]
            self.assertEqual([round(text.xy[0], 6) for text in axis.texts], [begins, 210.0])

    def test_of_few_rounds_there_is_no_interval(self):
        write(self.folder, [("fused", "crc32c", 64, 3, 2e9, "", "")], FUSED)
        self.assertEqual(bandwidth._read(self.folder),
                         [{"measurement": "fused", "contender": "crc32c", "bytes": 64,
                           "median": 2.0, "low": 2.0, "high": 2.0}])

    def test_every_experiment_declares_what_can_be_drawn(self):
        kinds = {"figures": bandwidth, "overheads": overhead, "over_time": over_time}
        found = [path for name in ("bandwidth", "runtimes") for path in
                 glob.glob(os.path.join(context.ANALYSIS, f"../experiments/*/{name}.json"))]
        for path in found:
            document = bench_figures.read(path)
            self.assertLessEqual(set(document), set(kinds), path)
            for section in document:
                kind = runtimes if path.endswith("runtimes.json") else kinds[section]
                bench_figures.checked(path, document, section, kind.check)
        self.assertGreater(len(found), 5)

    def test_what_is_wrong_is_said(self):
        path = write(self.folder, ROWS, {**FUSED, "measurement": "rust"})
        with self.assertRaisesRegex(results.ResultsError, "\"rust\".*it has checksum, fused"):
            bandwidth.write(self.folder, path)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bandwidth.csv", "figures.json"])
        for more, said in (({"colour": "red"}, "/figures/0/colour: expected no such key"),
                           ({"limits": 3}, "/figures/0/limits: expected a list"),
                           ({"limits": [3]}, "/figures/0/limits/0: expected a text"),
                           ({"measurement": None}, "/figures/0/measurement: expected a text"),
                           ({"references": 3}, "/references: expected a list"),
                           ({"references": [{"contender": "crc32c", "source": "a paper"}]},
                            "/references/0/bytes_per_s: expected a number above zero"),
                           ({"name": 3}, "/name: expected a text"),
                           ({"name": "../../oops"}, "/name: expected letters, digits"),
                           ({"quantity": "length"}, '/quantity: expected "bandwidth" or "time"')):
            path = write(self.folder, ROWS, {**FUSED, **more})
            with self.assertRaisesRegex(results.ResultsError, said):
                bandwidth.write(self.folder, path)
        path = write(self.folder, [("fused", "crc32c", 64, 1, 0, 0, 0)], FUSED)
        with self.assertRaisesRegex(results.ResultsError, "fused of crc32c .* not above zero"):
            bandwidth.write(self.folder, path)
        path = write(self.folder, [("fused", "crc32c", 64, 1, "fast", 1, 1)], FUSED)
        done = subprocess.run([COMMAND, self.folder, "--figures", path], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("bandwidth.csv:2: column median_bytes_per_s holds \"fast\"", done.stderr)


if __name__ == "__main__":
    unittest.main()

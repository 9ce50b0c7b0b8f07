"""Figures of what protection takes: what is drawn of an overhead.csv, and what is refused."""

import json
import os
import subprocess
import tempfile
import unittest

import context
from holdfast_analysis import overhead, results

TCP = {"name": "tcp", "title": "TCP", "measurement": "tcp stream",
       "references": [{"title": "a paper", "share": 0.2, "source": "section 5"}]}
COMMAND = os.path.join(context.ANALYSIS, "bench")


class Overhead(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name
        self.write("overhead.csv",
                   "measurement,contender,message_bytes,samples,median_share,low_share,high_share\n"
                   "tcp stream,holdfast crc32c,65536,9,0.04,0.03,0.06\n"
                   "tcp stream,holdfast crc32c,1024,9,-0.01,-0.02,0.01\n"
                   "tcp stream,holdfast knuth,1024,9,0.3,0.2,0.4\n")
        self.write("bandwidth.csv", "measurement,contender,message_bytes,samples,"
                   "median_bytes_per_s,low_bytes_per_s,high_bytes_per_s\n"
                   "tcp stream,raw tcp,1024,9,1e9,1e9,1e9\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def declared(self, *overheads):
        figure = {"name": "bars", "title": "t", "measurement": "tcp stream"}
        return self.write("bandwidth.json",
                          json.dumps({"figures": [figure], "overheads": overheads}))

    def test_a_line_has_percents_in_the_order_of_lengths(self):
        axis = overhead._draw(TCP, overhead._read(self.folder)).axes[0]
        first = axis.get_lines()[0]
        self.assertEqual(list(first.get_xdata()), [1024, 65536])
        self.assertEqual(list(first.get_ydata()), [-1, 4])
        self.assertEqual(axis.get_legend_handles_labels()[1],
                         ["holdfast crc32c", "holdfast knuth"])
        self.assertEqual([text.get_text() for text in axis.texts], ["a paper"])

    def test_the_command_draws_them_beside_the_others(self):
        subprocess.run([COMMAND, self.folder, "--figures", self.declared(TCP)], check=True,
                       stdout=subprocess.PIPE)
        self.assertEqual({name.split(".")[0]
                          for name in os.listdir(os.path.join(self.folder, "figures"))},
                         {"bars", "tcp"})

    def test_what_was_not_measured_is_left_out_and_said(self):
        path = self.declared({**TCP, "measurement": "udp stream"})
        done = subprocess.run([COMMAND, self.folder, "--figures", path], check=True,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), [os.path.join(self.folder, "figures", "bars")])
        self.assertIn("the figure tcp shows \"udp stream\"", done.stderr)

    def test_what_is_wrong_is_said(self):
        for more, said in (({"limits": []}, "/overheads/0/limits: expected no such key, but"),
                           ({"references": 3}, "/references: expected a list"),
                           ({"references": [{"title": "a paper", "source": "section 5"}]},
                            "/references/0/share: expected a number")):
            with self.assertRaisesRegex(results.ResultsError, said):
                overhead.write(self.folder, self.declared({**TCP, **more}))
        self.assertEqual(overhead.write(self.folder, self.declared()), [])


if __name__ == "__main__":
    unittest.main()

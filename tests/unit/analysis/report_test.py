"""The program analysis/report: its files, their determinism, the page, its errors."""

import hashlib
import os
import re
import resource
import shutil
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser

import context
import sample


def run(*arguments):
    return subprocess.run([context.REPORT, *arguments], capture_output=True, text=True, check=False)


def digests(folder):
    """The hash of each file below a folder, by its path from there."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


class Page(HTMLParser):
    """What the tests ask of a page: balanced tags, ids, what is loaded, tables as lists of rows."""

    VOID = {"meta", "br", "link", "img"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.loads, self.tables, self.text = [], [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "data", "action") and not value.startswith(("#", "data:")):
                self.loads.append(value)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data
        self.text.append(data)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.sweep = os.path.join(cls.holder.name, "sweep")
        cls.year = os.path.join(cls.holder.name, "year")
        sample.sweep(cls.sweep, fabric=sample.fat_tree(18, 18, 9, 2))
        sample.events(cls.sweep)
        with open(os.path.join(cls.sweep, "README.md"), "w", encoding="utf-8") as file:
            file.write("# Sample\n\n## Question\nHow `fast` <b>is</b> [it](http://example.org)?\n\n"
                       "## Expectation\n- a second\n\n## Answer\nnot repeated here\n")
        sample.year(cls.year)
        cls.done = {folder: run(folder) for folder in (cls.sweep, cls.year)}

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def text(self, folder):
        with open(os.path.join(folder, "report.html"), encoding="utf-8") as file:
            return file.read()

    def test_says_where_the_report_is(self):
        for folder, done in self.done.items():
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.strip(), os.path.join(folder, "report.html"))

    def test_every_figure_in_three_formats(self):
        for folder, names in ((self.sweep, {"times", "cumulative", "phases", "waves", "messages",
                                            "fabric", "wave-0"}),
                              (self.year, {"times", "cumulative", "timeline", "phases",
                                           "messages", "fabric"})):
            expected = {f"{name}.{ending}" for name in names for ending in ("pdf", "svg", "png")}
            self.assertEqual(set(os.listdir(os.path.join(folder, "figures"))), expected)

    def test_the_same_bytes_again(self):
        again = os.path.join(self.holder.name, "again")
        shutil.copytree(self.sweep, again)
        shutil.rmtree(os.path.join(again, "figures"))
        os.remove(os.path.join(again, "report.html"))
        self.assertEqual(run(again).returncode, 0)
        self.assertEqual(digests(again), digests(self.sweep))

    def test_page_is_well_formed_and_loads_nothing(self):
        for folder in (self.sweep, self.year):
            text = self.text(folder)
            page = Page(text)
            self.assertEqual(page.open, [])
            self.assertEqual(page.loads, [])
            self.assertEqual(len(page.ids), len(set(page.ids)))
            self.assertNotRegex(text, r"(?i)https?://|@import|url\((?!#)|<link|<iframe")
            for reference in re.findall(r'(?:href="#|url\(#)([^")]+)', text):
                self.assertIn(reference, page.ids)

    def test_what_came_out_is_told_in_words(self):
        text = self.text(self.sweep)
        self.assertRegex(text, r"In 16 replicates at 2 sweep points, 48 failures ended processes, "
                         r"and 1 was not noticed before the repair or the end\.")
        self.assertRegex(text, r"The death of a node was noticed after \d+ ms")
        self.assertIn("The death of a process was noticed after", text)
        self.assertRegex(text, r"at the latest \(but 1 of 32 never\); every other live pr")
        # The longest of what has one that never was.
        self.assertRegex(text, r"<td[^>]*>never<small>the others (1\.00 s|\d{3} ms)</small>")

    def test_the_command_that_repeats_it(self):
        self.assertIn("<pre>holdfast run sample.json\nholdfast run resolved.json</pre>",
                      self.text(self.sweep))

    def test_the_news_is_drawn_where_there_are_events(self):
        self.assertIn("<h3>node host-4 dies at 20 s: bmg</h3>", self.text(self.sweep))
        self.assertIn("The raw events of some replicates end before", self.text(self.sweep))
        self.assertNotIn("How the news spread", self.text(self.year))

    def test_names_of_parts_are_text_and_never_tags(self):
        folder = os.path.join(self.holder.name, "hostile")
        name = "</title><script>alert('1')</script>&\"$x$"
        fabric = sample.fat_tree(2, 4, 2, 1)
        fabric["nodes"][4]["name"] = fabric["nodes"][8]["description"] = name
        fabric["warnings"] = [name]
        sample.sweep(folder, fabric=fabric, host=name, kinds=["bmg", name])
        sample.events(folder)
        done = run(folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = Page(self.text(folder))
        self.assertEqual(page.open, [])
        self.assertNotIn("<script>alert", self.text(folder))
        self.assertIn(name, "".join(page.text))

    def test_readme_gives_question_and_expectation_only(self):
        text = self.text(self.sweep)
        self.assertIn("<p>How <code>fast</code> &lt;b&gt;is&lt;/b&gt; it?</p>", text)
        self.assertIn("<li>a second</li>", text)
        self.assertNotIn("not repeated here", text)

    def test_summary_has_a_row_for_each_sweep_point_and_kind(self):
        rows = Page(self.text(self.sweep)).tables[0]
        self.assertEqual([row[:4] for row in rows[1:]],
                         [["bmg", "nodes", "16", "16"], ["bmg", "processes", "8", "8"],
                          ["chord", "nodes", "16", "15"], ["chord", "processes", "8", "8"]])

    def test_every_failure_of_the_year_is_a_row(self):
        tables = Page(self.text(self.year)).tables
        failures = next(table for table in tables if table[0][0] == "at")
        self.assertEqual(len(failures) - 1, 1141)
        self.assertEqual(sum(row[3] == "was down" for row in failures), 57)
        self.assertRegex(failures[1][0], r"2004-01-0\d \d\d:\d\d")
        mapping = next(table for table in tables if table[0] == ["trace_node", "host"])
        self.assertEqual((len(mapping) - 1, mapping[91]), (1024, ["90", "host-1"]))

    def test_warnings_are_told(self):
        self.assertIn("host-3: its link to leaf-0 runs at 20 Gb/s", self.text(self.year))
        self.assertIn("No warnings", self.text(self.sweep))

    def test_a_folder_with_the_needed_files_only(self):
        folder = os.path.join(self.holder.name, "small")
        sample.sweep(folder, replicates=1)
        os.remove(os.path.join(folder, "run.json"))
        self.assertEqual(run(folder).returncode, 0)
        self.assertNotIn("<h2>Fabric</h2>", self.text(folder))
        self.assertIn("Not finished", self.text(folder))
        self.assertNotIn("Not finished", self.text(self.sweep))

    def test_a_full_disk_leaves_nothing_half_written(self):
        """A limit of a file's size stands for it, on any machine."""
        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
        with tempfile.TemporaryDirectory() as folder:
            sample.sweep(folder)
            done = subprocess.run([context.REPORT, folder], capture_output=True, text=True,
                                  check=False, preexec_fn=limit_files)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"^analysis/report: .*: File too large; mend that .*\n$")
            self.assertEqual(done.stderr.count("\n"), 1)
            left = os.listdir(os.path.join(folder, "figures"))
            self.assertEqual([name for name in left if name.endswith(".part")], [])

    def test_errors_are_one_line_and_exit_status_2(self):
        done = run(os.path.join(self.holder.name, "nowhere"))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^analysis/report: \S+nowhere: not a folder.*\n$")
        empty = os.path.join(self.holder.name, "empty")
        os.mkdir(empty)
        done = run(empty)
        self.assertEqual(done.returncode, 2)
        self.assertIn("resolved.json: missing", done.stderr)
        self.assertEqual(os.listdir(empty), [])
        self.assertEqual(run(self.sweep, "--readme", os.path.join(empty, "x")).returncode, 2)


if __name__ == "__main__":
    unittest.main()

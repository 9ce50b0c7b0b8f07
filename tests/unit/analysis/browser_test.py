"""The report in a browser (Debian's chromium; skipped without it): at three widths no text of a
figure lies over another or is cut off, the page is no wider than its window, on paper neither; and
8,192 hosts are no page that freezes."""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import context
import sample

BROWSER = shutil.which("chromium")
if BROWSER is None:
    print("\nSKIPPED: no chromium (apt-get install chromium)")  # for ctest
WIDTHS = (400, 900, 1600)  # of the window, in pixels
# What the page says of itself. Texts may touch by a pixel: their boxes are higher than letters.
PROBE = """<script>addEventListener("load", () => {
  const wrong = [];
  for (const svg of document.querySelectorAll("figure svg")) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((text) =>
      [text.textContent.trim(), text.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
    texts.sort(([, a], [, b]) => a.left - b.left);
    const name = svg.getAttribute("aria-label");
    texts.forEach(([text, box], index) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 2 ||
          box.bottom > frame.bottom + 2) wrong.push([name, "cut off", text]);
      for (const [other, its] of texts.slice(index + 1)) {
        if (its.left > box.right - 1) break;
        const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
        if (down > 0.3 * Math.min(box.height, its.height)) wrong.push([name, text, other]);
      }
    });
  }
  const told = {wrong, wide: document.documentElement.scrollWidth - innerWidth,
                elements: document.getElementsByTagName("*").length,
                texts: document.querySelectorAll("figure svg text").length,
                loaded_ms: Math.round(performance.now())};
  TELL
});</script>"""
# What buttons, wheel and a drag make of the first drawing's view: [left, top, width, height].
CLOSER = """<script>addEventListener("load", () => {
  const svg = document.querySelector("svg.picture"), told = {};
  const [closer, farther, all] = document.querySelectorAll(".tools button");
  const view = () => svg.getAttribute("viewBox").split(/[ ,]+/).map(Number);
  const at = (name, x, y, more) => {
    const box = svg.getBoundingClientRect();
    return svg.dispatchEvent(new (name === "wheel" ? WheelEvent : PointerEvent)(name, {
      clientX: box.left + x * box.width, clientY: box.top + y * box.height, bubbles: true,
      cancelable: true, ...more}));
  };
  told.whole = view();
  at("pointerdown", 0.5, 0.5); at("pointermove", 0.6, 0.5); at("pointerup", 0.6, 0.5);
  told.dragged_whole = view();
  closer.click(); told.closer = view();
  at("pointerdown", 0.5, 0.5); at("pointermove", 0.6, 0.5); at("pointerup", 0.6, 0.5);
  told.dragged = view();
  at("pointermove", 0.9, 0.5); told.let_go = view();
  farther.click(); told.farther = view();
  farther.click(); told.no_farther = view();
  told.wheel_scrolls = at("wheel", 0, 0, {deltaY: -1}); told.wheeled = view();
  told.wheel_zooms = !at("wheel", 0, 0, {deltaY: -1, ctrlKey: true}); told.corner = view();
  all.click(); told.all = view();
  TELL
});</script>"""
TELL = """document.documentElement.innerHTML = "<pre>PROBE" + btoa(unescape(encodeURIComponent(
    JSON.stringify(told)))) + "PROBE</pre>";"""


@unittest.skipIf(BROWSER is None, "no chromium")
class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.sweep = cls.report("sweep", sample.fat_tree(18, 18, 9, 2))
        cls.large = cls.report("large", sample.fat_tree(256, 32, 64, 1))
        cls.year = os.path.join(cls.holder.name, "year")
        sample.year(cls.year)
        subprocess.run([context.REPORT, cls.year], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def report(cls, name, fabric):
        folder = os.path.join(cls.holder.name, name)
        sample.sweep(folder, fabric=fabric)
        sample.events(folder)
        subprocess.run([context.REPORT, folder], check=True, stdout=subprocess.DEVNULL)
        return folder

    def browse(self, *arguments):
        return subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu",
             f"--user-data-dir={self.holder.name}/profile", *arguments],
            capture_output=True, text=True, timeout=120, check=False).stdout

    def probe(self, folder, width, extra="", script=PROBE):
        path = os.path.join(folder, "probe.html")
        with open(os.path.join(folder, "report.html"), encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("</body>", extra + script.replace("TELL", TELL) + "</body>"))
        dom = self.browse(f"--window-size={width},1000", "--dump-dom", "file://" + path)
        found = re.search("PROBE([A-Za-z0-9+/=]+)PROBE", dom)
        self.assertTrue(found, dom[:500])
        return json.loads(base64.b64decode(found[1]))

    def test_at_three_widths_nothing_overlaps_or_is_cut_off(self):
        for folder in (self.sweep, self.year, self.large):
            for width in WIDTHS:
                told = self.probe(folder, width)
                with self.subTest(folder=os.path.basename(folder), width=width):
                    self.assertEqual(told["wrong"], [])
                    self.assertLessEqual(told["wide"], 0)
                    self.assertGreater(told["texts"], 40)

    def test_the_probe_finds_what_is_wrong(self):
        bad = ('<figure><svg viewBox="0 0 100 20" width="100"><text x="5" y="10">one</text>'
               '<text x="9" y="10">two</text><text x="95" y="10">outside</text></svg></figure>'
               '<div style="width: 3000px">wide</div>')
        told = self.probe(self.sweep, 900, bad)
        self.assertIn([None, "one", "two"], told["wrong"])
        self.assertIn([None, "cut off", "outside"], told["wrong"])
        self.assertGreater(told["wide"], 1000)

    def test_eight_thousand_hosts_are_no_heavy_page(self):
        small, large = self.probe(self.sweep, 900), self.probe(self.large, 900)
        self.assertLess(large["elements"], 30_000)
        self.assertLess(large["loaded_ms"], 5000 + 10 * small["loaded_ms"])

    def assert_view(self, found, expected):
        for one, other in zip(found, expected):
            self.assertAlmostEqual(one, other, places=3)

    def test_a_drawing_can_be_looked_at_closely(self):
        told = self.probe(self.sweep, 900, script=CLOSER)
        left, top, width, height = told["whole"]
        self.assertEqual(told["dragged_whole"], told["whole"])
        self.assert_view(told["closer"],
                         [left + width / 4, top + height / 4, width / 2, height / 2])
        self.assertAlmostEqual(told["dragged"][0], told["closer"][0] - 0.1 * width / 2,
                               delta=width / 99)
        self.assertEqual(told["let_go"], told["dragged"])
        self.assert_view(told["farther"], told["whole"])
        self.assert_view(told["no_farther"], told["whole"])
        self.assertTrue(told["wheel_scrolls"])
        self.assert_view(told["wheeled"], told["whole"])
        self.assertTrue(told["wheel_zooms"])
        self.assertEqual(told["corner"][:2], [left, top])
        self.assertAlmostEqual(told["corner"][2], width / 1.25, delta=width / 99)
        self.assert_view(told["all"], told["whole"])

    def test_on_paper(self):
        path = os.path.join(self.holder.name, "paper.pdf")
        self.browse("--no-pdf-header-footer", f"--print-to-pdf={path}",
                    "file://" + os.path.join(self.sweep, "report.html"))
        with open(path, "rb") as file:
            pages = len(re.findall(rb"/Type\s*/Page\b", file.read()))
        self.assertTrue(3 <= pages <= 14, pages)


if __name__ == "__main__":
    unittest.main()

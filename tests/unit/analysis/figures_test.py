"""What the figures show: read back from the drawn figures, not from their pixels."""

import os
import tempfile
import unittest
from collections import Counter

import context  # noqa: F401
import sample
from holdfast_analysis import fabric, fabric_picture, figures, results, style


class Drawn(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.join(holder.name, "run")

    def draw(self, function, found):
        drawn = function(found)
        self.addCleanup(style.close, drawn)
        return drawn


class Times(Drawn):
    def test_kinds_of_failure_and_both_times_have_panels_of_their_own(self):
        sample.sweep(self.folder)
        drawn = self.draw(figures.times, results.read(self.folder))
        titles = [axis.get_title(loc="left") for axis in drawn.axes]
        self.assertEqual(titles, ["Detection of node deaths", "Propagation of node deaths",
                                  "Detection of process deaths", "Propagation of process deaths"])

    def test_every_known_failure_is_a_dot_and_the_unknown_are_told(self):
        sample.sweep(self.folder, replicates=8)
        drawn = self.draw(figures.times, results.read(self.folder))
        nodes = drawn.axes[0]
        self.assertEqual([len(dots.get_offsets()) for dots in nodes.collections], [16, 15])
        self.assertIn("1 of 16 never", [text.get_text() for text in nodes.texts])

    def test_the_diamond_stands_on_the_median(self):
        sample.sweep(self.folder, replicates=8)
        found = results.read(self.folder)
        values = sorted(failure.propagation_s for failure in found.points[0].effective()
                        if failure.what == "node")
        drawn = self.draw(figures.times, found)
        diamonds = [line.get_xdata()[0] for line in drawn.axes[1].lines
                    if line.get_marker() == "D"]
        self.assertAlmostEqual(diamonds[0], (values[7] + values[8]) / 2, places=15)

    def test_without_failures_there_is_no_figure(self):
        sample.sweep(self.folder)
        with open(os.path.join(self.folder, "failures.csv"), encoding="utf-8") as file:
            header = file.readline()
        with open(os.path.join(self.folder, "failures.csv"), "w", encoding="utf-8") as file:
            file.write(header)
        found = results.read(self.folder)
        for function in (figures.times, figures.cumulative, figures.timeline):
            self.assertIsNone(function(found))


class Cumulative(Drawn):
    def test_a_curve_ends_at_the_share_that_was_detected(self):
        sample.sweep(self.folder, replicates=8)
        drawn = self.draw(figures.cumulative, results.read(self.folder))
        ends = [line.get_ydata()[-1] for line in drawn.axes[0].lines]
        self.assertEqual(ends, [100.0, 100.0 * 15 / 16])


class Timeline(Drawn):
    def test_a_year_has_one_and_a_script_has_none(self):
        sample.year(self.folder, failures=200)
        drawn = self.draw(figures.timeline, results.read(self.folder))
        dots = [len(points.get_offsets()) for axis in drawn.axes for points in axis.collections]
        self.assertEqual(dots, [190, 190])
        months = [text.get_text() for text in drawn.axes[1].get_xticklabels(minor=True)]
        self.assertEqual((months[0], months[-1], len(months)), ("Jan", "Dec", 12))
        sample.sweep(self.folder + "2")
        self.assertIsNone(figures.timeline(results.read(self.folder + "2")))


class Messages(Drawn):
    def test_bars_are_counts_per_failure_and_process(self):
        sample.sweep(self.folder, replicates=1)
        drawn = self.draw(figures.messages, results.read(self.folder))
        widths = {axis.get_title(loc="left"): [bar.get_width() for bar in axis.patches]
                  for axis in drawn.axes}
        self.assertEqual(widths["notices"], [20.0, 10.0])
        self.assertEqual(widths["heartbeats"], [10.0, 10.0])


class FabricPicture(Drawn):
    def parts(self, described, failures=None):
        drawn, tooltips = fabric_picture.draw(described, failures)
        self.addCleanup(style.close, drawn)
        return drawn, list(tooltips.values())

    def test_every_part_is_there_and_has_a_tooltip(self):
        _, told = self.parts(sample.fat_tree(18, 18, 9, 2))
        kinds = Counter("host" if text.startswith("host") else
                        "cable" if "Gb/s" in text else "switch" for text in told)
        self.assertEqual(kinds, {"host": 324, "switch": 27, "cable": 162})

    def test_hosts_lie_under_their_own_switch_without_overlap(self):
        described = sample.fat_tree(6, 15, 4, 3)
        whole = fabric.Fabric(described)
        layout = fabric.lay_out(whole)
        self.assertEqual(len(set(layout.host_at.values())), 90)
        for host, (column, _) in layout.host_at.items():
            left, width = layout.block[whole.home(host)]
            self.assertTrue(left <= column and column + 1 <= left + width, host)
        blocks = sorted(layout.block[leaf] for leaf in range(90, 96))
        for (left, width), (following, _) in zip(blocks, blocks[1:]):
            self.assertLess(left + width, following)

    def test_levels_are_found_when_the_file_has_none(self):
        described = sample.fat_tree(4, 2, 2, 1)
        for node in described["nodes"]:
            del node["level"]
        level = fabric.Fabric(described).level
        self.assertEqual({level[leaf] for leaf in range(8, 12)}, {1})
        self.assertEqual({level[spine] for spine in range(12, 14)}, {2})

    def test_switches_without_names_are_called_by_their_guid(self):
        described = sample.fat_tree(2, 2, 1, 1)
        for node in described["nodes"]:
            if node["kind"] == "switch":
                node.update(name="", description="one for all")
        drawn, told = self.parts(described)
        texts = {text.get_text() for text in drawn.axes[0].texts}
        self.assertLessEqual({"…2000", "…2001", "…3000"}, texts)
        self.assertIn("one for all, 0000000000003000, 2 ports in use", told)

    def test_unlike_bundles_are_wide_and_numbered(self):
        described = sample.fat_tree(2, 2, 2, 1)
        described["links"][-1]["count"] = 6
        drawn, _ = self.parts(described)
        texts = [text.get_text() for text in drawn.axes[0].texts]
        self.assertIn("6", texts)
        widths = sorted(artist.get_linewidth() for artist in drawn.axes[0].patches
                        if not artist.get_fill())
        self.assertGreater(widths[-1], widths[0])

    def test_slow_links_are_red(self):
        described = sample.fat_tree(2, 2, 2, 1)
        described["links"][0]["slow"] = True     # of a host
        described["links"][-1]["slow"] = True    # between switches
        drawn, told = self.parts(described)
        red = [artist for artist in drawn.axes[0].patches
               if style.matplotlib.colors.to_hex(artist.get_edgecolor()) == style.WARN]
        self.assertEqual(len(red), 2)
        self.assertEqual(sum("slow" in text for text in told), 2)

    def test_a_switch_with_slow_hosts_is_tied_to_them_in_red(self):
        described = sample.fat_tree(2, 2, 2, 1)
        described["nodes"][4]["slow_hosts"] = True
        drawn, told = self.parts(described)
        red = [line for line in drawn.axes[0].lines if line.get_color() == style.WARN]
        self.assertEqual(len(red), 2)
        self.assertEqual(sum("all hosts slow" in text for text in told), 1)

    def test_failures_shade_their_host(self):
        drawn, told = self.parts(sample.fat_tree(2, 2, 1, 1), {"host-1": 3})
        self.assertIn("host 1: host-1, 0000000000000101, 100 Gb/s, 3 failures", told)
        dark = [artist for artist in drawn.axes[0].patches if artist.get_fill()
                and style.matplotlib.colors.to_hex(artist.get_facecolor()) == style.SHADES[-1]]
        self.assertEqual(len(dark), 1)

    def test_a_huge_fabric_is_summed_up(self):
        drawn, told = self.parts(sample.fat_tree(60, 30, 20, 2))
        self.assertEqual(told, [])
        texts = {text.get_text() for text in drawn.axes[0].texts}
        self.assertEqual(texts, {"1,800 hosts", "60 switches of level 1", "20 switches of level 2",
                                 "1,800 × 100 Gb/s", "2,400 × 100 Gb/s"})


if __name__ == "__main__":
    unittest.main()

"""The pictures of the fabric: every part is there, in its place, told apart without colour, and no
text lies over another or leaves the picture."""

import os
import tempfile
import unittest
from collections import Counter

import context  # noqa: F401
import sample
from holdfast_analysis import (colouring, fabric, fabric_picture, fabric_section, results, shapes,
                               style, waves)
from holdfast_analysis.colouring import CROSS, STROKE, Paint


def boxes(picture, text=""):
    """The titled boxes whose title has the text."""
    return [shape for shape in picture.shapes
            if isinstance(shape, shapes.Box) and shape.title and text in shape.title]


class FabricPicture(unittest.TestCase):
    def draw(self, described, paints=None):
        found = colouring.Colouring(parts=paints or {})
        return fabric_picture.draw(fabric.Fabric(described), found)

    def titles(self, picture):
        return [shape.title for shape in picture.shapes if getattr(shape, "title", "")]

    def test_every_part_is_there_and_has_a_tooltip(self):
        told = self.titles(self.draw(sample.fat_tree(18, 18, 9, 2)))
        kinds = Counter("host" if text.startswith("host") else
                        "cable" if "Gb/s" in text else "switch" for text in told)
        self.assertEqual(kinds, {"host": 324, "switch": 27, "cable": 162})

    def test_of_a_wall_every_part_is_there_and_no_two_overlap(self):
        picture = self.draw(sample.fat_tree(108, 18, 36, 1))
        told = Counter("host" if text.startswith("host ") else "switch"
                       for text in self.titles(picture))
        self.assertEqual(told, {"host": 1944, "switch": 144})
        places = sorted((box.y, box.x, box.width, box.height) for box in boxes(picture))
        for (y, x, width, height), (y2, x2, _, _) in zip(places, places[1:]):
            self.assertTrue(y2 >= y + 0.99 * height or x2 >= x + 0.99 * width, (x, y, x2, y2))
        host = boxes(picture, "host 0:")[0]
        self.assertGreater(host.width / picture.width * 900, 5)  # pixels on a small screen

    def test_no_text_lies_over_another_or_leaves_the_picture(self):
        for described in (sample.fat_tree(18, 18, 9, 2), sample.fat_tree(108, 18, 36, 1),
                          sample.fat_tree(2, 2, 2, 1), sample.fat_tree(6, 15, 4, 3),
                          sample.fat_tree(1, 1, 1, 1), sample.fat_tree(256, 32, 64, 1)):
            self.assertEqual(shapes.overlaps(self.draw(described)), [])

    def test_the_search_for_overlaps_finds_them(self):
        picture = shapes.Picture(1, 1)
        picture.add(shapes.Text(0.5, 0.5, "one", 9), shapes.Text(0.6, 0.52, "two", 9),
                    shapes.Text(0.95, 0.1, "outside", 9))
        self.assertEqual(sorted(shapes.overlaps(picture)), [("one", "two"), ("outside", "")])

    def test_eight_thousand_hosts_are_few_elements(self):
        text = shapes.svg(self.draw(sample.fat_tree(256, 32, 64, 1)))
        self.assertLess(text.count("<"), 18_000)
        self.assertLess(len(text), 600_000)

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
        picture = self.draw(described)
        texts = {text.text for text in picture.texts()}
        self.assertLessEqual({"…2000", "…2001", "…3000"}, texts)
        self.assertIn("one for all, 0000000000003000, 2 ports in use", self.titles(picture))

    def test_unlike_bundles_are_wide_and_numbered(self):
        described = sample.fat_tree(2, 2, 2, 1)
        described["links"][-1]["count"] = 6
        picture = self.draw(described)
        self.assertIn("6", [text.text for text in picture.texts()])
        widths = sorted(shape.look.line for shape in picture.shapes if "Gb/s" in
                        getattr(shape, "title", "") and isinstance(shape, shapes.Line))
        self.assertGreater(widths[-1], widths[0])

    def test_slow_links_are_red_and_thick(self):
        described = sample.fat_tree(2, 2, 2, 1)
        described["links"][0]["slow"] = True     # of a host
        described["links"][-1]["slow"] = True    # between switches
        picture = self.draw(described)
        slow = [shape for shape in picture.shapes if "slow" in getattr(shape, "title", "")]
        self.assertEqual([shape.look.stroke for shape in slow], [style.WARN, style.WARN])
        plain = [shape for shape in picture.shapes if "Gb/s" in getattr(shape, "title", "")
                 and shape not in slow]
        self.assertLess(max(shape.look.line for shape in plain),
                        min(shape.look.line for shape in slow))

    def test_a_switch_with_slow_hosts_is_tied_to_them_in_red(self):
        described = sample.fat_tree(2, 2, 2, 1)
        described["nodes"][4]["slow_hosts"] = True
        picture = self.draw(described)
        red = [shape for shape in picture.shapes if isinstance(shape, shapes.Line)
               and shape.look.stroke == style.WARN and not shape.title]
        self.assertEqual(len(red), 3)  # two of the comb, one of the legend
        self.assertEqual(len(boxes(picture, "all hosts slow")), 1)

    def test_marks_say_the_same_as_colours(self):
        paints = {1: Paint(style.SHADES[4], CROSS, style.PAPER, "failed"),
                  2: Paint(colouring.CUT_OFF, STROKE, style.INK, "cut off")}
        picture = self.draw(sample.fat_tree(2, 2, 1, 1), paints)
        lines = Counter(shape.look.stroke for shape in picture.shapes
                        if isinstance(shape, shapes.Line) and not shape.title)
        self.assertEqual((lines[style.PAPER], lines[style.INK]), (2, 1))  # × and /
        self.assertEqual(len(boxes(picture, ", failed")), 1)

    def test_names_are_text_and_never_tags(self):
        described = sample.fat_tree(2, 2, 1, 1)
        for node in described["nodes"]:
            node["name"] = f"<b onload=\"x('{node['id']}')\">&$1$"
        text = shapes.svg(self.draw(described))
        self.assertNotIn("<b ", text)
        self.assertIn("&lt;b onload=", text)
        style.close(shapes.figure(self.draw(described)))


class Palette(unittest.TestCase):
    """Colours as who has no green cones sees them (deuteranopia; Viénot, Brettel, Mollon 1999)."""

    @staticmethod
    def seen(colour):
        """L*, and where between yellow and blue it lies: all that is left."""
        red, green, blue = (int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5))
        red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
                            for value in (red, green, blue))
        mixed = 0.29275 * red + 0.70725 * green
        third = -0.02234 * red + 0.02234 * green + blue
        light = 0.7152 * mixed + 0.2126 * mixed + 0.0722 * third
        return 116 * light ** (1 / 3) - 16, 200 * (light ** (1 / 3) - max(0, third) ** (1 / 3))

    def apart(self, one, other):
        return sum((a - b) ** 2 for a, b in zip(self.seen(one), self.seen(other))) ** 0.5

    def test_what_stands_for_different_things_looks_different(self):
        told_apart = [style.FAINT, style.SHADES[-1], colouring.CUT_OFF]  # nothing, failed, cut off
        for colours in (told_apart, style.SHADES, style.SERIES[:4]):
            for index, one in enumerate(colours):
                for other in colours[:index]:
                    self.assertGreater(self.apart(one, other), 15, (one, other))

    def test_red_and_green_do_not(self):
        self.assertLess(self.apart("#b05000", "#707000"), 10)


class States(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = os.path.join(holder.name, "run")
        sample.sweep(self.folder, fabric=sample.fat_tree(18, 18, 9, 2))

    def paints(self):
        found = results.read(self.folder)
        whole = fabric.Fabric(found.fabric)
        drawn = colouring.of_states(whole, found)
        return ({whole.name(key): paint for key, paint in drawn.parts.items()},
                [label for _, label in drawn.legend])

    def test_hosts_that_failed_and_those_cut_off_by_a_switch(self):
        sample.write_csv(self.folder, "faults.csv",
                         ["point", "replicate", "what", "which", "effect", "pieces"],
                         [[0, 0, "switch", "leaf-1", "crash", 1],
                          [0, 0, "switch", "leaf-2", "impair", 1],
                          [0, 1, "switch", "leaf-3", "crash", 1],
                          [1, 0, "switch", "leaf-4", "crash", 1]])
        sample.write_csv(self.folder, "cuts.csv", ["point", "replicate", "nodes"],
                         [[0, 0, "9 18-20"], [1, 0, "30"]])
        paints, legend = self.paints()
        marks = {name: paint.mark for name, paint in paints.items()}
        self.assertEqual(marks, {"host-4": CROSS, "host-9": CROSS, "leaf-1": CROSS,
                                 "host-18": STROKE, "host-19": STROKE, "host-20": STROKE})
        self.assertEqual(paints["host-9"].note, "failed, cut off")
        self.assertEqual(legend, ["nothing happened", "failed", "cut off"])

    def test_cables_boards_and_chassis_that_failed(self):
        described = sample.fat_tree(18, 18, 9, 2)
        ids = {node["name"]: node["id"] for node in described["nodes"]}
        for name, board in (("leaf-5", "line-5"), ("spine-1", "spine-0"), ("spine-2", "spine-0")):
            described["nodes"][ids[name]]["board"] = board
        ports = {("host-30", "leaf-1"): [[1, 13]], ("leaf-0", "spine-0"): [[19, 1], [20, 2]]}
        for link in described["links"]:
            for (a, b), pairs in ports.items():
                if (link["a"], link["b"]) == (ids[a], ids[b]):
                    link["ports"] = pairs
        sample.write_json(self.folder, "topology.json", described)
        sample.write_csv(self.folder, "faults.csv",
                         ["point", "replicate", "what", "which", "effect", "pieces"],
                         [[0, 0, "link", "spine-0[2]", "crash", 1],
                          [0, 0, "link", "leaf-0[20]", "crash", 1],
                          [0, 0, "link", "leaf-0[19]", "impair", 1],
                          [0, 0, "link", "host-30/0[1]", "crash", 1],
                          [0, 0, "link", "leaf-0[99]", "crash", 1],
                          [0, 0, "board", "spine-0", "crash", 2]])
        found = results.read(self.folder)
        whole = fabric.Fabric(found.fabric)
        drawn = colouring.of_states(whole, found)
        failed = {(whole.name(whole.links[place]["a"]), whole.name(whole.links[place]["b"])): names
                  for place, names in drawn.failed_links.items()}
        self.assertEqual(failed, {("leaf-0", "spine-0"): ["leaf-0[20]", "spine-0[2]"],
                                  ("host-30", "leaf-1"): ["host-30/0[1]"]})
        self.assertEqual({whole.name(key) for key in drawn.parts},
                         {"host-4", "host-9", "spine-1", "spine-2"})
        picture = fabric_picture.draw(whole, drawn)
        told = [text for text in FabricPicture.titles(self, picture) if "failed: " in text]
        self.assertEqual(len(told), 1)
        self.assertIn("failed: leaf-0[20], spine-0[2]", told[0])
        self.assertEqual(shapes.overlaps(picture), [])

    def test_a_run_without_these_tables(self):
        paints, legend = self.paints()
        self.assertEqual(set(paints), {"host-4", "host-9"})
        self.assertEqual(legend, ["nothing happened", "failed"])


class WavePicture(unittest.TestCase):
    def test_the_darker_the_later(self):
        whole = fabric.Fabric(sample.fat_tree(2, 3, 1, 1))
        wave = waves.Wave(0, 0, 0, at_ns=5, ended={0, 1}, living=set(range(2, 9)),
                          knew_ns={2: 100, 3: 120, 4: 100, 5: 200, 6: 300, 7: 600, 8: 610})
        drawn = colouring.of_wave(whole, wave, lambda process: process // 2)
        fills = {key: paint.fill for key, paint in drawn.parts.items()}
        self.assertEqual(fills, {0: style.PAPER, 1: style.SHADES[0], 2: style.SHADES[0],
                                 3: style.SHADES[4], 4: style.SHADES[4]})
        self.assertEqual(drawn.parts[3].note, "knew after 500 ns, its first process after 200 ns")
        self.assertEqual(drawn.parts[0].mark, CROSS)
        self.assertIn("nobody there, or down", [label for _, label in drawn.legend])
        self.assertNotIn("not by the end", [label for _, label in drawn.legend])

    def test_who_lives_and_never_knew_is_told_from_an_empty_host(self):
        whole = fabric.Fabric(sample.fat_tree(2, 3, 1, 1))
        wave = waves.Wave(0, 0, 0, at_ns=5, ended={0, 1}, living=set(range(2, 8)),
                          knew_ns={2: 100, 3: 120, 4: 100, 5: 200, 6: 300})
        drawn = colouring.of_wave(whole, wave, lambda process: process // 2)
        self.assertEqual(drawn.parts[3].note,
                         "1 live process had not heard of it by the end of the events")
        self.assertNotIn(drawn.parts[3].fill, style.SHADES)
        self.assertNotIn(4, drawn.parts)
        self.assertIn("not by the end", [label for _, label in drawn.legend])

    def test_processes_lie_on_hosts_as_they_were_placed(self):
        with tempfile.TemporaryDirectory() as holder:
            sample.sweep(holder)
            found = results.read(holder)
            found.resolved["processes"] = {"per_node": 4, "placement": "by_slot"}
            self.assertEqual([fabric_section.host_of(found)(rank) for rank in (0, 3, 4, 1295)],
                             [0, 0, 1, 323])
            found.resolved["processes"]["placement"] = "by_node"
            self.assertEqual([fabric_section.host_of(found)(rank) for rank in (0, 3, 324, 1295)],
                             [0, 3, 0, 323])


if __name__ == "__main__":
    unittest.main()

"""Checks that tools/draw_figures.py draws the pictures of docs/pictures, and that they are legible.

Seen failing with a changed label, with a picture missing, with text wider than its box, with two
texts that cover each other, with an arrow through a box and through a text, and with a page that
links none of them.
"""

import sys
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from diagram import Arrow, Box, Figure  # noqa: E402
from draw_figures import FIGURES, PICTURES  # noqa: E402

LEFT = Box("left", "thread", 20, 60, 100, 60, "actor")
RIGHT = Box("right", "queue", 260, 60, 100, 60, "queue")


def offences(*boxes, arrows=()):
    return list(Figure("A figure", 400, 200, boxes, arrows).offences())


class Pictures(unittest.TestCase):
    def test_are_those_of_the_script(self):
        drawn = {f"{make.__name__}.svg": make().svg() for make in FIGURES}
        there = {path.name: path.read_text() for path in PICTURES.glob("*.svg")}
        self.assertEqual(there, drawn, "run tools/draw_figures.py")

    def test_can_be_read(self):
        for make in FIGURES:
            with self.subTest(make.__name__):
                self.assertEqual(list(make().offences()), [])

    def test_have_an_opaque_background(self):
        for make in FIGURES:
            root = ElementTree.fromstring(make().svg())
            background = root.find("{http://www.w3.org/2000/svg}rect")
            self.assertEqual(background.get("fill"), "#ffffff")
            self.assertGreater(float(background.get("width")), float(root.get("width")) - 2)

    def test_each_system_has_a_page_with_its_own(self):
        folders = (ROOT / "src/tandem/systems").iterdir()
        names = sorted(path.name for path in folders if path.is_dir() and path.name != "common")
        for name in names:
            text = (ROOT / f"docs/systems/{name}.md").read_text()
            self.assertIn(f"](../pictures/{name}.svg)", text)


class Offences(unittest.TestCase):
    def test_a_good_figure_has_none(self):
        arrow = Arrow(("left.right", "right.left"), "segments", (190, 78))
        self.assertEqual(offences(LEFT, RIGHT, arrows=(arrow,)), [])

    def test_text_must_fit_its_box(self):
        wide = Box("wide", "thread", 20, 60, 60, 60, "a title too long")
        self.assertIn("does not fit the box wide", offences(wide)[0])

    def test_texts_must_not_cover_each_other(self):
        arrows = (
            Arrow(("left.right", "right.left"), "segments", (190, 78)),
            Arrow(("left.right@55", "right.left@="), "batches", (190, 80)),
        )
        self.assertIn(
            "'segments' and 'batches' cover each other", offences(LEFT, RIGHT, arrows=arrows)
        )

    def test_an_arrow_must_not_run_through_a_box_or_a_text(self):
        between = Box("between", "step", 150, 60, 80, 60, "step")
        found = offences(LEFT, between, RIGHT, arrows=(Arrow(("left.right", "right.left")),))
        self.assertTrue(any("runs through the box between" in what for what in found))
        self.assertTrue(any("crosses 'step'" in what for what in found))

    def test_arrows_are_level_or_upright(self):
        found = offences(LEFT, RIGHT, arrows=(Arrow(("left.right@10", "right.left@50")),))
        self.assertTrue(any("is oblique" in what for what in found))


if __name__ == "__main__":
    unittest.main()

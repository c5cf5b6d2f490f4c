"""Checks that the pages of docs/systems name existing functions and presets.

A row of a page's table "The loop" ends with a link to a file and a function, which must stand in
that file. A preset in backticks (`paac/atari`) is a file of configs. Seen failing with a renamed
function and with a missing preset.
"""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs/systems").glob("*.md"))
ROW = re.compile(r"\]\(([^)]+)\) \| `(\w+)` \|$", re.MULTILINE)
PRESET = re.compile(r"`((?:paac|a3c|ga3c|hts|impala|apex|algo)/\w+)`")


class SystemPages(unittest.TestCase):
    def test_functions_stand_in_their_files(self):
        for page in PAGES:
            rows = ROW.findall(page.read_text())
            self.assertGreaterEqual(len(rows), 5, page.name)
            for link, function in rows:
                with self.subTest(page=page.name, file=link):
                    text = (page.parent / link).read_text()
                    self.assertRegex(text, rf"\b{function}\(")

    def test_presets_are_there(self):
        for page in PAGES:
            for preset in PRESET.findall(page.read_text()):
                with self.subTest(page=page.name):
                    self.assertTrue((ROOT / f"configs/{preset}.toml").exists(), preset)


if __name__ == "__main__":
    unittest.main()

"""Every arm and command of the published plans is one that the program knows.

Seen failing with a key that no system has, with a preset that does not exist, and with a command
and an option that the program lacks. Needs $TANDEM, the path of the program; environments whose
plug-in is not built are left out.
"""

import os
import subprocess
import unittest
from pathlib import Path

import plans
from tandem_reproduce.budget import BUDGETS, PAPER
from tandem_reproduce.cells import Cell, cells_of, is_range
from tandem_reproduce.plan import read_items
from tandem_reproduce.rates import config_words

PROGRAM = os.environ["TANDEM"]
PLUGINS = Path(PROGRAM).parent / "plugins"
FOLDERS = ("studies", "tuning", "comparisons")
ITEMS = [item for folder in FOLDERS for item in read_items(plans.ROOT / "configs" / folder)]


def settings_of(cell: Cell):
    """One combination of the values that vary."""
    for text in cell.vary:
        names, _, values = text.partition("=")
        if is_range(text):
            values = values.partition("(")[2].partition(",")[0]
        value = values.split(",")[0]
        yield from map("=".join, zip(names.split("+"), value.split("+"), strict=True))


def words_of(cell):
    words = ["keys", *config_words(cell), "--json"]
    for setting in settings_of(cell):
        words += ["--set", setting]
    return words


class Published(unittest.TestCase):
    def run_program(self, words):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60)

    def is_built(self, env):
        """Whether the plug-in of an environment is built; it must be one of tandem's."""
        family, colon, _ = env.partition(":")
        if not colon or family == "gym":
            return True
        self.assertTrue((plans.ROOT / "plugins" / family).is_dir(), f"no plug-in {family}")
        return (PLUGINS / f"tandem_{family}.so").exists()

    def test_arms_have_known_presets_and_keys(self):
        known = {}
        for item in ITEMS:
            for budget in BUDGETS:
                for cell in cells_of(item, budget):
                    family = cell.env.partition(":")[0]
                    known.setdefault((cell.arm, cell.vary, family), (item.place, cell))
        missing = set()
        for place, cell in known.values():
            with self.subTest(place, arm=cell.arm.label, env=cell.env):
                if not self.is_built(cell.env):
                    missing.add(cell.env.partition(":")[0])
                    continue
                result = self.run_program(words_of(cell))
                self.assertEqual(result.returncode, 0, result.stderr)
        if missing:
            self.skipTest(f"not built: {', '.join(sorted(missing))}")

    def test_commands_have_known_words(self):
        names = {"bench", "experiment", "predict"}
        for item in ITEMS:
            for command in item.commands:
                with self.subTest(item.place):
                    self.assertIn(command.words[0], names)
                    words = [*command.words, *command.more[PAPER]]
                    options = [word for word in words if word.startswith("--")]
                    subcommand = words[:2] if words[0] == "experiment" else words[:1]
                    told = self.run_program([*subcommand, "--help"]).stdout
                    for option in options:
                        self.assertIn(option.partition("=")[0], told)


if __name__ == "__main__":
    unittest.main()

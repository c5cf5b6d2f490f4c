"""The list of items: what an item lacks here, its note, and the width of the lines.

Seen failing with lines as wide as the terminal, with a broken plug-in and with present environments
told wrongly, without the paper's cores, without the note, and with environments of a command left
out.
"""

import dataclasses
import os
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import plans
from tandem_reproduce import listing, needs
from tandem_reproduce.plan import read_item
from tandem_reproduce.rates import Rates

ENVS = """built in (2):
catch  cartpole

plug-in atari, GPL-2.0-only (1):
atari:Pong

plug-in mujoco cannot be used: it was built for another tandem. `make` builds it.
"""


class Program:
    """Answers in the place of tandem."""

    def tell(self, words):
        assert words == ["envs"], words
        return ENVS

    def build(self):
        return "1"


class Needs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.here = needs.Environments(Program())

    def list(self, text):
        item = read_item(plans.write(self.folder, text))
        rates = Rates(self.folder / "rates.json", Program())
        return listing.list_items([item], self.folder, rates, self.here, measure=False)

    def test_an_environment_that_is_not_here_has_a_reason(self):
        for env in ("catch", "atari:Pong", "gym:CartPole-v1"):
            self.assertEqual(self.here.lacking(env), "")
        for env, words in (
            ("atari:Breakout", "no ROM; tools/build_ale.sh brings it"),
            ("mujoco:walker-walk", "it was built for another tandem"),
            ("football:empty_goal", "`tandem install football` builds it"),
            ("mine:maze", "no plug-in mine; name its folder in $TANDEM_PLUGIN_PATH"),
            ("labirynth", "tandem has no such environment"),
        ):
            self.assertIn(words, self.here.lacking(env))

    def test_the_list_says_what_an_item_lacks(self):
        envs = '["catch", "doom:a", "doom:b", "doom:c", "doom:d", "torcs:slow_car"]'
        text = plans.CURVES.replace('["catch"]', envs)
        text = text.replace(
            'form = "curves"', f'form = "curves"\ncores = 999\ngpus = 1\nnote = "{"A note. " * 30}"'
        )
        with (
            mock.patch.dict(os.environ, {"COLUMNS": "300"}),
            mock.patch.object(needs, "gpu_name", return_value=""),
        ):
            told = self.list(text)
        self.assertLessEqual(max(map(len, told.splitlines())), 100)
        words = " ".join(told.split())
        self.assertIn("doom:a, doom:b, doom:c and 1 more (no plug-in doom; `tandem in", words)
        self.assertIn("torcs:slow_car (no plug-in torcs", words)
        self.assertIn("the paper's GPU", words)
        self.assertIn("of the paper's 999 cores", words)
        self.assertIn("Note: A note. A note.", words)

    def test_an_item_that_lacks_nothing_says_nothing(self):
        self.assertNotIn("Lacks", self.list(plans.CURVES))

    def test_a_command_needs_the_environments_that_it_names(self):
        text = plans.CURVES.partition("envs")[0].replace('"curves"', '"commands"')
        budgets = "".join(f"budgets.{b} = {{ minutes = 1 }}\n" for b in ("1h", "8h", "paper"))
        command = '[[command]]\nwords = ["bench", "--env", "doom:a"]\nenvs = ["torcs:b"]\n'
        item = read_item(plans.write(self.folder, text + command + budgets))
        self.assertEqual(needs.envs_of(item), ["doom:a", "torcs:b"])
        commands = (dataclasses.replace(item.commands[0], envs=()),)
        self.assertEqual(needs.envs_of(dataclasses.replace(item, commands=commands)), ["doom:a"])

    def test_a_package_that_is_not_here_is_told(self):
        with mock.patch.dict(sys.modules, {"matplotlib": None}):
            self.assertIn("install it with pip", needs.lacking_package())
            self.assertIn("Python package matplotlib", " ".join(self.list(plans.CURVES).split()))

    def test_an_old_package_is_told(self):
        for version, words in (("3.6.3", "need matplotlib 3.7 or later"), ("3.10.0rc1", "")):
            package = types.SimpleNamespace(__version__=version, __spec__=None)
            with mock.patch.dict(sys.modules, {"matplotlib": package}):
                told = needs.lacking_package()
            self.assertIn(words, told)
            self.assertEqual(bool(words), bool(told))


if __name__ == "__main__":
    unittest.main()

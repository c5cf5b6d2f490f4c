"""Rates of training: to which runs they belong, how long they are kept, and how they are measured.

Seen failing with one rate for all values that vary, with an arithmetic mean, and with rates kept
for another build of the program.
"""

import dataclasses
import itertools
import json
import tempfile
import unittest
from pathlib import Path

import plans
from tandem_reproduce.budget import PAPER
from tandem_reproduce.cells import cells_of
from tandem_reproduce.folder import ItemFolder
from tandem_reproduce.plan import read_item
from tandem_reproduce.rates import Rates


class Program:
    """Answers in the place of tandem."""

    def __init__(self, rates, build="1"):
        self._rates = rates  # by a word of the measurement's command
        self._build = build
        self.asked = []

    def build(self):
        return self._build

    def ask(self, words):
        self.asked.append(words)
        return {"steps_per_second": next(rate for w, rate in self._rates.items() if w in words)}


def settings_of(words):
    return [word for before, word in itertools.pairwise(words) if before == "--set"]


class RatesOfCells(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def cell(self, vary=(), **changes):
        item = read_item(plans.write(self.folder, plans.CURVES))
        return dataclasses.replace(cells_of(item, PAPER)[0], vary=vary, **changes)

    def arm(self, *settings):
        """The cell of an arm with these settings."""
        cell = self.cell()
        return dataclasses.replace(cell, arm=dataclasses.replace(cell.arm, settings=settings))

    def rates(self, program):
        return Rates(self.folder / "rates.json", program)

    def test_runs_of_unlike_speed_have_rates_of_their_own(self):
        program = Program({"paac.envs=16": 300.0, "paac.envs=32": 100.0})
        cell = self.cell(("paac.envs+optimizer.lr=16+0.1,32+0.2",))
        # 1 / 300 + 1 / 100 seconds for two steps.
        self.assertAlmostEqual(self.rates(program).of(cell), 150.0)
        self.assertEqual(settings_of(program.asked[1])[-1], "paac.envs=32")

    def test_values_that_leave_the_speed_alone_are_measured_once(self):
        program = Program({"bench": 300.0})
        vary = ("optimizer.lr=0.1,0.2", "a2c.entropy=log_uniform(1e-4,1e-2)")
        self.assertEqual(self.rates(program).of(self.cell(vary)), 300.0)
        self.assertEqual(len(program.asked), 1)

    # Two measurements differ by chance. Seen failing where each arm had its own.
    def test_arms_of_equal_speed_share_a_measurement(self):
        program = Program({"bench": 300.0})
        rates = self.rates(program)
        alike = ("run.seed=11", "optimizer.lr=0.1", "optimizer.anneal_steps=0", "ppo.lambda=0.9")
        for settings in ((), alike[:1], alike, (*alike, "a2c.entropy=0", "a2c.gamma=0.9")):
            self.assertEqual(rates.of(self.arm("paac.envs=16", *settings)), 300.0)
        (words,) = program.asked
        self.assertEqual(settings_of(words), ["paac.envs=16"])

    # Seen failing where an optimizer's kind counted as a number of it.
    def test_arms_that_may_differ_in_speed_have_measurements_of_their_own(self):
        kinds = {"optimizer.kind=adam": 200.0, "optimizer.kind=rmsprop": 300.0}
        unlike = {**kinds, "ppo.epochs=2": 100.0, "optimizer.clip_norm=0": 400.0}
        program = Program(unlike)
        for setting, rate in unlike.items():
            self.assertEqual(self.rates(program).of(self.arm(setting)), rate)
        cell = self.cell(("optimizer.kind=adam,rmsprop",))
        self.assertAlmostEqual(self.rates(program).of(cell), 240.0)

    # Rates of earlier versions stand under commands with all settings.
    def test_a_begun_item_keeps_its_steps(self):
        text = plans.CURVES.replace('"4k"', '"500M"')
        item = read_item(plans.write(self.folder, text))
        folder = ItemFolder(self.folder / "out", item, "1h")
        folder.path.mkdir(parents=True)
        begun = folder.begin(self.rates(Program({"bench": 300.0})))
        self.assertEqual(begun, {"paac/catch": 490_000})  # 1,620 seconds for each of two runs
        file = self.folder / "rates.json"
        kept = json.loads(file.read_text())
        kept["rates"] = {"bench paac --env catch --set optimizer.lr=0.1": 5.0}
        file.write_text(json.dumps(kept))
        program = Program({"bench": 7.0})
        self.assertEqual(folder.begin(self.rates(program)), begun)
        self.assertEqual(program.asked, [])
        self.assertEqual(self.rates(program).of(self.cell()), 7.0)

    def test_each_number_of_threads_has_its_rate(self):
        program = Program({"a3c.learners=1": 100.0, "a3c.learners=2": 200.0})
        cell = self.cell(threads=(1, 2), threads_key="a3c.learners")
        self.assertAlmostEqual(self.rates(program).of(cell), 400 / 3)

    def test_a_rate_is_kept_for_one_build_of_the_program(self):
        for build, rate, expected in (("1", 1.0, 1.0), ("1", 2.0, 1.0), ("2", 3.0, 3.0)):
            program = Program({"bench": rate}, build)
            self.assertEqual(self.rates(program).of(self.cell()), expected)

    def test_only_known_rates_are_found_without_a_measurement(self):
        program = Program({"bench": 5.0})
        self.assertEqual(self.rates(program).find(self.cell(), measure=False), (None, ""))
        self.assertEqual(self.rates(program).find(self.cell(), measure=True), (5.0, ""))
        self.assertEqual(self.rates(program).find(self.cell(), measure=False), (5.0, ""))


if __name__ == "__main__":
    unittest.main()

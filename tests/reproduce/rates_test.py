"""Rates of training: to which runs they belong, how long they are kept, and how they are measured.

Seen failing with one rate for all values that vary, with an arithmetic mean, and with rates kept
for another build of the program.
"""

import dataclasses
import tempfile
import unittest
from pathlib import Path

import plans
from tandem_reproduce.budget import PAPER
from tandem_reproduce.cells import cells_of
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


class RatesOfCells(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def cell(self, vary=(), **changes):
        item = read_item(plans.write(self.folder, plans.CURVES))
        return dataclasses.replace(cells_of(item, PAPER)[0], vary=vary, **changes)

    def rates(self, program):
        return Rates(self.folder / "rates.json", program)

    def test_runs_of_unlike_speed_have_rates_of_their_own(self):
        program = Program({"paac.envs=16": 300.0, "paac.envs=32": 100.0})
        cell = self.cell(("paac.envs+optimizer.lr=16+0.1,32+0.2",))
        # 1 / 300 + 1 / 100 seconds for two steps.
        self.assertAlmostEqual(self.rates(program).of(cell), 150.0)
        self.assertIn("optimizer.lr=0.2", program.asked[1])

    def test_values_that_leave_the_speed_alone_are_measured_once(self):
        program = Program({"bench": 300.0})
        vary = ("optimizer.lr=0.1,0.2", "a2c.entropy=log_uniform(1e-4,1e-2)")
        self.assertEqual(self.rates(program).of(self.cell(vary)), 300.0)
        self.assertEqual(len(program.asked), 1)

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

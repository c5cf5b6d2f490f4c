"""Items whose runs are all trained, with stand-ins for the program: nothing trains here."""

import contextlib
import io
import json
import unittest
from dataclasses import replace

from results_test import GAMES, TableCase
from tandem_reproduce.budget import PAPER
from tandem_reproduce.errors import ReproduceError
from tandem_reproduce.folder import AND_THEN, ItemFolder
from tandem_reproduce.machine import machine_name
from tandem_reproduce.making import make
from tandem_reproduce.report import heading
from tandem_reproduce.results import table_of


class Program:
    """Answers in the place of tandem, which evaluates and no more."""

    def __init__(self):
        self.asked = []

    def ask(self, words):
        self.asked.append(words)
        return {"mean": 9.0, "human_normalised": 0.9}


class Everywhere:
    """All environments are here."""

    def lacking(self, _env):
        return ""


class MakingCase(TableCase):
    def setUp(self):
        super().setUp()
        for env in GAMES:
            self.leave(env, (5.0, 0.5))
        self.tandem = Program()
        self.reports = []

    def make(self):
        """Returns the words to the user."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            make(self.folder, None, Everywhere(), self.tandem, 1, lambda: self.reports.append(1))
        return said.getvalue()

    def change(self, **what):
        """Writes another description of the item."""
        self.folder.describe(self.folder.described() | what)

    def run_in(self, env):
        return self.folder.path / "paac" / env.lower().replace(":", "-") / "runs/1"


class Evaluations(MakingCase):
    def test_one_that_is_removed_is_played_again(self):
        self.assertEqual(self.make(), "")
        lost = self.run_in(GAMES[1]) / "reproduce-noop.json"
        lost.unlink()
        self.assertEqual(list(self.folder.missing()), [f"PAAC on {GAMES[1]}"])
        said = self.make()
        self.assertIn(f"part 2 of 3: PAAC on {GAMES[1]}, the evaluations that are missing", said)
        (words,) = self.tandem.asked
        self.assertEqual(words[:2], ["eval", str(self.run_in(GAMES[1]))])
        self.assertEqual(json.loads(lost.read_text())["mean"], 9.0)
        self.assertEqual(len(self.reports), 1)
        self.assertEqual(table_of(self.folder).rows["PAAC"]["Boxing"].value, 9.0)

    def test_a_run_that_diverged_has_none(self):
        run = self.run_in(GAMES[1])
        (run / "reproduce-noop.json").unlink()
        (run / "result.json").write_text(json.dumps({"why_ended": "diverged: the loss is nan"}))
        self.assertEqual(self.make(), "")
        self.assertEqual(self.tandem.asked, [])
        self.assertEqual(self.folder.missing(), {})


OF_TWO_MACHINES = "Times and rates of two machines do not compare"


class RatesOfTheRuns(MakingCase):
    def test_are_of_one_machine_though_all_runs_are_there(self):
        self.make()
        self.change(machine=f"one{AND_THEN}another")
        with self.assertRaisesRegex(ReproduceError, OF_TWO_MACHINES):
            self.make()

    def test_tell_of_runs_that_trained_at_the_same_time(self):
        self.make()
        self.assertNotIn("Runs at the same time", heading(self.folder))
        self.change(jobs=[1])
        self.assertEqual(self.make(), "")
        self.assertIn("Runs at the same time: 1.\n", heading(self.folder))
        self.change(jobs=[1, 4])
        self.assertIn("trained 4 at a time, so their rates are lower", self.make())
        self.assertIn("1 and then 4, and rates are lower than those of one", heading(self.folder))


class TimesOfTheRuns(MakingCase):
    def has(self, **what):
        """Gives the item another form or other words."""
        item = replace(self.folder.item, **{"columns": {}, **what})
        self.folder = ItemFolder(self.path / "out", item, PAPER)
        self.make()

    # Seen going on where only rates and speed-ups counted.
    def test_are_of_one_machine(self):
        for what in (
            {"form": "curves", "axis": "seconds"},
            {"form": "curves", "axis": "steps and seconds"},
            {"form": "threads"},
            {"title": "Table 1: scores after equal time"},
        ):
            with self.subTest(what):
                self.has(**what)
                self.folder.note("a build")  # it goes on where it was begun
                self.change(machine="another")
                with self.assertRaisesRegex(ReproduceError, OF_TWO_MACHINES):
                    self.folder.note("a build")
                self.change(machine=f"another{AND_THEN}{machine_name()}")
                with self.assertRaisesRegex(ReproduceError, OF_TWO_MACHINES):
                    self.make()
                self.change(machine=machine_name())

    def test_do_not_keep_scores_and_curves_by_steps_from_another_machine(self):
        for form in ("scores", "curves"):
            self.has(form=form)
            self.change(machine="another")
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.folder.note("a build")
            self.assertIn("was begun on another machine", said.getvalue())
            self.assertEqual(self.make(), "")


class Seconds(MakingCase):
    def test_of_a_command_are_not_known_where_their_file_is_damaged(self):
        file = self.folder.command(1) / "seconds.txt"
        file.parent.mkdir()
        for text, seconds in (("90\n", 90), ("", 0), ("\0\0", 0)):
            file.write_text(text)
            self.assertEqual(self.folder.seconds(1), seconds)


if __name__ == "__main__":
    unittest.main()

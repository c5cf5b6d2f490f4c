"""Tables out of results that lie there as `tandem sweep` and `tandem eval` leave them.

Seen failing with scores that are not normalised in the further columns, with the mean in the place
of the median, with all runs in a column where only the best count, without the rate, without
the number of games, and without the curves of runs that diverged.
"""

import json
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import plans
from tandem_reproduce.aggregate import Interval
from tandem_reproduce.budget import PAPER
from tandem_reproduce.folder import ItemFolder
from tandem_reproduce.plan import read_item
from tandem_reproduce.report import entry_text, lines_of
from tandem_reproduce.results import (
    Entry,
    Table,
    drawn,
    heading_of,
    kinds_of,
    profiles_of,
    runs_of,
    table_of,
)

GAMES = ("atari:Alien", "atari:Boxing", "atari:Pong")
HOLDS = {"average": "mean", "middle": "median", "speed": "rate", "iqm": "iqm"}
COLUMNS = "".join(f'[[column]]\nname = "{name}"\nholds = "{HOLDS[name]}"\n' for name in HOLDS)


class TableCase(unittest.TestCase):
    """A folder of an item without results."""

    games = GAMES

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        text = plans.CURVES.replace('["catch"]', json.dumps(self.games))
        text = text.replace("vary =", "# vary =")
        text = text.replace('"curves"', '"scores"\nreads = "noop"\nbest = 1')
        text = text.replace("repetitions = 2", "repetitions = 1")
        item = read_item(
            plans.write(self.path, text.replace("[reduced.1h]", f"{COLUMNS}[reduced.1h]"))
        )
        self.folder = ItemFolder(self.path / "out", item, PAPER)

    def leave(self, env, *runs):
        """A sweep of runs with these raw and normalised scores, at 100 steps a second each."""
        place = self.folder.path / "paac" / env.lower().replace(":", "-")
        lines = ["run,seed,score,steps,seconds,folder"]
        for number, (score, normalised) in enumerate(runs, 1):
            lines.append(f"{number},{number},,{100 * number},{number},runs/{number}")
            (place / f"runs/{number}").mkdir(parents=True)
            games = json.dumps({"mean": score, "human_normalised": normalised})
            (place / f"runs/{number}/reproduce-noop.json").write_text(games)
        (place / "sweep.csv").write_text("\n".join([*lines, ""]))
        (place / "done").write_text("")


class Tables(TableCase):
    def test_further_columns_have_normalised_scores_and_rates(self):
        self.leave(GAMES[0], (500.0, 0.1), (100.0, 0.01))
        self.leave(GAMES[1], (50.0, 4.0))
        self.leave(GAMES[2], (7.0, 0.7))
        table = table_of(self.folder)
        self.assertEqual(table.columns[:4], ["average", "middle", "speed", "iqm"])
        row = table.rows["PAAC"]
        self.assertEqual(row["Alien"].value, 500.0)
        self.assertAlmostEqual(row["average"].value, 160.0)
        self.assertEqual(entry_text(row["middle"]), "70%")
        self.assertEqual(entry_text(row["speed"]), "100")
        words = "A row's average, middle, iqm are of its games' human-normalised scores"
        self.assertIn(words, table.heading)

    def test_a_table_of_means_alone_hides_the_games(self):
        self.leave(GAMES[0], (500.0, 0.1))
        item = replace(self.folder.item, games="hidden")
        table = table_of(ItemFolder(self.path / "out", item, PAPER))
        self.assertEqual(table.columns, list(HOLDS))
        self.assertEqual(table.rows["PAAC"]["Alien"].value, 500.0)  # for item.csv

    def test_a_game_without_a_normalised_score_is_told(self):
        self.leave(GAMES[0], (500.0, 0.5))
        self.leave(GAMES[1], (1.0, None))
        self.leave(GAMES[2], (7.0, 0.7))
        self.assertEqual(entry_text(table_of(self.folder).rows["PAAC"]["middle"]), "60% (2 of 3)")

    # A mean of the runs that are left would be too good.
    def test_runs_without_a_score_are_told_beside_a_mean_of_games(self):
        self.leave(GAMES[0], (500.0, 0.5), (None, None))
        self.leave(GAMES[1], (1.0, None), (None, None))
        self.leave(GAMES[2], (7.0, 0.7), (5.0, 0.5))
        folder = ItemFolder(self.path / "out", replace(self.folder.item, best=0), PAPER)
        row = table_of(folder).rows["PAAC"]
        self.assertEqual(entry_text(row["average"]), "55% (2 of 3, 3 of 4 runs)")
        self.assertEqual(entry_text(row["middle"]), "55% (2 of 3, 3 of 4 runs)")
        self.assertTrue(entry_text(row["iqm"]).endswith("] (2 of 3, 3 of 4 runs)"))
        # The item's best runs have a score.
        self.assertEqual(entry_text(table_of(self.folder).rows["PAAC"]["middle"]), "60% (2 of 3)")

    def test_a_profile_counts_the_runs_without_a_score(self):
        self.leave(GAMES[0], (500.0, 0.5), (None, None))
        self.leave(GAMES[1], (1.0, None), (None, None))  # no person played it
        self.leave(GAMES[2], (None, None))
        folder = ItemFolder(self.path / "out", replace(self.folder.item, best=0), PAPER)
        self.assertEqual(profiles_of(folder), {"PAAC": {"scores": [0.5], "runs": 3}})
        self.assertEqual(profiles_of(self.folder), {"PAAC": {"scores": [0.5], "runs": 2}})

    def test_intervals_of_different_games_tell_their_number(self):
        some = Entry(50.0, 4, 4, "%", Interval(50.0, 40.0, 60.0), of="games")
        all_games = Entry(60.0, 12, 12, "%", Interval(60.0, 50.0, 70.0), of="games")
        table = Table(["iqm"], {"A3C": {"iqm": some}, "PAAC": {"iqm": all_games}}, "")
        told = [line[1] for line in lines_of(table, {})[1:]]
        self.assertEqual(told, ["50% [40, 60] (4 games)", "60% [50, 70] (12 games)"])
        alike = Table(["iqm"], {"A3C": {"iqm": some}}, "")
        self.assertEqual(lines_of(alike, {})[1][1], "50% [40, 60]")
        # Seen failing when rates of four games and of twelve looked alike.
        rates = {
            "A3C": {"rate": Entry(9.0, 4, 4, of="runs")},
            "PAAC": {"rate": Entry(8.0, 12, 12, of="runs")},
        }
        told = [line[1] for line in lines_of(Table(["rate"], rates, ""), {})[1:]]
        self.assertEqual(told, ["9 (4 runs)", "8 (12 runs)"])

    def test_a_range_has_a_kind(self):
        vary = ("optimizer.lr=log_uniform(1e-4,1e-2)", "a2c.entropy=uniform(0,1)")
        arms = (replace(self.folder.item.arms[0], vary=vary),)
        self.leave(GAMES[0], (500.0, 0.5))
        folder = ItemFolder(self.path / "out", replace(self.folder.item, arms=arms), PAPER)
        self.assertEqual(kinds_of(folder), {"lr": "log_uniform", "entropy": "uniform"})

    # Seen failing with "all runs with a score" above rows of one run each.
    def test_the_heading_counts_the_runs_of_a_row(self):
        item = self.folder.item
        (arm,) = item.arms
        for repetitions, best, words in (
            (1, 0, "the only run"),
            (1, 3, "the only run"),
            (3, 3, "all runs with a score"),
            (5, 3, "the best 3 runs"),
        ):
            arms = (replace(arm, vary=("paac.envs=4,8,16",), repetitions=repetitions),)
            folder = ItemFolder(self.path / "out", replace(item, arms=arms, best=best), PAPER)
            self.assertIn(f"after up to 30 no-ops, over {words}.", heading_of(folder))

    # A setting that diverges may be what a figure shows.
    def test_runs_without_a_score_have_curves_if_all_runs_count(self):
        self.leave(GAMES[0], (500.0, 0.5), (None, None))
        item = self.folder.item
        labels = [run.label for run in drawn(runs_of(self.folder), replace(item, best=0))]
        self.assertEqual(labels, ["PAAC", "PAAC  no score"])
        self.assertEqual([run.label for run in drawn(runs_of(self.folder), item)], ["PAAC"])


class TwoOfOneName(TableCase):
    games = ("atari:Pong", "mine:Pong", "atari:Alien")

    def test_environments_of_one_name_have_columns_of_their_own(self):
        self.leave("atari:Pong", (7.0, 0.7))
        self.leave("mine:Pong", (3.0, None))
        table = table_of(self.folder)
        self.assertEqual(table.columns[len(HOLDS) :], ["atari:Pong", "mine:Pong", "Alien"])
        row = table.rows["PAAC"]
        self.assertEqual((row["atari:Pong"].value, row["mine:Pong"].value), (7.0, 3.0))
        self.assertEqual(entry_text(row["Alien"]), "missing")


SPEEDUP = """group,threads,score,runs,reached,seconds,frames,time_speedup,data_speedup,cores,counted
,1,9,2,2,8.000,800,1.000,1.000,2,003 001
,2,9,2,2,4.000,800,2.000,1.000,2,004 002
"""


class Speedups(TableCase):
    games = GAMES[:1]

    def setUp(self):
        super().setUp()
        item = self.folder.item
        arms = (replace(item.arms[0], repetitions=3),)
        changes = {"form": "speedup", "reads": "training", "best": 2, "columns": {}, "arms": arms}
        item = replace(item, **changes, threads=(1, 2), threads_key="a3c.learners")
        self.folder = ItemFolder(self.path / "out", item, PAPER)
        self.leave(GAMES[0], *[(9.0, None)] * 6)

    def table(self, text):
        (self.folder.place(self.folder.cells[0]) / "speedup.csv").write_text(text)
        return table_of(self.folder)

    # Seen failing where the runs that do not count were hidden.
    def test_tell_of_the_runs_that_do_not_count(self):
        head, *rows = SPEEDUP.splitlines()
        whole = [f"{head},all_runs,all_reached", f"{rows[0]},3,2", f"{rows[1]},3,3", ""]
        table = self.table("\n".join(whole))
        self.assertEqual(table.rows["PAAC"]["2"].value, 2.0)
        words = "the median of the 2 soonest of 3 runs. Of all runs 5 of 6 reached the score."
        self.assertTrue(table.heading.endswith(words), table.heading)

    def test_of_older_versions_can_be_read(self):
        table = self.table(SPEEDUP)
        self.assertEqual(table.rows["PAAC"]["2"].value, 2.0)
        self.assertTrue(table.heading.endswith("of the 2 soonest of 3 runs."), table.heading)


if __name__ == "__main__":
    unittest.main()

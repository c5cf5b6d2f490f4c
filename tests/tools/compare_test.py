"""Tests tools/compare.py, or `tandem compare` of a program: compare_test.py [TANDEM]."""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE / "tools"))
import compare  # noqa: E402
import normalised_scores  # noqa: E402
import plot  # noqa: E402
from made_run import make_run  # noqa: E402

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else None
TOOL = str(SOURCE / "tools" / "compare.py")
COMMAND = [PROGRAM, "compare"] if PROGRAM else [sys.executable, TOOL]


class CompareTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def make_run(self, name, **what):
        return make_run(self.folder / name, **what)

    def rows(self, *runs, steps=None, minutes=None, returns=()):
        runs = [plot.read_run(run) for run in runs]
        limits = compare.limits_of(runs, steps, minutes, returns)
        return [compare.row_of(curve, limits, {}) for curve in plot.group_runs(runs)], limits

    def evaluate(self, run, means, games=10, start="noop", seconds=None):
        """Adds evaluations after 200, 400, ... steps."""
        lines = []
        for i, mean in enumerate(means):
            line = {"step": 200 * (i + 1), "episodes": games, "mean": mean}
            line |= {"protocol": "sampled", "start": start}
            lines.append(line | ({"training_seconds": seconds[i]} if seconds else {}))
        (run / "evaluations.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return run

    def run_command(self, *arguments):
        return subprocess.run(
            [*COMMAND, *map(str, arguments)],
            capture_output=True,
            text=True,
            env=os.environ | {"TANDEM_PYTHON": sys.executable},
        )

    # Seen failing with side="left" in return_at.
    def test_returns_are_those_at_the_limits(self):
        run = self.make_run("a", returns=(1, 2, 3, 4))
        (row,), _ = self.rows(run, steps=2999, minutes=100 / 60)
        self.assertEqual((row.final.mean, row.final_time.mean), (2, 1))
        (row,), _ = self.rows(run, steps=3000, minutes=5)
        self.assertEqual((row.final.mean, row.final_time.mean), (3, 3))

    # Seen failing when each line of the log counted.
    def test_a_lucky_mean_of_few_games_reaches_no_return(self):
        run = self.make_run("a", returns=(3, 3, 1, 2, 3), games=40)
        (row,), _ = self.rows(run, returns=(2,))
        self.assertEqual(row.required_steps[0].mean, 4000)

    # Seen failing when the run that diverged set the steps of all, without a word.
    def test_a_run_that_diverged_keeps_its_return_and_cuts_no_other(self):
        runs = [
            self.make_run("a", returns=(5, 6, 7)),
            self.make_run("b", seed=2, returns=(1,), why_ended="diverged: the loss is nan"),
            self.make_run("c", seed=3, returns=(), why_ended="diverged: the loss is nan"),
        ]
        ended = self.run_command(*runs, "--out", self.folder)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("final, 3,000 steps", ended.stdout)
        self.assertRegex(ended.stdout, r"2 seeds\) +2 +4\.0")
        self.assertRegex(ended.stdout, r"/b diverged after 1,000 steps")
        self.assertRegex(ended.stderr, r"/c diverged before a game ended")

    def test_all_are_held_to_what_the_shortest_reached(self):
        short = self.make_run("a", returns=(1, 2))
        long = self.make_run("b", lr=0.5, returns=(5, 6, 7))
        (first, second), limits = self.rows(short, long)
        self.assertEqual((limits.steps, limits.seconds), (2000, 200))
        self.assertEqual((first.final.mean, second.final.mean), (2, 6))

    def test_runs_can_be_held_to_their_own_ends(self):
        short = self.make_run("a", returns=(1, 2))
        long = self.make_run("b", lr=0.5, returns=(5, 6, 7))
        runs = [plot.read_run(run) for run in (short, long)]
        limits = compare.limits_of(runs, None, None, (), at_end=True)
        rows = [compare.row_of(curve, limits, {}) for curve in plot.group_runs(runs)]
        self.assertEqual([row.final.mean for row in rows], [2, 7])
        self.assertIn("at the end", compare.table(rows, limits)[0])
        self.assertIn("1,2", compare.comma_separated(rows, limits, "all"))

    # Only lines that have the measure count, and it is smoothed.
    def test_another_measure_may_be_compared(self):
        folder = self.make_run("a", returns=(1, 2, 3))
        run = plot.read_run(folder, measure="steps")
        steps = run.columns["steps"]
        means = [steps[: i + 1].mean() for i in range(len(steps))]
        self.assertEqual(list(run.columns[plot.RETURN]), means)

    def test_a_run_that_ended_earlier_has_no_return(self):
        (row,), _ = self.rows(self.make_run("a"), steps=1e6, minutes=1e6)
        self.assertEqual((row.final, row.final_time), (None, None))

    def test_the_required_time_is_that_of_the_first_return_that_is_high_enough(self):
        (row,), _ = self.rows(self.make_run("a", returns=(0, 8, 3, 9)), returns=[7, 10])
        (seconds, reached), (never, none) = row.required
        self.assertEqual((seconds.mean, reached, never, none), (200, 1, None, 0))

    def test_seeds_are_one_row_with_an_interval(self):
        runs = [self.make_run(f"{s}", seed=s, returns=(s, 10 * s)) for s in range(1, 6)]
        (row,), _ = self.rows(*runs, returns=[20])
        self.assertEqual((row.runs, row.final.mean), (5, 30))
        # The bootstrap's standard error of the mean of 10, 20, ..., 50 is 14.1 / sqrt(5) = 6.3. The
        # interval extends about two standard errors to each side.
        self.assertTrue(14 < row.final.low < 22 and 38 < row.final.high < 46, row.final)
        self.assertEqual(row.required, [(None, 4)])

    # Seen failing when runs whose rate falls until different ends were one row.
    def test_other_steps_are_another_row_if_the_rate_falls_until_their_end(self):
        for name, anneal_steps, rows in (("constant", 0, 1), ("falling", -1, 2)):
            runs = []
            for seed, steps in ((1, 1000), (2, 9000)):
                run = self.make_run(f"{name}{seed}", seed=seed)
                text = (run / "config.toml").read_text() + f"anneal_steps = {anneal_steps}\n"
                text = text.replace("[run]\n", f"[run]\nsteps = {steps}\n")
                (run / "config.toml").write_text(text)
                runs.append(plot.read_run(run))
            self.assertEqual(len(plot.group_runs(runs)), rows)

    # Seen failing when the second of two configs of one label took the place of the first.
    def test_a_config_of_an_older_version_keeps_its_row(self):
        runs = [self.make_run("old"), self.make_run("new")]
        text = (runs[1] / "config.toml").read_text()
        (runs[1] / "config.toml").write_text(text + "[later]\nkey = 3\n")
        labels = [curve.label for curve in plot.group_runs(list(map(plot.read_run, runs)))]
        self.assertEqual(labels, ["PAAC  Pong  nips  (older config)", "PAAC  Pong  nips"])

    def test_writes_tables_and_a_picture(self):
        runs = [self.make_run("a"), self.make_run("b", seed=2), self.make_run("c", arch="nature")]
        out = self.folder / "new" / "out"
        words = ["--out", out, "--return", 1.5, "--return", -1, "--steps", "2000", "--minutes", 1]
        done = self.run_command(*runs, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("PAAC  Pong  nips  (2 seeds)", done.stdout)
        self.assertIn("final, 2,000 steps", done.stdout)
        self.assertEqual((out / "compare.png").read_bytes()[:4], b"\x89PNG")
        with (out / "compare.csv").open(newline="") as lines:
            first, second = csv.DictReader(lines)
        self.assertEqual((first["final"], first["seconds_to_1.5"]), ("1.0", "300.0"))
        self.assertEqual((first["final_time"], first["seconds_to_-1"]), ("", "100.0"))
        self.assertEqual((first["steps_to_1.5"], first["steps_to_-1"]), ("3000.0", "1000.0"))
        self.assertEqual(second["label"], "PAAC  Pong  nature")
        table = (out / "compare.md").read_text()
        self.assertEqual(table.count("\n|"), 4)
        self.assertIn("Training games (the last 100 games), not the metrics of HTS-RL's", table)
        self.assertEqual(first["games"], "Training games (the last 100 games)")

    # The means over ten evaluations of 0, 1, ..., 11 are 4.5, 5.5 and 6.5, at the steps 2,000,
    # 2,200 and 2,400. Seen failing with evaluations one by one, and with the steps of the first.
    def test_evaluations_are_the_papers_metrics(self):
        run = self.evaluate(self.make_run("a"), range(12), seconds=range(100, 1300, 100))
        games = compare.choose_games([plot.read_run(run)])
        self.assertIn("Evaluation games, 10 by each of the last ten policies (the", games.heading)
        self.assertIn("sampled actions, start noop", games.heading)
        columns = games.runs[0].columns
        self.assertEqual(list(columns[plot.RETURN].round(9)), [4.5, 5.5, 6.5])
        self.assertEqual(list(columns["steps"]), [2000, 2200, 2400])
        self.assertEqual(list(columns["frames"]), [8000, 8800, 9600])
        self.assertEqual(list(columns["seconds"]), [1000, 1100, 1200])
        limits = compare.limits_of(games.runs, 2300, 1150 / 60, [5, 7])
        (row,) = [compare.row_of(c, limits, {}) for c in plot.group_runs(games.runs)]
        self.assertAlmostEqual(row.final.mean, 5.5)
        self.assertAlmostEqual(row.final_time.mean, 5.5)
        self.assertEqual(row.required[0][0].mean, 1100)
        self.assertEqual(row.required[1], (None, 0))

    # Records of an older version lack the seconds of the training: the log has them.
    def test_seconds_of_older_evaluations_are_those_of_the_log(self):
        run = self.evaluate(self.make_run("a"), range(10))
        (evaluated,) = compare.choose_games([plot.read_run(run)]).runs
        self.assertEqual(list(evaluated.columns["seconds"]), [200])

    # Seen failing when one run with evaluations was enough.
    def test_without_ten_evaluations_of_each_run_training_games_are_compared(self):
        runs = [self.evaluate(self.make_run("a"), range(12))]
        runs.append(self.evaluate(self.make_run("b", seed=2), range(9)))
        games = compare.choose_games([plot.read_run(run) for run in runs])
        self.assertIn("Training games", games.heading)
        self.assertIn("not the metrics of HTS-RL's paper", games.heading)
        self.assertIn(f"{runs[1]} has 9 evaluations", games.heading)
        self.assertEqual(list(games.runs[0].columns[plot.RETURN]), [0, 1, 2])
        asked = compare.choose_games([plot.read_run(runs[0])], training=True)
        self.assertIn("--training asked", asked.heading)

    def test_another_number_of_evaluation_games_is_said(self):
        run = self.evaluate(self.make_run("a"), range(10), games=30)
        heading = compare.choose_games([plot.read_run(run)]).heading
        self.assertIn("30 by each of the last ten policies, where the paper plays 10", heading)

    # By hand: 0, 1, 4, 10 without the least and the greatest quarter are 1 and 4. The bootstrap
    # draws two scores of 0 and 4, and two of 1 and 10: in 3 of 16 cases the mean of the middle two
    # is 0.5, the least, and in 3 of 16 it is 7, the greatest. A bootstrap that draws from all four
    # has three zeros or more in one case of twenty. Seen failing with such a bootstrap (0), and
    # with the median.
    def test_interquartile_mean_of_a_hand_computed_case(self):
        iqm = normalised_scores.stratified_iqm([[0, 4], [1, 10]])
        self.assertEqual((iqm.mean, iqm.low, iqm.high), (2.5, 0.5, 7))
        eight = normalised_scores.interquartile_mean([-100, 1, 2, 3, 4, 7, 9, 900])
        self.assertEqual(eight, 4)  # of 2, 3, 4, 7

    def test_scores_are_normalised_by_the_game(self):
        references = compare.references_of('{"SpaceInvaders": [148, 1668.7], "Pong": [-20, 15]}')
        for env in ("atari:SpaceInvaders", "atari:space_invaders"):
            self.assertEqual(normalised_scores.normalised(148, env, references), 0)
        self.assertEqual(normalised_scores.normalised(-2.5, "atari:Pong", references), 0.5)
        for env in ("catch", "gym:Pong"):  # seen failing with the name after the colon alone
            self.assertIsNone(normalised_scores.normalised(1, env, references))

    # Pong: -20 and 15 are 0 and 1; Boxing: 0 and 12 are 0 and 1. Catch has no person's score.
    def test_several_environments_have_an_interquartile_mean(self):
        boxing = {"env": "atari:Boxing"}
        runs = [
            self.make_run("p1", returns=(-20, -20)),
            self.make_run("p2", seed=2, returns=(-20, 15)),
            self.make_run("b1", returns=(0, 12), **boxing),
            self.make_run("b2", seed=2, returns=(0, 12), **boxing),
            self.make_run("c1", returns=(0, 1), env="catch"),
        ]
        out = self.folder / "out"
        words = ["--references", json.dumps({"Pong": [-20, 15], "Boxing": [0, 12]})]
        done = self.run_command(*runs, "--out", out, *([] if PROGRAM else words))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("human-normalised, interquartile mean", done.stdout)
        self.assertIn("over boxing, pong, which all", done.stdout)
        if not PROGRAM:  # the program has its own scores
            self.assertRegex(done.stdout, r"PAAC  nips +2 +4 +1\.00 \[0\.50, 1\.00\]")
        names = sorted(file.name for file in out.iterdir() if file.suffix == ".png")
        self.assertEqual(
            names, ["compare-atari-boxing.png", "compare-atari-pong.png", "compare-catch.png"]
        )
        with (out / "compare.csv").open(newline="") as lines:
            rows = {row["env"]: row for row in csv.DictReader(lines)}
        self.assertEqual(rows["catch"]["human_normalised"], "")
        self.assertGreater(float(rows["atari:Boxing"]["human_normalised"]), 0.9)

    def test_says_what_is_wrong(self):
        run = self.make_run("run")
        fixed = self.evaluate(self.make_run("fixed"), range(10), start="fixed")
        noop = self.evaluate(self.make_run("noop"), range(10))
        trained = []
        for fire in ("true", "false"):
            config = self.make_run(fire) / "config.toml"
            config.write_text(config.read_text().replace("[net]", f"fire_reset = {fire}\n[net]"))
            trained.append(self.evaluate(config.parent, range(10), start="trained"))
        lives = []
        for word in ("true", "false"):
            config = self.make_run(f"lives {word}") / "config.toml"
            rules = f'fire_reset = "auto"\nlife_loss_terminal = {word}\n[net]'
            config.write_text(config.read_text().replace("[net]", rules))
            lives.append(self.evaluate(config.parent, range(10)))
        harder = []
        for difficulty in (0, 1):
            config = self.make_run(f"difficulty {difficulty}") / "config.toml"
            rules = f"difficulty = {difficulty}\n[net]"
            config.write_text(config.read_text().replace("[net]", rules))
            harder.append(self.evaluate(config.parent, range(10)))
        (self.folder / "file").touch()
        cases = [
            ([self.folder / "none"], "there is no"),
            (harder, "by different rules (env.difficulty = 0 and 1)"),
            ([fixed, noop], "by different rules (sampled actions, start fixed and sampled"),
            (trained, "by different rules (env.fire_reset = True and False)"),
            (lives, "by different rules (env.life_loss_terminal = True and False)"),
            ([run, "--out", self.folder / "file"], "cannot write"),
            ([run, "--steps", "many"], "--steps"),
        ]
        for arguments, message in cases:
            done = self.run_command(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""Tests tools/compare.py, or `tandem compare` of a program: compare_test.py [TANDEM]."""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE / "tools"))
import compare  # noqa: E402
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
        return [compare.row_of(curve, limits) for curve in plot.group_runs(runs)], limits

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
        rows = [compare.row_of(curve, limits) for curve in plot.group_runs(runs)]
        self.assertEqual([row.final.mean for row in rows], [2, 7])
        self.assertIn("at the end", compare.table(rows, limits)[0])
        self.assertIn("1,2", compare.comma_separated(rows, limits))

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
        self.assertEqual(second["label"], "PAAC  Pong  nature")
        self.assertEqual((out / "compare.md").read_text().count("\n"), 4)

    def test_says_what_is_wrong(self):
        run = self.make_run("run")
        breakout = self.make_run("breakout", env="atari:Breakout")
        (self.folder / "file").touch()
        cases = [
            ([self.folder / "none"], "there is no"),
            ([run, breakout], "atari:Breakout and atari:Pong"),
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

"""The marks of a tuning round, from made runs.

Seen failing with a mean over points instead of time, with runs that were not cut at the shortest,
and with runs that have not ended.
"""

import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).parents[2] / "tools/judge_round.py"


class JudgeRoundTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def run_of(self, arm, env, points, seed=1, ended=True):
        folder = self.root / "item" / arm / env.lower().replace(":", "-") / f"runs/{seed:03}"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(f'[env]\nid = "{env}"\n[run]\nseed = {seed}\n')
        rows = [{"seconds": s, "episode/return_mean_100": x} for s, x in points]
        (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        if ended:
            (folder / "result.json").write_text("{}")
        return folder

    def judged(self):
        out = self.root / "marks.csv"
        words = [sys.executable, PROGRAM, self.root / "item", "--out", out]
        result = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        with out.open(newline="") as lines:
            rows = {(row["game"], row["arm"]): row for row in csv.DictReader(lines)}
        return rows, result.stdout

    def test_sooner_is_better_at_the_same_end(self):
        # Random play has -20.7. Until 100 s: half of the time at 19.3, and a quarter of it.
        self.run_of("soon", "atari:Pong", [(50, 19.3), (100, 19.3)])
        self.run_of("late", "atari:Pong", [(75, 19.3), (75.5, 19.3), (100, 19.3), (300, 21)])
        rows, text = self.judged()
        soon, late = rows["atari:Pong", "soon"], rows["atari:Pong", "late"]
        self.assertAlmostEqual(float(soon["mean_return"]), -0.7, 3)
        self.assertAlmostEqual(float(late["mean_return"]), -10.7, 3)
        self.assertEqual([soon["mark"], late["mark"]], ["1.00", "0.50"])
        self.assertEqual(float(late["last_return"]), 19.3)
        self.assertLess(text.index("soon"), text.index("late"))

    def test_games_that_nobody_learned_do_not_count(self):
        for arm, ends in {"one": (250, 4), "other": (300, 8)}.items():
            self.run_of(arm, "atari:Seaquest", [(10, ends[0]), (20, ends[0])])
            self.run_of(arm, "atari:Breakout", [(10, ends[1]), (20, ends[1])])
        rows, text = self.judged()
        self.assertEqual(rows["atari:Seaquest", "one"]["counts"], "false")
        self.assertEqual(rows["atari:Breakout", "one"]["counts"], "true")
        self.assertIn("Seaquest, 20 s (does not count)", text)
        self.assertIn("| one | 0.37 |", text)  # (4 - 1.7) / (8 - 1.7)

    def test_seeds_are_averaged_and_runs_that_go_on_are_left_out(self):
        self.run_of("one", "atari:Breakout", [(10, 5), (20, 5)], seed=1)
        self.run_of("one", "atari:Breakout", [(10, 9), (20, 9)], seed=11)
        self.run_of("one", "atari:Breakout", [(1, 900)], seed=12, ended=False)
        rows, _ = self.judged()
        row = rows["atari:Breakout", "one"]
        self.assertEqual([row["seeds"], row["last_return"]], ["1 11", "7.000"])

    def test_evaluations_count_instead_of_training_games(self):
        folder = self.run_of("one", "atari:Breakout", [(10, 2), (20, 2)])
        rows = [{"training_seconds": 10, "mean": 40}, {"training_seconds": 20, "mean": 50}]
        (folder / "evaluations.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.assertEqual(self.judged()[0]["atari:Breakout", "one"]["last_return"], "50.000")

    def test_a_folder_without_runs_is_an_error(self):
        (self.root / "item").mkdir()
        result = subprocess.run(
            [sys.executable, PROGRAM, self.root / "item"], capture_output=True, text=True
        )
        self.assertIn("no run has ended", result.stderr)


if __name__ == "__main__":
    unittest.main()

"""The marks of a tuning round, from made runs.

Seen failing with a mean over points instead of time, with runs that were not cut at the shortest,
with runs that have not ended, with a last return that was the last evaluation before the cut, with
a stopped or diverged run that cuts the others, and with an arm
that is compared over other games than its preset.
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

    def run_of(self, arm, env, points, seed=1, why="steps", item="item"):
        folder = self.root / item / arm / env.lower().replace(":", "-") / f"runs/{seed:03}"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(f'[env]\nid = "{env}"\n[run]\nseed = {seed}\n')
        rows = [{"seconds": s, "episode/return_mean_100": x} for s, x in points]
        (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        if why:
            (folder / "result.json").write_text(json.dumps({"why_ended": why}))
        return folder

    def judged(self, *presets, items=("item",)):
        out = self.root / "marks.csv"
        words = [sys.executable, PROGRAM, *(self.root / item for item in items), "--out", out]
        words += ["--presets", *presets]
        result = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        with out.open(newline="") as lines:
            rows = {(row["game"], row["arm"]): row for row in csv.DictReader(lines)}
        return rows, result.stdout

    def test_sooner_is_better_at_the_same_end(self):
        # Random play has -20.7. Until 100 s: half of the time at 19.3, and a quarter of it.
        self.run_of("soon", "atari:Pong", [(50, 19.3), (100, 19.3)])
        self.run_of("late", "atari:Pong", [(75, 19.3), (75.5, 19.3), (100, 19.3), (300, 21)])
        rows, text = self.judged("late")
        soon, late = rows["atari:Pong", "soon"], rows["atari:Pong", "late"]
        self.assertAlmostEqual(float(soon["mean_return"]), -0.7, 3)
        self.assertAlmostEqual(float(late["mean_return"]), -10.7, 3)
        self.assertEqual([soon["mark"], late["mark"]], ["1.00", "0.50"])
        self.assertEqual(float(late["last_return"]), 19.3)
        self.assertIn("| soon | +0.50, ahead in 1 of 1 |", text)

    # Seen failing when each return held until the next evaluation.
    def test_evaluations_are_joined_by_lines(self):
        for arm, points in {"one": [(50, -0.7), (150, 19.3)], "other": [(100, -0.7)]}.items():
            folder = self.run_of(arm, "atari:Pong", [(t, -20) for t in range(10, 200, 10)])
            rows = [{"training_seconds": seconds, "mean": mean} for seconds, mean in points]
            text = "".join(json.dumps(row) + "\n" for row in rows)
            (folder / "evaluations.jsonl").write_text(text)
        rows, _ = self.judged("other")
        # Until 100 s, where the shorter one ends. One: from -20.7 to -0.7 in 50 s, then to 9.3.
        mean = ((-20.7 - 0.7) / 2 + (-0.7 + 9.3) / 2) / 2
        self.assertAlmostEqual(float(rows["atari:Pong", "one"]["mean_return"]), mean, 3)
        self.assertAlmostEqual(float(rows["atari:Pong", "one"]["last_return"]), 9.3, 3)
        self.assertAlmostEqual(float(rows["atari:Pong", "other"]["mean_return"]), -10.7, 3)

    # Seen failing when marks were common to machines of different speed.
    def test_rounds_of_two_machines_are_refused(self):
        for item in ("first", "second"):
            self.run_of("one", "atari:Pong", [(10, 5)], item=item)
            description = {"machine": f"the machine of the {item}"}
            (self.root / item / "item.json").write_text(json.dumps(description))
        words = [sys.executable, PROGRAM, self.root / "first", self.root / "second"]
        result = subprocess.run([*words, "--presets", "one"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("judge the rounds apart", result.stderr)

    # Seen failing when the whole words stood for one machine.
    def test_a_round_of_two_machines_is_refused(self):
        self.run_of("one", "atari:Pong", [(10, 5)])
        file = self.root / "item/item.json"
        file.write_text(json.dumps({"machine": "a laptop, and then on a server"}))
        words = [sys.executable, PROGRAM, self.root / "item", "--presets", "one"]
        result = subprocess.run(words, capture_output=True, text=True)
        self.assertIn("of a laptop and of a server", result.stderr)
        self.assertIn("train it again in one way", result.stderr)

    # Seen failing when the machine alone was compared.
    def test_a_round_of_two_numbers_of_jobs_is_refused_and_builds_are_named(self):
        self.run_of("one", "atari:Pong", [(10, 5)])
        file = self.root / "item/item.json"
        words = [sys.executable, PROGRAM, self.root / "item", "--presets", "one"]
        for jobs, said in {(1, 2): "of --jobs 1 and of --jobs 2", (2,): "2 builds"}.items():
            item = {"machine": "a laptop", "jobs": jobs, "builds": ["first", "second"]}
            file.write_text(json.dumps(item))
            result = subprocess.run(words, capture_output=True, text=True)
            self.assertIn(said, result.stderr)

    # Seen failing when each arm had the mean over its own seeds.
    def test_arms_are_compared_over_the_seeds_of_both(self):
        for seed, score in {1: 5, 11: 9}.items():
            self.run_of("one", "atari:Breakout", [(10, score), (20, score)], seed=seed)
        self.run_of("one-more", "atari:Breakout", [(10, 5), (20, 5)], seed=1)
        rows, _ = self.judged("one")
        for arm in ("one", "one-more"):
            row = rows["atari:Breakout", arm]
            self.assertEqual([row["seeds"], row["mark"]], ["1", "1.00"])

    def test_games_that_nobody_learned_do_not_count(self):
        for arm, ends in {"one": (250, 4), "other": (300, 8)}.items():
            self.run_of(arm, "atari:Seaquest", [(10, ends[0]), (20, ends[0])])
            self.run_of(arm, "atari:Breakout", [(10, ends[1]), (20, ends[1])])
        rows, text = self.judged("one")
        self.assertEqual(rows["atari:Seaquest", "one"]["counts"], "false")
        self.assertEqual(rows["atari:Breakout", "one"]["counts"], "true")
        self.assertIn("Seaquest, 20 s (does not count)", text)
        self.assertEqual(rows["atari:Breakout", "one"]["mark"], "0.37")  # (4 - 1.7) / (8 - 1.7)
        self.assertIn("| other | +0.63, ahead in 1 of 1 |", text)

    def test_seeds_are_averaged_and_runs_that_go_on_are_left_out(self):
        self.run_of("one", "atari:Breakout", [(10, 5), (20, 5)], seed=1)
        self.run_of("one", "atari:Breakout", [(10, 9), (20, 9)], seed=11)
        self.run_of("one", "atari:Breakout", [(1, 900)], seed=12, why="")
        self.run_of("one", "atari:Breakout", [(1, 900)], seed=13, why="signal")
        rows, _ = self.judged("one")
        row = rows["atari:Breakout", "one"]
        self.assertEqual([row["seeds"], row["last_return"]], ["1 11", "7.000"])

    def test_evaluations_count_instead_of_training_games(self):
        folder = self.run_of("one", "atari:Breakout", [(10, 2), (20, 2)])
        rows = [{"training_seconds": 10, "mean": 40}, {"training_seconds": 20, "mean": 50}]
        (folder / "evaluations.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.assertEqual(self.judged("one")[0]["atari:Breakout", "one"]["last_return"], "50.000")

    def test_a_diverged_run_keeps_its_return_and_cuts_none(self):
        self.run_of("one", "atari:Breakout", [(10, 20), (20, 20)])
        self.run_of("other", "atari:Breakout", [(1, 5)], why="diverged: the loss is nan")
        self.run_of("third", "atari:Breakout", [], why="diverged: the loss is nan")
        rows, _ = self.judged("one")
        ends = [float(rows["atari:Breakout", a]["last_return"]) for a in ("one", "other", "third")]
        self.assertEqual(ends, [20, 5, 1.7])
        self.assertEqual(rows["atari:Breakout", "one"]["seconds"], "20.0")

    def test_each_presets_arms_are_judged_over_the_games_of_both(self):
        for env, best in {"atari:Pong": 21, "atari:Breakout": 30}.items():
            self.run_of("a2c", env, [(10, best), (20, best)])
            self.run_of("ppo", env, [(10, 2 * best), (20, 2 * best)])
        self.run_of("a2c-lives", "atari:Breakout", [(10, 60), (20, 60)])
        _, text = self.judged("a2c", "ppo")
        self.assertIn("| a2c-lives | +0.51, ahead in 1 of 1 | 1.00 (60.0) | - |", text)

    def test_a_confirmation_leaves_its_arms_alone(self):
        for arm in ("one", "other", "third"):
            self.run_of(arm, "atari:Breakout", [(10, 5), (20, 5)])
        for arm in ("one", "other"):
            self.run_of(arm, "atari:Breakout", [(10, 7), (20, 7)], seed=11, item="second")
        rows, _ = self.judged("one", items=("item", "second"))
        self.assertEqual({arm for _, arm in rows}, {"one", "other"})
        self.assertEqual(rows["atari:Breakout", "one"]["seeds"], "1 11")

    def test_a_folder_without_runs_is_an_error(self):
        (self.root / "item").mkdir()
        result = subprocess.run(
            [sys.executable, PROGRAM, self.root / "item"], capture_output=True, text=True
        )
        self.assertIn("no run has ended", result.stderr)

    # Seen with one arm in the tables of both, and with a game's marks counted from 0 to 1,000.
    def test_an_arm_belongs_to_the_longest_preset_and_games_are_those_for_tuning(self):
        for arm in ("ppo", "ppo-lives", "ppo-lives-late"):
            self.run_of(arm, "atari:Pong", [(50, 10), (100, 10)])
        _, text = self.judged("ppo", "ppo-lives")
        self.assertEqual(text.count("ppo-lives-late"), 1, text)
        self.run_of("ppo", "atari:Qbert", [(50, 10), (100, 10)])
        words = [sys.executable, PROGRAM, self.root / "item", "--presets", "ppo"]
        refused = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("atari:Qbert is no game for tuning", refused.stderr)


if __name__ == "__main__":
    unittest.main()

"""The command of HTS-RL's Table 2, with short runs.

Seen failing when the last score was not the runs' goal, and when `--evaluate-steps 0k` meant that
evaluations end the run.
"""

import csv
import tomllib
import unittest

from program import HAS_FOOTBALL, Folder, tandem

EASIEST = "academy_empty_goal_close"


@unittest.skipUnless(HAS_FOOTBALL, "no plug-in of football")
class HtsFootball(Folder):
    def make(self, *words):
        """Makes the table of one scenario in `self.path`; returns the runs' configs, by system."""
        words = ["--scenarios", EASIEST, "--runs", 1, "--steps", "4k", *words, "--out", self.path]
        done = tandem("experiment", "hts-football", *words, "--set", "run.log_seconds=0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = (self.path / EASIEST).glob("*/runs/001/config.toml")
        return {file.parents[2].name: tomllib.loads(file.read_text()) for file in runs}

    def test_makes_the_table_of_two_systems(self):
        configs = self.make("--systems", "hts,paac", "--evaluate-steps", "0k")
        self.assertEqual(set(configs), {"hts", "paac"})
        for config in configs.values():
            self.assertEqual(config["env"]["id"], f"football:{EASIEST}")
            self.assertEqual(config["algo"], "ppo")
            self.assertEqual(config["run"]["until_return"], 0.8)
            self.assertEqual(config["run"]["until_evaluations"], 0)
            self.assertEqual(config["optimizer"]["anneal_steps"], 5_000_000)
        with (self.path / "compare.csv").open(newline="") as lines:
            rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        self.assertEqual(len(rows), 2)
        self.assertTrue((self.path / "compare.png").exists())

    def test_evaluations_decide_if_asked(self):
        words = ["--evaluate-steps", "1k", "--set", "run.evaluate_episodes=1"]
        config = self.make("--systems", "hts", *words)["hts"]
        self.assertEqual(config["run"]["until_evaluations"], 10)
        self.assertEqual(config["run"]["evaluate_steps"], 1000)

    def test_unknown_words_are_refused(self):
        words = ["experiment", "hts-football", "--out", self.path / "none"]
        self.assert_refused(*words, "--scenarios", "academy_emtpy_goal", says="academy_empty_goal")
        self.assert_refused(*words, "--systems", "a3c", says="a3c")
        self.assert_refused(*words, "--evaluate-steps", "often", says="--evaluate-steps")
        self.assertFalse((self.path / "none").exists())


if __name__ == "__main__":
    unittest.main()

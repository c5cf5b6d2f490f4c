"""Runs the examples for a few steps, as far as the libraries that they need are there."""

import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/python"
LINE = re.compile(r"^([\d,]+) steps, [\d.]+ s, [\d,]+ steps/s, mean return \S+$", re.M)


def run(example, *words):
    command = [sys.executable, EXAMPLES / example, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def needs(module):
    return unittest.skipUnless(importlib.util.find_spec(module), f"no {module}")


class Examples(unittest.TestCase):
    def assert_trains(self, example, *words, steps):
        result = run(example, *words, "--threads", "1", "--seed", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([int(n.replace(",", "")) for n in LINE.findall(result.stdout)], steps)

    def test_typed(self):
        result = run("typed.py", "cartpole")
        self.assertRegex(result.stdout, r"^cartpole: [\d.]+$", result.stderr)

    def test_train(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run("train.py", f"{folder}/run")
        self.assertRegex(result.stdout, r"after 20,\d+ steps, in ", result.stderr)
        self.assertRegex(result.stdout, r"saved in .*run-hts/checkpoints/\d+\n")
        self.assertIn(result.stdout.splitlines()[-1], ("signal", "budget"))

    @needs("pettingzoo")
    def test_players(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run("players.py", f"{folder}/run")
        mean = re.search(r"^a player's mean return: (\S+)$", result.stdout, re.M)
        self.assertGreater(float(mean[1]), 0.8, result.stderr)

    @needs("torch")
    def test_ppo_in_one_file(self):
        words = ["--env", "CartPole", "--num-envs", "2", "--rollout", "32", "--device", "cpu"]
        self.assert_trains("ppo_cleanrl_style.py", *words, "--steps", "128", steps=[64, 128])

    @needs("torch")
    def test_dqn_in_one_file(self):
        words = ["--num-envs", "4", "--min-fill", "100", "--batch", "16"]
        self.assert_trains("dqn_replay.py", *words, "--steps", "3000", steps=[2000, 3000])

    @needs("stable_baselines3")
    def test_ppo_of_stable_baselines3(self):
        words = ["--env", "CartPole", "--num-envs", "8", "--steps", "300"]
        self.assert_trains("sb3_ppo.py", *words, steps=[256, 512])


if __name__ == "__main__":
    unittest.main()

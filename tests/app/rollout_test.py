"""Plays steps with `tandem rollout` as a user does, and reads their files.

Needs $TANDEM, the path of the program.
"""

import signal
import subprocess
import time
import unittest
from pathlib import Path

import numpy as np
from program import HAS_ATARI, PROGRAM, Folder, tandem

GYM_TESTS = Path(__file__).parents[1] / "env" / "gym"  # the folder of gym_test_envs.py

BRITTLE = """
import gymnasium
import numpy as np


class Brittle(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        self.steps = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.steps += 1
        if self.steps == 50:
            raise RuntimeError("it broke")
        return np.zeros(2, np.float32), 1.0, False, False, {}


gymnasium.register("Brittle-v0", Brittle)
"""


class Rollout(Folder):
    def rollout(self, name, *words, **environment):
        result = tandem("rollout", "--out", self.path / name, *words, **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return {file.stem: np.load(file) for file in (self.path / name).iterdir()}

    def assert_same(self, one, other):
        self.assertEqual(one.keys(), other.keys())
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name], err_msg=name)

    def test_files(self):
        files = self.rollout("a", "--env", "cartpole", "--seed", 3, "--random", "--steps", 200)
        shapes = {name: (array.shape, str(array.dtype)) for name, array in files.items()}
        self.assertEqual(
            shapes,
            {
                "reset_obs": ((files["terminated"].sum() + 1, 4), "float32"),
                "obs": ((200, 4), "float32"),
                "actions": ((200,), "int32"),
                "reward": ((200,), "float32"),
                "terminated": ((200,), "bool"),
                "truncated": ((200,), "bool"),
            },
        )
        self.assertGreater(files["terminated"].sum(), 2)
        # At an episode's end the pole has fallen or the cart is off the track; the next starts
        # upright.
        x, _, angle, _ = files["obs"][files["terminated"]].T
        self.assertTrue(((np.abs(x) > 2.4) | (np.abs(angle) > 0.2)).all())
        self.assertTrue((np.abs(files["reset_obs"]) <= 0.05).all())

    def test_played_back_actions_give_the_same_files(self):
        options = ["--env", "cartpole", "--seed", 3]
        random = self.rollout("a", *options, "--random", "--steps", 100)
        actions = self.path / "a" / "actions.npy"
        self.assert_same(random, self.rollout("b", *options, "--actions", actions))
        other = self.rollout("c", "--env", "cartpole", "--seed", 4, "--actions", actions)
        self.assertFalse((other["obs"] == random["obs"]).all())

    def test_integer_types_of_numpy_are_taken(self):
        for dtype in (np.uint8, np.int32, np.int64):
            np.save(self.path / "actions.npy", np.ones(5, dtype))
            files = self.rollout(
                dtype.__name__, "--env", "cartpole", "--actions", self.path / "actions.npy"
            )
            self.assertEqual(files["actions"].tolist(), [1] * 5)

    def test_actions_have_the_numbers_of_their_space(self):
        options, found = ["--env", "gym:gym_test_envs:Signs-v0"], {"PYTHONPATH": str(GYM_TESTS)}
        random = self.rollout("a", *options, "--random", "--steps", 60, **found)
        self.assertEqual(set(random["actions"].tolist()), {-1, 0, 1})
        np.testing.assert_array_equal(random["reward"], random["actions"])
        actions = ["--actions", self.path / "a" / "actions.npy"]
        self.assert_same(random, self.rollout("b", *options, *actions, **found))
        for bad in (-2, 2):
            np.save(self.path / "bad.npy", np.array([0, bad]))
            words = ["rollout", "--out", self.path / "c", *options]
            says = f"action {bad} at index 1 is not in -1 to 1"
            self.assert_refused(*words, "--actions", self.path / "bad.npy", says=says, **found)

    def test_bad_actions(self):
        def refuse(array, says, *words):
            np.save(self.path / "actions.npy", array)
            self.assert_refused(
                *["rollout", "--env", "cartpole", "--out", self.path / "out"],
                *["--actions", self.path / "actions.npy", *words],
                says=says,
            )

        refuse(np.array([0, 1, 2]), "action 2 at index 2 is not in 0 to 1")
        refuse(np.zeros(3), "known are bool")
        refuse(np.zeros((3, 2), np.int32), "integer actions of shape [steps]")
        refuse(np.zeros(3, np.int32), "fewer than --steps 4", "--steps", 4)
        refuse(np.asfortranarray(np.zeros((3, 2), np.int32)), "Fortran")
        self.assert_refused("rollout", "--env", "cartpole", "--out", "x", says="--random")

    def test_steps_are_numbers_as_elsewhere(self):
        files = self.rollout("a", "--env", "cartpole", "--random", "--steps", "1k")
        self.assertEqual(len(files["reward"]), 1000)
        some = ["rollout", "--env", "cartpole", "--out", "x", "--random", "--steps"]
        self.assert_refused(*some, "0", says="--steps needs an integer from 1")
        self.assert_refused(*some, "many", says="--steps needs an integer from 1")

    @unittest.skipUnless(HAS_ATARI, "the Atari plug-in is not built")
    def test_atari(self):
        options = ["--env", "atari:Pong", "--set", "env.noop_max=0", "--random", "--steps", 50]
        files = self.rollout("a", *options)
        self.assertEqual(files["obs"].shape, (50, 4, 84, 84))
        self.assertEqual(files["obs"].dtype, np.uint8)
        # Frames are stacked: a step's oldest three are the newest three of the step before.
        np.testing.assert_array_equal(files["obs"][1:, :3], files["obs"][:-1, 1:])

    # The files had no rows.
    def test_ctrl_c_keeps_the_steps_so_far(self):
        words = ["--env", "latency", "--set", "mean_us=100", "--random", "--steps", 10**9]
        out = self.path / "cut"
        with subprocess.Popen(
            [PROGRAM, "rollout", "--out", out, *map(str, words)], stdout=subprocess.PIPE, text=True
        ) as process:
            part = out / "reward.npy.part"
            while process.poll() is None and not (part.exists() and part.stat().st_size > 1000):
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=30)[0]
        self.assertEqual(process.returncode, 0)
        rewards = np.load(out / "reward.npy")
        self.assertGreater(len(rewards), 200)
        self.assertIn(f"{len(rewards)} steps of latency", said)

    # Seen failing when the files had no rows.
    def test_a_failing_environment_leaves_the_steps_before(self):
        (self.path / "brittle.py").write_text(BRITTLE)
        out = self.path / "cut"
        words = ["rollout", "--env", "gym:brittle:Brittle-v0", "--random", "--steps", 99]
        done = tandem(*words, "--out", out, PYTHONPATH=str(self.path))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("it broke", done.stderr)
        self.assertIn(f"(49 steps before it are written to {out})", done.stderr)
        self.assertEqual(len(np.load(out / "reward.npy")), 49)
        self.assertEqual(len(np.load(out / "obs.npy")), 49)

    # Seen failing when the file was cut off to the steps that were taken.
    def test_actions_are_not_overwritten(self):
        self.rollout("a", "--env", "cartpole", "--random", "--steps", 20)
        actions = ["--actions", self.path / "a" / "actions.npy"]
        words = ["rollout", "--env", "cartpole", *actions, "--steps", 5]
        self.assert_refused(*words, "--out", self.path / "a", says="would replace the actions")
        self.assertEqual(len(np.load(self.path / "a" / "actions.npy")), 20)

    def test_another_rollout_is_not_overwritten(self):
        some = ["--env", "cartpole", "--random", "--steps"]
        self.rollout("a", *some, 20)
        (self.path / "a" / "actions.npy").unlink()
        says = "holds the obs.npy of another rollout"
        self.assert_refused("rollout", *some, 5, "--out", self.path / "a", says=says)
        self.assertEqual(len(np.load(self.path / "a" / "obs.npy")), 20)
        self.assertFalse((self.path / "a" / "actions.npy").exists())

    @unittest.skipUnless(HAS_ATARI, "the Atari plug-in is not built")
    def test_cpu(self):
        words = ["bench", "env", "--env", "atari:Pong", "--seconds", 0.1]
        self.assertEqual(tandem(*words, TANDEM_CPU="portable").returncode, 0)
        self.assert_refused(*words, says=["TANDEM_CPU=mmx", "portable"], TANDEM_CPU="mmx")
        self.assertIn("TANDEM_CPU", tandem("--help").stdout)


if __name__ == "__main__":
    unittest.main()

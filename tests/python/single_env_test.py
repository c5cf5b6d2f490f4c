"""Tests of tandem.make and of tandem's environments in Gymnasium's registry."""

import os
import unittest
import warnings

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, VectorEnv
from same import assert_same, play

import tandem

# A sanitizer's library, which this interpreter has loaded, is not for engines in processes of their
# own. Seen failing without this line: Doom's engine deletes what strdup() gave it.
os.environ.pop("LD_PRELOAD", None)


def has_atari():
    return "atari:Pong" in tandem.environments()


def installed():
    """An environment of each plug-in whose engine is there."""
    engines = ["atari:Pong", "doom:basic", "torcs:slow_car"]
    return [env for env in engines if env in tandem.environments()]


class SingleEnv(unittest.TestCase):
    def test_gymnasium_finds_no_fault(self):
        ids = ["cartpole", "catch", "pendulum", "labyrinth", *installed()]
        for env_id in ids:
            with self.subTest(env=env_id), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                env = tandem.make(env_id)
                check_env(env)
                env.close()
                texts = [str(one.message) for one in caught]
                # The bounds of observations are not known, and those of actions are the task's.
                texts = [t for t in texts if "infinity" not in t and "symmetric" not in t]
                self.assertEqual(texts, [])

    def test_not_every_environment_draws(self):
        check_env(tandem.make("memory", render_mode=None), skip_render_check=True)
        env = tandem.make("memory")
        env.reset(seed=1)
        with self.assertRaisesRegex(tandem.Error, "memory draws no pictures"):
            env.render()

    def test_a_game_has_infos(self):
        env = tandem.make("cartpole")
        env.reset(seed=1)
        total, steps, ended = 0.0, 0, False
        while not ended:
            _, reward, ended, _, info = env.step(1)
            total += reward
            steps += 1
            self.assertEqual("game" in info, ended)
        self.assertEqual(info["game"], {"r": total, "l": steps})

    def test_actions_have_names(self):
        if has_atari():
            self.assertEqual(tandem.make("atari:Pong").get_action_meanings()[:2], ["NOOP", "FIRE"])
            self.assertEqual(len(tandem.make("atari:Pong").get_action_meanings()), 6)
        self.assertEqual(tandem.make("pendulum").get_action_meanings(), [])
        walks = tandem.make("labyrinth", mazes="held_out").get_action_meanings()
        self.assertEqual(walks[:2], ["forward", "backward"])


class Registry(unittest.TestCase):
    # Seen failing with a colon in ids: Gymnasium looked for a module.
    def test_every_environment_is_registered(self):
        for env_id in tandem.environments():
            spec = gymnasium.spec(tandem.gymnasium_id(env_id))
            self.assertEqual(spec.kwargs["env"], env_id)

    def test_make(self):
        env = gymnasium.make("tandem/cartpole-v0", stack=2)
        self.assertEqual(env.observation_space.shape, (8,))
        self.assertEqual(env.spec.id, "tandem/cartpole-v0")
        assert_same(play(env, 5), play(tandem.make("cartpole", stack=2), 5))

    def test_make_vec(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for keywords in ({}, {"vectorization_mode": "vector_entry_point"}):
                env = gymnasium.make_vec(
                    "tandem/cartpole-v0", num_envs=3, num_threads=2, stack=2, **keywords
                )
                self.assertIsInstance(env, VectorEnv)
                self.assertEqual(env.observation_space.shape, (3, 8))
                self.assertIs(env.metadata["autoreset_mode"], AutoresetMode.NEXT_STEP)
                self.assertEqual(env.spec.id, "tandem/cartpole-v0")
                assert_same(play(env, 30), play(tandem.make_vec("cartpole", 3, stack=2), 30))
                env.close()

    def test_pictures(self):
        env = tandem.make_vec("cartpole", 2)
        env.reset(seed=1)
        pictures = env.render()
        self.assertEqual(len(pictures), 2)
        for picture in pictures:
            self.assertEqual((picture.ndim, picture.shape[2], picture.dtype), (3, 3, np.uint8))
        self.assertFalse((pictures[0] == pictures[0][0, 0]).all())
        self.assertIsNone(tandem.make_vec("cartpole", render_mode=None).render())


if __name__ == "__main__":
    unittest.main()

"""Tests of tandem.sb3.TandemVecEnv, if Stable-Baselines3 is there."""

import math
import sys
import unittest

import gymnasium
import numpy as np

try:
    import stable_baselines3  # noqa: F401
except ImportError:
    sys.exit(77)

from signed import Signed
from stable_baselines3 import A2C
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor
from tandem.sb3 import TandemVecEnv

import tandem


class Infos(unittest.TestCase):
    """Results are those of Stable-Baselines3's own environments over tandem.make."""

    # Seen failing with the first observation of the next episode as `terminal_observation`.
    def test_they_are_those_of_stable_baselines3(self):
        for env_id, options in (("cartpole", {}), ("pendulum", {"max_steps": 7})):
            theirs = make_vec_env(lambda e=env_id, o=options: tandem.make(e, **o), n_envs=4)
            ours = TandemVecEnv(env_id, 4, 2, **options)
            self.assertEqual(ours.observation_space, theirs.observation_space)
            self.assertEqual(ours.action_space, theirs.action_space)
            ours.seed(3)
            theirs.seed(3)
            np.testing.assert_array_equal(ours.reset(), theirs.reset())
            ours.action_space.seed(5)
            ends = 0
            for step in range(60):
                with self.subTest(env=env_id, step=step):
                    actions = np.array([ours.action_space.sample() for _ in range(4)])
                    ends += self.compare(ours.step(actions), theirs.step(actions))
            self.assertGreater(ends, 4)
            ours.close()

    def compare(self, ours, theirs):
        for one, other in zip(ours[:3], theirs[:3], strict=True):
            np.testing.assert_array_equal(one, other)
            self.assertEqual(one.dtype, other.dtype)
        for one, other, end in zip(ours[3], theirs[3], ours[2], strict=True):
            self.assertEqual(
                one.get("TimeLimit.truncated", False), other.get("TimeLimit.truncated", False)
            )
            if end:
                np.testing.assert_array_equal(
                    one["terminal_observation"], other["terminal_observation"]
                )
                self.assertEqual(one["episode"]["l"], other["episode"]["l"])
                self.assertAlmostEqual(one["episode"]["r"], other["episode"]["r"], places=4)
            else:
                self.assertEqual(one, {})
        return ours[2].sum()

    def test_observations_stay_as_they_were(self):
        envs = TandemVecEnv("catch", 3, 2)
        kept = [envs.reset()]
        copies = [kept[0].copy()]
        for _ in range(30):
            kept.append(envs.step(np.zeros(3, dtype=int))[0])
            copies.append(kept[-1].copy())
        for one, copy in zip(kept, copies, strict=True):
            np.testing.assert_array_equal(one, copy)


class Interface(unittest.TestCase):
    def test_seeds_hold_for_one_reset(self):
        envs = TandemVecEnv("cartpole", 2)
        envs.seed(7)
        first = envs.reset()
        self.assertFalse(np.array_equal(envs.reset(), first))
        np.testing.assert_array_equal(first, tandem.make_vec("cartpole", 2).reset(seed=[7, 8])[0])
        np.testing.assert_array_equal(TandemVecEnv("cartpole", 2, seed=7).reset(), first)

    def test_attributes_and_methods(self):
        envs = TandemVecEnv("cartpole", 3)
        self.assertEqual(envs.get_attr("render_mode"), ["rgb_array"] * 3)
        self.assertEqual(envs.get_attr("action_space", [0, 2]), [envs.action_space] * 2)
        self.assertEqual(len(envs.env_method("get_action_meanings", indices=1)), 1)
        self.assertTrue(envs.has_attr("spec"))
        self.assertFalse(envs.has_attr("unknown"))
        with self.assertRaisesRegex(AttributeError, "have no 'unknown'; they have: action_space"):
            envs.get_attr("unknown")
        with self.assertRaisesRegex(AttributeError, "'spec' is no method"):
            envs.env_method("spec")
        with self.assertRaisesRegex(AttributeError, "give options when you make"):
            envs.set_attr("gravity", 1)
        self.assertEqual(envs.env_is_wrapped(Monitor), [True] * 3)
        self.assertEqual(envs.env_is_wrapped(VecMonitor), [False] * 3)

    # Stable-Baselines3's policies draw no other actions.
    def test_discrete_actions_count_from_0(self):
        envs = TandemVecEnv(lambda: Signed(), 3, 1)  # its actions are its rewards, -1, 0 and 1
        self.assertEqual(envs.action_space, gymnasium.spaces.Discrete(3))
        self.assertEqual(envs.get_attr("action_space", [1]), [envs.action_space])
        envs.reset()
        np.testing.assert_array_equal(envs.step(np.array([0, 1, 2]))[1], [-1, 0, 1])
        refused = "action 3 of environment 2 is out of range: actions are 0 to 2"
        with self.assertRaisesRegex(tandem.Error, refused):
            envs.step(np.array([0, 1, 3]))
        envs.close()

    def test_pictures(self):
        envs = TandemVecEnv("cartpole", 2)
        envs.reset()
        images = envs.get_images()
        self.assertEqual(images[0].shape[2], 3)
        self.assertEqual(envs.render().dtype, np.uint8)  # both in one picture
        np.testing.assert_array_equal(envs.env_method("render", indices=1)[0], images[1])
        blind = TandemVecEnv("cartpole", 2, render_mode=None)
        self.assertEqual(blind.get_images(), [None, None])

    def test_misuse_is_refused(self):
        envs = TandemVecEnv("cartpole", 2)
        envs.reset()
        with self.assertRaisesRegex(tandem.Error, "call step_async before step_wait"):
            envs.step_wait()
        envs.set_options({"stack": 2})
        with self.assertRaisesRegex(tandem.Error, "a reset takes no options"):
            envs.reset()
        envs.reset()
        with self.assertRaisesRegex(tandem.Error, "no key env.stak"):
            TandemVecEnv("cartpole", 2, stak=2)
        envs.close()
        with self.assertRaises(tandem.ClosedEnvironmentError):
            envs.reset()


class Training(unittest.TestCase):
    def test_an_agent_trains_and_is_judged(self):
        envs = TandemVecEnv("cartpole", 4)
        agent = A2C("MlpPolicy", envs, device="cpu", seed=1)
        agent.learn(400)
        self.assertGreater(len(agent.ep_info_buffer), 3)
        mean, deviation = evaluate_policy(agent, TandemVecEnv("cartpole", 2), n_eval_episodes=4)
        self.assertGreater(mean, 5)
        self.assertTrue(math.isfinite(deviation))
        envs.close()


if __name__ == "__main__":
    unittest.main()

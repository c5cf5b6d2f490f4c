"""Tests of environments whose discrete actions do not count from 0."""

import importlib.util
import unittest

import numpy as np
from replays import add_steps, drawn_in_order
from signed import Signed

import tandem


class ActionNumbers(unittest.TestCase):
    """Actions of Discrete(3, start=-1) are -1, 0 and 1 to the users of all interfaces."""

    def test_many_environments(self):
        env = tandem.make_vec(lambda: Signed(), 3, 1)
        self.assertEqual(env.single_action_space, Signed.action_space)
        self.assertEqual(env.action_space.start.tolist(), [-1, -1, -1])
        env.reset(seed=1)
        np.testing.assert_array_equal(env.step([-1, 0, 1])[1], [-1, 0, 1])
        env.send([1, -1], [0, 2])
        _, rewards, *_, infos = env.recv()
        found = dict(zip(infos["env_id"].tolist(), rewards.tolist(), strict=True))
        self.assertEqual(found, {0: 1, 2: -1})
        for action in (-2, 2, -(2**63), 2**63 - 1):
            words = f"action {action} of environment 1 .*: actions are -1 to 1"
            with self.assertRaisesRegex(tandem.Error, words):
                env.step([0, action, 0])
        env.close()

    def test_a_replay_of_each_mode_has_them(self):
        for mode in ("next_step", "same_step", "disabled"):
            with self.subTest(mode=mode):
                env = tandem.make_vec(lambda: Signed(), 3, 1, autoreset_mode=mode)
                spaces = env.single_observation_space, env.single_action_space
                options = {"autoreset_mode": mode, "n_step": 1, "sampler": "fifo", "segment": 5}
                replay = tandem.Replay(500, *spaces, 3, **options)
                add_steps(replay, env, lambda _, t: (np.arange(3) + t) % 3 - 1, steps=12, seed=1)
                batch = drawn_in_order(replay)
                self.assertEqual(set(batch.actions.tolist()), {-1, 0, 1})
                np.testing.assert_array_equal(batch.returns, batch.actions)
                env.close()

    def test_one_environment(self):
        env = tandem.make(lambda: Signed())
        self.assertEqual(env.action_space, Signed.action_space)
        env.reset(seed=1)
        self.assertEqual([env.step(action)[1] for action in (-1, 0, 1)], [-1, 0, 1])
        with self.assertRaisesRegex(tandem.Error, "actions are -1 to 1"):
            env.step(2)
        env.close()

    @unittest.skipUnless(importlib.util.find_spec("pettingzoo"), "no PettingZoo")
    def test_a_player(self):
        env = tandem.make_parallel(lambda: Signed())
        self.assertEqual(env.action_space("player_0"), Signed.action_space)
        env.reset(seed=1)
        rewards = [env.step({"player_0": action})[1]["player_0"] for action in (-1, 0, 1)]
        self.assertEqual(rewards, [-1, 0, 1])
        with self.assertRaisesRegex(tandem.Error, "actions are -1 to 1"):
            env.step({"player_0": 2})
        env.close()


if __name__ == "__main__":
    unittest.main()

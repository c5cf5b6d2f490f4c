"""Compares tandem's Atari games with Gymnasium's AtariPreprocessing over ale-py, bit for bit."""

import sys
import unittest

import numpy as np

import tandem

try:
    import ale_py
    import gymnasium
    from ale_py.env import AtariEnv
except ImportError:
    sys.exit(77)

CASES = (
    ("Pong", {}),
    ("Breakout", {"life_loss_terminal": True}),
    ("Pong", {"frame_skip": 2}),
    ("SpaceInvaders", {"full_action_set": True}),
)


def gymnasium_env(game, options):
    rom = "".join("_" + c.lower() if c.isupper() else c for c in game)[1:]
    env = AtariEnv(
        rom,
        frameskip=1,
        repeat_action_probability=0,
        full_action_space=options.get("full_action_set", False),
    )
    env = gymnasium.wrappers.AtariPreprocessing(
        env,
        noop_max=0,
        frame_skip=options.get("frame_skip", 4),
        terminal_on_life_loss=options.get("life_loss_terminal", False),
    )
    return gymnasium.wrappers.FrameStackObservation(env, 4, padding_type="reset")


class Atari(unittest.TestCase):
    # Seen failing with observations whose newest frame comes first.
    def test_observations_and_rewards_are_those_of_gymnasium(self):
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        for game, options in CASES:
            with self.subTest(game=game, **options):
                theirs = gymnasium_env(game, options)
                ours = tandem.make_vec(
                    f"atari:{game}", 2, 2, noop_max=0, stack=4, autoreset_mode="disabled", **options
                )
                expected = theirs.reset()[0]
                observations = ours.reset(seed=1)[0]
                actions = np.random.default_rng(7).integers(theirs.action_space.n, size=400)
                total = 0.0
                for action in actions:
                    for row in observations:
                        np.testing.assert_array_equal(row, expected)
                    expected, reward, terminated, truncated, _ = theirs.step(action)
                    observations, rewards, *ends, _ = ours.step([action, action])
                    self.assertEqual(list(rewards), [reward, reward])
                    self.assertEqual([list(e) for e in ends], [[terminated] * 2, [truncated] * 2])
                    total += reward
                    if terminated and "life_loss_terminal" in options:
                        break  # Gymnasium begins a new game, where tandem goes on with this one
                    if terminated or truncated:
                        expected = theirs.reset()[0]
                        observations = ours.reset()[0]
                self.assertTrue(total != 0 or terminated)
                ours.close()

    # Seen with the rewards of the last life alone.
    def test_a_game_of_several_lives_has_one_return(self):
        env = tandem.make_parallel("atari:Breakout", life_loss_terminal=True)
        env.reset(seed=1)
        actions = np.random.default_rng(1).integers(4, size=5000)
        total, lives, game = 0.0, 1, None
        for action in actions.tolist():
            player = env.agents[0]
            _, rewards, _, _, infos = env.step({player: action})
            total += rewards[player]
            game = infos[player].get("game")
            if game:
                break
            if not env.agents:
                lives += 1
                env.reset()
        env.close()
        self.assertEqual(lives, 5)
        self.assertGreater(total, 0)
        self.assertEqual(game["r"], total)


if __name__ == "__main__":
    if "atari:Pong" not in tandem.environments():
        sys.exit(77)
    unittest.main()

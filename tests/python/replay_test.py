"""Tests of tandem.Replay: its numbers, held against cases by hand and against NumPy."""

import itertools
import unittest

import numpy as np
from gymnasium.spaces import Box, Discrete
from replays import NO, YES, add_steps, column, drawn_in_order, fill, number_replay
from vector_play import Play, reference

import tandem

FRAMES = Box(0, 255, (4, 12, 12), np.uint8)
COMPRESSIONS = ["none", "lz4", "zstd", "png"]


class Transitions(unittest.TestCase):
    # The rewards are 1, 2, 4, 8 and gamma is 0.5, as in the C++ test of NStepBuilder.
    def test_three_steps_by_hand(self):
        for end, bootstrap in (("terminated", 0), ("truncated", 1)):
            with self.subTest(end=end):
                replay = number_replay(n_step=3, sampler="fifo")
                for t in range(4):
                    last = np.array([t == 3])
                    ends = (last, NO) if end == "terminated" else (NO, last)
                    replay.add(column(t), [t % 4], column(t + 1), [2.0**t], *ends)
                batch = drawn_in_order(replay)
                np.testing.assert_array_equal(batch.observations[:, 0], [0, 1, 2, 3])
                np.testing.assert_array_equal(batch.actions, [0, 1, 2, 3])
                np.testing.assert_array_equal(batch.returns, [3, 6, 8, 8])
                expected = [0.125, bootstrap * 0.125, bootstrap * 0.25, bootstrap * 0.5]
                np.testing.assert_array_equal(batch.discounts, expected)
                later = batch.next_observations[batch.discounts > 0, 0]
                np.testing.assert_array_equal(later, [3, 4, 4, 4][: len(later)])

    def test_random_episodes_agree_with_numpy(self):
        modes, stacks, steps = ["next_step", "same_step", "disabled"], [1, 4], [1, 3]
        for mode, stack, n in itertools.product(modes, stacks, steps):
            with self.subTest(mode=mode, stack=stack, n=n):
                play = Play(num_envs=3, stack=stack, mode=mode, seed=n)
                replay = tandem.Replay(
                    10_000,
                    play.observation_space,
                    Discrete(5, start=-1),
                    3,
                    stack=stack,
                    autoreset_mode=mode,
                    n_step=n,
                    gamma=0.9,
                    sampler="fifo",
                    segment=7,
                )
                for observations, actions, step in play.steps(300):
                    replay.add(observations, actions, *step)
                replay.end_episodes()
                batch = drawn_in_order(replay)
                self.assert_same(batch, reference(play.episodes(), n, 0.9))

    def assert_same(self, batch, expected):
        self.assertEqual(len(batch), len(expected["returns"]))
        # Frames have numbers of their own, and so have observations.
        flat = batch.observations.reshape(len(batch), -1)
        ours = np.lexsort(flat.T)
        theirs = np.lexsort(expected["observations"].reshape(len(batch), -1).T)
        for name in ("observations", "actions", "discounts", "returns"):
            found = getattr(batch, name)[ours]
            np.testing.assert_allclose(
                found, expected[name][theirs], rtol=1e-6, atol=1e-6, err_msg=name
            )
        bootstraps = batch.discounts[ours] > 0
        np.testing.assert_array_equal(
            batch.next_observations[ours][bootstraps],
            expected["next_observations"][theirs][bootstraps],
        )

    def test_the_three_modes_of_make_vec_give_the_same_transitions(self):
        found = []
        for mode in ("next_step", "same_step", "disabled"):
            envs = tandem.make_vec("pendulum", 2, 1, autoreset_mode=mode, max_steps=7)
            spaces = envs.single_observation_space, envs.single_action_space
            replay = tandem.Replay(500, *spaces, 2, autoreset_mode=mode, sampler="fifo", segment=5)
            add_steps(replay, envs, lambda observations, _: observations[:, 1:2], steps=60, seed=3)
            batch = drawn_in_order(replay)
            self.assertEqual(batch.actions.shape, (len(batch), 1))
            rows = np.column_stack(
                [
                    batch.observations,
                    batch.actions,
                    batch.returns,
                    batch.discounts,
                    batch.next_observations,
                ]
            )
            found.append({row.tobytes() for row in rows})
            self.assertEqual(len(found[-1]), len(batch))
        for other in found[1:]:  # with next_step the steps that only reset leave less time to play
            self.assertLessEqual(found[0], other)
        self.assertGreater(len(found[0]), 80)

    def test_frames_keep_their_bits(self):
        random = np.random.default_rng(1)
        blocks = np.kron(random.integers(0, 3, (90, 2, 2)), np.ones((6, 6))).astype(np.uint8)
        noise = random.integers(0, 256, (90, 12, 12), np.uint8)
        for compression, frames in itertools.product(COMPRESSIONS, [blocks, noise]):
            with self.subTest(compression=compression):
                replay = tandem.Replay(
                    200, FRAMES, Discrete(2), stack=4, compression=compression, sampler="fifo"
                )
                for t in range(80):
                    now, later = frames[t : t + 4], frames[t + 1 : t + 5]
                    replay.add(now[None], [0], later[None], [0.0], NO, NO)
                replay.end_episodes()
                batch = drawn_in_order(replay)
                for t in range(80):
                    np.testing.assert_array_equal(batch.observations[t], frames[t : t + 4])
                    last = min(t + 3, 80)
                    np.testing.assert_array_equal(
                        batch.next_observations[t], frames[last : last + 4]
                    )

    def test_any_type_of_numbers(self):
        for space, values in (
            (Box(-1, 1, (3,), np.float64), np.random.default_rng(1).random((9, 3))),
            (Box(-1, 1, (2, 2), np.float16), np.zeros((9, 2, 2), np.float16)),
            (Discrete(9), np.arange(9)),
            (Box(0, 1, (2,), np.int8), np.ones((9, 2), np.int8)),
        ):
            with self.subTest(space=space):
                replay = tandem.Replay(9, space, Discrete(2), n_step=1, segment=1, sampler="fifo")
                for now, later in itertools.pairwise(values):
                    replay.add(now[None], [0], later[None], [0.0], NO, NO)
                replay.end_episodes()
                batch = drawn_in_order(replay)
                self.assertEqual(batch.observations.dtype, space.dtype)
                np.testing.assert_array_equal(batch.observations, values[:8])
                np.testing.assert_array_equal(batch.next_observations, values[1:])

    def test_a_stack_takes_the_memory_of_one_frame(self):
        space = Box(0, 255, (4, 84, 84), np.uint8)
        replay = tandem.Replay(1000, space, Discrete(2), stack=4)
        frames = np.random.default_rng(1).integers(0, 256, (604, 84, 84), np.uint8)
        for t in range(600):
            replay.add(frames[None, t : t + 4], [0], frames[None, t + 1 : t + 5], [0.0], NO, NO)
        state = replay.state()
        self.assertEqual(state.transitions, 550)
        self.assertLess(state.bytes / state.transitions, 1.2 * 84 * 84)


class Priorities(unittest.TestCase):
    def test_the_first_one_is_the_largest_so_far(self):
        replay = number_replay(sampler="fifo")
        fill(replay, 2)
        batch = replay.sample(2)
        np.testing.assert_array_equal(batch.priorities, [1, 1])
        self.assertEqual(batch.keys.dtype.char, "L")  # torch takes no "Q"
        replay.update(batch.keys, [0.5, 7.0])
        fill(replay, 2, first=2)
        np.testing.assert_array_equal(replay.sample(2).priorities, [7, 7])

    # |R + gamma^n max_a q(S_{t+n}, a) - q(S_t, A_t)|, by hand, as in Ape-X's appendix F.
    def test_values_of_the_actor_give_it(self):
        replay = number_replay(n_step=2, sampler="fifo")
        for t in range(4):
            replay.add(
                column(t),
                [0],
                column(t + 1),
                [1.0],
                NO,
                np.array([t == 3]),
                action_values=[10.0 * t],
                state_values=[100.0 * t],
                final_values=[1000.0],
            )
        expected = [
            abs(1.5 + 0.25 * 200 - 0),
            abs(1.5 + 0.25 * 300 - 10),
            abs(1.5 + 0.25 * 1000 - 20),
            abs(1.0 + 0.5 * 1000 - 30),
        ]
        np.testing.assert_allclose(drawn_in_order(replay).priorities, expected)

    def test_a_truncated_episode_of_unknown_value_gets_the_largest(self):
        replay = number_replay(n_step=1, sampler="fifo")
        for t, ends in ((0, (NO, NO)), (1, (NO, YES)), (2, (YES, NO))):
            values = {"action_values": [0.0], "state_values": [8.0]}
            replay.add(column(t), [0], column(t + 1), [2.0], *ends, **values)
            if t == 1:  # the step that resets
                replay.add(column(2), [0], column(2), [0.0], NO, NO)
        np.testing.assert_allclose(drawn_in_order(replay).priorities, [6, 6, 2])

    # The chi-square of 9 degrees of freedom that chance exceeds once in a million is 46.
    def test_draws_are_in_proportion_to_their_power(self):
        priorities = np.float32([0.1, 0.5, 1, 2, 3, 5, 8, 13, 21, 34])
        for alpha in (0.0, 0.6, 1.0):
            with self.subTest(alpha=alpha):
                replay = number_replay(alpha=alpha, beta=0.7, n_step=1)
                fill(replay, 10)
                keys = {}
                while len(keys) < 10:
                    batch = replay.sample(64)
                    keys |= dict(zip(batch.observations[:, 0].astype(int), batch.keys, strict=True))
                replay.update(np.array([keys[i] for i in range(10)]), priorities)
                share = priorities.astype(np.float64) ** alpha
                share /= share.sum()
                counts = np.zeros(10)
                for _ in range(400):
                    batch = replay.sample(50)
                    drawn = batch.observations[:, 0].astype(int)
                    np.add.at(counts, drawn, 1)
                    np.testing.assert_array_equal(batch.priorities, priorities[drawn])
                    weights = (10 * share[drawn]) ** -0.7
                    np.testing.assert_allclose(batch.weights, weights / weights.max(), rtol=1e-5)
                expected = counts.sum() * share
                self.assertLess(((counts - expected) ** 2 / expected).sum(), 46)

    def test_uniform_and_fifo(self):
        replay = number_replay(sampler="uniform")
        fill(replay, 5)
        replay.update(replay.sample(5).keys, [100.0] * 5)
        counts = np.bincount(replay.sample(5000).observations[:, 0].astype(int), minlength=5)
        self.assertLess((((counts - 1000) ** 2) / 1000).sum(), 35)  # 4 degrees of freedom
        np.testing.assert_array_equal(replay.sample(9).weights, 1)

        replay = number_replay(sampler="fifo")
        fill(replay, 6)
        drawn = [replay.sample(2).observations[:, 0].tolist() for _ in range(3)]
        self.assertEqual(drawn, [[0, 1], [2, 3], [4, 5]])
        with self.assertRaises(tandem.ReplayTimeoutError):
            replay.sample(1, timeout=0)

    def test_the_same_seed_draws_the_same(self):
        drawn = []
        for _ in range(2):
            replay = number_replay(seed=5)
            fill(replay, 100)
            drawn.append(replay.sample(1000).observations)
        np.testing.assert_array_equal(*drawn)


if __name__ == "__main__":
    unittest.main()

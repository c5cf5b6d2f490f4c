"""Tests of misuse of tandem.Replay: each has a clear exception, and loses or hangs nothing."""

import os
import threading
import time
import unittest

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete
from misuse_test import run_python

import tandem

NUMBER = Box(-np.inf, np.inf, (1,), np.float32)
NO = [False, False]


def number_replay(capacity=100, **options):
    """A replay for two environments, whose one-step transitions arrive one at a time."""
    options = {"n_step": 1, "segment": 1, "seed": 1} | options
    return tandem.Replay(capacity, NUMBER, Discrete(3), 2, **options)


def pair(a, b):
    return np.float32([[a], [b]])


def step(t, **changes):
    """The arguments of add for step t of two environments."""
    arguments = {
        "observations": pair(t, -t),
        "actions": [0, 2],
        "next_observations": pair(t + 1, -t - 1),
        "rewards": [0.5, 1],
        "terminations": np.array(NO),
        "truncations": np.array(NO),
    }
    return arguments | changes


class Steps(unittest.TestCase):
    def test_bad_steps_are_refused_and_change_nothing(self):
        same = pair(1, -1)
        replay = number_replay(sampler="fifo")
        replay.add(**step(0))
        for changes, words in (
            ({"observations": pair(1, -1).astype(float)}, "observations is of type float64"),
            ({"observations": np.float32([1, -1])}, r"shape \[2\]; it must be \[2, 1\]"),
            ({"next_observations": np.zeros((3, 1), np.float32)}, r"\[3, 1\]; it must be \[2, 1\]"),
            ({"observations": [[1], [2, 3]]}, "observations cannot be made an array"),
            ({"observations": None}, "type object"),
            ({"actions": [0, 3]}, "action 3 of environment 1 is out of range: actions are 0 to 2"),
            ({"actions": [-1, 0]}, "action -1 of environment 0"),
            ({"actions": [0.0, 1.0]}, "actions is of type float64; these actions are integers"),
            ({"actions": [0]}, r"actions has the shape \[1\]; it must be \[2\]"),
            ({"rewards": [1, np.nan]}, "the reward of environment 1 is nan"),
            ({"rewards": [1e300, 0]}, "the reward of environment 0 is inf"),
            ({"rewards": ["a", "b"]}, "rewards is of type <U1; it must be numbers"),
            ({"rewards": [1.0]}, "rewards has the shape"),
            ({"terminations": [0, 1]}, "terminations is of type int64; it must be bools"),
            ({"truncations": [False]}, "truncations has the shape"),
            ({"action_values": [1, 2]}, "both action_values and state_values"),
            ({"final_values": [1, 2]}, "final_values go with"),
            (
                {"action_values": [1, 2], "state_values": [1, np.inf]},
                "the state value of environment 1 is inf",
            ),
            ({"timeout": -1}, "timeout is -1"),
            ({"timeout": float("nan")}, "timeout is nan"),
            ({"observations": pair(1, 5)}, "environment 1 is not the next observation of its step"),
            ({"observations": same, "next_observations": same}, "the same array"),
        ):
            with self.subTest(changes=changes), self.assertRaisesRegex(tandem.Error, words):
                replay.add(**step(1, **changes))
        for t in range(1, 5):
            replay.add(**step(t))
        replay.end_episodes()
        batch = replay.sample(len(replay))
        self.assertEqual(sorted(batch.observations[:, 0]), [-4, -3, -2, -1, 0, 0, 1, 2, 3, 4])

    def test_continuous_actions(self):
        replay = tandem.Replay(9, NUMBER, Box(-1, 1, (2,), np.float32))
        rest = (pair(1, 1)[:1], [0.0], np.array([False]), np.array([False]))
        for actions, words in (
            ([0.5, 0.5], r"shape \[2\]; it must be \[1, 2\]"),
            ([[0.5, np.nan]], "the action of environment 0 is nan"),
            ([["a", "b"]], "these actions are floats"),
        ):
            with self.subTest(actions=actions), self.assertRaisesRegex(tandem.Error, words):
                replay.add(pair(0, 0)[:1], actions, *rest)
        replay.add(pair(0, 0)[:1], [[0.5, 0.5]], *rest)

    def test_observations_that_are_no_stacks_are_found(self):
        replay = tandem.Replay(99, Box(0, 255, (4, 2, 2), np.uint8), Discrete(2), 2, stack=4)
        random = np.random.default_rng(1)
        now = random.integers(0, 255, (2, 4, 2, 2), np.uint8)
        with self.assertRaisesRegex(tandem.Error, "environment 0 is no stack .* stack=4 its first"):
            replay.add(now, [0, 0], now[:, ::-1].copy(), [0, 0], np.array(NO), np.array(NO))

    def test_a_reset_of_ones_own_is_told(self):
        replay = number_replay(sampler="fifo")
        replay.add(**step(0))
        with self.assertRaisesRegex(tandem.Error, r"call end_episodes\(\) after a reset"):
            replay.add(**step(7))
        replay.end_episodes()
        replay.add(**step(7))
        replay.end_episodes()
        self.assertEqual(len(replay), 4)

    def test_a_truncation_in_the_same_step_needs_its_last_observation(self):
        replay = number_replay(autoreset_mode="same_step", sampler="fifo")
        cut = step(0, truncations=np.array([False, True]))
        short = {"final_obs": [np.zeros(1)]}  # seen failing with an IndexError
        no_shape = {"final_obs": [None, np.zeros(3)]}
        for infos in (None, {}, {"final_obs": [None, None]}, no_shape, short):
            with self.subTest(infos=infos), self.assertRaisesRegex(tandem.Error, "final_obs"):
                replay.add(**cut, infos=infos)
        replay.add(**cut, infos={"final_obs": [None, np.float32([9])]})
        self.assertEqual(replay.sample(1).next_observations[0, 0], 9)

    # Seen failing when the next episode's first observation ended the last transition.
    def test_another_mode_of_the_environments_is_told(self):
        replay = number_replay(sampler="fifo")
        cut = step(0, truncations=np.array([False, True]))
        with self.assertRaisesRegex(tandem.Error, "autoreset mode is SAME_STEP.*is NEXT_STEP"):
            replay.add(**cut, infos={"final_obs": [None, np.float32([9])]})

    # The first transition of each episode would be lost without a word.
    def test_resets_by_hand_are_told_where_environments_reset_themselves(self):
        for mode, refused in (("next_step", True), ("disabled", False)):
            env = tandem.make("cartpole")
            spaces = env.observation_space, env.action_space
            options = {"autoreset_mode": mode, "n_step": 1, "sampler": "fifo", "segment": 1}
            replay = tandem.Replay(200, *spaces, **options)

            def play(env=env, replay=replay):
                observation, _ = env.reset(seed=1)
                for _ in range(100):
                    later, reward, terminated, truncated, _ = env.step(0)
                    ends = np.array([terminated]), np.array([truncated])
                    replay.add(observation[None], [0], later[None], [reward], *ends)
                    observation = later
                    if terminated or truncated:
                        observation, _ = env.reset()

            with self.subTest(mode=mode):
                if refused:
                    with self.assertRaisesRegex(tandem.Error, 'say autoreset_mode="disabled"'):
                        play()
                    continue
                play()
                replay.end_episodes()
                self.assertEqual(len(replay), 100)


class Settings(unittest.TestCase):
    def test_bad_settings_are_refused(self):
        pictures, numbers = Box(0, 255, (4, 8, 8), np.uint8), Discrete(2)
        nothing = {"capacity": 9, "observation_space": pictures, "action_space": numbers}
        for changes, words in (
            ({"capacity": 0}, "capacity.*1 to 16"),
            ({"capacity": "many"}, "capacity=many"),
            ({"sampler": "best"}, "sampler.*prioritized, uniform or fifo"),
            ({"alpha": 9}, "alpha.*0 to 2"),
            ({"min_fill": 10}, "replay.min_fill = 10 is more than replay.capacity = 9"),
            ({"compression": "zip"}, "none, lz4, zstd or png"),
            ({"segment": 0}, "segment.*1 to 10000"),
            ({"sampler": "fifo", "remover": "inverse_priority"}, "replay.remover = fifo"),
            ({"sampler": "fifo", "samples_per_insert": 2}, "gives each transition once"),
            ({"stack": 3}, "stack is 3"),
            ({"stack": 0}, "stack is 0"),
            ({"n_step": 0}, "n_step is 0; it must be from 1 to 1000"),
            ({"n_step": 1.5}, "n_step is 1.5; it must be an integer"),
            ({"gamma": 1.5}, "gamma is 1.5"),
            ({"num_envs": 0}, "num_envs is 0"),
            ({"autoreset_mode": "never"}, "autoreset_mode is 'never'"),
            ({"seed": -1}, "seed -1 is out of range"),
            ({"observation_space": Dict({"a": pictures})}, "no arrays of one shape"),
            ({"observation_space": Box(0, 1, (0,))}, "empty"),
            ({"observation_space": NUMBER, "compression": "png"}, "png keeps pictures"),
            ({"action_space": MultiBinary(3)}, "the spaces Discrete and Box$"),
            ({"action_space": MultiDiscrete([3, 3])}, "single_action_space.*, or.* number them"),
            ({"action_space": MultiDiscrete([3, 2])}, r"Box: number them \(np.ravel_multi_index\)"),
            ({"capacity": 16_000_000, "observation_space": Box(0, 1, (10**6,))}, "of memory"),
            ({"segment": 10_000, "observation_space": Box(0, 1, (10**6,))}, "segment to less"),
        ):
            with self.subTest(changes=changes), self.assertRaisesRegex(tandem.Error, words):
                tandem.Replay(**nothing | changes)

    def test_bad_batches_and_priorities_are_refused(self):
        replay = number_replay(sampler="fifo")
        for t in range(3):
            replay.add(**step(t))
        for size in (0, -1, 1.5, "a", None):
            with self.subTest(size=size), self.assertRaisesRegex(tandem.Error, "batch_size is"):
                replay.sample(size)
        with self.assertRaisesRegex(tandem.Error, "capacity = 100 is less than a batch, 101"):
            replay.sample(101)
        keys = replay.sample(3).keys
        for priorities, words in (
            ([1, np.nan, 1], "priority 1 is nan; priorities are finite numbers from 0 on"),
            ([1, 1, -1], "priority 2 is -1"),
            ([np.inf, 1, 1], "priority 0 is inf"),
            ([1, 1], r"shape \[2\]; it must be \[3\]"),
            ("abc", "priorities is of type"),
        ):
            with self.subTest(priorities=priorities), self.assertRaisesRegex(tandem.Error, words):
                replay.update(keys, priorities)
        with self.assertRaisesRegex(tandem.Error, "keys must be those of a batch"):
            replay.update([1.5], [1])
        replay.add(**step(3))
        self.assertEqual(replay.sample(1).priorities[0], 1)  # not the infinite one
        limited = number_replay(samples_per_insert=1, slack=8)
        with self.assertRaisesRegex(tandem.Error, "slack = 8 .* at least a batch, 9"):
            limited.sample(9)


class Waiting(unittest.TestCase):
    def test_a_wait_ends_after_its_time(self):
        replay = number_replay(min_fill=10, samples_per_insert=1, slack=4)
        for timeout in (0, 0.2):
            begin = time.monotonic()
            with self.assertRaisesRegex(TimeoutError, "holds 0 transitions"):
                replay.sample(2, timeout=timeout)
            self.assertLess(time.monotonic() - begin, timeout + 2)
        with self.assertRaisesRegex(tandem.ReplayTimeoutError, "nothing was added"):
            for t in range(100):
                replay.add(**step(t), timeout=0.1)
        inserted = replay.state().inserted
        replay.sample(4)
        replay.add(**step(t))  # the same step again
        self.assertEqual(replay.state().inserted, inserted + 2)

    def test_a_close_wakes_all(self):
        replay = number_replay(min_fill=10)
        errors = []

        def wait():
            try:
                replay.sample(2)
            except tandem.ReplayClosedError as error:
                errors.append(str(error))

        threads = [threading.Thread(target=wait) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        replay.close()
        replay.close()
        for thread in threads:
            thread.join(10)
        self.assertEqual(len(errors), 3)
        for call in (
            lambda: replay.sample(1),
            lambda: replay.add(**step(0)),
            lambda: replay.update(np.zeros(1, np.uint64), [1]),
            lambda: len(replay),
            lambda: replay.save("/nowhere"),
            lambda: replay.load("/nowhere"),
            replay.writer,
            replay.flush,
            replay.end_episodes,
            replay.state,
        ):
            with self.assertRaisesRegex(tandem.ReplayClosedError, "closed"):
                call()

    def test_other_threads_run_meanwhile(self):
        replay = number_replay()
        done = []
        thread = threading.Thread(target=lambda: done.append(len(replay.sample(4))))
        thread.start()
        for t in range(10):
            time.sleep(0.01)
            replay.add(**step(t))
        thread.join(10)
        self.assertEqual(done, [4])

    def test_a_second_thread_needs_a_writer_of_its_own(self):
        replay = number_replay(min_fill=1, samples_per_insert=1, slack=1)
        refused = []

        def add():
            try:
                for t in range(100):
                    replay.add(**step(t))
            except tandem.ReplayClosedError:
                pass

        thread = threading.Thread(target=add)
        thread.start()
        time.sleep(0.3)  # it waits for readers
        for call in (lambda: replay.add(**step(0)), replay.flush, replay.end_episodes):
            with self.assertRaisesRegex(tandem.Error, "another thread is adding.*writer"):
                call()
            refused.append(call)
        replay.writer().flush()
        replay.close()
        thread.join(10)
        self.assertFalse(thread.is_alive())
        self.assertEqual(len(refused), 3)

    def test_ctrl_c_ends_a_wait(self):
        output = run_python("""
            import os, signal, threading, time, numpy, tandem
            from gymnasium.spaces import Box, Discrete
            replay = tandem.Replay(9, Box(0, 1, (1,)), Discrete(2))
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            begin = time.monotonic()
            try:
                replay.sample(2)
            except KeyboardInterrupt:
                print("interrupted", time.monotonic() - begin < 5, len(replay))
        """)
        self.assertEqual(output, "interrupted True 0\n")

    def test_a_process_ends_while_threads_wait(self):
        output = run_python("""
            import threading, time, tandem
            from gymnasium.spaces import Box, Discrete
            replay = tandem.Replay(9, Box(0, 1, (1,)), Discrete(2))
            for _ in range(3):
                threading.Thread(target=replay.sample, args=(2,), daemon=True).start()
            threading.excepthook = lambda args: None
            time.sleep(0.2)
            print("end")
        """)
        self.assertEqual(output, "end\n")

    # AddressSanitizer's allocator may be locked at a fork, and the child then waits for it forever.
    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "a sanitizer cannot fork")
    def test_a_fork_is_refused_and_ends(self):
        output = run_python("""
            import os, sys, threading, time, warnings
            import numpy as np, tandem
            from gymnasium.spaces import Box, Discrete
            replay = tandem.Replay(9, Box(0, 1, (1,)), Discrete(2), min_fill=5)
            threading.Thread(target=replay.sample, args=(2,), daemon=True).start()
            threading.excepthook = lambda args: None
            time.sleep(0.2)
            now, no = np.zeros((1, 1), np.float32), np.array([False])
            warnings.simplefilter("ignore")
            child = os.fork()
            if child == 0:
                for call in (
                    lambda: replay.sample(1),
                    lambda: len(replay),
                    replay.flush,
                    lambda: replay.add(now, [0], now.copy(), [0.0], no, no),
                ):
                    try:
                        call()
                    except tandem.Error as error:
                        assert "fork" in str(error), error
                    else:
                        os._exit(3)
                replay.close()
                own = tandem.Replay(9, Box(0, 1, (1,)), Discrete(2))
                own.flush()
                del replay
                sys.exit(0)
            print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            replay.flush()
        """)
        self.assertEqual(output, "child 0\n")


class Memory(unittest.TestCase):
    def test_a_capacity_of_compressed_frames_that_does_not_fit_is_refused_as_they_come(self):
        spaces = Box(0, 255, (240, 240), np.uint8), Discrete(2)
        seen = np.random.default_rng(1).integers(0, 256, (1, 240, 240), np.uint8)
        with tandem.Replay(16_000_000, *spaces, compression="lz4", segment=10) as replay:
            for _ in range(1000):
                replay.add(seen, [0], seen.copy(), [0.0], *[np.array([False])] * 2)
            for _ in range(2):
                with self.assertRaisesRegex(tandem.Error, "set replay.capacity to"):
                    for _ in range(50):
                        replay.add(seen, [0], seen.copy(), [0.0], *[np.array([False])] * 2)


class Environments(unittest.TestCase):
    # The environment writes into one array, so that S_t is gone when its step returns.
    def test_an_environment_that_reuses_its_memory_is_found(self):
        envs = gymnasium.vector.SyncVectorEnv([lambda: tandem.make("cartpole")] * 2, copy=False)
        spaces = envs.single_observation_space, envs.single_action_space
        replay = tandem.Replay(9, *spaces, 2)
        observations, _ = envs.reset(seed=1)
        with self.assertRaisesRegex(tandem.Error, "the same array"):
            replay.add(observations, [0, 1], *envs.step([0, 1]))


if __name__ == "__main__":
    unittest.main()

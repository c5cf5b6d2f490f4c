"""Tests of the arrays that tandem returns: nothing overwrites them, and their memory is reused."""

import gc
import os
import resource
import time
import unittest

import numpy as np

import tandem


def step(env):
    return env.step(np.zeros(env.num_envs, int))


class Arrays(unittest.TestCase):
    def setUp(self):
        self.env = tandem.make_vec("catch", 4, 2)
        self.env.reset(seed=1)

    def tearDown(self):
        self.env.close()

    # Seen failing with a pool that takes a block back when its array's first view dies.
    def test_nothing_overwrites_an_array_that_is_referenced(self):
        kept, views = [], []
        for _ in range(50):
            observations, rewards, terminations, truncations, _ = step(self.env)
            kept.append((observations, observations.copy(), rewards, rewards.copy()))
            views.append((observations[1, 0, 3:9], observations[1, 0, 3:9].copy()))
            views.append((terminations[2:], terminations[2:].copy()))
        for observations, copy, rewards, rewards_copy in kept:
            np.testing.assert_array_equal(observations, copy)
            np.testing.assert_array_equal(rewards, rewards_copy)
        addresses = {one[0].ctypes.data for one in kept}
        self.assertEqual(len(addresses), 50)
        del kept, observations, rewards, terminations, truncations
        for _ in range(50):
            step(self.env)
        for view, copy in views:
            np.testing.assert_array_equal(view, copy)

    def test_memory_is_used_again(self):
        addresses = set()
        for _ in range(100):
            addresses.add(step(self.env)[0].ctypes.data)
        self.assertLessEqual(len(addresses), 2)
        held = [step(self.env)[0] for _ in range(20)]
        blocks = self.env._native.blocks
        del held
        for _ in range(200):
            held = [step(self.env)[0] for _ in range(20)]
            del held
        self.assertEqual(self.env._native.blocks, blocks)

    def test_arrays_outlive_their_environments(self):
        observations, rewards, *_ = step(self.env)
        copy = observations.copy()
        view = observations[2]
        self.env.close()
        self.env = tandem.make_vec("catch", 4, 2)
        del observations
        gc.collect()
        np.testing.assert_array_equal(view, copy[2])
        self.assertEqual(rewards.shape, (4,))

    def test_arrays_can_be_written(self):
        observations, rewards, *_ = step(self.env)
        observations[:] = 7
        rewards += 1
        self.assertFalse((step(self.env)[0] == 7).all())

    def test_observations_are_aligned(self):
        for _ in range(5):
            self.assertEqual(step(self.env)[0].ctypes.data % 64, 0)


class Growth(unittest.TestCase):
    def test_make_step_close_leaves_nothing_behind(self):
        def cycle():
            env = tandem.make_vec("catch", 16, 2)
            env.reset(seed=1)
            for _ in range(5):
                step(env)
            env.close()

        for _ in range(20):
            cycle()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        handles = len(os.listdir("/proc/self/fd"))
        time.sleep(0.2)  # the system removes a thread some time after it was joined
        threads = len(os.listdir("/proc/self/task"))
        for _ in range(150):
            cycle()
        if "asan" not in os.environ.get("LD_PRELOAD", ""):  # it keeps freed memory
            self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 2000)
        self.assertEqual(len(os.listdir("/proc/self/fd")), handles)
        end = time.monotonic() + 10
        while len(os.listdir("/proc/self/task")) > threads and time.monotonic() < end:
            time.sleep(0.01)
        self.assertLessEqual(len(os.listdir("/proc/self/task")), threads)


if __name__ == "__main__":
    unittest.main()

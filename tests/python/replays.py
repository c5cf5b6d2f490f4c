"""Replays of small transitions, for tests."""

import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode

import tandem

NUMBER = Box(-np.inf, np.inf, (1,), np.float32)
NO, YES = np.array([False]), np.array([True])


def number_replay(capacity=1000, num_envs=1, **options):
    """A replay of observations of one number each; one-step transitions arrive one at a time."""
    options = {"n_step": 1, "gamma": 0.5, "segment": 1, "seed": 1} | options
    return tandem.Replay(capacity, NUMBER, Discrete(4), num_envs, **options)


def fill(replay, count, first=0):
    """Adds transitions from observation i to i + 1, for `count` numbers from `first` on."""
    for i in range(first, first + count):
        replay.add([[np.float32(i)]] * 1, [i % 4], np.float32([[i + 1]]), [i], NO, NO)
    replay.end_episodes()


def add_steps(replay, envs, act, steps, seed):
    """Adds steps of environments in the replay's mode. `act` chooses actions by observations and
    the number of the step."""
    observations, _ = envs.reset(seed=seed)
    for t in range(steps):
        actions = act(observations, t)
        step = envs.step(actions)
        replay.add(observations, actions, *step)
        observations, ended = step[0], step[2] | step[3]
        if envs.metadata["autoreset_mode"] == AutoresetMode.DISABLED and ended.any():
            observations, _ = envs.reset(options={"reset_mask": ended})


def column(number):
    return np.float32([[number]])


def drawn_in_order(replay):
    """All transitions of a replay with the sampler fifo, which gives each once."""
    replay.flush()
    return replay.sample(len(replay), timeout=5)

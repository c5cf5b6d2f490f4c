"""Replays of small transitions, for tests."""

import numpy as np
from gymnasium.spaces import Box, Discrete

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


def column(number):
    return np.float32([[number]])


def drawn_in_order(replay):
    """All transitions of a replay with the sampler fifo, which gives each once."""
    replay.flush()
    return replay.sample(len(replay), timeout=5)

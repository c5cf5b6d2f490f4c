"""Comparison of what vector environments return."""

import numpy as np


def assert_same(ours, theirs, where="result"):
    """Fails unless both are the same, types of arrays and keys of dicts included."""
    assert type(ours) is type(theirs), f"{where}: {type(ours)} and {type(theirs)}"
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), f"{where}: {sorted(ours)} and {sorted(theirs)}"
        for key in ours:
            assert_same(ours[key], theirs[key], f"{where}[{key!r}]")
    elif isinstance(ours, tuple | list):
        assert len(ours) == len(theirs), where
        for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(one, other, f"{where}[{i}]")
    elif isinstance(ours, np.ndarray):
        assert ours.dtype == theirs.dtype, f"{where}: {ours.dtype} and {theirs.dtype}"
        assert ours.shape == theirs.shape, f"{where}: {ours.shape} and {theirs.shape}"
        if ours.dtype == object:
            assert_same(list(ours), list(theirs), where)
        else:
            np.testing.assert_array_equal(ours, theirs, where)
    else:
        assert ours == theirs, f"{where}: {ours} and {theirs}"


def play(env, steps, seed=5, action_seed=3):
    """The results of a reset and of steps with random actions."""
    env.action_space.seed(action_seed)
    results = [env.reset(seed=seed)]
    for _ in range(steps):
        results.append(env.step(env.action_space.sample()))
    return results

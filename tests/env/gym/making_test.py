"""Tests how a worker makes an environment by its id."""

import sys
import unittest
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium import spaces

sys.path.insert(0, str(Path(__file__).parents[3] / "src/tandem/env/gym"))

from tandem_worker.making import make  # noqa: E402


class Plain(gymnasium.Env):
    """It lists a way to draw that its constructor does not take."""

    metadata = {"render_modes": ["rgb_array"]}
    observation_space = spaces.Box(0, 9, (2,), np.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, size=2):
        self.size = size


class Drawn(Plain):
    def __init__(self, size=2, render_mode=None):
        super().__init__(size)
        self.render_mode = render_mode


class Passed(Drawn):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)


class Blind(Drawn):
    metadata = {"render_modes": ["human"]}


class Untold(type):
    """The signatures of its classes cannot be read."""

    @property
    def __signature__(cls):
        raise ValueError("no signature")


class Unreadable(Drawn, metaclass=Untold):
    pass


for one in (Plain, Drawn, Passed, Blind, Unreadable):
    gymnasium.register(f"{one.__name__}-v0", entry_point=one)
gymnasium.register("Named-v0", entry_point=f"{__name__}:Plain")


def made(name, **kwargs):
    start = {"pickle": "", "id": f"{name}-v0", "kwargs": kwargs, "wrappers": []}
    return make(start).unwrapped


class Making(unittest.TestCase):
    # Seen failing: make() refused the argument that Plain does not have.
    def test_only_those_that_take_a_way_to_draw_get_one(self):
        for name in ("Plain", "Named", "Blind"):
            self.assertIsNone(made(name).render_mode, name)
        for name in ("Drawn", "Passed", "Unreadable"):
            self.assertEqual(made(name).render_mode, "rgb_array", name)

    def test_the_users_arguments_come_first(self):
        self.assertEqual(made("Plain", size=5).size, 5)
        self.assertIsNone(made("Drawn", render_mode=None).render_mode)


if __name__ == "__main__":
    unittest.main()

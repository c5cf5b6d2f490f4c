"""An environment whose actions do not count from 0, for tests."""

import gymnasium
import numpy as np


class Signed(gymnasium.Env):
    """Its actions, -1, 0 and 1, are its rewards. It shows its steps; an episode has five."""

    observation_space = gymnasium.spaces.Box(0, 5, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3, start=-1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.float32([self.steps]), float(action), self.steps == 5, False, {}

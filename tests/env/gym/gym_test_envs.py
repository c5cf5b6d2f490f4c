"""Environments for gym_group_test.cc. In Faulty the action says what goes wrong."""

import ctypes
import os
import signal
import subprocess
import sys
import time

import gymnasium
import numpy as np
from gymnasium import spaces

NOTHING, RAISE, KILL, EXIT, HANG, HANG_IN_C, SHAPE, DTYPE, NAN_REWARD, NO_REWARD, FOUR, PRINT = (
    range(12)
)
NAN_OBSERVATION, NEW_ACTIONS, CHILD, SLOW, LONG_ERROR, SYSTEM_EXIT, TERMINATE, TRUNCATE = range(
    12, 20
)


class Faulty(gymnasium.Env):
    """Observations are {seed, episode, step, pid} as floats."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 12}

    def __init__(self, render_mode=None, bonus=0.0, fail_at_start=False, picture=True):
        if "REFUSED_FILE" in os.environ:
            with open(os.environ["REFUSED_FILE"], "a") as file:
                file.write("refused\n")
            raise RuntimeError("the cherry trees are bare")
        if fail_at_start:
            raise RuntimeError("no cherries in stock: \udcff")  # as in the name of a file
        self.render_mode = render_mode
        self.observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float64)
        self.action_space = spaces.Discrete(20)
        self.bonus, self.picture = bonus, picture
        self.seed, self.episode, self.steps = -1, 0, 0

    def see(self):
        return np.array([self.seed, self.episode, self.steps, os.getpid()], np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.seed = seed
        self.episode += 1
        self.steps = 0
        return self.see(), {}

    def step(self, action):
        assert isinstance(action, np.int64)
        self.steps += 1
        reward = float(action) + self.bonus
        observation = self.see()
        if action == RAISE:
            self.complain()
        elif action == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        elif action == EXIT:
            os._exit(7)
        elif action == HANG:
            time.sleep(1000)
        elif action == HANG_IN_C:
            ctypes.PyDLL(None).pause()  # holds the interpreter's lock
        elif action == SHAPE:
            observation = np.zeros(3)
        elif action == DTYPE:
            observation = np.array(["a"] * 4)
        elif action == NAN_REWARD:
            reward = np.nan
        elif action == NO_REWARD:
            reward = None
        elif action == FOUR:
            return observation, reward, False, {}
        elif action == PRINT:
            print("garbage " * 1000)
            os.write(1, b"\x00\x01\xff" * 1000)
            sys.stdout.flush()
        elif action == NAN_OBSERVATION:
            observation[1] = np.nan
        elif action == NEW_ACTIONS:
            self.action_space = spaces.Discrete(3)
            return observation, reward, True, False, {}
        elif action == CHILD:
            subprocess.Popen(["sleep", f"1000.{os.getpid()}"])
        elif action == SLOW:
            time.sleep(0.3)
        elif action == LONG_ERROR:
            raise RuntimeError("cherries " * 10_000 + "and the last word")
        elif action == SYSTEM_EXIT:
            sys.exit("enough")
        return observation, reward, action == TERMINATE, action == TRUNCATE, {}

    def complain(self):
        raise ValueError("no cherries in the bowl")

    def render(self):
        if not self.picture:
            return np.zeros((2, 3), np.uint8)
        picture = np.zeros((4, 6, 3), np.uint8)
        picture[1, 2] = (10, 20, 30)
        return picture

    def close(self):
        if "CLOSED_FILE" in os.environ:
            with open(os.environ["CLOSED_FILE"], "a") as file:
                file.write("closed\n")


class Torque(gymnasium.Env):
    """Two continuous actions, which the observation shows."""

    observation_space = spaces.Box(-9, 9, (2,), np.float32)
    action_space = spaces.Box(np.array([-1, 0]), np.array([1, 5]), dtype=np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(2, np.float32), {}

    def step(self, action):
        assert action.dtype == np.float64
        assert self.action_space.contains(action)
        return action.astype(np.float32), 0.0, False, False, {}


class Signs(gymnasium.Env):
    """Its actions are -1, 0 and 1, and so are its rewards."""

    observation_space = spaces.Box(-1, 1, (1,), np.float32)
    action_space = spaces.Discrete(3, start=-1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action):
        assert self.action_space.contains(action)
        return np.zeros(1, np.float32), float(action), False, False, {}


class Texts(gymnasium.Env):
    observation_space = spaces.Text(10)
    action_space = spaces.Discrete(2)


class Unbounded(gymnasium.Env):
    observation_space = spaces.Discrete(3)
    action_space = spaces.Box(-np.inf, np.inf, (2,))


class Pixels(gymnasium.Env):
    """{2, 3, 3} pictures: their bytes are 0, 1, 2, ... in the order of the observation."""

    observation_space = spaces.Box(0, 255, (2, 5, 3), np.uint8)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.arange(30, dtype=np.uint8).reshape(2, 5, 3), {}

    def step(self, action):
        return self.reset()[0], 0.0, False, False, {}


class Doubled(gymnasium.RewardWrapper):
    def reward(self, reward):
        return 2 * reward


for one in (Faulty, Torque, Signs, Texts, Unbounded, Pixels):
    gymnasium.register(f"{one.__name__}-v0", entry_point=one)

"""The rate of one of EnvPool's football environments with random actions, in turns.

usage: football_rate.py SCENARIO

Input and output are those of env_rate.py.
"""

import itertools
import sys

import envpool
import numpy as np
from env_rate import ROUNDS, rate

ACTIONS = 19
UNMEASURED = 100
STEPS_PER_LOOK = 1  # a step takes milliseconds


def main():
    scenario = sys.argv[1]
    env = envpool.make(f"gfootball/{scenario}-v1", env_type="gymnasium", num_envs=1, num_threads=1)
    env.reset()
    drawn = np.random.default_rng(1).integers(ACTIONS, size=(ROUNDS, 1)).astype(np.int32)
    actions = itertools.cycle(drawn)

    def step():
        env.step(next(actions))
        return 1

    print("@@", flush=True)
    for line in sys.stdin:
        print("@@", *rate(step, float(line), UNMEASURED, STEPS_PER_LOOK), flush=True)


if __name__ == "__main__":
    main()

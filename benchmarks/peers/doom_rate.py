"""The rate of EnvPool's environments of one of ViZDoom's scenarios with random actions, in turns.

usage: doom_rate.py TASK ENVS THREADS

Observations and the tics of a step are EnvPool's defaults: 84 x 84 in gray, stack 4, four tics.
Input and output are those of env_rate.py.
"""

import itertools
import os
import sys
import tempfile

import envpool
import numpy as np
from env_rate import ROUNDS, rate

UNMEASURED = 100
STEPS_PER_LOOK = 16


def main():
    task, envs, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.chdir(tempfile.gettempdir())  # where its engine leaves its settings
    env = envpool.make(
        task, env_type="gymnasium", num_envs=envs, num_threads=threads, use_combined_action=True
    )
    env.reset()
    actions = np.random.default_rng(1).integers(env.action_space.n, size=(ROUNDS, envs))
    drawn = itertools.cycle(actions.astype(np.int32))

    def step():
        env.step(next(drawn))
        return envs

    print("@@", flush=True)
    for line in sys.stdin:
        print("@@", *rate(step, float(line), UNMEASURED, STEPS_PER_LOOK), flush=True)


if __name__ == "__main__":
    main()

"""The rate of one of EnvPool's football environments with random actions, in turns.

Each line of standard input is a turn of so many seconds. The answer is a line `@@ STEPS SECONDS
CPU`: the seconds of the turn, and those of the CPU in all threads. It ends with its input.
"""

import sys
import time

import envpool
import numpy as np

ACTIONS = 19
ROUNDS = 997  # of actions that are drawn in advance
UNMEASURED = 100


def main():
    scenario = sys.argv[1]
    env = envpool.make(f"gfootball/{scenario}-v1", env_type="gymnasium", num_envs=1, num_threads=1)
    env.reset()
    actions = np.random.default_rng(1).integers(ACTIONS, size=(ROUNDS, 1)).astype(np.int32)
    at = 0
    for line in sys.stdin:
        seconds = float(line)
        steps, begin, cpu = -UNMEASURED, time.perf_counter(), time.process_time()
        while steps <= 0 or time.perf_counter() - begin < seconds:
            env.step(actions[at % ROUNDS])
            at += 1
            steps += 1
            if steps == 0:
                begin, cpu = time.perf_counter(), time.process_time()
        print("@@", steps, time.perf_counter() - begin, time.process_time() - cpu, flush=True)


if __name__ == "__main__":
    main()

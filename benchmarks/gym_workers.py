"""Steps per second of Gymnasium environments in tandem's workers, and in Gymnasium's own vector
environments, in the same run.

usage: gym_workers.py [--tandem build/tandem] [--envs 16] [--workers 2] [--seconds 5] [ID ...]
Without an ID it measures an environment that does nothing but show 84 x 84 bytes, and CartPole.
Tandem's rate is that of its VecEnv, with all that a training gets of it. The machine should be
idle.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from machine import cpu_name

NOOP = "gym_workers:Noop-v0"


class Noop(gymnasium.Env):
    """An environment without any work of its own."""

    observation_space = spaces.Box(0, 255, (84, 84), np.uint8)
    action_space = spaces.Discrete(6)

    def __init__(self):
        self._observation = np.zeros((84, 84), np.uint8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._observation, {}

    def step(self, action):
        return self._observation, 0.0, False, False, {}


if "Noop-v0" not in gymnasium.registry:
    gymnasium.register("Noop-v0", entry_point=Noop, disable_env_checker=True)


def rate_of_tandem(env_id, options):
    words = [options.tandem, "bench", "env", "--env", f"gym:{env_id}", "--json"]
    words += ["--envs", str(options.envs), "--seconds", str(options.seconds)]
    words += ["--set", f"env.workers={options.workers}", "--set", f"env.python={sys.executable}"]
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        words, check=True, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}
    )
    return json.loads(done.stdout)["steps_per_second"]


def rate_of_gymnasium(make_vector, env_id, options):
    def make():
        return gymnasium.make(env_id, disable_env_checker=True)

    envs = make_vector([make] * options.envs)
    envs.reset(seed=1)
    generator = np.random.default_rng(1)
    actions = [generator.integers(envs.single_action_space.n, size=options.envs) for _ in range(64)]
    for one in actions:  # a warm-up
        envs.step(one)
    steps, begin = 0, time.perf_counter()
    while (seconds := time.perf_counter() - begin) < options.seconds:
        for one in actions:
            envs.step(one)
        steps += 64 * options.envs
    envs.close()
    return steps / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("ids", nargs="*", default=[NOOP, "CartPole-v1"], metavar="ID")
    parser.add_argument("--tandem", default="build/tandem")
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()

    print(
        f"{cpu_name()}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}; "
        f"gymnasium {gymnasium.__version__}, {options.envs} environments; steps/s"
    )
    print(f"{'environment':24}{'tandem':>10}{'Sync':>10}{'Async':>10}{'tandem / Async':>16}")
    for env_id in options.ids:
        tandem = rate_of_tandem(env_id, options)
        sync = rate_of_gymnasium(SyncVectorEnv, env_id, options)
        # Shared memory is AsyncVectorEnv's default.
        asynchronous = rate_of_gymnasium(AsyncVectorEnv, env_id, options)
        print(
            f"{env_id:24}{tandem:10.0f}{sync:10.0f}{asynchronous:10.0f}"
            f"{tandem / asynchronous:16.1f}",
            flush=True,
        )


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()

"""Options, networks, environments and reports for all peer scripts."""

import argparse
import os
import time

import numpy as np
from torch import nn


class Report:
    """Prints `@@ SECONDS STEPS` about twice a second: the clock, and the steps taken so far."""

    def __init__(self):
        self.last = 0.0

    def __call__(self, steps):
        now = time.monotonic()
        if now - self.last > 0.5:
            print("@@", now, steps, flush=True)
            self.last = now


def options():
    """The options of a peer, from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", default="Pong")
    parser.add_argument("--net", choices=["nips", "nature"], default="nips")
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--steps", type=int, default=5, help="between two updates")
    parser.add_argument("--batch", type=int, default=32, help="DQN: of an update")
    parser.add_argument("--samples-per-insert", type=int, default=8, help="DQN")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def torso(net):
    """The convolutional torso of Mnih et al. (2013, 2015) and the width of its last layer."""
    if net == "nips":
        convolutions = [nn.Conv2d(4, 16, 8, 4), nn.ReLU(), nn.Conv2d(16, 32, 4, 2), nn.ReLU()]
        inside, width = 32 * 9 * 9, 256
    else:
        convolutions = [nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU()]
        convolutions += [nn.Conv2d(64, 64, 3), nn.ReLU()]
        inside, width = 64 * 7 * 7, 512
    return nn.Sequential(*convolutions, nn.Flatten(), nn.Linear(inside, width), nn.ReLU()), width


def envpool_atari(game, envs, threads):
    """Atari as EnvPool steps it: frame skip 4, 84x84 grey, stack 4, up to 30 no-ops."""
    import envpool

    return envpool.make(
        f"{game}-v5", env_type="gymnasium", num_envs=envs, num_threads=threads, reward_clip=True
    )


def step(env, actions):
    """One step of all environments: observations, rewards, and where an episode ended."""
    observations, rewards, terminated, truncated, _ = env.step(actions.astype(np.int32))
    return observations, rewards, terminated | truncated

"""Whole games of EnvPool's Atari, and reports of their scores, for peers that train to a score."""

import argparse
import collections
import os
import sys
import time

import numpy as np

GAMES = 100  # in a mean score


class ScoreReport:
    """Prints `@@ SECONDS STEPS GAMES MEAN` about once a second, the mean over the last 100 games,
    and ends the process when it reaches the goal."""

    def __init__(self, goal):
        self.goal = goal
        self.begun = time.monotonic()
        self.last = 0.0
        self.games = 0
        self.scores = collections.deque(maxlen=GAMES)

    def add(self, score):
        self.games += 1
        self.scores.append(score)

    def __call__(self, steps):
        now = time.monotonic()
        mean = float(np.mean(self.scores)) if self.scores else float("nan")
        reached = len(self.scores) == GAMES and mean >= self.goal
        if reached or now - self.last > 1:
            print("@@", now - self.begun, steps, self.games, mean, flush=True)
            self.last = now
        if reached:
            sys.stdout.flush()
            os._exit(0)


class Games:
    """EnvPool's games, in which a lost life ends an episode for the learner but not the game."""

    def __init__(self, game, count, threads, seed, report):
        import envpool

        self.env = envpool.make(
            f"{game}-v5",
            env_type="gymnasium",
            num_envs=count,
            num_threads=threads,
            episodic_life=True,
            reward_clip=True,
            seed=100_000 * seed,  # EnvPool adds the environment's number
        )
        self.report = report
        self.scores = np.zeros(count)

    def reset(self):
        self.report.begun = time.monotonic()  # as tandem's clock, which begins with the training
        return self.env.reset()[0]

    def step(self, actions):
        """Observations, clipped rewards, and where an episode ended for the learner."""
        after, rewards, terminated, truncated, info = self.env.step(actions.astype(np.int32))
        self.scores += info["reward"]
        over = np.asarray(info["terminated"], bool) | truncated
        for score in self.scores[over]:
            self.report.add(float(score))
        self.scores[over] = 0
        return after, rewards, terminated | truncated


def begin_episodes(env, ends, observations):
    """Puts the first observations of the next episodes in the place of the last ones. EnvPool gives
    them a step later, whatever the action; Stable-Baselines3 and Sample Factory want them now."""
    ids = np.flatnonzero(ends).astype(np.int32)
    if len(ids) > 0:
        observations[ids] = env.step(np.zeros(len(ids), np.int32), ids)[0]


def options(**whole_numbers):
    """The options of all peers, and whole numbers of this peer's own with their defaults."""
    parser = argparse.ArgumentParser()
    for name, default in whole_numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--game", required=True)
    parser.add_argument("--goal", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=10_000_000, help="over which rates fall")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()

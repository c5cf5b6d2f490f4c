#!/usr/bin/env python3
"""Measures the races of TORCS: their rate, and the scores of TORCS's own robot and of random play.

usage: torcs.py [rates] [scores] [--seconds S] [--episodes N] [--program TANDEM]

rates: steps per second of one environment on one core, with a picture for each step.
scores: metres in an episode of 60 seconds from random places, which results/torcs.md holds beside
those of trained agents. It needs the Python package, in build/python or installed.
"""

import argparse
import statistics
import sys
from pathlib import Path

from football import run_json
from machine import machine_name
from peer_environments import ROOT

sys.path.insert(0, str(ROOT / "build/python"))

NAMES = ("slow_car", "slow_car_bots", "fast_car", "fast_car_bots")


def rates(args):
    print("| environment | steps/s |\n|---|---|")
    for name in NAMES:
        words = ["bench", "env", "--env", f"torcs:{name}", "--seconds", str(args.seconds)]
        print(f"| {name} | {run_json(args.program, *words)['steps_per_second']:,.0f} |", flush=True)


def metres(name, driver, episodes):
    """The mean of so many episodes, one after the other."""
    import tandem  # only here: rates need no Python package

    envs = tandem.make_vec(f"torcs:{name}", num_envs=1, seed=1, driver=driver)
    envs.action_space.seed(1)
    scores = []
    for _ in range(episodes):
        envs.reset()
        score, ended = 0.0, False
        while not ended:
            _, reward, terminated, truncated, _ = envs.step(envs.action_space.sample())
            score += float(reward[0])
            ended = bool(terminated[0] or truncated[0])
        scores.append(score)
    envs.close()
    return statistics.mean(scores)


def scores(args):
    print("| environment | TORCS's robot, metres | random play, metres |\n|---|---|---|")
    for name in NAMES:
        row = [metres(name, driver, args.episodes) for driver in ("robot", "agent")]
        print(f"| {name} | {row[0]:,.0f} | {row[1]:,.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help="rates or scores; all unless named")
    parser.add_argument("--program", type=Path, default=ROOT / "build/tandem")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--episodes", type=int, default=10)
    args = parser.parse_args()
    print(f"CPU: {machine_name()}\n")
    for part in args.parts or ("rates", "scores"):
        {"rates": rates, "scores": scores}[part](args)
        print()


if __name__ == "__main__":
    main()

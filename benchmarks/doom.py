#!/usr/bin/env python3
"""Compares the steps per second of ViZDoom's scenarios with EnvPool's, on the same cores.

usage: doom.py [--rounds N] [--seconds S] [--envs N] [--program TANDEM] [--python PYTHON]

Both take random actions of four tics, with observations of 84 x 84 in gray from a screen of 160 x
120, resets included. Each environment has an engine process, so each has a thread; EnvPool is
measured with a thread for each core, too, and its better rate counts. PYTHON is one that has
EnvPool 1.2.5.
"""

import argparse
import os
import sys
from pathlib import Path

from football import print_head, print_row, rate, run_json
from machine import machine_name
from peer_environments import PEERS, ROOT, Missing, Turns, peers_python

TASKS = {"health_gathering": "HealthGathering-v1", "my_way_home": "MyWayHome-v1"}


def own_rate(program, scenario, envs, seconds):
    """Steps per second of tandem's environments together."""
    words = ["bench", "env", "--env", f"doom:{scenario}", "--seconds", str(seconds)]
    words += ["--envs", str(envs), "--env-threads", str(envs)]
    return run_json(program, *words)["steps_per_second"]


def compare(args, scenario, task):
    """Prints the row of a scenario."""
    command = [args.python, PEERS / "doom_rate.py", task, args.envs]
    cores = len(os.sched_getaffinity(0))
    pools = [Turns([*command, threads]) for threads in (args.envs, cores)]
    turns = []
    for _ in range(args.rounds):
        own = own_rate(args.program, scenario, args.envs, args.seconds)
        turns.append((own, max(rate(pool, args.seconds) for pool in pools)))
    for pool in pools:
        pool.close()
    print_row(scenario, turns)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT / "build/tandem")
    parser.add_argument("--python", type=Path, help="a Python that has EnvPool 1.2.5")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--envs", type=int, default=8)
    args = parser.parse_args()
    args.python = peers_python(args.python)
    print(f"CPU: {machine_name()}; {args.envs} environments\n")
    print_head()
    for scenario, task in TASKS.items():
        compare(args, scenario, task)


if __name__ == "__main__":
    try:
        main()
    except Missing as reason:
        sys.exit(f"doom: {reason}")

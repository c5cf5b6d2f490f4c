#!/usr/bin/env python3
"""Compares the steps per second of ViZDoom's scenarios with EnvPool's, on the same cores.

usage: doom.py [--rounds N] [--seconds S] [--envs N] [--program TANDEM] [--python PYTHON]

Both take random actions of four tics, with observations of 84 x 84 in gray from a screen of 160 x
120, resets included. Each environment has an engine process, so each has a thread; EnvPool is
measured with a thread for each core, too, and its better rate counts. PYTHON is one that has
EnvPool 1.2.5.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from run import processor
from side_by_side import PEERS, ROOT, peers_python

TASKS = {"health_gathering": "HealthGathering-v1", "my_way_home": "MyWayHome-v1"}


def own_rate(program, scenario, envs, seconds):
    words = ["bench", "env", "--env", f"doom:{scenario}", "--seconds", str(seconds), "--json"]
    words += ["--envs", str(envs), "--env-threads", str(envs)]
    done = subprocess.run([program, *words], stdout=-1, check=True, text=True)
    return json.loads(done.stdout)["steps_per_second"]


class EnvPool:
    """EnvPool's environments in a process that steps them when it is their turn."""

    def __init__(self, python, task, envs, threads):
        words = [python, PEERS / "doom_rate.py", task, str(envs), str(threads)]
        self.process = subprocess.Popen(
            words, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, text=True
        )

    def rate(self, seconds):
        print(seconds, file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            if line.startswith("@@"):
                _, steps, passed, _ = line.split()
                return int(steps) / float(passed)
        sys.exit("doom.py: EnvPool has ended")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare(args, scenario, task):
    """Prints a row with both rates and their ratio, the medians over the rounds."""
    pools = [
        EnvPool(args.python, task, args.envs, threads) for threads in (args.envs, os.cpu_count())
    ]
    turns = []
    for _ in range(args.rounds):
        own = own_rate(args.program, scenario, args.envs, args.seconds)
        turns.append((own, max(pool.rate(args.seconds) for pool in pools)))
    for pool in pools:
        pool.close()
    own, other = (statistics.median(column) for column in zip(*turns, strict=True))
    ratios = [mine / theirs for mine, theirs in turns]
    each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    times = statistics.median(ratios)
    print(f"| {scenario} | {own:,.0f} | {other:,.0f} | {times:.2f} | {each} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT / "build/tandem")
    parser.add_argument("--python", type=Path, help="a Python that has EnvPool 1.2.5")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--envs", type=int, default=8)
    args = parser.parse_args()
    args.python = peers_python(args.python)
    print(f"CPU: {processor()}; {args.envs} environments\n")
    print("| scenario | tandem, steps/s | EnvPool, steps/s | times | of each round |")
    print("|---|---|---|---|---|")
    for scenario, task in TASKS.items():
        compare(args, scenario, task)


if __name__ == "__main__":
    main()

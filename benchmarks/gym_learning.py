#!/usr/bin/env python3
"""Trains agents in Gymnasium environments, and writes the table of docs/results/python.md.

usage: benchmarks/gym_learning.py [--runs DIR] [--only LETTERS] [--table] [--plots DIR]

Each case is one training with seed 1, into a folder of its own under DIR (runs/gym), and the mean
score of 30 greedy games afterwards. A case whose run is finished is not trained again. --table
prints the table of the runs that are there. --plots draws their curves, a picture for each
environment. The interpreter that runs this script needs gymnasium,
and with it minigrid and box2d for the tasks of these names.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = ("paac", "a3c", "ga3c", "hts", "impala", "apex")


@dataclass
class Case:
    system: str
    env: str
    steps: str
    words: tuple[str, ...] = ()
    preset: str = ""  # empty: the default one for the kind of environment

    @property
    def name(self):
        return f"{self.env.split(':')[-1]}-{self.system}"


MINIGRID = (
    "env.wrappers=minigrid.wrappers:RGBImgPartialObsWrapper,minigrid.wrappers:ImgObsWrapper",
)
PPO = ("algo=ppo",)
SCALED = (*PPO, "env.normalise_rewards=true")  # returns of hundreds, which upset the critic else
SOLVED = ("run.until_return=475",)  # Gymnasium's threshold for CartPole-v1
LOG = "run.log_seconds=0.2"  # a run of CartPole takes seconds
CASES = [
    *(Case(s, "gym:CartPole-v1", "1M", SOLVED, preset=f"{s}/cartpole") for s in SYSTEMS),
    Case("paac", "gym:LunarLander-v3", "1500k", PPO),
    Case("hts", "gym:LunarLander-v3", "1500k", SCALED),  # without it: 140 at 400k, then -800
    Case("paac", "gym:minigrid:MiniGrid-Empty-5x5-v0", "300k", MINIGRID),
    Case("hts", "gym:minigrid:MiniGrid-Empty-5x5-v0", "300k", MINIGRID),
    *(Case(system, "gym:Pendulum-v1", "2M", PPO) for system in ("paac", "hts")),
]


def tandem(*words, **options):
    environment = {**os.environ, "TANDEM_PYTHON": sys.executable}
    command = [str(word) for word in (ROOT / "build/tandem", *words)]
    return subprocess.run(command, check=True, env=environment, **options)


def finished(run):
    """Whether the run ended by itself; one that a signal or an error stopped can be resumed."""
    result = run / "result.json"
    if not result.exists():
        return False
    return not json.loads(result.read_text())["why_ended"].startswith(("signal", "error"))


def train(case, folder):
    run = folder / case.name
    if finished(run):
        return
    if any((run / "checkpoints").glob("0*")):
        tandem("train", "--resume", run)
        return
    shutil.rmtree(run, ignore_errors=True)  # it was killed before its first checkpoint
    words = [word for setting in (*case.words, LOG) for word in ("--set", setting)]
    if case.preset:
        words += ["--config", case.preset]
    words += ["--env", case.env, "--steps", case.steps, "--seed", 1, "--run-dir", run]
    tandem("train", case.system, *words)


def score(case, folder):
    words = ["eval", folder / case.name, "--greedy", "--episodes", 30, "--json"]
    return json.loads(tandem(*words, capture_output=True).stdout)


def print_table(cases, folder):
    print("| environment | system | steps | last 100 training games | 30 greedy games | settings |")
    print("|---|---|---|---|---|---|")
    for case in cases:
        run = folder / case.name
        if not finished(run):
            continue
        result = json.loads((run / "result.json").read_text())
        mean = score(case, folder)["mean"]
        settings = [case.preset] if case.preset else []
        settings = " ".join(f"`{setting}`" for setting in (*settings, *case.words)) or "-"
        print(
            f"| {case.env} | {case.system} | {result['steps']:,} "
            f"| {result['mean_return']:.2f} | {mean:.2f} | {settings} |"
        )


def draw(cases, folder, pictures):
    for env in dict.fromkeys(case.env for case in cases):
        runs = [folder / case.name for case in cases if case.env == env]
        picture = pictures / f"gym-{env.split(':')[-1].lower()}.png"
        tandem("plot", *(run for run in runs if finished(run)), "--out", picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=Path, default=ROOT / "runs/gym")
    parser.add_argument("--only", default="", help="cases whose name has these letters")
    parser.add_argument("--table", action="store_true", help="print the table, train nothing")
    parser.add_argument("--plots", type=Path, help="folder for the pictures of the curves")
    options = parser.parse_args()
    cases = [case for case in CASES if options.only in case.name]
    if not options.table:
        for case in cases:
            train(case, options.runs)
    print_table(cases, options.runs)
    if options.plots:
        draw(cases, options.runs, options.plots)


if __name__ == "__main__":
    main()

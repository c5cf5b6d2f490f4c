#!/usr/bin/env python3
"""Trains agents over two hosts of this machine, each a Ray node in a network namespace of its own.

    benchmarks/cluster_hosts.py TASK... [--out FOLDER]

Prints a row of a table for each task. A task that was interrupted goes on. Needs root, `ip` and
Ray.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "build" / "tandem"
os.environ.setdefault("TANDEM", str(PROGRAM))
sys.path.insert(0, str(ROOT / "tests" / "cluster"))

from hosts import Hosts, available  # noqa: E402

# The words of each training, and the score that it must reach.
TASKS = {
    "pong": (["apex", "--config", "apex/two_cores", "--env", "atari:Pong", "--steps", "2500k"], 15),
    "pendulum": (
        ["apex", "--config", "apex/control", "--env", "mujoco:pendulum-swingup"]
        + ["--steps", "300k", "--set", "optimizer.clip_norm=0"],
        800,
    ),
    "impala-catch": (["impala", "--config", "impala/catch"], 0.9),
    "impala-cartpole": (["impala", "--config", "impala/cartpole"], 475),
}
EPISODES = 30


def train(task, out):
    """Trains over two hosts; returns the run's folder."""
    words, _ = TASKS[task]
    run_dir = out / task
    with Hosts(2) as hosts:
        for host in range(2):
            hosts.start_ray(host)
        command = [PROGRAM, "cluster", "train", *words, "--seed", "1", "--actors", "2"]
        command += [f"--address={hosts.head}", "--run-dir", run_dir]
        process = hosts.begin(0, command)
        try:
            code = process.wait()
        except KeyboardInterrupt:
            process.terminate()
            process.wait()
            raise
    if code != 0:
        sys.exit(f"{task}: the training ended with an error")
    return run_dir


def evaluate(run_dir):
    words = ["eval", run_dir, "--episodes", str(EPISODES), "--json"]
    done = subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["mean"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tasks", nargs="+", choices=TASKS)
    parser.add_argument("--out", type=Path, default=Path("runs/cluster_hosts"))
    options = parser.parse_args()
    why_not = available()
    if why_not:
        sys.exit(why_not)
    for task in options.tasks:
        run_dir = train(task, options.out)
        result = json.loads((run_dir / "result.json").read_text())
        steps, minutes = result["steps"], result["seconds"] / 60  # of all parts of the training
        score, least = evaluate(run_dir), TASKS[task][1]
        print(f"| {task} | {steps:,} | {minutes:.0f} | {score:.4g} | {least} |", flush=True)


if __name__ == "__main__":
    main()

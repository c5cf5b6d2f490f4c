#!/usr/bin/env python3
"""Trains every system with its defaults: does a user's first command train?

usage: defaults.py [--seconds 60] [--only TEXT] [--jobs 1]

Runs `tandem train SYSTEM --env ENV --set algo=ALGO`, without other settings, for at most --seconds,
for six systems, every algorithm that fits each, and eight environments. CartPole, Catch, Pendulum
and Memory must then be learned, as 30 games of `tandem eval --greedy` show, or be refused with the
names of systems that learn them. The other environments must run. Every config must be that of the
preset which the training names.

Prints a row for each case, as Markdown: environment, system, algorithm, result and preset. Exits
with 1 if a case fails. Needs build/tandem, and its plug-ins for Atari and MuJoCo. --jobs trains
several at once, which then share the cores.
"""

import argparse
import json
import re
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

TANDEM = Path(__file__).resolve().parents[1] / "build" / "tandem"

Q = ["one_step_q", "one_step_sarsa", "n_step_q"]
ALGORITHMS = {
    "paac": ["a2c", "ppo", *Q],
    "a3c": ["a2c", *Q],
    "ga3c": ["a2c", *Q],
    "hts": ["a2c", "ppo", *Q],
    "impala": ["a2c"],
    "apex": ["dqn", "dpg"],
}
# The least score of a learned task; None: the environment must only run.
ENVS = {
    "cartpole": 300,
    "catch": 0.9,
    "pendulum": -400,
    "memory": 0.9,
    "latency": None,
    "atari:Pong": None,
    "atari:Breakout": None,
    "mujoco:walker-walk": None,
}
CONTINUOUS = ["pendulum", "mujoco:walker-walk"]


@dataclass
class Case:
    system: str
    algo: str
    env: str

    def words(self):
        return [self.system, "--env", self.env, "--set", f"algo={self.algo}"]

    def fits(self):
        """Whether the algorithm has a form for these actions."""
        if self.env in CONTINUOUS:
            return self.algo in ("a2c", "ppo", "dpg")
        return self.algo != "dpg"


def cases():
    return [
        case
        for env in ENVS
        for system, algorithms in ALGORITHMS.items()
        for algo in algorithms
        if (case := Case(system, algo, env)).fits()
    ]


def run(*words):
    return subprocess.run([TANDEM, *map(str, words)], capture_output=True, text=True, check=False)


def train(case, folder, seconds):
    """Trains for at most `seconds`, stops as a user would, and returns the training's messages."""
    command = [TANDEM, "train", *case.words(), "--seed", "1", "--run-dir", folder]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            return process.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            try:
                return process.communicate(timeout=120)[1]
            except subprocess.TimeoutExpired:
                process.kill()
                return "it does not end within 120 s of Ctrl-C"


def keys(case, *more):
    listed = run("keys", *case.words(), *more, "--json").stdout
    return {key["key"]: key["default"] for key in json.loads(listed)}


def verdict(case, folder, seconds):
    """Returns whether the case passed, the result in words, and the preset."""
    said = train(case, folder, seconds)
    refusal = re.search(r"Systems that have one, and their algorithms: (.*?)\.", said)
    if refusal:
        return True, f"refused; {refusal.group(1)} learn it", "-"
    preset = re.search(r"preset (\S+), the default", said)
    if not preset:
        return False, said.strip().splitlines()[-1] if said.strip() else "it said nothing", "-"
    name = preset.group(1)
    if keys(case) != keys(case, "--config", name):
        return False, "another config than the preset's", name
    file = folder / "result.json"
    ended = json.loads(file.read_text()) if file.exists() else {"why_ended": "error: no result"}
    if ended["why_ended"].startswith(("error", "diverged")):
        return False, ended["why_ended"], name
    steps = ended["steps"]
    least = ENVS[case.env]
    if least is None:
        return steps > 0, f"ran, {steps:,} steps", name
    evaluated = run("eval", folder, "--greedy", "--episodes", "30", "--json")
    if evaluated.returncode != 0:
        return False, evaluated.stderr.strip().splitlines()[-1], name
    score = json.loads(evaluated.stdout)["mean"]
    return score > least, f"{score:.4g} after {steps:,} steps", name


def row(case, seconds):
    with tempfile.TemporaryDirectory() as folder:
        well, result, preset = verdict(case, Path(folder) / "run", seconds)
    mark = "" if well else " **failed**"
    line = f"| {case.env} | {case.system} | {case.algo} | {result}{mark} | {preset} |"
    print(line, flush=True)
    return well, line


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    chosen = [case for case in cases() if options.only in f"{case.env} {case.system} {case.algo}"]
    print("| environment | system | algo | result | preset |\n| --- | --- | --- | --- | --- |")
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda case: row(case, options.seconds), chosen))
    sys.exit(not all(well for well, _ in rows))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares the rate of trainings from Python with that of the command line.

Both train the same systems on the same environment, in rounds of one run of each, in alternating
order, so that other work on the machine affects both alike. The Python side iterates over its
training. Prints the medians of steps per second, and the median of the rounds' ratios, which must
be at least 0.98. Nothing else should run meanwhile.
"""

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from run_files import read_lines  # noqa: E402
from version_runs import growth  # noqa: E402

LEAST_RATIO = 0.98
LINES = 20  # of metrics in a run
MOST_SECONDS = 60  # for the start and the end of a run
# Ape-X learns from its first seconds on.
MORE = {"apex": {"replay.min_fill": "2000", "replay.capacity": "100k", "apex.keep_replay": "false"}}

PYTHON = """
import json, signal, sys
import tandem
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
training = tandem.Training(**json.loads(sys.argv[1]))
try:
    for metrics in training:
        pass
except KeyboardInterrupt:
    pass
"""


def command_of(side, options, settings, system, run):
    """The command of a run, by the command line or by Python."""
    if side == "command line":
        sets = [word for key, text in settings.items() for word in ("--set", f"{key}={text}")]
        words = ["train", system, "--env", options.env, "--config", f"{system}/atari", *sets]
        return [options.build / "tandem", *words, "--run-dir", run]
    arguments = {"system": system, "env": options.env, "config": f"{system}/atari"}
    arguments |= {"run_dir": str(run), **settings}
    return [sys.executable, "-c", PYTHON, json.dumps(arguments)]


def rate(side, options, system):
    """Steps per second of a run."""
    settings = {"run.log_seconds": str(options.seconds / LINES), "run.steps": "1G"}
    settings |= MORE.get(system, {})
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        process = subprocess.Popen(
            [*map(str, command_of(side, options, settings, system, run))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(options.build / "python")},
        )
        try:
            output, errors = process.communicate(timeout=options.seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # ends the run with all its files
            try:
                output, errors = process.communicate(timeout=MOST_SECONDS)
            finally:
                process.kill()
        if process.returncode != 0:
            sys.exit(f"{side}: {errors or output}")
        lines = read_lines(run / "metrics.jsonl")
        shutil.rmtree(run)
    return growth(lines, ("steps",))["steps"]


def compare(options, system):
    """Measures a system; returns the median ratio."""
    sides = ["command line", "Python"]
    rates = {side: [] for side in sides}
    for number in range(options.rounds):
        for side in sides if number % 2 == 0 else reversed(sides):
            rates[side].append(rate(side, options, system))
        last = ", ".join(f"{side} {found[-1]:,.0f}" for side, found in rates.items())
        print(f"  {system}, round {number + 1}: {last} steps/s", file=sys.stderr)
    ratio = statistics.median(
        ours / theirs for theirs, ours in zip(*(rates[side] for side in sides), strict=True)
    )
    medians = " and ".join(f"{side} {statistics.median(rates[side]):,.0f}" for side in sides)
    print(f"{system}: {medians} steps/s; Python / command line {ratio:.3f}", flush=True)
    return ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--systems", nargs="+", default=["paac", "hts", "apex"])
    parser.add_argument("--env", default="atari:Pong", metavar="ID")
    parser.add_argument("--rounds", type=int, default=10, metavar="N")
    parser.add_argument("--seconds", type=float, default=10, metavar="S", help="a run (10)")
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="FOLDER")
    options = parser.parse_args()
    ratios = [compare(options, system) for system in options.systems]
    return 0 if min(ratios) >= LEAST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares Ape-X on a cluster of this machine alone with `tandem train apex`.

Both train with the same config, in rounds of one run of each, in alternating order, so that other
work on the machine affects both alike. A run is measured once it learns. Prints the medians of
updates per second, and the median of the rounds' ratios. Nothing else should run meanwhile.
"""

import argparse
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from run_files import read_lines  # noqa: E402
from version_runs import growth  # noqa: E402

GOAL = 0.85
SIDES = {"one process": ["train"], "cluster": ["cluster", "train"]}
LINES = 20  # of metrics in a run
MOST_SECONDS = 120  # until a run learns, and for its end
SETTINGS = {"replay.min_fill": "5000", "apex.keep_replay": "false", "run.steps": "1G"}


def metrics_of(run):
    """The lines of a run since it learns."""
    file = run / "metrics.jsonl"
    return [line for line in read_lines(file) if line["updates"] > 0] if file.exists() else []


def wait(process, run, seconds):
    """Waits until the run has learned for so long, but ends early if the process does."""
    end = time.monotonic() + MOST_SECONDS
    while process.poll() is None and time.monotonic() < end:
        if metrics_of(run):
            end = min(end, time.monotonic() + seconds)
            seconds = MOST_SECONDS
        time.sleep(0.5)


def rate(side, options):
    """Updates per second of a run."""
    settings = SETTINGS | {"log_seconds": str(options.seconds / LINES)}
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        words = [*SIDES[side], "apex", "--config", options.config, "--env", options.env]
        words += [word for key, text in settings.items() for word in ("--set", f"{key}={text}")]
        words += [word for text in options.set for word in ("--set", text)]
        process = subprocess.Popen(
            [str(word) for word in [options.build / "tandem", *words, "--run-dir", run]],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            wait(process, run, options.seconds)
            process.send_signal(signal.SIGTERM)  # ends the run with all its files
            _, errors = process.communicate(timeout=MOST_SECONDS)
        finally:
            process.kill()
        if process.returncode != 0:
            sys.exit(f"{side}: {errors}")
        lines = metrics_of(run)
        shutil.rmtree(run)
    # After the signal the actors still bring their states, which the last line's time includes.
    return growth(lines[:-1], ("updates",))["updates"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--env", default="atari:Pong", metavar="ID")
    parser.add_argument("--config", default="apex/two_cores", metavar="NAME")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--seconds", type=float, default=40, metavar="S", help="a run (40)")
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="FOLDER")
    options = parser.parse_args()
    rates = {side: [] for side in SIDES}
    for number in range(options.rounds):
        for side in SIDES if number % 2 == 0 else reversed(SIDES):
            rates[side].append(rate(side, options))
        last = ", ".join(f"{side} {found[-1]:.1f}" for side, found in rates.items())
        print(f"round {number + 1}: {last} updates/s", file=sys.stderr, flush=True)
    ratios = [cluster / one for one, cluster in zip(*rates.values(), strict=True)]
    medians = ", ".join(f"{side} {statistics.median(found):.1f}" for side, found in rates.items())
    ratio = statistics.median(ratios)
    print(f"{medians} updates/s; ratio {ratio:.3f} [{min(ratios):.3f}, {max(ratios):.3f}]")
    return 0 if ratio >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures what evaluations during a training cost each system, on Pong.

usage: benchmarks/evaluation_cost.py [OPTIONS]

Each round trains once without and once with run.evaluate_steps, in alternating order. A snapshot is
due every 2,000 steps, so that the evaluator always has games to play: no larger number costs more.
Prints the median of the rounds' ratios of rates, with to without, and its 95 % interval from a
bootstrap. The goal is at least 0.97. Twenty rounds of twenty seconds take 80 minutes, in which the
machine should do nothing else. Exits with 1 if a system misses the goal.
"""

import argparse
import dataclasses
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "python")]
import version_cases  # noqa: E402
from tandem_reproduce.aggregate import bootstrapped  # noqa: E402
from version_runs import Program  # noqa: E402

GOAL = 0.97
STEPS = 2_000  # between two evaluations


def evaluated(case):
    words = (*case.words, "--set", f"run.evaluate_steps={STEPS}")
    return dataclasses.replace(case, words=words)


def ratios_of(program, case, options):
    for number in range(options.rounds):
        pair = [case, evaluated(case)]
        order = pair if number % 2 == 0 else pair[::-1]
        rates = {each.words: program.rates(each, options.seconds)["steps"] for each in order}
        without, with_games = (rates[each.words] for each in pair)
        print(
            f"  {case.name}, round {number + 1}: {without:.0f} and {with_games:.0f} steps/s",
            file=sys.stderr,
        )
        yield with_games / without


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--program", type=Path, default=ROOT / "build/tandem", help="(build/tandem)")
    add("--only", default="", metavar="TEXT", help="systems with this in their case's name")
    add("--threads", type=int, default=2, metavar="N", help="of each run (2)")
    add("--rounds", type=int, default=20, metavar="N", help="(20)")
    add("--seconds", type=float, default=20, metavar="S", help="a run (20)")
    options = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory(prefix="evaluation_cost_") as folder:
        program = Program("tandem", options.program.resolve(), options.threads, Path(folder))
        for case in version_cases.rate_cases():
            if options.only not in case.name:
                continue
            ratios = list(ratios_of(program, case, options))
            found = bootstrapped([ratios], statistics.median)
            missed |= found.value < GOAL
            word = "ok" if found.value >= GOAL else "MISSED"
            interval = f"[{found.low:.3f}, {found.high:.3f}]"
            print(f"{case.name:22} {found.value:.3f} {interval}  {word}", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares examples of trainers in Python on tandem's and on EnvPool's environments in one run.

The examples are PPO in one PyTorch file in CleanRL's manner, and Stable-Baselines3's PPO. Each
trains in a process of its own for a short slot, on one kind of environments after the other, round
after round. A slot's rate counts from the end of its warm-up, from update to update. Only ratios of
one run mean anything. The networks' share of the time is the same for both kinds, so the ratio is
near 1 where networks are slow, as on a CPU.

The first time, the peers of peers/requirements.txt are installed into .venv-peers.
"""

import argparse
import collections
import itertools
import json
import os
import re
import statistics
import sys
import time
from pathlib import Path

from machine import cpu_name
from peer_environments import ROOT, peers_python
from python_envs import markdown, versions
from side_by_side import measure, unwind_on_signals

EXAMPLES = {
    "PPO in one file (CleanRL's manner)": "ppo_cleanrl_style.py",
    "Stable-Baselines3's PPO": "sb3_ppo.py",
}
LINE = re.compile(r"^([\d,]+) steps, ([\d.]+) s, ", re.M)


class Example:
    """An example on one kind of environments: a contender, as side_by_side.py measures them."""

    def __init__(self, name, envs):
        self.name, self.envs = name, envs

    def command(self, slot, game, args):
        command = [args.peers_python, ROOT / "examples/python" / EXAMPLES[self.name]]
        command += ["--envs", self.envs, "--env", game, "--num-envs", args.num_envs]
        command += ["--threads", args.threads, "--steps", 10**9]
        return command + (["--device", args.device] if args.device else [])

    def samples(self, slot):
        for steps, seconds in LINE.findall(slot.output.read_text()):
            yield float(seconds), int(steps.replace(",", ""))


def table(rates, args):
    """The Markdown table of rates by (game, example, environments)."""
    lines = [["example", "game", "tandem, steps/s", "EnvPool, steps/s", "ratio", "least to most"]]
    for name, game in itertools.product(args.examples, args.games):
        tandem, envpool = (rates[game, name, envs] for envs in ("tandem", "envpool"))
        ratios = [a / b for a, b in zip(tandem, envpool, strict=True)]
        lines.append(
            [name, game, f"{statistics.median(tandem):,.0f}", f"{statistics.median(envpool):,.0f}"]
            + [f"{statistics.median(ratios):.2f}", f"{min(ratios):.2f} to {max(ratios):.2f}"]
        )
    return markdown(lines)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cores = len(os.sched_getaffinity(0))
    parser.add_argument(
        "--package", default=ROOT / "build/python", help="the folder of the package `tandem`"
    )
    parser.add_argument(
        "--peers-python",
        help="a Python of the package's version that has the peers; installs nothing",
    )
    parser.add_argument("--examples", nargs="+", choices=EXAMPLES, default=list(EXAMPLES))
    parser.add_argument("--games", nargs="+", default=["Pong"], help="or CartPole")
    parser.add_argument("--num-envs", type=int, default=8)
    parser.add_argument("--threads", type=int, default=cores, help=f"default: {cores}, the cores")
    parser.add_argument("--device", help="of the networks; default: CUDA if it is there")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=float, default=10, help="seconds of each slot")
    parser.add_argument("--slot", type=float, default=40, help="seconds that count")
    parser.add_argument("--out", type=Path, help="also write the table here, as Markdown")
    parser.add_argument("--json", type=Path, help="write every rate here")
    return parser.parse_args()


def main():
    args = arguments()
    unwind_on_signals("python_examples")
    args.peers_python = peers_python(args.peers_python)
    paths = [str(args.package), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    rates = collections.defaultdict(list)
    for turn in range(args.rounds):
        kinds = ["tandem", "envpool"] if turn % 2 == 0 else ["envpool", "tandem"]
        for game, name, envs in itertools.product(args.games, args.examples, kinds):
            rates[game, name, envs].append(measure(Example(name, envs), game, args))
            found = rates[game, name, envs][-1]
            print(f"round {turn + 1}: {game}: {name}, {envs}: {found:,.0f}", file=sys.stderr)
    packages = versions(args.peers_python, "envpool", "stable-baselines3", "torch")
    setting = (
        f"{args.num_envs} environments, {args.threads} threads, networks on "
        f"{args.device or 'the default device'}; medians of {args.rounds} slots of {args.slot:g} s "
        f"each; {cpu_name()}; {packages}; {time.strftime('%Y-%m-%d')}"
    )
    result = f"{setting}\n\n{table(rates, args)}\n"
    print(result)
    if args.out:
        args.out.write_text(result)
    if args.json:
        slots = [{"game": g, "example": n, "envs": e, "rates": r} for (g, n, e), r in rates.items()]
        args.json.write_text(json.dumps({"setting": setting, "slots": slots}, indent=2) + "\n")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("python_examples: interrupted")

#!/usr/bin/env python3
"""Compares the replays of tandem and its peers in one run, by turns.

Measures prioritized replay of raw transitions of 4x84x84 bytes: inserts per second, and samples per
second in batches of 512, whose priorities are then updated. tandem has 8 threads that write and one
that reads, and stores frames once; peers are used as they are meant to be. Only ratios of one run
mean anything.

The first time, the peers are installed into .venv-replay and .venv-reverb. TorchRL is measured
where --torchrl-python names a Python that has it: its wheels do not load with every libtorch, and
without its compiled part it has no prioritized replay.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = Path(__file__).resolve().parent / "peers/replay_buffers.py"
KEYS = ["inserts", "samples"]
NAMES = {
    "torchrl": "TorchRL",
    "pfrl": "PFRL",
    "baselines": "OpenAI baselines (keeps references, returns copies)",
    "reverb": "Reverb",
}


def python_with(venv, *installs):
    """A virtual environment's Python; makes a missing environment with these pip commands."""
    python = ROOT / venv / "bin/python"
    if not python.exists():
        print(f"replay_side_by_side: installing peers into {venv} (minutes)", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", ROOT / venv], check=True)
        for words in installs:
            pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, *words], check=True)
    return python


def run(command):
    """Returns the stdout of a command; its stderr matters only if it fails."""
    words = [str(word) for word in command]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def tandem(args):
    """The rates of writers alone and of the reader alone, and those of both at once, by name."""
    words = ["bench", "replay", "--capacity", args.capacity, "--seconds", args.seconds, "--json"]
    found = json.loads(run([args.tandem, *words]))
    alone = {
        "inserts": found["writing"]["inserts_per_second"],
        "samples": found["reading"]["samples_per_second"],
    }
    together = {key: found["together"][f"{key}_per_second"] for key in KEYS}
    return {"tandem": alone, "tandem, both at once": together}


def peer(name, python, args):
    words = ["--capacity", args.capacity, "--seconds", args.seconds]
    lines = [line.split() for line in run([python, SCRIPT, name, *words]).splitlines()]
    return {line[1]: float(line[2]) for line in lines if line[:1] == ["@@"]}


def table(rates):
    """A Markdown table, in which a ratio is the median of the rounds' ratios."""
    lines = [["", *[f"{key}/s" for key in KEYS], *[f"tandem's {key}: faster by" for key in KEYS]]]
    lines.append(["---"] * len(lines[0]))
    for name, rounds in rates.items():
        line = [name, *[f"{statistics.median(r[key] for r in rounds):,.0f}" for key in KEYS]]
        for key in KEYS:
            pairs = zip(rates["tandem"], rounds, strict=True)
            line.append(f"{statistics.median(a[key] / b[key] for a, b in pairs):.2f} x")
        lines.append(line)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tandem", default=ROOT / "build/tandem", help="the program")
    parser.add_argument("--pfrl-python", help="a Python that has PFRL")
    parser.add_argument("--reverb-python", help="a Python that has Reverb and OpenAI baselines")
    parser.add_argument("--torchrl-python", help="a Python that has TorchRL")
    parser.add_argument("--capacity", type=int, default=40_000, help="transitions")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--out", type=Path, help="also write the table here, as Markdown")
    return parser.parse_args()


def main():
    args = arguments()
    pfrl = args.pfrl_python or python_with(".venv-replay", ["torch==2.13.0", "pfrl"])
    reverb = args.reverb_python or python_with(
        ".venv-reverb", ["dm-reverb[tensorflow]"], ["--no-deps", "baselines"]
    )
    pythons = {"pfrl": pfrl, "baselines": reverb, "reverb": reverb}  # both want NumPy 1
    if args.torchrl_python:
        pythons["torchrl"] = args.torchrl_python
    rates = {}
    for turn in range(args.rounds):
        measured = tandem(args)
        for name, python in pythons.items():
            measured[NAMES[name]] = peer(name, python, args)
        for name, rate in measured.items():
            rates.setdefault(name, []).append(rate)
            words = ", ".join(f"{rate[key]:,.0f} {key}/s" for key in KEYS)
            print(f"round {turn + 1}: {name}: {words}", file=sys.stderr)
    setting = (
        f"{args.capacity:,} transitions, {args.rounds} rounds of {args.seconds:g} s each; "
        f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores"
    )
    result = f"{setting}\n\n{table(rates)}\n"
    print(result)
    if args.out:
        args.out.write_text(result)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("replay_side_by_side: interrupted")
    except subprocess.CalledProcessError as error:
        last = "\n".join((error.stderr or "").splitlines()[-15:])
        sys.exit(f"replay_side_by_side: {error.cmd[0]} ended with {error.returncode}\n{last}")

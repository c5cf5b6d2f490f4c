#!/usr/bin/env python3
"""Compares replays for a learner in Python: tandem.Replay, TorchRL's and Reverb's.

All get the same transitions of 4x84x84 bytes, 50 at a time, and give batches of 512 by priorities
(peers/replay_clients.py says what each keeps). Each has one Python thread; a second table shows
what more of them bring. Contenders take short turns, round after round, so that other work on the
machine affects all alike. Only ratios of one run mean anything.

The first time, the peers are installed into .venv-torchrl (5 GB) and .venv-reverb. A contender that
cannot be installed or does not start is left out, and the output says why.
"""

import argparse
import collections
import contextlib
import os
import statistics
import sys
import time
from pathlib import Path

from machine import cpu_name
from peer_environments import PEERS, ROOT, Missing, Turns, python_with
from python_envs import markdown, versions

NAMES = {
    "tandem": "tandem.Replay",
    "tandem-lz4": "tandem.Replay, compression=lz4",
    "tandem-whole": "tandem.Replay, stack=1",
    "torchrl": "TorchRL, LazyTensorStorage",
    "torchrl-memmap": "TorchRL, LazyMemmapStorage",
    "reverb": "Reverb",
}
TURNS = {"insert": "inserted/s", "sample": "sampled/s", "update": "sampled and updated/s"}
TORCHRL = ["torch==2.14.1", "torchrl==0.14.1"]  # its compiled part needs this torch
REVERB = ["dm-reverb[tensorflow]"]


def begin(name, python, args):
    """A process with a full replay; its first answer is the bytes of a transition."""
    path = os.pathsep.join([str(args.package), os.environ.get("PYTHONPATH", "")])
    words = [python, PEERS / "replay_clients.py", name, "--capacity", args.capacity]
    own = name.startswith("tandem")
    return Turns(words, {**os.environ, "PYTHONPATH": path} if own else None)


def python_of(name, args):
    if name.startswith("tandem"):
        return args.python
    if name == "reverb":
        return args.reverb_python or python_with(".venv-reverb", REVERB)
    return args.torchrl_python or python_with(".venv-torchrl", TORCHRL)


def start(args, stack):
    """The contenders that take part, and the reasons why others do not."""
    contenders, missing = {}, {}
    for name in args.contenders:
        try:
            begun = begin(name, python_of(name, args), args)
        except Missing as reason:
            missing[name] = str(reason)
            print(f"python_replay: without {NAMES[name]}:\n{reason}", file=sys.stderr)
            continue
        contenders[name] = begun
        stack.callback(begun.close)
    return contenders, missing


def measure(contenders, args):
    """The rates of each round by (name, turn, threads)."""
    rates = collections.defaultdict(list)
    for contender in contenders.values():
        for what in TURNS:
            contender.turn(what, 1, min(0.5, args.seconds))  # caches warm up
    for number in range(args.rounds):
        order = list(contenders.items())
        for name, contender in order if number % 2 == 0 else reversed(order):
            for threads in sorted({1, args.threads}):
                for what in TURNS:
                    (rate,) = contender.turn(what, threads, args.seconds)
                    rates[name, what, threads].append(rate)
            words = ", ".join(f"{rates[name, what, 1][-1]:,.0f} {TURNS[what]}" for what in TURNS)
            print(f"round {number + 1}: {NAMES[name]}: {words}", file=sys.stderr, flush=True)
    return rates


def ratio(above, below):
    """The median of the ratios of each round, whose turns are nearest in time."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def rates_table(contenders, rates):
    """The rates of one thread, and tandem's over each in brackets."""
    lines = [["one Python thread", *TURNS.values(), "bytes/transition"]]
    for name, contender in contenders.items():
        line = [NAMES[name]]
        for what in TURNS:
            own = rates[name, what, 1]
            times = ratio(rates[next(iter(contenders)), what, 1], own)
            line.append(f"{statistics.median(own):,.0f} ({times:.2f}x)")
        lines.append([*line, f"{contender.first_answer[0]:,.0f}"])
    return markdown(lines)


def threads_table(contenders, rates, threads):
    """The rates of several threads over those of one."""
    lines = [[f"{threads} Python threads over one", *TURNS.values()]]
    for name in contenders:
        own = (ratio(rates[name, what, threads], rates[name, what, 1]) for what in TURNS)
        lines.append([NAMES[name], *[f"{times:.2f}x" for times in own]])
    return markdown(lines)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    venv = ROOT / ".venv/bin/python"
    parser.add_argument(
        "--package", default=ROOT / "build/python", help="the folder of the package `tandem`"
    )
    parser.add_argument(
        "--python", default=venv if venv.exists() else sys.executable, help="for this package"
    )
    parser.add_argument("--torchrl-python", help="a Python that has TorchRL; installs nothing")
    parser.add_argument("--reverb-python", help="a Python that has Reverb; installs nothing")
    parser.add_argument("--contenders", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--capacity", type=int, default=20_000, help="transitions")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="of each turn")
    parser.add_argument("--out", type=Path, help="also write the tables here, as Markdown")
    return parser.parse_args()


def main():
    args = arguments()
    with contextlib.ExitStack() as stack:
        contenders, missing = start(args, stack)
        rates = measure(contenders, args)
    found = []
    if {"torchrl", "torchrl-memmap"} & contenders.keys():
        found.append(versions(python_of("torchrl", args), "torchrl", "torch"))
    if "reverb" in contenders:
        found.append(versions(python_of("reverb", args), "dm-reverb", "tensorflow"))
    setting = (
        f"{args.capacity:,} transitions of 4x84x84 bytes, inserted by 50, batches of 512; medians "
        f"of {args.rounds} turns of {args.seconds:g} s each, in brackets "
        f"{NAMES[next(iter(contenders))]}'s over each; {cpu_name()}, "
        f"{len(os.sched_getaffinity(0))} cores; {'; '.join(found)}; {time.strftime('%Y-%m-%d')}"
    )
    parts = [setting, rates_table(contenders, rates)]
    if args.threads > 1:
        parts.append(threads_table(contenders, rates, args.threads))
    for name, reason in missing.items():
        parts.append(f"Without {NAMES[name]}: {reason.splitlines()[-1]}")
    result = "\n\n".join(parts) + "\n"
    print(result)
    if args.out:
        args.out.write_text(result)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("python_replay: interrupted")
    except Missing as reason:
        sys.exit(f"python_replay: {reason}")

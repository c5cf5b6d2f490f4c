#!/usr/bin/env python3
"""Compares updates of networks by tandem and by PyTorch on one core, by turns.

The networks are those that side_by_side.py does not train: DPG's policy and critic from
observations of the walker, in batches of 256, and nips with an LSTM, in 32 trajectories of 20 steps
of Atari. An update is a forward and a backward pass and the optimizer's step. tandem's cost is the
t_train of `tandem bench`. Beyond PyTorch's it has the replay's draws and priorities, clipping, and
copies of theta-; or V-trace. PyTorch learns from the same numbers each time, out of its caches.

The first time, the peers of peers/requirements.txt are installed into .venv-peers.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

from machine import cpu_name
from peer_environments import PEERS, ROOT, peers_python
from python_envs import markdown
from side_by_side import Peer, measure, unwind_on_signals

LSTM = ["--set", "net.arch=nips", "--set", "net.lstm=256", "--set", "impala.envs=32"]
LSTM += ["--set", "impala.unroll=20", "--set", "impala.batch=32"]
CASES = {
    "DPG": (
        ["apex", "--config", "apex/control", "--env", "mujoco:walker-stand"],
        "update_dpg.py",
    ),
    "LSTM": (
        ["impala", "--config", "impala/torchbeast", "--env", "atari:Pong", *LSTM],
        "update_lstm.py",
    ),
}


def tandem_cost(case, args):
    """Microseconds of one core for a sample by tandem."""
    command = [args.tandem, "bench", *CASES[case][0], "--threads", "1", "--json"]
    done = subprocess.run(
        [*command, "--seconds", str(args.slot)], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout)
    return found["t_train_us"] / found.get("apex/samples_per_step", 1)


class Updates(Peer):
    """PyTorch's updates of one case; a step is a sample."""

    def command(self, slot, net, args):
        return [self.python, PEERS / self.script]


def torch_cost(case, args):
    """Microseconds of one core for a sample by PyTorch."""
    return 1e6 / measure(
        Updates(f"PyTorch's {case}", CASES[case][1], args.peers_python), case, args
    )


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tandem", default=ROOT / "build/tandem", help="the program")
    parser.add_argument("--peers-python", help="a Python that has the peers; installs nothing")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=float, default=2, help="seconds of each turn of PyTorch")
    parser.add_argument("--slot", type=float, default=8, help="seconds of each turn that count")
    return parser.parse_args()


def main():
    args = arguments()
    unwind_on_signals("updates")
    args.peers_python = peers_python(args.peers_python)
    # All contenders inherit this: the last core, which serves fewest interrupts.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    lines = [["update", "tandem, us a sample", "PyTorch, us a sample", "ratio", "least to most"]]
    for case in args.cases:
        turns = [(tandem_cost(case, args), torch_cost(case, args)) for _ in range(args.rounds)]
        ratios = [theirs / ours for ours, theirs in turns]
        ours, theirs = (statistics.median(costs) for costs in zip(*turns, strict=True))
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        lines.append(
            [case, f"{ours:.1f}", f"{theirs:.1f}", f"{statistics.median(ratios):.2f}", spread]
        )
    print(f"one core of {cpu_name()}; {args.rounds} rounds; {time.strftime('%Y-%m-%d')}\n")
    print(markdown(lines))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("updates: interrupted")

#!/usr/bin/env python3
"""Compares whole training of tandem and its peers in one run, by turns.

All contenders have the same algorithm (A2C; DQN by --algo dqn), network and game. Each trains in a
process of its own for a short slot, one contender after the other, round after round, so that other
work on the machine affects all alike. A slot's rate counts from the end of its warm-up. Only ratios
of one run mean anything.

The first time, the peers of peers/requirements.txt are installed into .venv-peers.
"""

import argparse
import collections
import contextlib
import dataclasses
import itertools
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import machine_name
from peer_environments import PEERS, ROOT, peers_python

sys.path.insert(0, str(ROOT / "tools"))
from run_files import read_lines  # noqa: E402
from version_runs import end_with_parent  # noqa: E402

START_SECONDS = 300  # until a contender must have taken its first steps
STOP_SECONDS = 10  # until a contender must have ended when asked to
# The settings of CleanRL's DQN: a batch of 32 for every 4 steps, a target network of every 1,000
# steps, and nothing beyond. With short segments actors play often, so a slot has many turns.
DQN = ["apex.batch=32", "replay.samples_per_insert=8", "replay.min_fill=1000", "replay.segment=5"]
DQN += ["replay.capacity=20000", "net.dueling=false", "dqn.double_q=false", "apex.n=1"]
DQN += ["dqn.target_updates=250"]


@dataclasses.dataclass
class Slot:
    """One contender's turn, in a folder of its own."""

    folder: Path

    @property
    def output(self):
        return self.folder / "output.txt"

    @property
    def run(self):
        return self.folder / "run"


class Tandem:
    def __init__(self, program, system, precision):
        self.short = f"{system.upper()} {precision}"
        self.name = f"tandem, {system.upper()}, {precision}"
        self.program, self.system, self.precision = program, system, precision

    def command(self, slot, net, args):
        # tandem gets as many environments as its peers. GA3C's preset has four agents on CPUs with
        # AMX, sixteen on others.
        amx = "amx_int8" in Path("/proc/cpuinfo").read_text() and "TANDEM_CPU" not in os.environ
        ga3c, agents = ("ga3c/two_cores", 4) if amx else ("ga3c/atari", 16)
        agents = math.gcd(agents, args.envs)
        of_ga3c = ["a2c.correction=none", "ga3c.min_batch=160"]
        of_ga3c += [f"ga3c.agents={agents}", f"ga3c.envs={args.envs // agents}"]
        preset, settings = {
            "paac": (f"paac/paper_{net}", [f"paac.envs={args.envs}"]),
            "ga3c": (ga3c, of_ga3c),
            "apex": ("apex/two_cores", DQN + [f"apex.envs={args.envs}"]),  # of one actor
        }[self.system]
        return [
            *[self.program, "train", self.system, "--config", preset],
            *["--env", f"atari:{args.game}", "--threads", str(args.threads)],
            *[word for setting in settings for word in ("--set", setting)],
            *["--set", "log_seconds=0.5"],
            *["--set", f"net.arch={net}", "--set", f"net.precision={self.precision}"],
            *["--run-dir", slot.run],
        ]

    def samples(self, slot):
        with contextlib.suppress(FileNotFoundError):
            for metrics in read_lines(slot.run / "metrics.jsonl"):
                yield metrics["seconds"], self.steps_of(metrics)

    def steps_of(self, metrics):
        """The steps of the environments. Ape-X's actors send many transitions at a time and wait
        for the learner in between; its updates are regular, and peers make one for 4 steps."""
        return 4 * metrics["updates"] if self.system == "apex" else metrics["steps"]


class Peer:
    def __init__(self, name, script, python):
        self.name, self.script, self.python = name, script, python

    def command(self, slot, net, args):
        return [
            *[self.python, PEERS / self.script, "--game", args.game, "--net", net],
            *["--envs", str(args.envs), "--threads", str(args.threads)],
        ]

    def samples(self, slot):
        for line in slot.output.read_text().splitlines():
            words = line.split()
            if words[:1] == ["@@"] and len(words) == 3:
                yield float(words[1]), int(words[2])


def unwind_on_signals(name):
    """SIGTERM and the end of a terminal unwind the stack as Ctrl-C does, and that ends what runs.
    `nohup` keeps the latter ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda *_: sys.exit(f"{name}: terminated"))


@contextlib.contextmanager
def running(command, output, **environment):
    """Runs the command in a process group of its own, and ends the whole group in any case. The
    environment's variables are added to this process's."""
    with output.open("w") as file:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdout=file,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=os.environ | environment,
            preexec_fn=end_with_parent,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def busy_core(busy):
    """Keeps the first core busy meanwhile, if `busy`."""
    if not busy:
        yield
        return
    core = min(os.sched_getaffinity(0))
    loop = f"import os; os.sched_setaffinity(0, [{core}])\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", loop], preexec_fn=end_with_parent)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def wait(process, output, seconds, ready=lambda: False):
    """Waits until `ready`, for `seconds` at most. Returns whether it became ready."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            tail = "\n".join(output.read_text().splitlines()[-15:])
            sys.exit(f"side_by_side: a contender ended by itself:\n{tail}")
        if ready():
            return True
        time.sleep(0.1)
    return False


def rate(samples, warm_up):
    """Steps per second between the first sample after the warm-up and the last."""
    warm = [s for s in samples if s[0] >= samples[0][0] + warm_up]
    if len(warm) < 2:
        sys.exit("side_by_side: too few reports in a slot; try a longer --slot")
    return (warm[-1][1] - warm[0][1]) / (warm[-1][0] - warm[0][0])


def measure(contender, net, args, busy=False):
    """One slot: the rate of whole training in steps per second."""
    with tempfile.TemporaryDirectory(prefix="side_by_side-") as folder, busy_core(busy):
        slot = Slot(Path(folder))
        with running(contender.command(slot, net, args), slot.output) as process:
            started = wait(
                process, slot.output, START_SECONDS, lambda: any(contender.samples(slot))
            )
            if not started:
                sys.exit(f"side_by_side: {contender.name} took no step in {START_SECONDS} s")
            wait(process, slot.output, args.warm_up + args.slot)
        return rate(list(contender.samples(slot)), args.warm_up)


def ratio(above, below):
    """The median of the ratios of each round, whose slots are nearest in time."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def has_bf16():
    """Whether this CPU has instructions for net.precision=bf16, which tandem refuses otherwise."""
    if os.environ.get("TANDEM_CPU") in ("portable", "avx2"):
        return False
    with contextlib.suppress(OSError):
        return "avx512_bf16" in Path("/proc/cpuinfo").read_text()
    return False


def table(rates, ours, peers, args):
    """The Markdown table. By (net, contender, busy), `rates` has one rate for each round."""
    contenders = ours + peers
    head = ["network", "contender", "steps/s, median", "least to most"]
    head += [f"{c.short} is faster by" for c in ours]
    head += ["beside a busy core"] * args.busy
    lines = [head, ["---"] * len(head)]
    for net in args.nets:
        for contender in contenders:
            own = rates[net, contender.name, False]
            line = [net, contender.name, f"{statistics.median(own):,.0f}"]
            line += [f"{min(own):,.0f} to {max(own):,.0f}"]
            line += [f"{ratio(rates[net, c.name, False], own):.2f} x" for c in ours]
            if args.busy:
                line += [f"{ratio(rates[net, contender.name, True], own):.0%}"]
            lines.append(line)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--tandem", default=ROOT / "build/tandem", help="the program")
    parser.add_argument("--peers-python", help="a Python that has the peers; installs nothing")
    parser.add_argument("--game", default="Pong")
    parser.add_argument("--algo", choices=["a2c", "dqn"], default="a2c")
    parser.add_argument("--nets", nargs="+", default=["nips", "nature"])
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--threads", type=int, default=cores, help=f"default: {cores}, the cores")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--busy",
        action="store_true",
        help="measure each also beside a process that keeps the first core busy",
    )
    parser.add_argument("--warm-up", type=float, default=5, help="seconds of each slot")
    parser.add_argument("--slot", type=float, default=20, help="seconds that count")
    parser.add_argument("--out", type=Path, help="also write the table here, as Markdown")
    parser.add_argument("--json", type=Path, help="write every rate here")
    return parser.parse_args()


def contenders(args, python):
    """tandem's contenders, and the peers."""
    algo = args.algo
    systems = {"a2c": ["paac", "ga3c"], "dqn": ["apex"]}[algo]
    ours = [Tandem(args.tandem, system, "fp32") for system in systems]
    if has_bf16():
        ours.append(Tandem(args.tandem, systems[0], "bf16"))
    name = algo.upper()
    return ours, [
        Peer(f"{name} in one loop over EnvPool (CleanRL's way)", f"{algo}_envpool.py", python),
        Peer(f"Stable-Baselines3 {name} over EnvPool", f"sb3_{algo}.py", python),
    ]


def main():
    args = arguments()
    unwind_on_signals("side_by_side")
    python = peers_python(args.peers_python)
    ours, peers = contenders(args, python)
    rates = collections.defaultdict(list)
    turns = itertools.product(
        range(args.rounds), args.nets, ours + peers, [False, True][: 1 + args.busy]
    )
    for turn, net, contender, busy in turns:
        measured = measure(contender, net, args, busy)
        rates[net, contender.name, busy].append(measured)
        print(
            f"round {turn + 1}: {net}: {contender.name}{', busy' * busy}: {measured:,.0f}",
            file=sys.stderr,
        )

    setting = (
        f"{args.game}, {args.envs} environments, {args.threads} threads; "
        f"{args.rounds} slots of {args.slot:g} s each; {time.strftime('%Y-%m-%d')}, "
        f"{machine_name()}"
    )
    result = f"{setting}\n\n{table(rates, ours, peers, args)}\n"
    print(result)
    if args.out:
        args.out.write_text(result)
    if args.json:
        all_rates = [
            {"net": n, "contender": c, "busy": b, "rates": r} for (n, c, b), r in rates.items()
        ]
        args.json.write_text(json.dumps({"setting": setting, "slots": all_rates}, indent=2) + "\n")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("side_by_side: interrupted")

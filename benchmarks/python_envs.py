#!/usr/bin/env python3
"""Compares the rate of Atari environments for Python: tandem's, EnvPool's and ale-py's.

All run on the same cores with the same preprocessing and random actions, once so that a step waits
for all environments (synchronous), once so that the half that is ready first gets its next actions
(asynchronous: send and receive). Besides, `tandem bench env` runs on each of these cores at the
same time, which is what the environments cost without Python. Contenders take short turns, round
after round, so that other work on the machine affects all alike. Only ratios of one run mean
anything.

The first time, the peers of peers/requirements.txt are installed into .venv-peers.
"""

import argparse
import collections
import contextlib
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from machine import cpu_name
from peer_environments import PEERS, ROOT, Missing, Turns, peers_python
from side_by_side import unwind_on_signals

GAMES = ["Pong", "Breakout", "Seaquest", "Qbert", "BeamRider"]
NAMES = {"tandem": "tandem", "envpool": "EnvPool", "ale": "ale-py"}
FRAMES = 108_000
# As peers/env_rate.py makes the environments of all contenders.
OPTIONS = ["frame_skip=4", "sticky=0", "stack=4", "noop_max=30", "fire_reset=true"]
OPTIONS += ["life_loss_terminal=false", "full_action_set=false", f"max_frames={FRAMES}"]


@dataclasses.dataclass(frozen=True)
class Way:
    """How environments are stepped."""

    name: str
    batch: int  # how many environments to wait for; 0: all


@dataclasses.dataclass(frozen=True)
class Turn:
    """A measurement: steps per second, and microseconds of CPU for a step."""

    rate: float
    cpu: float


class VectorEnv:
    """A process with the vector environment of a contender, which steps when it is its turn."""

    def __init__(self, contender, way, game, args):
        self.key = (NAMES[contender], way.name)
        python = args.python if contender == "tandem" else args.peers_python
        path = os.pathsep.join([str(args.package), os.environ.get("PYTHONPATH", "")])
        options = ["--game", game, "--envs", args.envs, "--threads", len(args.cores)]
        options += ["--batch", way.batch]
        words = [python, PEERS / "env_rate.py", contender, *options]
        self._turns = Turns(words, {**os.environ, "PYTHONPATH": path})

    def turn(self, seconds):
        """Steps for so many seconds."""
        steps, passed, cpu = self._turns.turn(seconds)
        return Turn(steps / passed, 1e6 * cpu / steps)

    def close(self):
        self._turns.close()


class BenchEnv:
    """`tandem bench env` on each core at the same time."""

    key = ("tandem bench env", "")

    def __init__(self, game, args):
        self.cores = args.cores
        self.command = [str(args.tandem), "bench", "env", "--json", "--env", f"atari:{game}"]
        for option in OPTIONS:
            self.command += ["--set", f"env.{option}"]

    def turn(self, seconds):
        """Steps on all cores: the sum of their rates, the mean cost."""
        command = [*self.command, "--seconds", str(seconds)]
        processes = [
            subprocess.Popen(
                ["taskset", "--cpu-list", str(core), *command],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for core in self.cores
        ]
        results = [process.communicate() for process in processes]
        for process, (_, errors) in zip(processes, results, strict=True):
            if process.returncode:
                sys.exit(f"python_envs: {' '.join(command)} failed:\n{errors}")
        found = [json.loads(output) for output, _ in results]
        cost = statistics.mean(each["t_env_us"] for each in found)
        return Turn(sum(each["steps_per_second"] for each in found), cost)

    def close(self):
        pass


def measure(game, ways, args):
    """The turns of each contender in this game, one for each round, by (name, way)."""
    turns = collections.defaultdict(list)
    with contextlib.ExitStack() as stack:
        contenders = []
        for way in ways:
            for name in NAMES:
                contenders.append(VectorEnv(name, way, game, args))
                stack.callback(contenders[-1].close)
        contenders.append(BenchEnv(game, args))
        for contender in contenders:
            contender.turn(min(0.5, args.seconds))  # caches and the CPU's clock warm up
        for turn in range(args.rounds):
            # By turns in either direction, so that none is always the first.
            for contender in contenders if turn % 2 == 0 else reversed(contenders):
                turns[contender.key].append(contender.turn(args.seconds))
            found = (f"{' '.join(key).strip()} {own[-1].rate:,.0f}" for key, own in turns.items())
            print(f"{game}, round {turn + 1}: {'; '.join(found)}", file=sys.stderr, flush=True)
    return turns


def rate(turns):
    """The median rate."""
    return statistics.median(turn.rate for turn in turns)


def ratios(above, below):
    """The ratio of the rates of each round, whose turns are nearest in time."""
    return [a.rate / b.rate for a, b in zip(above, below, strict=True)]


def faster_peer(turns, way):
    """The name of the faster peer, by its median."""
    peers = [name for name in NAMES.values() if name != "tandem"]
    return max(peers, key=lambda name: rate(turns[name, way]))


def markdown(lines):
    head, *rest = [[str(cell) for cell in line] for line in lines]
    rows = [head, ["---"] + ["---:"] * (len(head) - 1), *rest]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def peers_table(found, way):
    """Rates beside the peers'. `found` has the turns of each game."""
    names = list(NAMES.values())
    lines = [
        [way, *[f"{name}, steps/s" for name in names], "faster peer", "ratio", "least to most"]
    ]
    medians = []
    for game, turns in found.items():
        peer = faster_peer(turns, way)
        own = ratios(turns["tandem", way], turns[peer, way])
        medians.append(statistics.median(own))
        lines.append(
            [game, *[f"{rate(turns[name, way]):,.0f}" for name in names]]
            + [peer, f"{medians[-1]:.2f}", f"{min(own):.2f} to {max(own):.2f}"]
        )
    lines.append(["mean", "", "", "", "", f"**{statistics.mean(medians):.2f}**", ""])
    return markdown(lines)


def bench_table(found, way, cores):
    """The synchronous rate beside that of the environments without Python."""
    name = BenchEnv.key[0]
    head = [way, "`make_vec`, steps/s", f"`{name}` x {cores}, steps/s", "share", "least to most"]
    lines, medians = [head], []
    for game, turns in found.items():
        both = turns["tandem", way], turns[BenchEnv.key]
        own = ratios(*both)
        medians.append(statistics.median(own))
        lines.append(
            [game, *[f"{rate(each):,.0f}" for each in both]]
            + [f"{medians[-1]:.1%}", f"{min(own):.1%} to {max(own):.1%}"]
        )
    lines.append(["mean", "", "", f"**{statistics.mean(medians):.1%}**", ""])
    return markdown(lines)


def cpu_table(found, ways):
    """Microseconds of CPU for a step, which other work on the machine changes less than rates."""
    keys = [(name, way.name) for way in ways for name in NAMES.values()]
    lines = [["CPU of a step, us", *[f"{name}, {way}" for name, way in keys]]]
    for game, turns in found.items():
        costs = (statistics.median(turn.cpu for turn in turns[key]) for key in keys)
        lines.append([game, *[f"{cost:.0f}" for cost in costs]])
    return markdown(lines)


def versions(python, *names):
    """The versions of these distributions in another Python."""
    code = "import importlib.metadata as data, sys\n"
    code += "for name in sys.argv[1:]: print(data.version(name))"
    result = subprocess.run([python, "-c", code, *names], capture_output=True, text=True)
    numbers = result.stdout.split() if result.returncode == 0 else ["?"] * len(names)
    return ", ".join(" ".join(pair) for pair in zip(names, numbers, strict=True))


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cores = sorted(os.sched_getaffinity(0))
    venv = ROOT / ".venv/bin/python"
    parser.add_argument("--tandem", default=ROOT / "build/tandem", help="the program")
    parser.add_argument(
        "--package", default=ROOT / "build/python", help="the folder of the package `tandem`"
    )
    parser.add_argument(
        "--python", default=venv if venv.exists() else sys.executable, help="for this package"
    )
    parser.add_argument("--peers-python", help="a Python that has the peers; installs nothing")
    parser.add_argument("--games", nargs="+", default=GAMES)
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--batch", type=int, help="asynchronous; default: half the environments")
    parser.add_argument("--cores", type=int, nargs="+", default=cores, help="default: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="of each turn")
    parser.add_argument("--out", type=Path, help="also write the tables here, as Markdown")
    parser.add_argument("--json", type=Path, help="write every rate here")
    return parser.parse_args()


def main():
    args = arguments()
    unwind_on_signals("python_envs")
    args.peers_python = peers_python(args.peers_python)
    os.sched_setaffinity(0, args.cores)
    batch = args.batch or max(1, args.envs // 2)
    ways = [Way("synchronous", 0), Way(f"asynchronous, {batch} ready", batch)]
    found = {game: measure(game, ways, args) for game in args.games}
    setting = (
        f"{args.envs} environments, random actions, {len(args.cores)} threads on as many cores; "
        f"medians of {args.rounds} turns of {args.seconds:g} s each; {cpu_name()}; "
        f"{versions(args.peers_python, 'envpool', 'ale-py')}; {time.strftime('%Y-%m-%d')}"
    )
    tables = [peers_table(found, way.name) for way in ways]
    tables.append(bench_table(found, ways[0].name, len(args.cores)))
    tables.append(cpu_table(found, ways))
    result = "\n\n".join([setting, *tables]) + "\n"
    print(result)
    if args.out:
        args.out.write_text(result)
    if args.json:
        rows = [
            {"game": game, "contender": name, "way": way, **dataclasses.asdict(turn)}
            for game, all_turns in found.items()
            for (name, way), own in all_turns.items()
            for turn in own
        ]
        args.json.write_text(json.dumps({"setting": setting, "turns": rows}, indent=2) + "\n")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("python_envs: interrupted")
    except Missing as reason:
        sys.exit(f"python_envs: {reason}")

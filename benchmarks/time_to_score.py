#!/usr/bin/env python3
"""Measures the minutes until the mean of the last 100 games is a score, for tandem and its peers.

Each contender trains alone on all cores, with the numbers that its makers recommend for Atari,
until it reaches the score or the cap. Where actors explore, as Ape-X's do, the games are those of
the last three evaluations, of ten greedy games each, which play beside the training. A training
that has ended leaves a file in the folder of results, so the same command goes on after a stop. A
contender that fails has a row that says so, and is tried again by the next call. Ends with a table
and a picture.

    benchmarks/time_to_score.py --out runs/time-to-score --goals Pong:18 Breakout:30 --seeds 1 2

A game without a goal compares the scores at the cap:

    benchmarks/time_to_score.py --out runs/held-out --goals Qbert Boxing --cap-minutes 15 --seeds 1

The first time, the peers are installed into .venv-peers and .venv-peers-sf.
"""

import argparse
import collections
import contextlib
import csv
import dataclasses
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import matplotlib
from python_envs import cpu_name
from side_by_side import PEERS, ROOT, peers_python, running

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

SYSTEMS = ("a3c", "ga3c", "paac", "hts", "impala", "apex")
PEER_SCRIPTS = {
    "CleanRL PPO": ("score_ppo_envpool.py",),
    "Stable-Baselines3 A2C": ("score_sb3.py", "a2c"),
    "Stable-Baselines3 PPO": ("score_sb3.py", "ppo"),
    "Sample Factory APPO": ("score_sf.py",),
}
POLL_SECONDS = 0.5
GAMES = 100  # in a mean score
LABEL_LETTERS = 40  # of a line
# Of contenders whose actors explore, so that training games tell little.
EXPLORING = ("apex", "algo=n_step_q", "algo=one_step_q", "algo=one_step_sarsa")
# The last hundred training games of others look back over about as many steps.
EVALUATIONS = ["evaluate_steps=50k", "evaluate_episodes=10", "until_evaluations=3"]
PPO = ("paac --set algo=ppo", "hts --set algo=ppo")
# No game has this score, so contenders are compared at the cap. From 1e15 on a run has no target.
NO_GOAL = 1e14


@dataclasses.dataclass
class Case:
    """One training."""

    contender: str
    game: str
    goal: float
    seed: int

    @property
    def name(self):
        words = f"{self.contender}-{self.game}-{self.goal:g}-{self.seed}"
        return "".join(c if c.isalnum() or c in ".-" else "-" for c in words.lower())


def explores(words):
    return any(word in EXPLORING for word in words)


def label(name):
    """The contender's name in the table and the picture."""
    if name in PEER_SCRIPTS:
        return name.replace("CleanRL PPO", "PPO in one loop, CleanRL's numbers")
    return f"tandem {name}{' (greedy games)' * explores(name.split())}"


class Tandem:
    def __init__(self, program, words):
        self.program, self.words = program, words
        self.evaluates = explores(words)

    def command(self, case, folder):
        return [
            *[self.program, "train", *self.words, "--env", f"atari:{case.game}"],
            *["--seed", str(case.seed), "--steps", "1G", "--run-dir", folder / "run"],
            *["--set", f"run.until_return={case.goal}", "--set", "run.log_seconds=1"],
            *[word for key in EVALUATIONS * self.evaluates for word in ("--set", f"run.{key}")],
        ]

    def points(self, folder):
        """Seconds, steps and scores so far; of evaluations the means of three."""
        if self.evaluates:
            file, keys = "evaluations.jsonl", ("training_seconds", "step", "mean")
        else:
            file, keys = "metrics.jsonl", ("seconds", "steps", "episode/return_mean_100")
        means = collections.deque(maxlen=3 if self.evaluates else 1)
        with contextlib.suppress(FileNotFoundError):
            for line in (folder / "run" / file).read_text().splitlines():
                with contextlib.suppress(json.JSONDecodeError, KeyError):  # being written; no game
                    row = json.loads(line)
                    seconds, steps, mean = (row[key] for key in keys)
                    means.append(mean)
                    yield seconds, steps, statistics.fmean(means)

    def reached(self, folder, case):
        """The seconds until the score; None if it was not reached."""
        with contextlib.suppress(FileNotFoundError):
            result = json.loads((folder / "run/result.json").read_text())
            if result["reached_return"]:
                return result["reached_return"]["seconds"]
        return None


class Peer:
    def __init__(self, python, words):
        self.python, self.words = python, words

    def command(self, case, folder):
        script, *words = self.words
        options = ["--game", case.game, "--goal", str(case.goal), "--seed", str(case.seed)]
        return [self.python, PEERS / script, *words, *options]

    def points(self, folder, least_games=1):
        for line in (folder / "output.txt").read_text(errors="replace").splitlines():
            words = line.split()
            if words[:1] == ["@@"] and len(words) == 5 and int(words[3]) >= least_games:
                yield float(words[1]), int(words[2]), float(words[4])

    def reached(self, folder, case):
        last = list(self.points(folder, GAMES))[-1:]
        return last[0][0] if last and last[0][2] >= case.goal else None


def sample_factory_python():
    venv = ROOT / ".venv-peers-sf"
    python, stamp = venv / "bin/python", venv / "requirements.txt"
    requirements = PEERS / "requirements_sf.txt"
    if not stamp.exists() or stamp.read_text() != requirements.read_text():
        print("time_to_score: installing Sample Factory into .venv-peers-sf", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--requirement", requirements], check=True)
        stamp.write_text(requirements.read_text())
    return python


def contender(name, args):
    if name in PEER_SCRIPTS:
        python = sample_factory_python() if "Factory" in name else peers_python(args.peers_python)
        return Peer(python, PEER_SCRIPTS[name])
    return Tandem(args.tandem, name.split())


def earlier(result, cap):
    """The result of a training that has ended, if it holds for this cap."""
    if not result.exists():
        return None
    found = json.loads(result.read_text())
    if found["machine"] != machine():
        sys.exit(
            f"time_to_score: {result.parent} was measured on {found['machine']}: name another "
            "--out, because minutes of two machines do not compare"
        )
    if found["seconds"] and found["seconds"] > cap:  # it was not there yet
        before = [point for point in found["points"] if point[0] <= cap]
        _, steps, score = before[-1] if before else (0, 0, None)
        return found | {
            "seconds": None,
            "cap_seconds": cap,
            "last_score": score,
            "last_steps": steps,
        }
    return found if found["seconds"] or found["cap_seconds"] >= cap else None


def train(case, args):
    """Trains one case to its goal or the cap, and writes its result."""
    folder = args.out / case.name
    result = folder / "result.json"
    cap = 60 * args.cap_minutes
    before = earlier(result, cap)
    if before:
        return before
    try:
        who = contender(case.contender, args)
    except (OSError, subprocess.CalledProcessError) as error:
        return failed(case, cap, str(error))
    subprocess.run(["rm", "-rf", folder], check=True)
    folder.mkdir(parents=True)
    began = time.monotonic()
    with running(who.command(case, folder), folder / "output.txt") as process:
        while process.poll() is None and time.monotonic() - began < cap:
            time.sleep(POLL_SECONDS)
        ended = process.poll()
    if ended not in (None, 0):
        tail = "\n".join((folder / "output.txt").read_text().splitlines()[-10:])
        return failed(case, cap, f"it ended with {ended}:\n{tail}")
    seconds = who.reached(folder, case)
    if ended == 0 and seconds is None and isinstance(who, Tandem):
        return failed(case, cap, "something stopped it before the score and the cap")
    points = list(who.points(folder))
    found = {
        **dataclasses.asdict(case),
        "seconds": seconds,
        "cap_seconds": cap,
        "last_score": points[-1][2] if points else None,
        "last_steps": points[-1][1] if points else 0,
        "points": points[:: max(1, len(points) // 300)],
        "machine": machine(),
    }
    new = result.with_suffix(".new")
    new.write_text(json.dumps(found) + "\n")
    new.replace(result)  # whole at any moment
    return found


def failed(case, cap, why):
    """A result that no file keeps, so that the next call tries again."""
    print(f"time_to_score: {case.contender} failed: {why}", file=sys.stderr)
    nothing = {"seconds": None, "cap_seconds": cap, "last_score": None, "last_steps": 0}
    return {**dataclasses.asdict(case), **nothing, "points": [], "failed": True}


def machine():
    flags = Path("/proc/cpuinfo").read_text()
    wide = "AVX-512" if "avx512f" in flags else "no AVX-512"
    tiles = ", AMX" if "amx_bf16" in flags else ""
    return f"{len(os.sched_getaffinity(0))} cores of {cpu_name()} ({wide}{tiles})"


def minutes(found):
    """The median over seeds; infinite where half of them or more did not reach the score."""
    return statistics.median(one["seconds"] / 60 if one["seconds"] else math.inf for one in found)


def texts(found):
    """The table's cells: the median, and each seed."""
    if any("failed" in one for one in found):
        return ["failed", ""]
    scores = [one["last_score"] for one in found if one["last_score"] is not None]
    mean = f"{statistics.fmean(scores):.1f}" if scores else ""
    if found[0]["goal"] >= NO_GOAL:
        each = ["-" if (x := one["last_score"]) is None else f"{x:.1f}" for one in found]
        return [mean or "no game", ", ".join(each)]
    each = [f"{one['seconds'] / 60:.1f}" if one["seconds"] else "-" for one in found]
    median = minutes(found)
    last = f"at {mean}" if mean else "no game"
    words = f"{median:.1f}" if median < math.inf else f"{beyond(found)} ({last})"
    return [words, ", ".join(each)]


def cap_of(found):
    """The minutes after which they were stopped."""
    return min(one["cap_seconds"] for one in found) / 60


def beyond(found):
    return f"more than {cap_of(found):g}"


def of(results, *case):
    """The results of one contender, game and goal."""
    return [r for r in results if (r["contender"], r["game"], r["goal"]) == case]


def table(results, goals, names):
    head = ["contender"]
    for game, goal in goals:
        at_cap = f"score at the cap in {game}"
        head += [at_cap if goal >= NO_GOAL else f"minutes to {goal:g} in {game}", "each seed"]
    lines = [head, ["---"] * len(head)]
    for name in names:
        line = [label(name)]
        for game, goal in goals:
            found = of(results, name, game, goal)
            line += texts(found) if found else ["", ""]
        lines.append(line)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def draw(results, goals, names, out):
    """A bar for the median of each contender, with a point for each seed."""
    figure, panels = plt.subplots(
        1, len(goals), figsize=(2 + 5.2 * len(goals), 0.4 * len(names) + 1.4), layout="constrained"
    )
    for (game, goal), axes in zip(goals, [panels] if len(goals) == 1 else panels, strict=True):
        ends = []
        for place, name in enumerate(names):
            found = of(results, name, game, goal)
            if not found:
                continue
            median, cap = minutes(found), cap_of(found)
            colour = "#888888" if name in PEER_SCRIPTS else "#0072b2"
            axes.barh(place, min(median, cap), color=colour, alpha=1 if median < math.inf else 0.3)
            words = f"{median:.1f}" if median < math.inf else beyond(found)
            seeds = [one["seconds"] / 60 for one in found if one["seconds"]]
            if len(found) > 1:
                axes.plot(seeds, [place] * len(seeds), "o", color="black", markersize=3)
            ends.append(max([min(median, cap), *seeds]))
            axes.text(ends[-1], place, f"  {words}", va="center", fontsize=8)
        axes.set_yticks(
            range(len(names)), [textwrap.fill(label(name), LABEL_LETTERS) for name in names]
        )
        axes.invert_yaxis()
        axes.set_xlim(0, 1.35 * max(ends, default=1))
        axes.set_xlabel(f"minutes until 100 games of {game} have {goal:g}")
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out / "time_to_score.png", dpi=150)


def write(results, goals, names, args):
    text = table(results, goals, names)
    heading = f"{machine()}; seeds {', '.join(map(str, args.seeds))}; {time.strftime('%Y-%m-%d')}"
    (args.out / "time_to_score.md").write_text(f"{heading}\n\n{text}")
    with (args.out / "time_to_score.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        keys = ["contender", "game", "goal", "seed", "seconds", "last_score", "last_steps"]
        writer.writerow(keys)
        writer.writerows([[result[key] for key in keys] for result in results])
    timed = [(game, goal) for game, goal in goals if goal < NO_GOAL]
    if timed:
        draw([r for r in results if "failed" not in r], timed, names, args.out)
    return text


def goal_of(text):
    game, _, goal = text.partition(":")
    return game, float(goal or NO_GOAL)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--tandem", default=ROOT / "build/tandem", help="the program")
    add("--peers-python", help="a Python that has the peers; installs nothing")
    add("--goals", nargs="+", type=goal_of, default=[("Pong", 18.0), ("Breakout", 30.0)])
    add("--seeds", nargs="+", type=int, default=[1, 2])
    add("--cap-minutes", type=float, default=60)
    add(
        "--contenders",
        nargs="+",
        default=[*SYSTEMS, *PPO, *PEER_SCRIPTS],
        help='words of `tandem train` ("paac --set algo=ppo"), or a peer\'s name',
    )
    add("--out", type=Path, default=ROOT / "runs/time-to-score")
    return parser.parse_args()


def main():
    args = arguments()
    # A signal unwinds the stack like Ctrl-C does, and that ends the training.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("time_to_score: terminated"))
    args.out.mkdir(parents=True, exist_ok=True)
    results = []
    for seed in args.seeds:
        for game, goal in args.goals:
            for name in args.contenders:
                found = train(Case(name, game, goal, seed), args)
                reached = f"{found['seconds']:.0f} s" if found["seconds"] else "not reached"
                print(f"{name}, {game}, seed {seed}: {reached}", file=sys.stderr)
                results.append(found)
                write(results, args.goals, args.contenders, args)
    print(write(results, args.goals, args.contenders, args))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("time_to_score: interrupted; the same command goes on")

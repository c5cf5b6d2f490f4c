#!/usr/bin/env python3
"""Measures the minutes until the mean of the last 100 games is a score, for tandem and its peers.

Each contender trains alone on all cores, with the numbers that its makers recommend for Atari,
until it reaches the score or the cap. Where actors explore, as Ape-X's do, the games are those of
the last three evaluations, of ten games each with an epsilon of 0.05, which play beside the
training; the time is that of the last of these policies. A training that has ended leaves a file in
the folder of results, so the same command goes on after a stop. A contender that fails has a row
that says so, and is tried again by the next call. Ends with a table and a picture.

    .venv/bin/python benchmarks/time_to_score.py --out runs/time-to-score --seeds 1 2 \\
      --goals Pong:18 Breakout:30

Peers may have fewer seeds and another cap (--peer-seeds, --peer-cap-minutes). A game without a goal
compares the scores at the cap:

    .venv/bin/python benchmarks/time_to_score.py --out runs/held-out --seeds 1 \\
      --goals Qbert Boxing --cap-minutes 15

The first time, the peers are installed into .venv-peers and .venv-peers-sf.
"""

import argparse
import csv
import dataclasses
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from contenders import CHANCE, PEER_SCRIPTS, Case, Tandem, contender
from machine import machine_name
from peer_environments import ROOT, Missing
from score_table import NO_GOAL, draw, table
from side_by_side import START_SECONDS, running, unwind_on_signals

SYSTEMS = ("a3c", "ga3c", "paac", "hts", "impala", "apex")
POLL_SECONDS = 0.5
PPO = ("paac --set algo=ppo", "hts --set algo=ppo")


def labels_of(names, results):
    """The contenders' names in the table and the picture."""
    evaluated = {result["contender"] for result in results if result.get("evaluated")}
    labels = {}
    for name in names:
        games = f" (by 30 games with epsilon {CHANCE})" if name in evaluated else ""
        peer = name.replace("CleanRL PPO", "PPO in one loop, CleanRL's numbers")
        labels[name] = peer if name in PEER_SCRIPTS else f"tandem {name}{games}"
    return labels


def earlier(result, cap, made_of):
    """The result of a training that has ended, if it holds for this cap and today's numbers."""
    if not result.exists():
        return None
    found = json.loads(result.read_text())
    if found["machine"] != machine_name():
        sys.exit(
            f"time_to_score: {result.parent} was measured on {found['machine']}: name another "
            "--out, because minutes of two machines do not compare"
        )
    if found.get("made_of") != made_of:
        sys.exit(
            f"time_to_score: {result.parent} was measured with other numbers than today's: name "
            "another --out, or remove that folder"
        )
    end = found["seconds"] or found["cap_seconds"]
    if found["seconds"] is None and found.get("ended") and end <= cap:
        return found
    if end > cap:  # it was not there yet
        before = [point for point in found["points"] if point[0] <= cap]
        _, steps, score = before[-1] if before else (0, 0, None)
        return found | {
            "seconds": None,
            "cap_seconds": cap,
            "last_score": score,
            "last_steps": steps,
        }
    return found | {"cap_seconds": cap} if found["seconds"] or end == cap else None


def minutes_for(name, args):
    """The cap of a contender."""
    own = args.peer_cap_minutes if name in PEER_SCRIPTS else None
    return own or args.cap_minutes


def seeds_of(name, args):
    own = args.peer_seeds if name in PEER_SCRIPTS else None
    return own or args.seeds


def train(case, args):
    """Trains one case to its goal or the cap, and writes its result."""
    folder = args.out / case.name
    result = folder / "result.json"
    cap = 60 * minutes_for(case.contender, args)
    who = contender(case, args)
    try:
        made_of = who.made_of()
        before = earlier(result, cap, made_of)
        build = who.build()
        if before:
            if before.get("build", build) != build:
                print(
                    f"time_to_score: {folder} was measured with {before['build']}, and this is "
                    f"{build}: if one is faster, remove that folder",
                    file=sys.stderr,
                )
            return before | {"evaluated": who.evaluates}
        command = who.command(case, folder)  # may install a peer
    except (OSError, subprocess.CalledProcessError, Missing) as error:
        return failed(case, cap, str(error))
    subprocess.run(["rm", "-rf", folder], check=True)
    folder.mkdir(parents=True)
    began = time.monotonic()
    # A peer that is killed leaves files behind.
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch,
        running(command, folder / "output.txt", TMPDIR=scratch) as process,
    ):
        while process.poll() is None and not is_over(who, folder, cap, time.monotonic() - began):
            time.sleep(POLL_SECONDS)
        ended = process.poll()
    if ended not in (None, 0):
        tail = "\n".join((folder / "output.txt").read_text().splitlines()[-10:])
        return failed(case, cap, f"it ended with {ended}:\n{tail}")
    seconds = who.reached(folder, case)
    if ended == 0 and seconds is None and isinstance(who, Tandem):
        return failed(case, cap, "something stopped it before the score and the cap")
    # A peer may have made all its steps.
    trained = min(cap, who.clock(folder)) if ended == 0 and seconds is None else cap
    if trained == 0:
        return failed(case, cap, "it ended before its first game")
    points = [point for point in who.points(folder) if point[0] <= cap]
    found = {
        **dataclasses.asdict(case),
        "seconds": seconds if seconds is None or seconds <= cap else None,
        "cap_seconds": trained,
        "ended": trained < cap,
        "last_score": points[-1][2] if points else None,
        "last_steps": points[-1][1] if points else 0,
        "points": points[:: max(1, len(points) // 300)],
        "machine": machine_name(),
        "made_of": made_of,
        "build": build,
        "evaluated": who.evaluates,
    }
    new = result.with_suffix(".new")
    new.write_text(json.dumps(found) + "\n")
    new.replace(result)  # whole at any moment
    return found


def is_over(who, folder, cap, passed):
    """Whether it has trained until the cap. Its own clock begins with the training, and `passed`
    seconds have gone by since the process began."""
    if passed < cap:
        return False
    try:
        trained = who.clock(folder)
    except FileNotFoundError:
        trained = 0
    return trained >= cap or passed > cap + START_SECONDS


def failed(case, cap, why):
    """A result that no file keeps, so that the next call tries again."""
    print(f"time_to_score: {case.contender} failed: {why}", file=sys.stderr)
    nothing = {"seconds": None, "cap_seconds": cap, "last_score": None, "last_steps": 0}
    return {**dataclasses.asdict(case), **nothing, "points": [], "failed": True}


def write(results, goals, names, args):
    labels = labels_of(names, results)
    text = table(results, goals, labels)
    seeds = f"seeds {', '.join(map(str, args.seeds))}"
    if args.peer_seeds:
        seeds += f", of the peers {', '.join(map(str, args.peer_seeds))}"
    cap = f"at most {args.cap_minutes:g} minutes"
    if args.peer_cap_minutes:
        cap += f", of the peers {args.peer_cap_minutes:g}"
    rates = "tandem's learning rates stay, those of its peers fall as their makers have them"
    heading = f"{machine_name()}; {seeds}; {cap}; {rates}; {time.strftime('%Y-%m-%d')}"
    builds = sorted({result["build"] for result in results if result.get("build")})
    if len(builds) > 1:
        heading += f"; builds of tandem: {', '.join(builds)}"
    (args.out / "time_to_score.md").write_text(f"{heading}\n\n{text}")
    with (args.out / "time_to_score.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        keys = ["contender", "game", "goal", "seed", "seconds", "last_score", "last_steps"]
        keys += ["cap_seconds", "failed"]
        writer.writerow(keys)
        writer.writerows([[result.get(key, False) for key in keys] for result in results])
    timed = [(game, goal) for game, goal in goals if goal < NO_GOAL]
    if timed:
        draw(results, timed, labels, set(PEER_SCRIPTS), args.out)
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
    add("--peer-seeds", nargs="+", type=int, help="seeds of the peers, if not --seeds")
    add("--peer-cap-minutes", type=float, help="cap of the peers, if not --cap-minutes")
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
    unwind_on_signals("time_to_score")
    args.out.mkdir(parents=True, exist_ok=True)
    results = []
    for seed in dict.fromkeys([*args.seeds, *(args.peer_seeds or [])]):
        for game, goal in args.goals:
            for name in args.contenders:
                if seed not in seeds_of(name, args):
                    continue
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

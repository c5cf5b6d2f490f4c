#!/usr/bin/env python3
"""Judges a round of tuning by the rule of docs/results/presets.md.

    tools/judge_round.py runs/tuning/atari/paac-1-3h --presets a2c ppo [--out FILE.csv]

Each folder is one that `tandem reproduce` made, whole or in part. The runs of several are taken
together, as those of a round and of its confirmation, and only arms that all of them have are
judged, over the seeds that each of them has. --presets names the arms that are presets; an arm
belongs to the preset with which its name begins, or to the only one, and each preset's arms are
judged apart. Prints an arm's mark in each game, and in brackets the return at the end; writes them
with --out.

A run's score is the mean over its time of the return of its last 100 games, or of its evaluations
if it has any: so it tells how soon a run learned and how much. Before the first game it is random
play's. Between two evaluations it is on the line from one to the other, since the better an agent
plays, the longer an evaluation takes. All runs of a game are cut where the shortest ends; a run
that diverged keeps its last return until there. An arm's mark in a game is its mean score over
seeds, with 0 for random play and 1 for the best arm. A game counts if the best arm ends at least a
fiftieth of the way from random play to a person.
"""

import argparse
import csv
import itertools
import json
import math
import statistics
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

# Random play and people, as in src/tandem/run/atari_scores.cc: of the games for tuning alone. Tasks
# of the control suite count from nothing to the most that they pay.
REFERENCES = {
    "atari:Pong": (-20.7, 14.6),
    "atari:Breakout": (1.7, 30.5),
    "atari:BeamRider": (363.9, 16926.5),
    "atari:Seaquest": (68.4, 42054.7),
    "atari:SpaceInvaders": (148.0, 1668.7),
}
CONTROL = (0.0, 1000.0)
LEAST_SHARE = 1 / 50  # of the way to a person
AND_THEN = ", and then on "  # between the machines of a round that went on elsewhere


@dataclass
class Run:
    arm: str
    env: str
    seed: int
    points: list[tuple[float, float]]  # seconds, return
    diverged: bool
    evaluated: bool = False  # the returns are those of evaluations

    def score(self, end: float) -> float:
        """The mean return over the time until `end`."""
        first, last = (0.0, random_play(self.env)), (math.inf, self.at(math.inf))
        area = 0.0
        for (began, value), (seconds, found) in itertools.pairwise([first, *self.points, last]):
            if began >= end:
                break
            passed = min(seconds, end) - began
            # A return of training games stays until the next one.
            slope = (found - value) / (seconds - began) if self.evaluated and passed else 0
            area += passed * (value + slope * passed / 2)
        return area / end

    def at(self, end: float) -> float:
        """The return at that time, by the same rule as the score's."""
        seconds, value = 0.0, random_play(self.env)
        for then, found in self.points:
            if then > end:
                share = (end - seconds) / (then - seconds) if self.evaluated else 0
                return value + share * (found - value)
            seconds, value = then, found
        return value


@dataclass
class Game:
    """A game's marks, by arm."""

    env: str
    seconds: float  # at which all runs are cut
    scores: dict[str, float]
    ends: dict[str, float]  # returns at that time
    seeds: dict[str, list[int]]

    @property
    def counts(self) -> bool:
        random, person = references_of(self.env)
        return max(self.ends.values()) >= random + LEAST_SHARE * (person - random)

    def mark(self, arm: str) -> float | None:
        best, random = max(self.scores.values()), random_play(self.env)
        if arm not in self.scores or best <= random:
            return None
        return (self.scores[arm] - random) / (best - random)


def random_play(env: str) -> float:
    return references_of(env)[0]


def references_of(env: str) -> tuple[float, float]:
    """The returns of random play and of a person."""
    if env.startswith("mujoco:"):
        return CONTROL
    if env not in REFERENCES:
        sys.exit(
            f"judge_round: {env} is no game for tuning: {', '.join(REFERENCES)}, or mujoco:..."
        )
    return REFERENCES[env]


def read_lines(file: Path) -> list[dict]:
    lines = file.read_text().splitlines() if file.exists() else []
    rows = []
    for line in lines:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:  # a run that was killed while it wrote
            continue
    return rows


def read_run(folder: Path) -> Run | None:
    """A run that has come to its end or diverged; None for another."""
    try:
        why = json.loads((folder / "result.json").read_text())["why_ended"]
    except FileNotFoundError:
        return None
    if why == "signal" or why.startswith("error"):
        return None
    config = tomllib.loads((folder / "config.toml").read_text())
    evaluations = read_lines(folder / "evaluations.jsonl")
    points = [(row["training_seconds"], row["mean"]) for row in evaluations]
    if not points:
        key = "episode/return_mean_100"
        rows = read_lines(folder / "metrics.jsonl")
        points = [(row["seconds"], row[key]) for row in rows if row.get(key) is not None]
    arm = folder.parents[2].name
    diverged = why.startswith("diverged")
    env, seed = config["env"]["id"], int(config["run"]["seed"])
    return Run(arm, env, seed, points, diverged, evaluated=bool(evaluations))


def require_one_pace(folders: list[Path]) -> None:
    """Ends the program where rounds were made on different machines, or by different numbers of
    runs at once; says so where they were made by several builds."""
    files = [folder / "item.json" for folder in folders]
    items = [json.loads(file.read_text()) for file in files if file.exists()]
    remedy = "judge the rounds apart" if len(files) > 1 else "train it again in one way"
    machines = sorted({one for item in items for one in item["machine"].split(AND_THEN)})
    jobs = sorted({one for item in items for one in item.get("jobs", [])})
    ways = machines if len(machines) > 1 else [f"--jobs {number}" for number in jobs]
    if len(ways) > 1:
        sys.exit(
            f"judge_round: these runs are of {' and of '.join(ways)}, and their returns by seconds "
            f"do not compare: {remedy}"
        )
    builds = sorted({one for item in items for one in item.get("builds", [])})
    if len(builds) > 1:
        print(
            f"judge_round: these runs are of {len(builds)} builds, whose rates may differ: "
            f"{', '.join(builds)}",
            file=sys.stderr,
        )


def read_runs(folders: list[Path]) -> list[Run]:
    """The runs of the arms that all folders have."""
    require_one_pace(folders)
    found = [
        [run for path in sorted(folder.glob("*/*/runs/*")) if (run := read_run(path))]
        for folder in folders
    ]
    arms = set.intersection(*({run.arm for run in runs} for runs in found))
    runs = [run for runs in found for run in runs if run.arm in arms]
    if not any(run.points and not run.diverged for run in runs):
        sys.exit(f"judge_round: no run has ended in {', '.join(map(str, folders))}")
    return runs


def with_common_seeds(runs: list[Run]) -> list[Run]:
    """The runs of the seeds that all arms have, game by game, since seeds differ in their luck."""
    kept = []
    for env in dict.fromkeys(run.env for run in runs):
        own = [run for run in runs if run.env == env]
        seeds: dict[str, set[int]] = {}
        for run in own:
            seeds.setdefault(run.arm, set()).add(run.seed)
        common = set.intersection(*seeds.values())
        if left := sorted({run.seed for run in own} - common):
            words = ", ".join(map(str, left))
            print(f"judge_round: {env}: not all arms have seed {words}: left out", file=sys.stderr)
        kept += [run for run in own if run.seed in common]
    return kept


def games_of(runs: list[Run]) -> list[Game]:
    """The games in which a run has come to its end."""
    ended = [run for run in runs if run.points and not run.diverged]
    return [game_of(env, runs) for env in dict.fromkeys(run.env for run in ended)]


def game_of(env: str, runs: list[Run]) -> Game:
    own = [run for run in runs if run.env == env]
    end = min(run.points[-1][0] for run in own if run.points and not run.diverged)
    arms: dict[str, list[Run]] = {}
    for run in own:
        arms.setdefault(run.arm, []).append(run)
    mean = statistics.fmean
    return Game(
        env,
        end,
        {arm: mean(run.score(end) for run in each) for arm, each in arms.items()},
        {arm: mean(run.at(end) for run in each) for arm, each in arms.items()},
        {arm: sorted(run.seed for run in each) for arm, each in arms.items()},
    )


def ahead(arm: str, preset: str, games: list[Game]) -> tuple[float, int, int] | None:
    """How much higher an arm's mean mark is than its preset's, in how many games it is higher, and
    the number of games: those that count and that both played."""
    pairs = [(game.mark(arm), game.mark(preset)) for game in games if game.counts]
    both = [own - other for own, other in pairs if own is not None and other is not None]
    if not both:
        return None
    return statistics.fmean(both), sum(each > 0 for each in both), len(both)


def table(preset: str, games: list[Game]) -> list[list[str]]:
    arms = list(dict.fromkeys(arm for game in games for arm in game.scores))
    lead = {arm: ahead(arm, preset, games) for arm in arms}
    arms.sort(key=lambda arm: -(lead[arm] or (0,))[0])
    head = [f"arm of {preset}", "mean mark, less the preset's"]
    for game in games:
        name = game.env.partition(":")[2]
        head.append(f"{name}, {game.seconds:.0f} s{'' if game.counts else ' (does not count)'}")
    return [head, *([arm, lead_text(lead[arm]), *cells(arm, games)] for arm in arms)]


def lead_text(lead: tuple[float, int, int] | None) -> str:
    return "-" if lead is None else f"{lead[0]:+.2f}, ahead in {lead[1]} of {lead[2]}"


def cells(arm: str, games: list[Game]) -> list[str]:
    """The mark of each game, and the return at its end."""
    found = []
    for game in games:
        mark = game.mark(arm)
        found.append("-" if mark is None else f"{mark:.2f} ({game.ends[arm]:.1f})")
    return found


def write_csv(games: list[Game], file: Path) -> None:
    with file.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        head = ["game", "arm", "seeds", "seconds", "mean_return", "last_return", "mark", "counts"]
        writer.writerow(head)
        for game in games:
            for arm, score in game.scores.items():
                seeds = " ".join(map(str, game.seeds[arm]))
                row = [game.env, arm, seeds, f"{game.seconds:.1f}", f"{score:.3f}"]
                mark = game.mark(arm)
                row += [f"{game.ends[arm]:.3f}", "" if mark is None else f"{mark:.2f}"]
                row.append(str(game.counts).lower())
                writer.writerow(row)


def preset_of(arm: str, presets: list[str]) -> str | None:
    """The preset with whose name the arm's begins, the longest if there are several."""
    if len(presets) == 1:
        return presets[0]
    return max(filter(arm.startswith, presets), key=len, default=None)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--presets", nargs="+", default=["the-preset"])
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    runs = read_runs(args.folders)
    all_games = []
    for preset in args.presets:
        own = [run for run in runs if preset_of(run.arm, args.presets) == preset]
        games = games_of(with_common_seeds(own))
        lines = table(preset, games)
        lines.insert(1, ["---"] * len(lines[0]))
        print("".join(f"| {' | '.join(line)} |\n" for line in lines))
        all_games += games
    if args.out:
        write_csv(all_games, args.out)


if __name__ == "__main__":
    main()

"""Draws sweep.png from the folder of a sweep; `tandem sweep` and `tandem plot DIR` call it.

Each environment has a row of panels. They show the score of each run against each value that was
drawn from a range (Figures 3, 9 and 10 of the A3C paper), and the scores in descending order (its
Figure 8). Each colour is a combination of listed values. A cross on the lower edge is a run
without a score.
"""

import argparse
import csv
import itertools
import json
import re
from dataclasses import dataclass
from pathlib import Path

from plot import COLOURS, picture, plain, plt, refuse
from plot_speedup import plot_speedup

NAMES = {"optimizer.lr": "learning rate", "a2c.entropy": "entropy weight"}
RANGE = re.compile(r"^([^=]+)=(uniform|log_uniform)\(([^,]+),([^,]+)\)$")
ENV = "env.id"
LETTERS_PER_INCH = 13
BAD = 0.02  # of an axis's height, where crosses are
RANKS = "runs, best first"


@dataclass
class Range:
    key: str
    is_log: bool
    limits: tuple[float, float] | None = None  # None: as matplotlib chooses them


@dataclass
class Sweep:
    ranges: list[Range]
    lists: list[str]  # keys
    rows: list[dict[str, str]]  # of sweep.csv
    config: dict[str, object]


def read_sweep(folder):
    try:
        description = json.loads((folder / "sweep.json").read_text())
        with (folder / "sweep.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, json.JSONDecodeError) as error:
        refuse(f"cannot read the sweep in {folder}: {error}")
    if not rows:
        refuse(f"no run of the sweep in {folder} has ended yet: let it go on")
    ranges, lists = [], []
    for text in description["vary"]:
        if found := RANGE.match(text):
            key, kind, low, high = found.groups()
            ranges.append(Range(key, kind == "log_uniform", (float(low), float(high))))
        else:
            lists.extend(text.split("=")[0].split("+"))
    return description, Sweep(ranges, lists, rows, description["config"])


def split(rows, keys):
    """The rows by their values of these keys, in the order in which values first appear."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def label_of(keys, values):
    pairs = zip(keys, values, strict=True)
    return "  ".join(f"{key.split('.')[-1]}={value}" for key, value in pairs)


def scores_of(rows):
    """The rows that have a score, and those that have none."""
    good = [row for row in rows if row["score"] not in ("", None)]
    return good, [row for row in rows if row["score"] in ("", None)]


def words_of_bad(rows):
    """A legend's words about the crosses; None if there is none."""
    bad = len(scores_of(rows)[1])
    return f"x: diverged, or no game ended ({bad} runs)" if bad else None


def mark_bad(axes, xs, colour):
    if xs:
        place = axes.get_xaxis_transform()
        axes.scatter(
            xs,
            [BAD] * len(xs),
            marker="x",
            s=28,
            color=colour,
            transform=place,
        )


def draw_scatter(axes, part, rows, colour):
    good, bad = scores_of(rows)
    axes.scatter(
        [float(row[part.key]) for row in good],
        [float(row["score"]) for row in good],
        s=22,
        color=colour,
        alpha=0.75,
        linewidth=0,
    )
    mark_bad(axes, [float(row[part.key]) for row in bad], colour)
    if part.is_log:
        axes.set_xscale("log")
    if part.limits:
        low, high = part.limits
        room = 0.02 * (high - low)
        axes.set_xlim(*((low / 1.1, high * 1.1) if part.is_log else (low - room, high + room)))
    axes.set_xlabel(NAMES.get(part.key, part.key))


def draw_ranks(axes, rows, colour, label):
    good, bad = scores_of(rows)
    scores = sorted((float(row["score"]) for row in good), reverse=True)
    ranks = range(1, len(rows) + 1)
    label = f"{label}  ({len(rows)} runs)" if label else f"{len(rows)} runs"
    axes.plot(ranks[: len(good)], scores, "o-", markersize=3, color=colour, label=label)
    mark_bad(axes, list(ranks[len(good) :]), colour)
    axes.set_xlabel(RANKS)
    axes.xaxis.get_major_locator().set_params(integer=True)


def plot_sweep(sweep, out):
    envs = split(sweep.rows, [ENV]) if ENV in sweep.lists else {(sweep.config[ENV],): sweep.rows}
    keys = [key for key in sweep.lists if key != ENV]
    colours = dict(zip(split(sweep.rows, keys), itertools.cycle(COLOURS)))
    columns = len(sweep.ranges) + 1
    figure, panels = plt.subplots(
        len(envs),
        columns,
        figsize=(4.8 * columns, 3.6 * len(envs) + 0.6),
        sharey="row",
        squeeze=False,
        layout="constrained",
    )
    for (env, rows), line in zip(envs.items(), panels, strict=True):
        for values, members in split(rows, keys).items():
            colour = colours[values]
            for part, axes in zip(sweep.ranges, line[:-1], strict=True):
                draw_scatter(axes, part, members, colour)
            draw_ranks(line[-1], members, colour, label_of(keys, values))
        line[0].set_ylabel("mean return of the last 100 games")
        line[0].set_title(env[0], loc="left")
    for axes in panels.flat:
        plain(axes)
    handles, labels = panels[0][-1].get_legend_handles_labels()
    # The legend has as many columns as the figure has room for.
    side_by_side = int(LETTERS_PER_INCH * 4.8 * columns / (max(map(len, labels)) + 8))
    figure.legend(
        handles,
        labels,
        title=words_of_bad(sweep.rows),
        loc="outside lower center",
        ncols=max(1, side_by_side),
        frameon=False,
    )
    figure.savefig(out, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--out", type=picture)
    arguments = parser.parse_args()
    out = arguments.out or arguments.folder / "sweep.png"
    description, sweep = read_sweep(arguments.folder)
    plt.rcParams.update({"font.size": 10, "axes.titlesize": 10})
    try:
        if description["command"] == "speedup":
            plot_speedup(arguments.folder, description, out)
        else:
            plot_sweep(sweep, out)
    except (OSError, ValueError) as error:
        refuse(f"cannot write {out}: {error}")
    print(out)


if __name__ == "__main__":
    main()

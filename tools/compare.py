"""Compares runs by the metrics of HTS-RL's paper (section 5, "Evaluation protocol").

Runs of one config with several seeds are one row. A run's return at some moment is the mean over
the games of its last ten evaluations by then (evaluations.jsonl), ten games each, as in the paper.
Runs without ten evaluations are compared by their last 100 training games, and the heading says so.
Each row has three metrics, with a bootstrapped 95% interval:

- the final metric: at equal steps;
- the final time metric: at equal wall-clock time;
- the required time metric: how long a run took to some return; compare.csv has the steps, too.

Where a game has scores of random play and of people, the final metric is normalised by them, too;
over several games there is the interquartile mean. Writes compare.png (one for each environment),
compare.csv and compare.md into a folder. `tandem compare` calls this.
"""

import argparse
import csv
import io
import json
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import plot
from games_to_compare import choose_games, env_of
from normalised_scores import (
    Estimate,
    bootstrapped,
    game_of,
    is_known,
    normalised,
    stratified_iqm,
)
from plot import RETURN, refuse

WINDOW = 100  # training games in a mean return of the log
# Keys that follow the environment, in which the runs of one row over several games may differ.
OF_THE_ENVIRONMENT = {"env.id", "net.pixel_mean"}
DEFAULT_SHARES = (0.5, 0.9)  # of the way from the first return to the best: the returns to reach


@dataclass
class Limits:
    """The limits at which all rows are compared."""

    steps: float | None  # None: each run's end
    seconds: float
    returns: list[float]


@dataclass
class Row:
    label: str
    env: str
    runs: int
    final: Estimate | None  # None: not every run came so far
    final_time: Estimate | None
    required: list[tuple[Estimate | None, int]]  # seconds, and how many runs came there
    required_steps: list[Estimate | None]
    human: Estimate | None = None  # the final metric, human-normalised; None: no such scores


def estimate(values):
    """The mean of all values and its bootstrapped interval; None when one is missing."""
    if any(value is None for value in values):
        return None
    return bootstrapped([values], partial(np.mean, axis=-1))


def return_at(run, column, limit):
    """The last return at or before the limit, or of the whole run without a limit; None if the
    run had ended earlier. A run that diverged keeps its last return."""
    if limit is None:
        return run.columns[RETURN][-1]
    moments = run.columns[column]
    if (moments[-1] < limit and not run.diverged) or moments[0] > limit:
        return None
    return run.columns[RETURN][np.searchsorted(moments, limit, side="right") - 1]


def first_at(run, wanted, column):
    """The seconds or steps at which a run first had this return; None if it never had."""
    # The mean of a few games may be high by luck.
    full = run.columns.get("episodes", np.inf) >= WINDOW
    reached = np.flatnonzero((run.columns[RETURN] >= wanted) & full)
    return run.columns[column][reached[0]] if reached.size else None


def row_of(curve, limits, references):
    required = []
    steps = []
    for wanted in limits.returns:
        seconds = [first_at(run, wanted, "seconds") for run in curve.runs]
        required.append((estimate(seconds), sum(s is not None for s in seconds)))
        steps.append(estimate([first_at(run, wanted, "steps") for run in curve.runs]))
    final = [return_at(run, "steps", limits.steps) for run in curve.runs]
    env = env_of(curve.runs[0])
    return Row(
        curve.label,
        env,
        len(curve.runs),
        estimate(final),
        estimate([return_at(run, "seconds", limits.seconds) for run in curve.runs]),
        required,
        steps,
        estimate([normalised(score, env, references) for score in final]),
    )


def scores_over_games(runs, limits, references):
    """For each config the human-normalised final scores of its runs, by game. Only games that all
    configs have played can be compared."""
    free = plot.NOT_OF_THE_CONFIG | OF_THE_ENVIRONMENT
    curves = plot.group_runs(runs, free, over_games=True)
    of_atari = [[run for run in c.runs if is_known(env_of(run), references)] for c in curves]
    games = sorted(set.intersection(*({game_of(env_of(run)) for run in runs} for runs in of_atari)))
    scores = {}
    for curve, runs in zip(curves, of_atari, strict=True):
        by_game = {game: [] for game in games}
        for run in runs:
            if (game := game_of(env_of(run))) in by_game:
                score = return_at(run, "steps", limits.steps)
                by_game[game].append(normalised(score, env_of(run), references))
        scores[curve.label] = by_game
    return games, scores


def table_over_games(scores):
    """Lines of cells, the names first. A run that did not come to the limit empties its row."""
    lines = [["all games of one config", "games", "runs", "human-normalised, interquartile mean"]]
    for label, by_game in scores.items():
        values = list(by_game.values())
        missing = any(score is None for game in values for score in game)
        runs = sum(map(len, values))
        iqm = "-" if missing else stratified_iqm(values).text()
        lines.append([label, str(len(values)), str(runs), iqm])
    return lines


def default_returns(runs):
    first = min(run.columns[RETURN][0] for run in runs)
    best = max(run.columns[RETURN].max() for run in runs)
    return sorted({float(f"{first + share * (best - first):.3g}") for share in DEFAULT_SHARES})


def limits_of(runs, steps, minutes, returns, at_end=False):
    """The requested limits, or those that every run has reached but those that diverged."""
    whole = [run for run in runs if not run.diverged] or runs
    return Limits(
        None if at_end else steps or min(run.columns["steps"][-1] for run in whole),
        60 * minutes if minutes else min(run.columns["seconds"][-1] for run in whole),
        returns or (default_returns(runs) if len({env_of(run) for run in runs}) == 1 else []),
    )


def table(rows, limits):
    """Lines of cells, the names first."""
    times = [time.mean for row in rows for time, _ in row.required if time]
    unit, scale = plot.time_unit(max([*times, limits.seconds]))
    final = "at the end" if limits.steps is None else f"final, {limits.steps:,.0f} steps"
    lines = [
        ["runs of one config", "number", final]
        + [f"final time, {limits.seconds / scale:.1f} {unit}"]
        + [f"{unit} to {wanted:g}" for wanted in limits.returns]
    ]
    has_human = any(row.human for row in rows)
    if has_human:
        lines[0].insert(3, "human-normalised")
    for row in rows:
        cells = [row.label, str(row.runs)]
        values = (
            (row.final, row.human, row.final_time) if has_human else (row.final, row.final_time)
        )
        cells += [value.text() if value else "-" for value in values]
        for seconds, reached in row.required:
            missed = "-" if row.runs == 1 else f"{reached} of {row.runs} runs"
            cells.append(seconds.text(scale) if seconds else missed)
        lines.append(cells)
    return lines


def aligned(lines):
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    texts = (
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "\n".join(text.rstrip() for text in texts)


def markdown(lines):
    head, *body = lines
    rows = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def comma_separated(rows, limits, heading):
    """All numbers without rounding, times in seconds."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = ["label", "runs"]
    seconds = [f"seconds_to_{r:g}" for r in limits.returns]
    steps = [f"steps_to_{r:g}" for r in limits.returns]
    for name in ["final", "final_time", *seconds, "human_normalised", *steps]:
        names += [name, f"{name}_low", f"{name}_high"]
    writer.writerow([*names, "steps", "seconds", "env", "games"])
    for row in rows:
        values = [row.final, row.final_time, *(time for time, _ in row.required), row.human]
        values += row.required_steps
        numbers = [x for v in values for x in ((v.mean, v.low, v.high) if v else ("", "", ""))]
        moments = [limits.steps, limits.seconds]
        writer.writerow([row.label, row.runs, *numbers, *moments, row.env, heading.split(",")[0]])
    return out.getvalue()


def references_of(text):
    """The dictionary of scores from a text {"Pong": [-20.7, 14.6], ...}."""
    return {game_of(game): tuple(scores) for game, scores in json.loads(text).items()}


def file_name_of(env):
    """A name for a file: `atari-pong` of `atari:Pong`."""
    return re.sub(r"[^a-z0-9]+", "-", env.lower()).strip("-")


def draw(games, out):
    """A picture for each environment; returns their names."""
    names = []
    envs = sorted({env_of(run) for run in games.runs})
    for env in envs:
        curves = plot.group_runs([run for run in games.runs if env_of(run) == env])
        name = "compare.png" if len(envs) == 1 else f"compare-{file_name_of(env)}.png"
        plot.plot(curves, "steps", out / name, measure=games.axis, points=False)
        names.append(name)
    return names


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--out", type=Path, default=Path())
    parser.add_argument("--steps", type=float)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--return", dest="returns", type=float, action="append")
    parser.add_argument("--at-end", action="store_true", help="the final metric: of whole runs")
    parser.add_argument("--measure", default=RETURN, help="a key of the log")
    parser.add_argument("--training", action="store_true", help="by training games")
    parser.add_argument("--references", default="{}", help="scores of random play and people: JSON")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    references = references_of(arguments.references)
    runs = plot.read_runs(arguments.runs, arguments.measure)
    games = choose_games(runs, arguments.training, arguments.measure)
    limits = limits_of(
        games.runs, arguments.steps, arguments.minutes, arguments.returns, arguments.at_end
    )
    rows = [row_of(curve, limits, references) for curve in plot.group_runs(games.runs)]
    tables = [table(rows, limits)]
    notes = [
        f"{run.folder} diverged after {run.columns['steps'][-1]:,.0f} steps, and keeps its last "
        "return."
        for run in games.runs
        if run.diverged
    ]
    if any(row.human for row in rows):
        notes.append("Human-normalised: 0 is random play, 1 a person, both under no-op starts.")
    if any(row.final is None or row.final_time is None for row in rows):
        notes.append("-: not every run has a score by then.")
    if len({row.env for row in rows}) > 1:
        common, scores = scores_over_games(games.runs, limits, references)
        if common:
            tables.append(table_over_games(scores))
            notes.append(f"Interquartile mean over {', '.join(common)}, which all configs played.")
        else:
            notes.append("No interquartile mean: the configs share no game with a person's score.")
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        csv_text = comma_separated(rows, limits, games.heading)
        (arguments.out / "compare.csv").write_text(csv_text)
        parts = [games.heading + "\n", *map(markdown, tables), *(note + "\n" for note in notes)]
        (arguments.out / "compare.md").write_text("\n".join(parts))
        pictures = draw(games, arguments.out)
    except (OSError, ValueError) as error:
        refuse(f"cannot write into {arguments.out}: {error}")
    print("\n\n".join([games.heading, *map(aligned, tables), *notes]))
    print(f"\n{', '.join(str(arguments.out / name) for name in pictures)}, compare.csv, compare.md")


if __name__ == "__main__":
    main()

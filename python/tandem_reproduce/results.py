"""Reads the results of an item's runs, and compares them with the paper's numbers."""

import csv
import json
import statistics
from dataclasses import dataclass
from pathlib import Path

from tandem_reproduce.cells import Cell, is_range
from tandem_reproduce.errors import ReproduceError
from tandem_reproduce.folder import ItemFolder
from tandem_reproduce.making import EVALUATION
from tandem_reproduce.plan import Item

Row = dict[str, float | None]  # by column; None: no run came so far


@dataclass(frozen=True)
class RunResult:
    label: str  # of its arm, with the listed values that it has
    env: str
    ranges: dict[str, float]  # values drawn from ranges, by key
    score: float | None  # None: it diverged, or no game ended
    seconds: float
    folder: Path


@dataclass(frozen=True)
class Table:
    """Our rows, and the paper's, over the same columns."""

    columns: list[str]
    ours: dict[str, Row]
    counts: dict[str, int]  # runs behind each of our rows
    heading: str  # the meaning of our numbers


def name_of(env: str) -> str:
    """A column's name: Pong of atari:Pong."""
    return env.partition(":")[2] or env


def runs_of(folder: ItemFolder) -> list[RunResult]:
    return [run for cell in folder.cells for run in cell_runs(folder, cell)]


def cell_runs(folder: ItemFolder, cell: Cell) -> list[RunResult]:
    place = folder.path / cell.folder
    runs = []
    for row in read_rows(place / "sweep.csv"):
        keys = list(row)[1 : list(row).index("seed")]  # keys of the sweep
        ranged = {text.partition("=")[0].split(".")[-1] for text in cell.vary if is_range(text)}
        listed = [f"{k.split('.')[-1]}={row[k]}" for k in keys if k.split(".")[-1] not in ranged]
        run = place / row["folder"]
        score = float(row["score"]) if row["score"] else None
        if folder.item.reads != "training":
            score = evaluated(run, folder.item)
        runs.append(
            RunResult(
                label="  ".join([cell.arm.label, *listed]),
                env=cell.env,
                ranges={k: float(row[k]) for k in keys if k.split(".")[-1] in ranged},
                score=score,
                seconds=float(row["seconds"]),
                folder=run,
            )
        )
    return runs


def evaluated(run: Path, item: Item) -> float | None:
    try:
        return float(json.loads((run / EVALUATION.format(item.reads)).read_text())["mean"])
    except FileNotFoundError:
        return None


def read_rows(file: Path) -> list[dict[str, str]]:
    try:
        with file.open(newline="") as lines:
            return list(csv.DictReader(lines))
    except OSError as error:
        raise ReproduceError(f"cannot read {file}: {error}") from error


def table_of(folder: ItemFolder) -> Table:
    if folder.item.form == "speedup":
        return speedup_table(folder)
    runs = runs_of(folder)
    envs = list(dict.fromkeys(cell.env for cell in folder.cells))
    labels = list(dict.fromkeys(run.label for run in runs))
    ours = {}
    for label in labels:
        ours[label] = {
            name_of(env): mean_of([r for r in runs if (r.label, r.env) == (label, env)], folder)
            for env in envs
        }
    counts = {label: sum(run.label == label for run in runs) for label in labels}
    return Table([name_of(env) for env in envs], ours, counts, heading_of(folder.item))


def mean_of(runs: list[RunResult], folder: ItemFolder) -> float | None:
    scores = [run.score for run in best_of(runs, folder.item) if run.score is not None]
    return statistics.fmean(scores) if scores else None


def best_of(runs: list[RunResult], item: Item) -> list[RunResult]:
    """The runs of one label in one environment that count."""
    known = [run for run in runs if run.score is not None]
    if not item.best:
        return runs
    return sorted(known, key=lambda run: -(run.score or 0))[: item.best]


def counted(runs: list[RunResult], item: Item) -> list[RunResult]:
    """The runs that count, of all labels and environments."""
    groups: dict[tuple[str, str], list[RunResult]] = {}
    for run in runs:
        groups.setdefault((run.label, run.env), []).append(run)
    return [run for group in groups.values() for run in best_of(group, item)]


def heading_of(item: Item) -> str:
    games = {
        "training": "the last 100 games of the training",
        "noop": f"{item.episodes} games after up to 30 no-ops",
        "evaluation": f"{item.episodes} games",
    }[item.reads]
    which = f"the best {item.best} runs" if item.best else "all runs"
    return f"Mean score of {games}, over {which}."


def speedup_table(folder: ItemFolder) -> Table:
    """How much sooner more threads reach a score, by the number of threads: the mean over the
    environments, as in A3C's Table 2."""
    times: dict[str, dict[str, list[float]]] = {}
    columns: dict[str, None] = {}
    counts: dict[str, int] = {}
    for cell in folder.cells:
        for row in read_rows(folder.path / cell.folder / "speedup.csv"):
            label = "  ".join(filter(None, [cell.arm.label, row["group"]]))
            columns[row["threads"]] = None
            counts[label] = counts.get(label, 0) + int(row["runs"])
            found = times.setdefault(label, {}).setdefault(row["threads"], [])
            if row["time_speedup"]:
                found.append(float(row["time_speedup"]))
    ours: dict[str, Row] = {
        label: {n: statistics.fmean(t) if (t := by.get(n)) else None for n in columns}
        for label, by in times.items()
    }
    heading = "Speed-up in time to the score, by the number of threads."
    return Table(sorted(columns, key=int), ours, counts, heading)

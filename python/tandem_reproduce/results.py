"""Reads the results of an item's runs, and compares them with the paper's numbers."""

import csv
import statistics
from dataclasses import dataclass
from pathlib import Path

from tandem_reproduce.cells import Cell, is_range
from tandem_reproduce.errors import ReproduceError
from tandem_reproduce.folder import ItemFolder, read_json
from tandem_reproduce.making import EVALUATION
from tandem_reproduce.plan import Item


@dataclass(frozen=True)
class RunResult:
    label: str  # of its arm, with the listed values that it has
    env: str
    ranges: dict[str, float]  # values drawn from ranges, by key
    score: float | None  # None: it diverged, or no game ended
    folder: Path


@dataclass(frozen=True)
class Entry:
    """A number of the table, and the runs behind it."""

    value: float | None  # None: no run has a score
    counted: int
    runs: int


Row = dict[str, Entry]  # by column


@dataclass(frozen=True)
class Table:
    """Our numbers."""

    columns: list[str]
    rows: dict[str, Row]  # by label
    heading: str  # the meaning of a number


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
                folder=run,
            )
        )
    return runs


def evaluated(run: Path, item: Item) -> float | None:
    file = run / EVALUATION.format(item.reads)
    return float(read_json(file)["mean"]) if file.exists() else None


def read_rows(file: Path) -> list[dict[str, str]]:
    try:
        with file.open(newline="") as lines:
            return list(csv.DictReader(lines))
    except OSError as error:
        raise ReproduceError(f"cannot read {file}: {error}") from error


def table_of(folder: ItemFolder) -> Table:
    if folder.item.form == "speedup":
        return speedup_table(folder)
    rows: dict[str, Row] = {}
    for (label, env), runs in by_label_and_env(runs_of(folder)).items():
        scores = [run.score for run in best_of(runs, folder.item) if run.score is not None]
        value = statistics.fmean(scores) if scores else None
        rows.setdefault(label, {})[name_of(env)] = Entry(value, len(scores), len(runs))
    columns = list(dict.fromkeys(name_of(cell.env) for cell in folder.cells))
    return Table(columns, rows, heading_of(folder.item))


def by_label_and_env(runs: list[RunResult]) -> dict[tuple[str, str], list[RunResult]]:
    groups: dict[tuple[str, str], list[RunResult]] = {}
    for run in runs:
        groups.setdefault((run.label, run.env), []).append(run)
    return groups


def best_of(runs: list[RunResult], item: Item) -> list[RunResult]:
    """The runs that count, of one label in one environment: those with a score, or the best."""
    known = [run for run in runs if run.score is not None]
    known.sort(key=lambda run: -(run.score or 0))
    return known[: item.best] if item.best else known


def counted(runs: list[RunResult], item: Item) -> list[RunResult]:
    """The runs that count, of all labels and environments."""
    return [run for group in by_label_and_env(runs).values() for run in best_of(group, item)]


def heading_of(item: Item) -> str:
    games = {
        "training": "the last 100 games of the training",
        "noop": f"{item.episodes} games after up to 30 no-ops",
        "evaluation": f"{item.episodes} games",
    }[item.reads]
    which = f"the best {item.best} runs" if item.best else "all runs with a score"
    return f"Mean score of {games}, over {which}."


def speedup_table(folder: ItemFolder) -> Table:
    """How much sooner more threads reach a score, by the number of threads: the mean over the
    environments in which all numbers of threads reach it, as in A3C's Table 2."""
    found: dict[str, list[dict[str, float | None]]] = {}  # an element for each environment
    for cell in folder.cells:
        groups: dict[str, dict[str, float | None]] = {}
        for row in read_rows(folder.path / cell.folder / "speedup.csv"):
            label = "  ".join(filter(None, [cell.arm.label, row["group"]]))
            value = float(row["time_speedup"]) if row["time_speedup"] else None
            groups.setdefault(label, {})[row["threads"]] = value
        for label, group in groups.items():
            found.setdefault(label, []).append(group)
    columns = sorted({n for envs in found.values() for env in envs for n in env}, key=int)
    rows: dict[str, Row] = {}
    for label, envs in found.items():
        whole = [[v for v in env.values() if v is not None] for env in envs]
        kept = [env for env, values in zip(envs, whole, strict=True) if len(values) == len(env)]
        rows[label] = {n: speedup_entry(n, kept, len(envs)) for n in columns}
    heading = (
        "Speed-up in time to the score, by the number of threads: the mean over the environments "
        "in which all numbers of threads reach it."
    )
    return Table(columns, rows, heading)


def speedup_entry(threads: str, kept: list[dict[str, float | None]], envs: int) -> Entry:
    values = [value for env in kept if (value := env.get(threads)) is not None]
    return Entry(statistics.fmean(values) if values else None, len(values), envs)

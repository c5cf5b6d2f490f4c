"""Reads the results of an item's runs, and compares them with the paper's numbers."""

import csv
import statistics
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tandem_reproduce.aggregate import Interval, iqm_of
from tandem_reproduce.cells import Cell, is_range
from tandem_reproduce.errors import ReproduceError
from tandem_reproduce.folder import EVALUATION, ItemFolder, read_json
from tandem_reproduce.item import Item


@dataclass(frozen=True)
class RunResult:
    label: str  # of its arm, with the listed values that it has
    env: str
    ranges: dict[str, float]  # values drawn from ranges, by key
    score: float | None  # None: it diverged, or no game ended
    normalised: float | None  # 0: random play, 1: a person; None: not an evaluated game of Atari
    rate: float | None  # steps a second; None: it made none
    folder: Path


@dataclass(frozen=True)
class Entry:
    """A number of the table, and the runs behind it."""

    value: float | None  # None: no run has a score
    counted: int
    runs: int
    unit: str = ""
    interval: Interval | None = None  # of the value
    of: str = ""  # the word for those that count, where a row's number is one of several games
    scored: int = 0  # of such a number: the runs with a score in the games that count
    all_runs: int = 0  # those, and the runs without a score beside them


MISSING = Entry(None, 0, 0)  # its environment is not here, or it was not made yet
Row = dict[str, Entry]  # by column


@dataclass(frozen=True)
class GameScores:
    """The human-normalised scores of a label in one game."""

    scores: list[float]
    runs: int  # that count, also those without a score, which diverged or ended no game


@dataclass(frozen=True)
class Table:
    """Our numbers."""

    columns: list[str]
    rows: dict[str, Row]  # by label
    heading: str  # the meaning of a number


def arm_of(label: str) -> str:
    """The arm of a row."""
    return label.split("  ")[0]


def name_of(env: str) -> str:
    """An environment's name without its family: Pong of atari:Pong."""
    return env.partition(":")[2] or env


def names_of(item: Item) -> dict[str, str]:
    """The columns of an item's environments: their names, or the whole of those that share a name.
    They are the same within all budgets, because the paper's numbers stand in the same columns."""
    envs = list(dict.fromkeys(env for arm in item.arms for env in arm.envs))
    count = Counter(map(name_of, envs))
    return {env: env if count[name_of(env)] > 1 else name_of(env) for env in envs}


def runs_of(folder: ItemFolder) -> list[RunResult]:
    return [run for cell in made_cells(folder) for run in cell_runs(folder, cell)]


def kinds_of(folder: ItemFolder) -> dict[str, str]:
    """The kind of each range, uniform or log_uniform, by the last part of its key."""
    texts = [text for cell in made_cells(folder) for text in cell.vary if is_range(text)]
    parts = [text.partition("=") for text in texts]
    return {key.split(".")[-1]: drawn.partition("(")[0] for key, _, drawn in parts}


def made_cells(folder: ItemFolder) -> list[Cell]:
    return [cell for cell in folder.cells if folder.done(cell)]


def training_seconds(folder: ItemFolder) -> list[float]:
    """The time of each training."""
    tables = [folder.place(cell) / "sweep.csv" for cell in made_cells(folder)]
    return [float(row["seconds"]) for table in tables for row in read_rows(table)]


def cell_runs(folder: ItemFolder, cell: Cell) -> list[RunResult]:
    place = folder.place(cell)
    runs = []
    for row in read_rows(place / "sweep.csv"):
        keys = list(row)[1 : list(row).index("seed")]  # keys of the sweep
        ranged = {text.partition("=")[0].split(".")[-1] for text in cell.vary if is_range(text)}
        listed = [f"{k.split('.')[-1]}={row[k]}" for k in keys if k.split(".")[-1] not in ranged]
        run = place / row["folder"]
        games = evaluated(run, folder.item)
        score = row["score"] if folder.item.reads == "training" else games.get("mean")
        runs.append(
            RunResult(
                label="  ".join([cell.arm.label, *listed]),
                env=cell.env,
                ranges={k: float(row[k]) for k in keys if k.split(".")[-1] in ranged},
                score=number(score),
                normalised=number(games.get("human_normalised")),
                rate=float(row["steps"]) / seconds if (seconds := float(row["seconds"])) else None,
                folder=run,
            )
        )
    return runs


def evaluated(run: Path, item: Item) -> dict[str, Any]:
    """The evaluation of a run, as `tandem eval` printed it; empty if there is none."""
    file = run / EVALUATION.format(item.reads)
    return read_json(file) if file.exists() else {}


def number(value: Any) -> float | None:
    return None if value in (None, "") else float(value)


def read_rows(file: Path) -> list[dict[str, str]]:
    try:
        with file.open(newline="") as lines:
            return list(csv.DictReader(lines))
    except OSError as error:
        raise ReproduceError(f"cannot read {file}: {error}") from error


def table_of(folder: ItemFolder) -> Table:
    table = speedup_table(folder) if folder.item.form == "speedup" else score_table(folder)
    names = names_of(folder.item)
    for cell in folder.cells:
        if folder.done(cell):
            continue
        label = cell.arm.label
        columns = table.columns if cell.threads else [names[cell.env]]
        rows = [row for name, row in table.rows.items() if arm_of(name) == label]
        for row in rows or [table.rows.setdefault(label, {})]:
            for column in columns:
                row.setdefault(column, MISSING)
    return table


def score_table(folder: ItemFolder) -> Table:
    item = folder.item
    groups = by_label_and_env(runs_of(folder))
    names = names_of(item)
    rows: dict[str, Row] = {}
    planned = Counter(cell.arm.label for cell in folder.cells)
    for label in dict.fromkeys(label for label, _ in groups):
        games = [runs for key, runs in groups.items() if key[0] == label]
        games += [[]] * (planned[arm_of(label)] - len(games))  # not made yet
        further = item.columns.items()
        rows[label] = {name: further_entry(measure, games, item) for name, measure in further}
    for (label, env), runs in groups.items():
        scores = [run.score for run in best_of(runs, item) if run.score is not None]
        value = statistics.fmean(scores) if scores else None
        rows[label][names[env]] = Entry(value, len(scores), len(runs))
    shown = folder.cells if item.games == "shown" else []
    columns = dict.fromkeys([*item.columns, *(names[cell.env] for cell in shown)])
    return Table(list(columns), rows, heading_of(folder))


def further_entry(measure: str, games: list[list[RunResult]], item: Item) -> Entry:
    """A number of a row as a whole, from the runs in each of its environments."""
    if measure == "rate":
        counted = [run for runs in games for run in best_of(runs, item)]
        rates = [run.rate for run in counted if run.rate is not None]
        mean = statistics.fmean(rates) if rates else None
        return Entry(mean, len(rates), len(counted), of="runs")
    each = [one for one in (game_scores(runs, item) for runs in games) if one.scores]
    scores = [[100 * score for score in one.scores] for one in each]
    iqm = iqm_of(scores) if measure == "iqm" and scores else None
    means = [100 * statistics.fmean(one.scores) for one in each]
    middle = statistics.fmean if measure == "mean" else statistics.median
    value = middle(means) if means else None
    return Entry(
        value=iqm.value if iqm else value,
        counted=len(each),
        runs=len(games),
        unit="%",
        interval=iqm,
        of="games",
        scored=sum(map(len, scores)),
        all_runs=sum(one.runs for one in each),
    )


def game_scores(runs: list[RunResult], item: Item) -> GameScores:
    """The scores of a label's runs in one game. There are no runs if no person played the game,
    because then a score has nothing to compare with."""
    known = best_of(runs, item)
    scores = [run.normalised for run in known if run.normalised is not None]
    if len(scores) < len(known):
        return GameScores(scores, len(scores))
    return GameScores(scores, min(item.best or len(runs), len(runs)))


def profiles_of(folder: ItemFolder) -> dict[str, dict[str, Any]]:
    """The human-normalised scores of all runs that count, and the number of these runs, by label,
    for a performance profile. The label tells the number of games if it differs, because then games
    differ in difficulty, too."""
    groups = by_label_and_env(runs_of(folder))
    games: dict[str, list[GameScores]] = {}
    for (label, _), runs in groups.items():
        one = game_scores(runs, folder.item)
        games.setdefault(label, []).extend([one] if one.runs else [])
    alike = len({len(each) for each in games.values()}) <= 1
    return {
        label if alike else f"{label} ({len(each)} games)": {
            "scores": [score for one in each for score in one.scores],
            "runs": sum(one.runs for one in each),
        }
        for label, each in games.items()
    }


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


def drawn(runs: list[RunResult], item: Item) -> list[RunResult]:
    """The runs that have curves. If all runs count, those without a score have curves of their own,
    since that a setting diverges may be what the figure shows."""
    groups = by_label_and_env(runs).values()
    shown = [run for group in groups for run in best_of(group, item)]
    if item.best:
        return shown
    bad = [run for group in groups for run in group if run.score is None]
    return shown + [replace(run, label=f"{run.label}  no score") for run in bad]


def heading_of(folder: ItemFolder) -> str:
    item = folder.item
    games = {
        "training": "the last 100 games of the training",
        "noop": f"{item.episodes} games after up to 30 no-ops",
        "evaluation": f"{item.episodes} games",
    }[item.reads]
    most = most_runs(folder)
    which = "all runs with a score" if most > 1 else "the only run"
    if 0 < item.best < most:
        which = f"the best {item.best} runs" if item.best > 1 else "the best run"
    heading = f"Mean score of {games}, over {which}."
    if set(item.columns.values()) - {"rate"}:
        names = ", ".join(name for name, holds in item.columns.items() if holds != "rate")
        heading += f" A row's {names} are of its games' human-normalised scores, in percent."
    if "iqm" in item.columns.values():
        heading += (
            " Behind an interquartile mean stands its 95% interval, by a bootstrap that draws the "
            "runs of each game anew, or the games if each has one run."
        )
    return heading


def most_runs(folder: ItemFolder) -> int:
    """The runs behind a number of the table: each listed value has a row of its own."""
    return max((cell.repetitions for cell in folder.cells), default=0)


def speedup_table(folder: ItemFolder) -> Table:
    """How much sooner more threads reach a score, by the number of threads: the mean over the
    environments in which all numbers of threads reach it, as in A3C's Table 2."""
    found: dict[str, list[dict[str, float | None]]] = {}  # an element for each environment
    lines: list[dict[str, str]] = []
    for cell in made_cells(folder):
        groups: dict[str, dict[str, float | None]] = {}
        own = read_rows(folder.place(cell) / "speedup.csv")
        lines += own
        for row in own:
            label = "  ".join(filter(None, [cell.arm.label, row["group"]]))
            value = float(row["time_speedup"]) if row["time_speedup"] else None
            groups.setdefault(label, {})[row["threads"]] = value
        for label, group in groups.items():
            found.setdefault(label, []).append(group)
    columns = sorted({n for envs in found.values() for env in envs for n in env}, key=int)
    planned = Counter(cell.arm.label for cell in folder.cells)
    rows: dict[str, Row] = {}
    for label, envs in found.items():
        whole = [[v for v in env.values() if v is not None] for env in envs]
        kept = [env for env, values in zip(envs, whole, strict=True) if len(values) == len(env)]
        rows[label] = {n: speedup_entry(n, kept, planned[arm_of(label)]) for n in columns}
    return Table(columns, rows, speedup_heading(folder, lines))


def speedup_heading(folder: ItemFolder, lines: list[dict[str, str]]) -> str:
    """`lines`: of the parts' speedup.csv."""
    heading = (
        "Speed-up in time to the score, by the number of threads: the mean over the environments "
        "in which all numbers of threads reach it."
    )
    best, most = folder.item.best, most_runs(folder)
    if 0 < best < most:
        which = f"the median of the {best} soonest" if best > 1 else "that of the soonest"
        heading += f" A time is {which} of {most} runs."
    if lines and all("all_runs" in line for line in lines):  # not in files of older versions
        runs = sum(int(line["all_runs"]) for line in lines)
        reached = sum(int(line["all_reached"]) for line in lines)
        heading += f" Of all runs {reached:,} of {runs:,} reached the score."
    return heading


def speedup_entry(threads: str, kept: list[dict[str, float | None]], envs: int) -> Entry:
    values = [value for env in kept if (value := env.get(threads)) is not None]
    return Entry(statistics.fmean(values) if values else None, len(values), envs)

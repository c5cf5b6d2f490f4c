"""Reads the plan files of items, whose keys docs/reproduce.md describes."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path

from tandem_reproduce.budget import BUDGETS
from tandem_reproduce.errors import ReproduceError
from tandem_reproduce.faults import check
from tandem_reproduce.item import Arm, Command, Comparison, Item, Numbers, Reduction
from tandem_reproduce.keys import Keys

FORMS = ("curves", "threads", "scores", "sweep", "speedup", "commands", "absent")
READS = ("training", "noop", "evaluation")
AXES = ("steps", "frames", "seconds", "steps and seconds")
PANELS = ("values and ranks", "values", "ranks")
RUN_KEYS = (  # of an item that has runs of its own
    "arm",
    "command",
    "comparison",
    "drawing",
    "episodes",
    "goals",
    "reads",
    "reduced",
    "threads",
    "threads_key",
)
MEASURES = ("iqm", "mean", "median", "rate")  # of further columns


def read_item(file: Path) -> Item:
    """Reads a plan. Raises ReproduceError that names the file and the key."""
    try:
        reader = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
        table = reader.loads(file.read_text())
    except ModuleNotFoundError as error:
        raise ReproduceError(
            f"Python 3.10 needs tomli to read the plans: {sys.executable} -m pip install tomli"
        ) from error
    except (OSError, ValueError) as error:
        raise ReproduceError(f"cannot read the plan {file}: {error}") from error
    keys = Keys(table, str(file))
    envs = keys.texts("envs")
    arms = keys.texts("arms")
    runs_of = keys.text("runs_of", "")
    if runs_of:
        keys.refuse(RUN_KEYS, f"it draws the runs of {runs_of}")
    item = Item(
        paper=file.parent.name,
        name=file.stem.replace("_", "-"),
        title=keys.text("title"),
        section=keys.text("section"),
        shows=keys.text("shows"),
        budget=keys.text("budget"),
        form=keys.choice("form", FORMS),
        cores=keys.whole("cores", 0),
        gpus=keys.whole("gpus", 0),
        note=keys.text("note", ""),
        absent=keys.text("absent", ""),
        reads=keys.choice("reads", READS, "training"),
        episodes=keys.whole("episodes", 30),
        axis=keys.choice("axis", AXES, "steps"),
        panels=keys.choice("panels", PANELS, "values and ranks"),
        rows=keys.choice("rows", ("environments", "arms"), "environments"),
        games=keys.choice("games", ("shown", "hidden"), "shown"),
        best=keys.whole("best", 0),
        threads=keys.wholes("threads") or (),
        threads_key=keys.text("threads_key", ""),
        goals=keys.numbers("goals"),
        columns=_columns(keys),
        arms=tuple(_arm(part, envs) for part in keys.tables("arm")),
        commands=tuple(_command(part) for part in keys.tables("command")),
        comparisons=tuple(_comparison(part) for part in keys.tables("comparison")),
        drawing=keys.text("drawing", ""),
        reduced={name: _reduction(part) for name, part in keys.named("reduced").items()},
        numbers=_numbers(keys),
    )
    keys.finish()
    if arms is not None and not runs_of:
        raise ReproduceError(f"{file}: arms chooses among those of runs_of, which is not given")
    if runs_of:
        item = _with_runs_of(item, read_item(file.with_name(f"{runs_of}.toml")), envs, arms)
    check(item, str(file))
    return item


def _refuse_unknown(item: Item, key: str, chosen: tuple[str, ...] | None, known: list[str]) -> None:
    for name in chosen or ():
        if name not in known:
            raise ReproduceError(
                f"the plan of {item.place}: {key} has {name}, and the runs are of "
                f"{', '.join(dict.fromkeys(known))}"
            )


def _with_runs_of(
    item: Item, source: Item, envs: tuple[str, ...] | None, labels: tuple[str, ...] | None
) -> Item:
    """The item with the runs of another one, or with some of their environments and arms."""
    _refuse_unknown(item, "arms", labels, [arm.label for arm in source.arms])
    _refuse_unknown(item, "envs", envs, [env for arm in source.arms for env in arm.envs])
    arms = [arm for arm in source.arms if labels is None or arm.label in labels]
    if envs is not None:
        arms = [replace(arm, envs=tuple(env for env in arm.envs if env in envs)) for arm in arms]
    return replace(
        item,
        source=source,
        reads=source.reads,
        episodes=source.episodes,
        threads=source.threads,
        threads_key=source.threads_key,
        goals=source.goals,
        arms=tuple(arm for arm in arms if arm.envs),
        commands=source.commands,
        comparisons=source.comparisons,
        drawing=source.drawing,
        reduced=source.reduced,
    )


def _arm(keys: Keys, envs: tuple[str, ...] | None) -> Arm:
    own = keys.texts("envs") or envs
    if own is None:
        raise ReproduceError(f"{keys.where}: needs envs, of its own or at the top of the plan")
    arm = Arm(
        label=keys.text("label"),
        system=keys.text("system"),
        preset=keys.text("preset"),
        envs=own,
        steps=keys.count("steps"),
        settings=keys.texts("set") or (),
        vary=keys.texts("vary") or (),
        repetitions=keys.whole("repetitions", 1),
        budgets=keys.texts("budgets") or BUDGETS,
    )
    keys.finish()
    return arm


def _command(keys: Keys) -> Command:
    more = {}
    minutes = {}
    for budget, part in keys.named("budgets").items():
        more[budget] = part.texts("words") or ()
        minutes[budget] = part.number("minutes")
        part.finish()
    missing = [budget for budget in BUDGETS if budget not in minutes]
    if missing or len(minutes) > len(BUDGETS):
        raise ReproduceError(f"{keys.where}: budgets needs the tables {', '.join(BUDGETS)}")
    command = Command(
        words=keys.texts("words") or (),
        tables=keys.texts("tables") or (),
        envs=keys.texts("envs") or (),
        more=more,
        minutes=minutes,
    )
    keys.finish()
    return command


def _comparison(keys: Keys) -> Comparison:
    comparison = Comparison(
        table=keys.text("table"),
        row=keys.text("row"),
        rows=keys.texts_by_key("rows"),
        column=keys.text("column"),
        columns=keys.texts_by_key("columns"),
        values=keys.texts("values") or (),
        per=keys.number("per"),
    )
    keys.finish()
    return comparison


def _reduction(keys: Keys) -> Reduction:
    reduction = Reduction(
        envs=keys.texts("envs"),
        arms=keys.texts("arms"),
        vary=keys.texts("vary"),
        threads=keys.wholes("threads"),
        repetitions=keys.whole("repetitions", 0) or None,
    )
    keys.finish()
    return reduction


def _columns(keys: Keys) -> dict[str, str]:
    columns: dict[str, str] = {}
    for part in keys.tables("column"):
        columns[part.text("name")] = part.choice("holds", MEASURES)
        part.finish()
    return columns


def _numbers(keys: Keys) -> Numbers:
    numbers: Numbers = {}
    for row, part in keys.named("numbers").items():
        numbers[row] = part.cells()
    return numbers


def read_items(folder: Path, paper: str = "") -> list[Item]:
    """All items, or those of one paper, in the order of their names: figures, then tables."""
    papers = sorted(p.name for p in folder.iterdir() if p.is_dir())
    if paper and paper not in papers:
        raise ReproduceError(f"there is no paper {paper}: they are {', '.join(papers)}")
    files = sorted(folder.glob(f"{paper or '*'}/*.toml"), key=_order)
    return [read_item(file) for file in files]


def _order(file: Path) -> tuple[str, list[str]]:
    parts = file.stem.replace("-", "_").split("_")
    return file.parent.name, [part.zfill(4) if part.isdigit() else part for part in parts]

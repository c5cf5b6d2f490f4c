"""The plan of an item: its runs, what is read off them, and how it is drawn.

docs/reproduce.md describes the plan files' keys.
"""

from __future__ import annotations

import importlib
import re
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from tandem_reproduce.budget import BUDGETS, REDUCED, planned
from tandem_reproduce.errors import ReproduceError
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

Numbers = dict[str, dict[str, float | str]]  # by row and column


@dataclass(frozen=True)
class Arm:
    """Runs of one system that are compared with those of others: a curve, or a row of a table."""

    label: str
    system: str
    preset: str
    envs: tuple[str, ...]
    steps: int  # of each run in the paper
    settings: tuple[str, ...] = ()  # KEY=VALUE
    vary: tuple[str, ...] = ()  # as --vary of `tandem sweep`
    repetitions: int = 1
    budgets: tuple[str, ...] = BUDGETS  # that have this arm


@dataclass(frozen=True)
class Command:
    """A command of tandem that measures by itself."""

    words: tuple[str, ...]
    tables: tuple[str, ...]  # that it writes into its --out; without any it has none
    envs: tuple[str, ...]  # that it plays beside that of --env
    more: dict[str, tuple[str, ...]]  # further words, by budget
    minutes: dict[str, float]  # about how long it takes, by budget

    def words_within(self, budget: str) -> list[str]:
        return [*self.words, *self.more[planned(budget)]]


@dataclass(frozen=True)
class Comparison:
    """How a table of the commands gives numbers that stand in the paper's rows and columns."""

    table: str  # its file
    row: str  # the column whose first word tells the row
    rows: dict[str, str]  # the paper's name of a row by that word
    column: str  # the column that tells the paper's column, as an environment or by its name
    columns: dict[str, str]
    values: tuple[str, ...]  # the columns of the numbers, which stand behind each other
    per: float  # the numbers are divided by it: 60 makes minutes of seconds


@dataclass(frozen=True)
class Reduction:
    """The part of a paper's runs that a small budget has. None: as in the paper."""

    envs: tuple[str, ...] | None = None
    arms: tuple[str, ...] | None = None  # labels
    vary: tuple[str, ...] | None = None
    threads: tuple[int, ...] | None = None
    repetitions: int | None = None


@dataclass(frozen=True)
class Item:
    """A table or a figure."""

    paper: str  # folder of the plan file: "paac"
    name: str  # its name without the ending: "table-1"
    title: str
    section: str
    shows: str  # a sentence
    budget: str  # the paper's, in words
    form: str
    cores: int = 0  # of the paper's machine or machines; 0: not told
    gpus: int = 0  # the same
    note: str = ""  # differences from the paper's runs
    absent: str = ""  # the reason why there is nothing to run
    reads: str = "training"
    episodes: int = 30  # of an evaluation
    axis: str = "steps"  # of curves, of AXES
    panels: str = "values and ranks"  # of a sweep, of PANELS
    rows: str = "environments"  # or arms: then each has a row of panels of its own
    games: str = "shown"  # or hidden: the table has further columns alone
    best: int = 0  # only the best runs of a sweep or speed-up count; 0: all
    threads: tuple[int, ...] = ()  # of a speed-up
    threads_key: str = ""  # the config key that they set
    goals: dict[str, float] = field(default_factory=dict)  # of a speed-up: score by environment
    columns: dict[str, str] = field(default_factory=dict)  # further ones: measure by name
    arms: tuple[Arm, ...] = ()
    commands: tuple[Command, ...] = ()
    comparisons: tuple[Comparison, ...] = ()  # of tables of the commands with the paper's numbers
    drawing: str = ""  # a script of tools, which draws the tables of all commands
    reduced: dict[str, Reduction] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=dict)  # the paper's
    source: Item | None = None  # the item whose runs it draws; None: its own

    @property
    def place(self) -> str:
        return f"{self.paper}/{self.name}"

    @property
    def compares_rates(self) -> bool:
        """Whether rates are its results, all of which one machine must have."""
        studies = all("apex-study" in command.words for command in self.commands)
        measures = self.form == "commands" and not studies
        return measures or self.form == "speedup" or "rate" in self.columns.values()


def read_item(file: Path) -> Item:
    """Reads a plan. Raises ReproduceError that names the file and the key."""
    reader = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        table = reader.loads(file.read_text())
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
    _check(item, str(file))
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


def _check(item: Item, where: str) -> None:
    """Refuses plans whose parts do not fit their form."""
    for wrong, why in _faults(item):
        if wrong:
            raise ReproduceError(f"{where}: {why}")


def _faults(item: Item) -> list[tuple[bool, str]]:
    trains = item.form not in ("commands", "absent")
    runs = item.source or item
    labels = [arm.label for arm in runs.arms]
    envs = {env for arm in runs.arms for env in arm.envs}
    less = item.reduced.values()
    varied = [text for arm in item.arms for text in arm.vary]
    varied += [text for reduction in less for text in reduction.vary or ()]
    tables = {table for command in runs.commands for table in command.tables}
    needed = "[[arm]]" if trains else "no [[arm]]"
    return [
        (
            (item.form == "absent") != bool(item.absent),
            "form absent and the reason `absent` belong together",
        ),
        (trains != bool(item.arms), f"form {item.form} needs {needed}"),
        (
            (item.form == "commands") != bool(item.commands),
            "form commands and [[command]] belong together",
        ),
        (
            trains and set(item.reduced) != set(REDUCED),
            f"[reduced] needs the tables {', '.join(REDUCED)}, and no other",
        ),
        (
            any(label not in labels for r in less for label in r.arms or ()),
            "[reduced] names an arm that does not exist",
        ),
        (
            any(env not in envs for r in less for env in r.envs or ()),
            "[reduced] names an environment that no arm has",
        ),
        (
            any(budget not in BUDGETS for arm in item.arms for budget in arm.budgets),
            f"the budgets of an arm are not among {', '.join(BUDGETS)}",
        ),
        (
            item.reads == "training" and set(item.columns.values()) - {"rate"} != set(),
            "only evaluations give human-normalised scores: reads must not be training",
        ),
        (
            runs.source is not None or (item.form == "speedup") != (runs.form == "speedup"),
            "runs_of names an item whose runs do not fit: of another form, or not its own",
        ),
        (any(arm.repetitions < 1 for arm in item.arms), "an arm has no repetition"),
        (
            any(map(_uneven, varied)),
            "vary gives several keys another number of values: it takes A+B=1+2,3+4",
        ),
        (
            any(part.table not in tables for part in runs.comparisons),
            "[[comparison]] names a table that no command has",
        ),
        (
            any(not part.values or part.per <= 0 for part in runs.comparisons),
            "[[comparison]] needs values, and a per above 0",
        ),
        (
            item.panels == "values" and not any(map(varies_freely, runs.arms)),
            "panels values needs an arm with a range to vary",
        ),
        (item.games == "hidden" and not item.columns, "games hidden needs a [[column]]"),
        (len({slug(label) for label in labels}) != len(labels), "two arms have one name"),
        (
            item.form == "speedup" and not (item.threads and item.threads_key),
            "form speedup needs threads and threads_key",
        ),
        (
            item.form == "speedup" and not envs <= set(item.goals),
            f"goals lacks a score of {', '.join(sorted(envs - set(item.goals)))}",
        ),
    ]


def varies_freely(arm: Arm) -> bool:
    """Whether it draws values from a range, as log_uniform(1e-4,1e-2)."""
    return any("(" in text for text in arm.vary)


def slug(text: str) -> str:
    """A name for a folder."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


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


def _uneven(vary: str) -> bool:
    """Whether keys that vary together lack a value, or have one too many."""
    names, _, values = vary.partition("=")
    keys = len(names.split("+"))
    return keys > 1 and any(len(value.split("+")) != keys for value in values.split(","))

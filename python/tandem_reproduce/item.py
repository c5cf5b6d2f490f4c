"""An item of a paper, as its plan tells it: its runs, the numbers read off them, its picture."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tandem_reproduce.budget import BUDGETS, planned

Numbers = dict[str, dict[str, float | str]]  # by row and column
EQUAL_TIME = "equal time"  # in the words of an item that compares scores after such


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
    def compares_times(self) -> bool:
        """Whether its results are rates, times, or scores after times, which compare only where
        all of them are of one machine."""
        studies = all("apex-study" in command.words for command in self.commands)
        measures = self.form == "commands" and not studies
        by_time = self.form == "curves" and "seconds" in self.axis
        return (
            measures
            or by_time
            or self.form in ("speedup", "threads")
            or EQUAL_TIME in f"{self.title} {self.shows}"
            or "rate" in self.columns.values()
        )


def slug(text: str) -> str:
    """A name for a folder."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")

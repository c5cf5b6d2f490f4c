"""The folder of an item within a budget: its description, its runs and its results."""

import csv
import fcntl
import json
import os
from pathlib import Path
from typing import IO, Any

from tandem_reproduce.budget import PAPER, planned
from tandem_reproduce.cells import Cell, cells_of, steps_within
from tandem_reproduce.errors import OtherPlanError, ReproduceError, say
from tandem_reproduce.item import Command, Item
from tandem_reproduce.machine import machine_name
from tandem_reproduce.programs import replace
from tandem_reproduce.rates import Rates

DESCRIPTION = "item.json"
DONE = "done"  # marks the folder of a cell or command with whole results; holds the command's words
FINISHED = "finished"  # marks the folder of an item
SECONDS = "seconds.txt"  # of a command
EVALUATION = "reproduce-{}.json"  # in a run's folder, by the way of reading
NOT_YET = "not made yet"
AND_THEN = ", and then on "  # between the machines that made an item


class ItemFolder:
    """OUT/PAPER/ITEM-BUDGET."""

    def __init__(self, out: Path, item: Item, budget: str) -> None:
        self.item = item
        # Commands measure for as long as the plan says, so other hours would be a false name.
        self.budget = planned(budget) if item.commands else budget
        self.path = out / item.paper / f"{item.name}-{self.budget}"
        self.cells = cells_of(item, self.budget)
        # The folder with the runs, which another item of the same budget may share.
        self.source = ItemFolder(out, item.source, budget) if item.source else self
        self.lacking: dict[str, str] = {}  # of the source: why a part cannot be made, by its folder

    def place(self, cell: Cell) -> Path:
        """The folder of a cell's sweep."""
        return self.source.path / cell.folder

    def trained(self, cell: Cell) -> bool:
        """Whether a cell's runs are trained, and were evaluated once."""
        place = self.place(cell)
        return (place / DONE).exists() and len(ended_runs(place)) >= cell.runs

    def done(self, cell: Cell) -> bool:
        """Whether a cell's runs are trained and evaluated. The user may have removed a damaged
        evaluation since."""
        return self.trained(cell) and not self.unevaluated(cell)

    def unevaluated(self, cell: Cell) -> list[Path]:
        """The ended runs whose games are still to be played. A run that diverged plays none."""
        if self.item.reads == "training":
            return []
        name = EVALUATION.format(self.item.reads)
        runs = ended_runs(self.place(cell))
        there = [run for run in runs if run.is_dir() and not (run / name).exists()]
        return [run for run in there if not diverged(run)]

    def command(self, number: int) -> Path:
        """The folder of a command, counted from 1."""
        return self.source.path / f"command-{number}"

    def relative(self, path: Path) -> str:
        """A path as the files of this folder name it."""
        return os.path.relpath(path, self.path)

    def missing(self) -> dict[str, str]:
        """The missing parts, with the reasons: they cannot be made here, or were not made yet."""
        lacking = self.source.lacking
        parts = {}
        for cell in self.cells:
            if not self.done(cell):
                parts[f"{cell.arm.label} on {cell.env}"] = lacking.get(cell.folder, NOT_YET)
        ended = dict(self.ended_commands())
        for number, command in enumerate(self.item.commands, 1):
            if number not in ended:
                name = f"command {number}, tandem {' '.join(command.words[:2])}"
                parts[name] = lacking.get(self.command(number).name, NOT_YET)
        return parts

    def has_parts(self) -> bool:
        """Whether any part is made."""
        return any(map(self.done, self.cells)) or bool(self.ended_commands())

    def ended_commands(self) -> list[tuple[int, Command]]:
        numbered = enumerate(self.item.commands, 1)
        return [(n, command) for n, command in numbered if (self.command(n) / DONE).exists()]

    def seconds(self, number: int) -> float:
        """How long a command has run so far, with all of its stops in between. It is 0 if an older
        version wrote no file, or if a loss of power left the file empty."""
        try:
            return float((self.command(number) / SECONDS).read_text())
        except (FileNotFoundError, ValueError):
            return 0

    def ended(self) -> bool:
        """Whether all parts that could be made have been, and table and picture with them."""
        return (self.path / FINISHED).exists()

    def finish(self) -> None:
        (self.path / FINISHED).touch()

    def drop_picture(self) -> None:
        """The table is another since it was drawn."""
        for name in (FINISHED, "item.png"):
            (self.path / name).unlink(missing_ok=True)

    def begun(self) -> bool:
        return (self.source.path / DESCRIPTION).exists()

    def state(self) -> str:
        """A few words for a list."""
        if self.ended():
            count = len(self.cells) + len(self.item.commands)
            ended = sum(map(self.done, self.cells)) + len(self.ended_commands())
            part = f", but for {count - ended} of {count} parts" if ended < count else ""
            return f"{self.budget}: done{part}"
        if not self.begun():
            return ""
        ended = sum(len(ended_runs(self.place(cell))) for cell in self.cells)
        count = sum(cell.runs for cell in self.cells)
        return f"{self.budget}: {ended} of {count} runs" if count else f"{self.budget}: begun"

    def lock(self) -> IO[str]:
        """Keeps other processes away from the runs as long as the returned file is open."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.source.path.mkdir(parents=True, exist_ok=True)
        file = (self.source.path / ".lock").open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            raise ReproduceError(
                f"another process makes {self.source.path}: let it end first"
            ) from error
        return file

    def begin(self, rates: Rates) -> dict[str, int]:
        """Decides the steps of each cell's runs, once, so that a resumed item goes on with the
        same. Raises ReproduceError for the folder of another plan."""
        if self.source is not self:
            return self.source.begin(rates)
        wanted = {
            "item": self.item.place,
            "budget": self.budget,
            "cells": {cell.folder: cell_words(cell) for cell in self.cells},
            "commands": [c.words_within(self.budget) for c in self.item.commands],
            "reads": [self.item.reads, self.item.episodes, self.item.goals],
        }
        if self.item.form == "speedup":
            wanted["speedup"] = [self.item.threads_key, self.item.best]
        file = self.path / DESCRIPTION
        if file.exists():
            described = read_description(file)
            if "speedup" in wanted:  # not in descriptions of older versions
                described.setdefault("speedup", wanted["speedup"])
            if {key: described.get(key) for key in wanted} != wanted:
                raise OtherPlanError(
                    f"{self.path} was begun with another plan of {self.item.place}: name another "
                    "--out, or remove that folder with its runs"
                )
        else:
            described = {**wanted, "machine": machine_name(), "steps": {}}
        steps: dict[str, int] = described["steps"]
        new = [c for c in self.cells if c.folder not in steps and c.folder not in self.lacking]
        known = {} if self.budget == PAPER else rates.of_all(new)
        found = steps_within(self.cells, self.budget, known)
        steps.update({cell.folder: found[cell.folder] for cell in new})
        self.describe(described)
        return steps

    def described(self) -> dict[str, Any]:
        # Descriptions of older versions lack some keys.
        return {"jobs": [], "builds": [], **read_description(self.source.path / DESCRIPTION)}

    def describe(self, description: dict[str, Any]) -> None:
        replace(self.source.path / DESCRIPTION, json.dumps(description, indent=2) + "\n")

    def note(self, build: str, jobs: int = 0) -> None:
        """Writes down the machine, the program's build and how many runs train at the same time,
        if any, because their seconds depend on all three. Raises ReproduceError for times or rates
        of two machines."""
        described = self.described()
        machines = described["machine"].split(AND_THEN)
        if machine_name() not in machines:
            if self.item.compares_times or self.source.item.compares_times:
                raise ReproduceError(
                    f"{self.path} was begun on another machine: {described['machine']}. Times and "
                    "rates of two machines do not compare: name another --out"
                )
            say(f"{self.path} was begun on another machine: {described['machine']}")
            described["machine"] = AND_THEN.join([*machines, machine_name()])
        builds = described["builds"]
        if build not in builds:
            if builds and jobs:  # of a command's build its own file tells
                say(f"{self.path} was begun with another build: {builds[-1]}")
            builds.append(build)
        if jobs and jobs not in described["jobs"]:
            described["jobs"].append(jobs)
        self.describe(described)


def ended_runs(sweep: Path) -> list[Path]:
    """The folders of the runs in a sweep's table, which has only runs that have ended."""
    try:
        with (sweep / "sweep.csv").open(newline="") as lines:
            return [sweep / row["folder"] for row in csv.DictReader(lines)]
    except FileNotFoundError:
        return []


def diverged(run: Path) -> bool:
    try:
        why = json.loads((run / "result.json").read_text()).get("why_ended", "")
        return str(why).startswith("diverged: ")
    except (OSError, json.JSONDecodeError):
        return False


def cell_words(cell: Cell) -> list[str]:
    """Everything of the plan that determines the cell's runs."""
    words = [cell.arm.system, cell.arm.preset, cell.env, f"{cell.arm.steps} steps"]
    words.append(f"{cell.repetitions} repetitions")
    words += [*cell.arm.settings, *(f"vary {text}" for text in cell.vary)]
    return words + [f"{n} threads" for n in cell.threads]


def read_description(file: Path) -> dict[str, Any]:
    """The description of an item. Its steps come from the rates of then, so none can replace it."""
    return read_json(file, f"restore it, or remove all of {file.parent}")


def read_json(file: Path, remedy: str = "") -> dict[str, Any]:
    """The object in a file. Raises ReproduceError with the remedy for a file without one."""
    remedy = remedy or "remove it, and the same command makes it again"
    try:
        value = json.loads(file.read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise ReproduceError(f"cannot read {file}: {error}; {remedy}") from error
    if not isinstance(value, dict):
        raise ReproduceError(f"{file} holds no object: {remedy}")
    return value

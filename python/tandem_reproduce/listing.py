"""The list of all items."""

import dataclasses
import re
import shutil
import textwrap
from pathlib import Path

from tandem_reproduce.budget import BUDGETS, PAPER, hours
from tandem_reproduce.cells import cells_of, seconds_of, steps_within
from tandem_reproduce.folder import ItemFolder
from tandem_reproduce.item import Item
from tandem_reproduce.machine import machine_name
from tandem_reproduce.needs import (
    Environments,
    envs_of,
    lacking_hardware,
    lacking_package,
    told,
)
from tandem_reproduce.rates import Rates

NARROW = 100  # columns


def duration(seconds: float) -> str:
    for unit, size in (("years", 365.25 * 86400), ("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size or unit == "min":
            return f"{seconds / size:,.0f} {unit}"
    return ""


def times_here(item: Item, rates: Rates, here: Environments, measure: bool) -> str:
    """About how long an item takes on this machine within each budget: by the rates of its arms in
    the first of their environments that is here, or by the plan's minutes of a command. Without
    `measure`, only known rates count."""
    if item.commands:
        minutes = {b: sum(command.minutes[b] for command in item.commands) for b in BUDGETS}
        return ", ".join(f"{budget}: {duration(60 * m)}" for budget, m in minutes.items())
    times = []
    for budget in BUDGETS:
        cells = cells_of(item.source or item, budget)
        known: dict[str, float] = {}
        for cell in cells:
            env = next((env for env in cell.arm.envs if not here.lacking(env)), None)
            if env is None:
                return "unknown, because environments are lacking"
            rate, why = rates.find(dataclasses.replace(cell, env=env), measure)
            if rate is None:
                refused = "cannot be measured; the command has said why"
                return why or (refused if measure else "not measured yet (--times)")
            known[cell.folder] = rate
        steps = steps_within(cells, budget, known)
        seconds = seconds_of(cells_of(item, budget), steps, known)
        times.append(f"{budget}: {duration(seconds)}")
    return ", ".join(times)


def begun_folders(item: Item, out: Path) -> list[Path]:
    """The folders of an item with a budget in hours."""
    name = re.compile(rf"{re.escape(item.name)}-\d+(\.\d+)?h")
    return [f for f in (out / item.paper).glob(f"{item.name}-*h") if name.fullmatch(f.name)]


def state(item: Item, out: Path) -> str:
    begun = [folder.name.removeprefix(f"{item.name}-") for folder in begun_folders(item, out)]
    budgets = sorted({*BUDGETS, *begun} - {PAPER}, key=hours)
    words = [ItemFolder(out, item, budget).state() for budget in (*budgets, PAPER)]
    return ", ".join(filter(None, words)) or "nothing yet"


def lacks(item: Item, here: Environments) -> list[str]:
    return [*told(here.all_lacking(envs_of(item))), *lacking_hardware(item)]


def parts_of(item: Item, out: Path, rates: Rates, here: Environments, measure: bool) -> list[str]:
    """Everything about an item that the list tells."""
    parts = [item.shows, f"Paper: {item.budget}."]
    if item.source:
        parts.append(f"The runs are those of {item.source.name}.")
    parts += [f"Note: {item.note}."] if item.note else []
    if item.absent:
        return [*parts, f"Not here: {item.absent}."]
    lacking = lacks(item, here)
    parts += [f"Lacks here: {'; '.join(lacking)}."] if lacking else []
    times = times_here(item, rates, here, measure)
    where = "by the plan" if item.commands else "here"
    return [*parts, f"Takes {where}: {times}.", f"There: {state(item, out)}."]


def list_items(
    items: list[Item], out: Path, rates: Rates, here: Environments, measure: bool
) -> str:
    """A paragraph for each item."""
    width = min(NARROW, shutil.get_terminal_size().columns)
    package = lacking_package()
    head = [f"On {machine_name()}. Results go into {out}.", *([f"{package}."] if package else [])]
    lines = [textwrap.fill(text, width) for text in head]
    for item in items:
        lines += ["", textwrap.fill(f"{item.place}  {item.title}", width)]
        lines += [
            textwrap.fill(part, width, initial_indent="  ", subsequent_indent="  ")
            for part in parts_of(item, out, rates, here, measure)
        ]
    return "\n".join(lines)

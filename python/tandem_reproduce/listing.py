"""The list of all items."""

import dataclasses
import shutil
import textwrap
from pathlib import Path

from tandem_reproduce.cells import cells_of, seconds_of, steps_within
from tandem_reproduce.folder import ItemFolder
from tandem_reproduce.machine import machine_name
from tandem_reproduce.plan import BUDGETS, Item
from tandem_reproduce.rates import Rates

NARROW = 100  # columns


def duration(seconds: float) -> str:
    for unit, size in (("years", 365.25 * 86400), ("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size or unit == "min":
            return f"{seconds / size:,.0f} {unit}"
    return ""


def times_here(item: Item, rates: Rates, measure: bool) -> str:
    """About how long an item takes on this machine within each budget: by the rates of its arms in
    the first of their environments, or by the plan's minutes of a command. Without `measure`, only
    known rates count."""
    if item.commands:
        minutes = {b: sum(command.minutes[b] for command in item.commands) for b in BUDGETS}
        return ", ".join(f"{budget}: {duration(60 * m)}" for budget, m in minutes.items())
    times = []
    for budget in BUDGETS:
        cells = cells_of(item, budget)
        known: dict[str, float] = {}
        for cell in cells:
            rate, why = rates.find(dataclasses.replace(cell, env=cell.arm.envs[0]), measure)
            if rate is None:
                return why or "not measured yet (--times)"
            known[cell.folder] = rate
        seconds = seconds_of(cells, steps_within(cells, budget, known), known)
        times.append(f"{budget}: {duration(seconds)}")
    return ", ".join(times)


def state(item: Item, out: Path) -> str:
    words = [ItemFolder(out, item, budget).state() for budget in BUDGETS]
    return ", ".join(filter(None, words)) or "nothing yet"


def list_items(items: list[Item], out: Path, rates: Rates, measure: bool) -> str:
    """A paragraph for each item."""
    width = min(NARROW, shutil.get_terminal_size().columns)
    lines = [f"On {machine_name()}. Results go into {out}."]
    for item in items:
        lines.append(f"\n{item.place}  {item.title}")
        parts = [item.shows, f"Paper: {item.budget}."]
        if item.absent:
            parts.append(f"Not here: {item.absent}.")
        else:
            parts.append(f"Takes here: {times_here(item, rates, measure)}.")
            parts.append(f"There: {state(item, out)}.")
        lines += [
            textwrap.fill(p, width, initial_indent="  ", subsequent_indent="  ") for p in parts
        ]
    return "\n".join(lines)

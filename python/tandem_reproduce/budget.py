"""Budgets of an item: some hours of training in all, or as much training as in the paper."""

import re

from tandem_reproduce.errors import ReproduceError

PAPER = "paper"
REDUCED = {"1h": 1.0, "8h": 8.0}  # hours; plans tell what part of the runs these budgets have
BUDGETS = (*REDUCED, PAPER)


def read_budget(text: str) -> str:
    """The budget, in one way of writing it. Raises ReproduceError for another text."""
    if text == PAPER:
        return PAPER
    if re.fullmatch(r"\d+(\.\d+)?h", text) and hours(text) > 0:
        return f"{hours(text):g}h"
    raise ReproduceError(f"--budget {text} is no budget: write {', '.join(BUDGETS)} or 2.5h")


def hours(budget: str) -> float:
    """The hours of a budget that has some."""
    return float(budget.removesuffix("h"))


def planned(budget: str) -> str:
    """The budget by whose part of the runs, in the plan, this one goes: the longest of those that
    are not longer, or else the shortest."""
    if budget == PAPER:
        return PAPER
    fitting = [name for name, length in REDUCED.items() if length <= hours(budget)]
    return fitting[-1] if fitting else next(iter(REDUCED))


def budget_words(budget: str) -> str:
    return "the paper's budget" if budget == PAPER else f"{hours(budget):g} h in all"


def time_words(seconds: float) -> str:
    """A measured time: 4.1 h, 12 min or 30 s."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{two_digits(seconds / size)} {unit}"
    return f"{two_digits(seconds)} s"


def two_digits(number: float) -> str:
    """At least two digits, and no power of ten: 4.1, 12 or 118."""
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"

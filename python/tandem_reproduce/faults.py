"""Plans whose parts do not fit each other are refused."""

from __future__ import annotations

from tandem_reproduce.budget import BUDGETS, REDUCED
from tandem_reproduce.cells import cells_of, is_range
from tandem_reproduce.errors import ReproduceError
from tandem_reproduce.item import Item, slug


def check(item: Item, where: str) -> None:
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
            item.panels == "values" and not _has_ranges(item),
            "panels values needs an arm with a range to vary, within each budget",
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


def _has_ranges(item: Item) -> bool:
    """Whether, within each budget that has runs, some of them draw a value from a range."""
    parts = [cells_of(item, budget) for budget in BUDGETS]
    return any(parts) and all(
        any(is_range(text) for cell in cells for text in cell.vary) for cells in parts if cells
    )


def _uneven(vary: str) -> bool:
    """Whether keys that vary together lack a value, or have one too many."""
    names, _, values = vary.partition("=")
    keys = len(names.split("+"))
    return keys > 1 and any(len(value.split("+")) != keys for value in values.split(","))

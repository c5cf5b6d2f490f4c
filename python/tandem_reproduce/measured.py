"""The numbers that an item's commands leave: their tables, and the JSON of `tandem bench`."""

import csv
import io
import json
from typing import Any

from tandem_reproduce.errors import ReproduceError
from tandem_reproduce.folder import ItemFolder
from tandem_reproduce.item import Command, Comparison, Numbers
from tandem_reproduce.making import OUTPUT
from tandem_reproduce.results import name_of, read_rows

Rows = list[dict[str, str]]


def joined_tables(folder: ItemFolder) -> dict[str, Rows]:
    """The tables of all commands by their file names; tables of one name become one table."""
    tables: dict[str, Rows] = {}
    for number, command in folder.ended_commands():
        for name in command.tables:
            tables.setdefault(name, []).extend(read_rows(folder.command(number) / name))
    return tables


def columns_of(rows: Rows) -> list[str]:
    """The columns of all rows: those of games differ where each has its own score."""
    return list(dict.fromkeys(column for row in rows for column in row))


def table_text(rows: Rows) -> str:
    columns = columns_of(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def labelled(rows: Rows) -> Numbers:
    """The rows by the first columns that tell them apart, or by their number if none do."""
    columns = columns_of(rows)
    for count in range(1, len(columns) + 1):
        labels = [" ".join(labels_of(row, columns[:count])) for row in rows]
        if len(set(labels)) == len(rows):
            break
    else:
        count = 0
        labels = [f"line {number}" for number in range(1, len(rows) + 1)]
    return {
        label: {column: value for column in columns[count:] if (value := row.get(column))}
        for label, row in zip(labels, rows, strict=True)
    }


def labels_of(row: dict[str, str], columns: list[str]) -> list[str]:
    values = {column: row.get(column, "") for column in columns}
    return [f"{c}={v}" if v[:1].isdigit() else v for c, v in values.items()]


def compared(folder: ItemFolder) -> Numbers:
    """The numbers of the commands' tables that stand in the paper's rows and columns."""
    tables = joined_tables(folder)
    found: Numbers = {}
    for part in folder.item.comparisons:
        for row in tables.get(part.table, []):
            label, column = cell(part, row, part.row), name_of(cell(part, row, part.column))
            name = label.partition(" ")[0]
            numbers = [cell(part, row, value) for value in part.values]
            places = found.setdefault(part.rows.get(name, name), {})
            places[part.columns.get(column, column)] = joined(numbers, part.per)
    return found


def cell(part: Comparison, row: dict[str, str], column: str) -> str:
    if column not in row:
        raise ReproduceError(f"the plan compares {part.table}, which has no column {column}")
    return row[column] or ""


def joined(numbers: list[str], per: float) -> float | str:
    """A number as it is, or several as a text."""
    if len(numbers) == 1 and numbers[0]:
        return float(numbers[0]) / per
    return "/".join(f"{float(number) / per:.4g}" if number else "-" for number in numbers)


def prints_json(command: Command, budget: str) -> bool:
    return "--json" in command.words_within(budget)


def benches(folder: ItemFolder) -> Numbers:
    """The measurements of the commands that print JSON, by system, network and swept value."""
    found: Numbers = {}
    for number, command in folder.ended_commands():
        if not prints_json(command, folder.budget):
            continue
        printed = json.loads((folder.command(number) / OUTPUT).read_text())
        for row in printed if isinstance(printed, list) else [printed]:
            label, numbers = bench_row(row)
            found[label] = numbers
    return found


def bench_row(row: dict[str, Any]) -> tuple[str, dict[str, float | str]]:
    swept = [key for key in row if "." in key and "/" not in key]
    names = [f"{row.pop(key)} {key.rpartition('.')[2]}" for key in swept]
    label = ", ".join([f"{row.pop('system')} with {row.pop('net')}", *names])
    return label, {k: v for k, v in row.items() if isinstance(v, (int, float, str))}


def measured(folder: ItemFolder) -> Numbers:
    """All numbers of the item's commands."""
    found: Numbers = {}
    for rows in joined_tables(folder).values():
        found.update(labelled(rows))
    return {**found, **benches(folder)}

"""Writes what an item came to: item.md, item.csv, and item.json's companion for the picture."""

import csv
import io
import json

from tandem_reproduce.errors import ReproduceError
from tandem_reproduce.folder import ItemFolder, budget_words
from tandem_reproduce.programs import replace
from tandem_reproduce.results import Table, counted, runs_of, table_of

Lines = list[list[str]]


def write_report(folder: ItemFolder) -> str:
    """Writes the table and the description of the picture. Returns the table as text."""
    if folder.item.commands:
        return write_commands(folder)
    table = table_of(folder)
    lines = lines_of(folder, table)
    rows = io.StringIO()
    csv.writer(rows, lineterminator="\n").writerows(lines)
    replace(folder.path / "item.csv", rows.getvalue())
    replace(folder.path / "picture.json", json.dumps(picture_of(folder, table), indent=2) + "\n")
    text = f"{heading(folder)}\n{table.heading}\n\n{markdown(lines)}\n![](item.png)\n"
    replace(folder.path / "item.md", text)
    return f"{table.heading}\n{aligned(lines)}"


def write_commands(folder: ItemFolder) -> str:
    parts = [heading(folder)]
    for number in range(1, len(folder.item.commands) + 1):
        out = folder.path / f"command-{number}"
        parts.append(f"```sh\ntandem {(out / 'done').read_text().strip()}\n```\n")
        output = out / "output.txt"
        if output.exists():
            parts.append(f"```\n{output.read_text().rstrip()}\n```\n")
        for file in sorted(out.glob("*.md")):
            parts.append(file.read_text())
        parts += [f"![]({out.name}/{file.name})\n" for file in sorted(out.glob("*.png"))]
    lines = paper_lines(folder)
    if len(lines) > 1:
        parts.append(f"The paper's numbers:\n\n{markdown(lines)}")
    text = "\n".join(parts)
    replace(folder.path / "item.md", text)
    return text


def heading(folder: ItemFolder) -> str:
    item = folder.item
    described = folder.described()
    lines = [
        f"# {item.title}\n",
        f"{item.paper.upper()}, {item.section}. {item.shows}\n",
        f"- Here: {budget_words(folder.budget)} on {described['machine']}.",
        f"- The paper: {item.budget}.",
    ]
    lines += [f"- What differs: {item.note}"] if item.note else []
    steps = sorted(set(described["steps"].values()))
    if steps:
        span = f"{steps[0]:,}" if len(steps) == 1 else f"{steps[0]:,} to {steps[-1]:,}"
        lines.append(f"- Steps of a run: {span}.")
    return "\n".join(lines) + "\n"


def lines_of(folder: ItemFolder, table: Table) -> Lines:
    """Our rows, then the paper's, the names of the columns first."""
    numbers = folder.item.numbers
    more = [c for row in numbers.values() for c in row if c not in table.columns]
    columns = [*table.columns, *dict.fromkeys(more)]
    lines = [["", "runs", *columns]]
    for label, row in table.ours.items():
        cells = [number(row.get(column)) for column in columns]
        lines.append([f"{label}, here", str(table.counts[label]), *cells])
    for label, told in numbers.items():
        lines.append([f"{label}, paper", "", *(cell(told.get(c)) for c in columns)])
    return lines


def paper_lines(folder: ItemFolder) -> Lines:
    numbers = folder.item.numbers
    columns = list(dict.fromkeys(c for row in numbers.values() for c in row))
    rows = [[label, *(cell(row.get(c)) for c in columns)] for label, row in numbers.items()]
    return [["", *columns], *rows]


def cell(value: float | str | None) -> str:
    return value if isinstance(value, str) else number(value)


def number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def markdown(lines: Lines) -> str:
    head, *body = lines
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *body])


def aligned(lines: Lines) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = ("  ".join(f"{c:<{w}}" for c, w in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(row.rstrip() for row in rows)


def picture_of(folder: ItemFolder, table: Table) -> dict[str, object]:
    """Everything that the drawing needs."""
    item = folder.item
    runs = [] if item.form == "speedup" else runs_of(folder)
    if item.form == "curves":
        runs = counted(runs, item)
    return {
        "form": item.form,
        "axis": item.axis,
        "title": item.title,
        "budget": f"{budget_words(folder.budget)} on {folder.described()['machine']}",
        "paper": item.budget,
        "heading": table.heading,
        "columns": table.columns,
        "ours": table.ours,
        "numbers": item.numbers,
        "goals": item.goals,
        "runs": [
            {
                "label": run.label,
                "env": run.env,
                "ranges": run.ranges,
                "score": run.score,
                "folder": str(run.folder.relative_to(folder.path)),
            }
            for run in runs
        ],
        "speedups": [
            {"label": cell.arm.label, "env": cell.env, "folder": cell.folder}
            for cell in folder.cells
            if item.form == "speedup"
        ],
    }


def require_something(folder: ItemFolder) -> None:
    """Refuses items that cannot be made here."""
    if folder.item.absent:
        raise ReproduceError(f"{folder.item.place} cannot be made here: {folder.item.absent}")

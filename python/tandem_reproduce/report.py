"""Writes the results of an item: item.md, item.csv, and the description of its picture,
picture.json."""

import csv
import io
import json

from tandem_reproduce.budget import budget_words, time_words
from tandem_reproduce.folder import DONE, ItemFolder
from tandem_reproduce.item import Numbers
from tandem_reproduce.making import OUTPUT
from tandem_reproduce.measured import (
    benches,
    compared,
    joined_tables,
    measured,
    prints_json,
    table_text,
)
from tandem_reproduce.needs import told
from tandem_reproduce.programs import replace
from tandem_reproduce.results import (
    Entry,
    Table,
    drawn,
    kinds_of,
    made_cells,
    names_of,
    profiles_of,
    runs_of,
    table_of,
    training_seconds,
)

Lines = list[list[str]]


def write_report(folder: ItemFolder) -> str:
    """Writes the table and the description of the picture. Returns the table as text."""
    if folder.item.commands:
        return write_commands(folder)
    table = table_of(folder)
    lines = lines_of(table, folder.item.numbers)
    write_numbers(folder, [*our_rows(table), *given_rows(folder.item.numbers, "paper")])
    replace(folder.path / "picture.json", json.dumps(picture_of(folder, table), indent=2) + "\n")
    text = f"{heading(folder)}\n{table.heading}\n\n{markdown(lines)}\n![](item.png)\n"
    replace(folder.path / "item.md", text)
    return f"{table.heading}\n{aligned(lines)}"


def write_commands(folder: ItemFolder) -> str:
    for name, rows in joined_tables(folder).items():
        replace(folder.path / name, table_text(rows))
    numbers = folder.item.numbers
    ours = measured(folder)
    beside = compared(folder)
    here = [*given_rows(ours, "here"), *given_rows(beside, "here")]
    write_numbers(folder, [*here, *given_rows(numbers, "paper")])
    pictures: list[str] = []
    parts = [heading(folder)]
    for number, command in folder.ended_commands():
        out = folder.command(number)
        parts.append(f"```sh\ntandem {(out / DONE).read_text().strip()}\n```\n")
        if not prints_json(command, folder.budget):
            parts.append(f"```\n{(out / OUTPUT).read_text().rstrip()}\n```\n")
        parts += [file.read_text() for file in sorted(out.glob("*.md"))]
        pictures += [folder.relative(file) for file in sorted(out.glob("*.png"))]
    printed = benches(folder)
    parts += [markdown(lines_of_rows(printed))] if printed else []
    if numbers:
        title = "Beside the paper's numbers" if beside else "The paper's numbers"
        parts.append(f"{title}:\n\n{markdown(lines_beside(beside, numbers))}")
    picture = {**picture_head(folder), "pictures": pictures, "benches": printed}
    replace(folder.path / "picture.json", json.dumps(picture, indent=2) + "\n")
    text = "\n".join(parts)
    replace(folder.path / "item.md", f"{text}\n![](item.png)\n")
    return text


def lines_of_rows(numbers: Numbers) -> Lines:
    """A column for each row, because there are few rows with many numbers each."""
    names = list(dict.fromkeys(name for row in numbers.values() for name in row))
    lines = [[name, *(told_text(row.get(name)) for row in numbers.values())] for name in names]
    return [["", *numbers], *lines]


def heading(folder: ItemFolder) -> str:
    item = folder.item
    described = folder.described()
    lines = [
        f"# {item.title}\n",
        f"{item.paper.upper()}, {item.section}. {item.shows}\n",
        f"- Here: {budget_of(folder)} on {described['machine']}.",
        f"- The paper: {item.budget}.",
    ]
    if folder.source is not folder:
        where = folder.relative(folder.source.path)
        lines.append(f"- The runs are those of {folder.source.item.place}, in {where}.")
    lines += [f"- What differs: {item.note}"] if item.note else []
    missing = told(folder.missing())
    if missing:
        lines.append(f"- Missing: {'; '.join(missing)}; the same command makes them later.")
    steps = [described["steps"][cell.folder] for cell in made_cells(folder)]
    if steps:
        lines.append(f"- Steps of a run: {span_of([f'{n:,}' for n in sorted(steps)])}.")
    times = sorted(training_seconds(folder))
    if times:
        each = span_of(list(map(time_words, times)))
        lines.append(f"- Trained: {time_words(sum(times))} in all, a run {each}.")
    jobs = described["jobs"]
    slowed = item.compares_times and max(jobs, default=1) > 1
    slower = ", and rates are lower than those of one run at a time" if slowed else ""
    lines += [f"- {jobs_words(jobs)}{slower}."] if jobs else []
    if len(described["builds"]) > 1:
        lines.append(f"- Builds: {' and then '.join(described['builds'])}.")
    return "\n".join(lines) + "\n"


def span_of(ordered: list[str]) -> str:
    first, last = ordered[0], ordered[-1]
    return first if first == last else f"{first} to {last}"


def budget_of(folder: ItemFolder) -> str:
    """The budget in words. Of commands it is the time that they took."""
    if not folder.item.commands:
        return budget_words(folder.budget)
    seconds = sum(
        folder.seconds(number) or 60 * command.minutes[folder.budget]  # of an older version
        for number, command in folder.ended_commands()
    )
    return f"commands of {time_words(seconds)}"


def jobs_words(jobs: list[int]) -> str:
    return f"Runs at the same time: {' and then '.join(map(str, jobs))}"


def all_columns(table: Table, numbers: Numbers) -> list[str]:
    return list(dict.fromkeys([*table.columns, *(c for row in numbers.values() for c in row)]))


def lines_of(table: Table, numbers: Numbers) -> Lines:
    """The names of the columns, our rows, each with the paper's of the same label below it, and
    then the paper's others."""
    columns = all_columns(table, numbers)
    uneven = {column for column in columns if unevenly_made(table, column)}
    lines = [["", *columns]]
    for label, row in table.rows.items():
        entries = (entry_text(row.get(column), column in uneven) for column in columns)
        lines.append([f"{label}, here", *entries])
        if label in numbers:
            lines.append(told_line(label, numbers, columns))
    lines += [told_line(label, numbers, columns) for label in numbers if label not in table.rows]
    return lines


def unevenly_made(table: Table, column: str) -> bool:
    """Whether the column's numbers are of rows with different numbers of games."""
    entries = [row[column] for row in table.rows.values() if column in row]
    return len({entry.runs for entry in entries if entry.of}) > 1


def told_line(label: str, numbers: Numbers, columns: list[str]) -> list[str]:
    return [f"{label}, paper", *(told_text(numbers[label].get(column)) for column in columns)]


def write_numbers(folder: ItemFolder, rows: list[list[object]]) -> None:
    """Writes item.csv: a line for each number, as it is."""
    head = ["row", "of", "column", "value", "counted", "runs", "low", "high"]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    replace(folder.path / "item.csv", text.getvalue())


def our_rows(table: Table) -> list[list[object]]:
    return [
        [label, "here", column, *entry_cells(entry)]
        for label, row in table.rows.items()
        for column, entry in row.items()
    ]


def entry_cells(entry: Entry) -> list[object]:
    value = "" if entry.value is None else f"{entry.value}{entry.unit}"
    interval = entry.interval
    ends = [f"{x}{entry.unit}" for x in (interval.low, interval.high)] if interval else ["", ""]
    return [value, entry.counted, entry.runs, *ends]


def given_rows(numbers: Numbers, source: str) -> list[list[object]]:
    """Rows of numbers without runs to count."""
    return [
        [label, source, column, value, "", "", "", ""]
        for label, row in numbers.items()
        for column, value in row.items()
    ]


def lines_beside(ours: Numbers, numbers: Numbers) -> Lines:
    """The paper's rows, each below ours of the same name."""
    columns = list(dict.fromkeys(c for row in [*numbers.values(), *ours.values()] for c in row))
    lines = [["", *columns]]
    for label in dict.fromkeys([*ours, *numbers]):
        for rows, source in ((ours, "here"), (numbers, "paper")):
            if label in rows:
                cells = (told_text(rows[label].get(column)) for column in columns)
                lines.append([f"{label}, {source}", *cells])
    return lines


def entry_text(entry: Entry | None, with_count: bool = False) -> str:
    if entry is None:
        return "-"
    if entry.value is None:
        return "no score" if entry.runs else "missing"
    counts = []
    if entry.counted < entry.runs:
        counts.append(f"{entry.counted} of {entry.runs}")
    elif with_count and entry.of:
        counts.append(f"{entry.counted} {entry.of}")
    if entry.scored < entry.all_runs:
        counts.append(f"{entry.scored} of {entry.all_runs} runs")
    some = f" ({', '.join(counts)})" if counts else ""
    interval = entry.interval
    span = f" [{rounded(interval.low)}, {rounded(interval.high)}]" if interval else ""
    return rounded(entry.value) + entry.unit + span + some


def told_text(value: float | str | None) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else rounded(value)


def rounded(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def markdown(lines: Lines) -> str:
    head, *body = lines
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *body])


def aligned(lines: Lines) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = ("  ".join(f"{c:<{w}}" for c, w in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(row.rstrip() for row in rows)


def picture_head(folder: ItemFolder) -> dict[str, object]:
    item = folder.item
    described = folder.described()
    jobs = described["jobs"]
    several = f" ({jobs_words(jobs).lower()})" if jobs not in ([], [1]) else ""
    seconds = sum(training_seconds(folder))  # an item may show a part of another's runs
    trained = f", {time_words(seconds)} trained" if seconds else ""
    return {
        "form": item.form,
        "title": item.title,
        "budget": f"{budget_of(folder)}{trained} on {described['machine']}{several}",
        "paper": item.budget,
    }


def picture_of(folder: ItemFolder, table: Table) -> dict[str, object]:
    """Everything that the drawing needs."""
    item = folder.item
    runs = [] if item.form == "speedup" else runs_of(folder)
    if item.form == "curves":
        runs = drawn(runs, item)
    return {
        **picture_head(folder),
        "axis": item.axis,
        "panels": item.panels,
        "rows": item.rows,
        "names": names_of(item),
        "profiles": profiles_of(folder) if "iqm" in item.columns.values() else {},
        "kinds": kinds_of(folder),
        "columns": table.columns,
        "units": {
            column: entry.unit
            for row in table.rows.values()
            for column, entry in row.items()
            if entry.unit
        },
        "ours": {
            label: {column: entry.value for column, entry in row.items()}
            for label, row in table.rows.items()
        },
        "intervals": {
            label: {
                column: {"range": [entry.interval.low, entry.interval.high], "games": entry.counted}
                for column, entry in row.items()
                if entry.interval
            }
            for label, row in table.rows.items()
        },
        "numbers": item.numbers,
        "runs": [
            {
                "label": run.label,
                "env": run.env,
                "ranges": run.ranges,
                "score": run.score,
                "folder": folder.relative(run.folder),
            }
            for run in runs
        ],
    }

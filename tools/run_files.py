"""Reads the files of a run's folder, for tools and benchmarks that need no matplotlib."""

import json


def read_lines(file):
    """The objects of a file of lines, such as metrics.jsonl."""
    rows = []
    for line in file.read_text().splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            continue  # the last line, while it is being written
    return rows


def flatten(table, prefix=""):
    """The keys with dots and the values of nested tables: "optimizer.lr"."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value

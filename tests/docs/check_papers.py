"""Checks that the files, functions, tests, presets, keys and commands of docs/papers.md exist.

usage: check_papers.py [--links]

A cell of its tables is read from left to right. [algo/a2c.cc] is a file. A name after it stands in
that file: a function or a class, a test, or, after a test of tests/golden, a case of its numbers.
Each table must have a row for each numbered item of its paper. --links rewrites the links to the
files at the page's end.

Seen failing, with the line and the missing thing, on each of these mistakes, planted alone: a file
misspelt; a function, a class, a test of C++, one of Python and a golden case, each misspelt here or
renamed in its file; a test without a file; a preset and a key misspelt, a key renamed in the code;
in a command its name, a word behind it, an option, a system, a study, a method, a preset, a key and
an environment misspelt, a system, a run and a value left out, a word too many, an option renamed in
the code; a heading and a page of the results misspelt; an equation and a figure without a row, and
one with two; a cell too few; a row that names nothing; a paper renamed; a file without its link, a
link that leads elsewhere, and one that nothing uses.
"""

import json
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from commands import Commands

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "papers.md"
FOLDERS = (ROOT / "src" / "tandem", ROOT / "tests", ROOT)  # searched for files, in this order
CELLS = 5

# The counts of equations, algorithms, claims, figures and tables in each paper.
NUMBERED = {
    "A3C": {"Equation": 9, "Algorithm": 3, "Figure": 10, "Table": 3},
    "GA3C": {"Equation": 5, "Figure": 7, "Table": 3},
    "PAAC": {"Equation": 11, "Algorithm": 1, "Figure": 4, "Table": 1},
    "HTS-RL": {"Equation": 7, "Claim": 2, "Figure": 5, "Table": 5},
    "Ape-X": {"Algorithm": 2, "Figure": 12, "Table": 2},
}
ITEM = re.compile(r"(Algorithm|Claim|Figure|Table) (\d+)|\((\d+)\)")
TOKEN = re.compile(r"\[([^\]]+)\]\(([^)]+)\)|\[([^\]]+)\]|`([^`]+)`")
LINK = re.compile(r"^\[([^\]]+)\]: (\S+)$")
TEST = re.compile(r"^([A-Z]\w*)\.(\w+)$")
KEY = re.compile(r"^[a-z]\w*\.\w+$")


class Mistake(Exception):
    """A reference that leads a reader nowhere."""


@cache
def text_of(file: Path) -> str:
    return file.read_text()


def find(label: str) -> Path | None:
    files = [folder / label for folder in FOLDERS]
    return next((file for file in files if file.is_file()), None)


def found(label: str) -> Path:
    file = find(label)
    if file is None:
        raise Mistake(f"no file {label} in src/tandem, in tests or in the root")
    return file


def check_name(file: Path, name: str) -> None:
    """Checks that the file has A and b of A::b, and that b is called, defined or a type."""
    text = text_of(file)
    *scopes, last = name.split("::")
    for scope in scopes:
        if not re.search(rf"\b{re.escape(scope)}\b", text):
            raise Mistake(f"no {scope} in {file.relative_to(ROOT)}")
    word = re.escape(last)
    if not re.search(rf"\b{word}\(|\b(class|struct) {word}\b", text):
        raise Mistake(f"no function or class {last} in {file.relative_to(ROOT)}")


def check_test(file: Path, suite: str, name: str) -> None:
    python = rf"^class {suite}\b.*?^    def {name}\("
    cpp = rf"^TEST(?:_F|_P)?\(\s*{suite},\s*{name}\)"
    if not re.search(python if file.suffix == ".py" else cpp, text_of(file), re.M | re.S):
        raise Mistake(f"no test {suite}.{name} in {file.relative_to(ROOT)}")


def check_case(file: Path, case: str) -> None:
    """Checks that the numbers which a test of tests/golden reads have this case."""
    used = re.search(r'golden_indices\("(\w+)"\)', text_of(file))
    if used is None:
        raise Mistake(f"{case}: {file.relative_to(ROOT)} has no cases")
    numbers = file.parent / f"{used[1]}.json"
    if case not in [each["name"] for each in json.loads(text_of(numbers))]:
        raise Mistake(f"no case {case} in {numbers.relative_to(ROOT)}")


@cache
def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.M)
    kept = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in kept}


def check_link(target: str) -> None:
    file, _, anchor = target.partition("#")
    page = PAGE.parent / file
    if not page.is_file():
        raise Mistake(f"no page {file}")
    if anchor and anchor not in anchors(page):
        raise Mistake(f"no heading #{anchor} in {file}")


class Row:
    """One line of a table."""

    def __init__(self, line: str, commands: Commands) -> None:
        self.cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
        self.labels: set[str] = set()  # the existing files that the row names
        self.commands = commands
        self.names = 0

    def items(self) -> Iterator[tuple[str, int]]:
        for kind, number, equation in ITEM.findall(self.cells[0]):
            yield kind or "Equation", int(number or equation)

    def mistakes(self) -> Iterator[str]:
        if len(self.cells) != CELLS:
            yield f"{len(self.cells)} cells, not {CELLS}"
            return
        for cell in self.cells[2:]:
            file: Path | None = None
            for _, target, label, name in TOKEN.findall(cell):
                self.names += 1
                try:
                    if target:
                        check_link(target)
                    elif label:
                        file = found(label)
                        self.labels.add(label)
                    else:
                        self.check(name, file)
                except Mistake as mistake:
                    yield str(mistake)
        refers = re.search(r"\b(as|not here)\b", " ".join(self.cells[2:]))
        if self.names == 0 and refers is None:
            yield f"{self.cells[0]}: the row names nothing"

    def check(self, name: str, file: Path | None) -> None:
        test = TEST.match(name)
        if name.startswith("tandem "):
            problem = self.commands.problem(shlex.split(name)[1:])
            if problem:
                raise Mistake(f"{problem}: {name}")
        elif test:
            if file is None:
                raise Mistake(f"the test {name} has no file")
            check_test(file, *test.groups())
        elif KEY.match(name):
            if not self.commands.has_key(name):
                raise Mistake(f"no config key {name}")
        elif name.startswith("--"):
            if name.split()[0] not in self.commands.all_options():
                raise Mistake(f"no option {name}")
        elif "/" in name:
            if not self.commands.has_preset(name):
                raise Mistake(f"no preset {name} in configs")
        elif file is None:
            raise Mistake(f"{name} has no file")
        elif file.parent == ROOT / "tests" / "golden":
            check_case(file, name)
        else:
            check_name(file, name)


def missing_items(paper: str, seen: list[tuple[str, int]]) -> Iterator[str]:
    for kind, count in NUMBERED[paper].items():
        for number in range(1, count + 1):
            rows = seen.count((kind, number))
            if rows != 1:
                yield f"{paper} has {rows} rows for {kind} {number}"


def link_to(label: str) -> str:
    return f"../{found(label).relative_to(ROOT)}"


def link_mistakes(labels: set[str], links: dict[str, tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for label in sorted(labels - links.keys()):
        yield 0, f"[{label}] has no link at the page's end; --links writes it"
    for label, (line, target) in links.items():
        if label not in labels:
            yield line, f"no row names [{label}]"
        elif target != link_to(label):
            yield line, f"[{label}] leads to {target}, not to {link_to(label)}"


def mistakes(lines: list[str], labels: set[str]) -> Iterator[tuple[int, str]]:
    """Yields each mistake with its line, or 0. Adds the files that rows name to `labels`."""
    commands = Commands(ROOT)
    paper = ""
    seen: dict[str, list[tuple[str, int]]] = {name: [] for name in NUMBERED}
    links: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            paper = line[3:].strip()
        elif link := LINK.match(line):
            links[link[1]] = (number, link[2])
        elif line.startswith("| ") and not line.startswith("| item |"):
            row = Row(line, commands)
            for mistake in row.mistakes():
                yield number, mistake
            labels.update(row.labels)
            if paper in seen:
                seen[paper].extend(row.items())
            else:
                yield number, f"there is no paper {paper}"
    for name, items in seen.items():
        for mistake in missing_items(name, items):
            yield 0, mistake
    yield from link_mistakes(labels, links)


def write_links(lines: list[str], labels: set[str]) -> None:
    kept = "\n".join(line for line in lines if not LINK.match(line)).rstrip()
    links = "\n".join(f"[{label}]: {link_to(label)}" for label in sorted(labels))
    PAGE.write_text(f"{kept}\n\n{links}\n")


def main() -> int:
    lines = PAGE.read_text().splitlines()
    labels: set[str] = set()
    all_mistakes = list(mistakes(lines, labels))
    if "--links" in sys.argv:
        write_links(lines, labels)
        return 0
    for line, what in all_mistakes:
        place = f"docs/papers.md:{line}" if line else "docs/papers.md"
        print(f"{place}: {what}")
    return 1 if all_mistakes else 0


if __name__ == "__main__":
    sys.exit(main())

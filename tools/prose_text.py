"""The prose of a file: its comments, docstrings and paragraphs, and the texts of the program.

A passage is a run of prose that is read as one text. It knows on which line each word stands.
"""

import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

FOLDERS = "src python plugins examples tests benchmarks tools configs cmake docs".split()
# The sentences of this file are bad on purpose.
LEFT_OUT = ("tests/tools/check_prose_test.py",)

RAW_STRING = r'R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"'
STRING = r'"(?P<text>(?:[^"\\\n]|\\.)*)"'
CHARACTER = r"(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'"
CPP = re.compile(rf"{RAW_STRING}|{STRING}|{CHARACTER}|//[/!]?<?(?P<comment>[^\n]*)", re.DOTALL)
HASH = re.compile(rf"{STRING}|'[^'\n]*'|(?<![\w$\{{(])#(?P<comment>[^\n]*)")


@dataclass
class Passage:
    """Prose in which white space is single spaces; lines[i] is the line of words[i]."""

    words: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def add(self, line: int, text: str) -> "Passage":
        words = text.split()
        self.words += words
        self.lines += [line] * len(words)
        return self


def passages_of_comments(comments: Iterable[tuple[int, int, bool, str]]) -> Iterator[Passage]:
    """Joins comments that continue each other; each is (line, column, after code or not, text)."""
    passage, last = Passage(), (0, 0)
    for line, column, after_code, text in comments:
        goes_on = line == last[0] + 1 and column == last[1] and not after_code
        if not goes_on or not text.strip():
            yield passage
            passage = Passage()
        passage.add(line, text)
        last = (line, column)
    yield passage


def comments(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int, bool, str]]:
    line, start, before = 1, 0, 0
    for found in pattern.finditer(text):
        newlines = text.count("\n", before, found.start())
        if newlines:
            line += newlines
            start = text.rfind("\n", 0, found.start()) + 1
        before = found.start()
        if found["comment"] is not None:
            code = text[start : found.start()].strip()
            yield line, found.start() - start, bool(code), found["comment"]


def cpp(text: str) -> Iterator[Passage]:
    yield from passages_of_comments(comments(CPP, text))


def hashes(text: str) -> Iterator[Passage]:
    yield from passages_of_comments(comments(HASH, text))


def literals(text: str) -> Iterator[Passage]:
    """String literals of C++ that have words; those that follow each other are one text."""
    passage, end = Passage(), 0
    for found in CPP.finditer(text):
        words = found["raw"] if found["raw"] is not None else found["text"]
        if words is None:
            continue
        if not text[end : found.start()].isspace():
            yield passage
            passage = Passage()
        line = text.count("\n", 0, found.start()) + 1
        for offset, part in enumerate(words.replace("\\n", " \n").split("\n")):
            passage.add(line + (offset if found["raw"] is not None else 0), part)
        end = found.end()
    yield passage


def python(text: str) -> Iterator[Passage]:
    found, fresh = [], True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        (line, column), code = token.start, token.line[: token.start[1]].strip()
        if token.type == tokenize.COMMENT:
            found.append((line, column, bool(code), token.string.lstrip("#")))
        elif token.type == tokenize.STRING and fresh and not code:
            yield from paragraphs(line, token.string.strip("\"'"))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            fresh = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    yield from passages_of_comments(found)


def paragraphs(line: int, text: str) -> Iterator[Passage]:
    passage = Passage()
    for offset, part in enumerate(text.split("\n")):
        if not part.strip():
            yield passage
            passage = Passage()
        passage.add(line + offset, part)
    yield passage


def markdown(text: str) -> Iterator[Passage]:
    """Paragraphs, points of lists and cells of tables; no headings and no code."""
    passage, fence, lines = Passage(), False, text.split("\n")
    for number, line in enumerate(lines, 1):
        body = line.strip()
        if body.startswith("```"):
            fence = not fence
        if fence or not body or body.startswith(("#", "```", "|", "<")):
            yield passage
            passage = Passage()
        if fence or body.startswith(("#", "```", "<")):
            continue
        if re.match(r"\|[-:| ]+\|$", body):
            continue
        if body.startswith("|"):
            if number < len(lines) and re.match(r"\s*\|[-:| ]+\|$", lines[number]):
                continue  # headings of a table's columns
            for cell in body.strip("|").split("|"):
                yield Passage().add(number, cell)
            continue
        point = re.match(r"(?:[-*]|\d+\.) ", body)
        if point:
            yield passage
            passage = Passage()
            body = body[point.end() :]
        passage.add(number, body)
    yield passage


READERS: dict[str, Callable[[str], Iterator[Passage]]] = {
    ".cc": cpp,
    ".h": cpp,
    ".py": python,
    ".md": markdown,
    ".sh": hashes,
    ".toml": hashes,
    ".cmake": hashes,
    "CMakeLists.txt": hashes,
}


def reader(path: str) -> Callable[[str], Iterator[Passage]] | None:
    return READERS.get(Path(path).suffix) or READERS.get(Path(path).name)


def files(root: Path) -> Iterator[Path]:
    """The files of a source tree that have prose to check."""
    found = list(root.glob("*"))
    for folder in FOLDERS:
        found += (root / folder).rglob("*")
    for file in sorted(found):
        path = file.relative_to(root).as_posix()
        if file.is_file() and reader(path) and path not in LEFT_OUT:
            yield file


def passages(path: str, text: str) -> Iterator[Passage]:
    """The passages of one file, and for files of src/tandem the texts of the program, too."""
    read = reader(path)
    for passage in read(text) if read else ():
        if passage.words:
            yield passage
    if read is cpp and path.startswith("src/tandem/"):
        for passage in literals(text):
            if len(passage.words) > 1:
                yield passage

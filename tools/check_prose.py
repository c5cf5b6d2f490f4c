"""Checks that comments, help texts and documents are plain English.

usage: check_prose.py [ROOT]
A sentence has a thing as its subject and a verb that acts. PATTERNS lists ways of writing that
break this rule and are hard to read aloud; each has a name and a hint. A doc comment may be a noun
phrase that names the thing declared ("One actor's inference request."), and questions are free.

Reads comments of C++, Python, shell, CMake and TOML, docstrings, Markdown without its code, and the
string literals of src/tandem, which are help texts and errors. Prints each offence as
FILE:LINE: NAME, the sentence and the hint; exits with 1 if there is one.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import prose_text


@dataclass(frozen=True)
class Pattern:
    """A way of writing that this check refuses, found in one sentence at a time."""

    name: str
    regex: re.Pattern[str]
    hint: str


# A clause begins with its sentence or after a semicolon.
CLAUSE = r"(?:^|; )"
# Words that make "those" a subject of its own; "those two settings" has a noun.
WITHOUT_NOUN = (
    r"(?:that|who|whose|which|of|in|on|at|by|too|with|without|for|from|to|beyond|before|after"
    r"|left|here|there|are|were|is|have|had|do|did|can|may|must|need|\w+ed)"
)
PATTERNS = [
    Pattern(
        "what as a subject",
        re.compile(rf"{CLAUSE}(?:[Aa]nd |[Bb]ut )?[Ww]hat(?:ever)? (?!if\b)"),
        "name the thing: 'The result of the action ...' for 'What acted ...'",
    ),
    Pattern(
        "who as a subject",
        re.compile(rf"{CLAUSE}(?:[Aa]nd |[Bb]ut )?[Ww]ho\b(?! is who)|\b[Ww]hoever\b"),
        "name the thing or the person: 'A caller that asks ...' for 'Whoever asks ...'",
    ),
    Pattern(
        "those as a subject",
        re.compile(rf"^[Tt]hose {WITHOUT_NOUN}\b"),
        "repeat the noun: 'Surplus threads sleep' for 'Those too many sleep'",
    ),
    Pattern(
        "none for NaN",
        re.compile(
            r"\b(?:numbers?|values?|loss(?:es)?|returns?|gradients?|parameters?|priorit(?:y|ies)"
            r"|one|sums?|rewards?|norms?|scores?|it)(?: that)? (?:is|are|was|were|becomes?) none\b"
            r"(?! of)"
            r"|\bnone for (?:a )?numbers?\b|\ba none\b|\bnones\b"
        ),
        "write NaN",
    ),
    Pattern(
        "a relative clause as a sentence",
        re.compile(
            r"^(?:(?:And|But) )?(?:(?:Of|To|From|For|By|In|With|At|On|Through|After|Without) )?"
            r"(?:[Ww]hich|[Ww]hose|[Ww]hom)\b"
        ),
        "begin with the noun: 'The index of the row' for 'Which row it is'",
    ),
    Pattern(
        "a sentence without a verb",
        re.compile(
            r"^(?:To (?:that|this|these|those|which) comes?\b"
            r"|Of (?:each|all) of (?:them|these|those)\b|Of (?:an?|one)\b(?!.*[,:] )"
            r"|That of\b(?!.* (?:is|are|was|has)\b)|The same of\b)"
        ),
        "give the sentence a subject and a verb",
    ),
]


def sentences(text: str) -> Iterator[str]:
    """The sentences of a passage, each with its full stop."""
    start = 0
    for end in re.finditer(r"[.?!][\"')*_]*\s+(?=[\"'(*_`]*[A-Z0-9`])", text):
        yield text[start : end.end()].strip()
        start = end.end()
    if text[start:].strip():
        yield text[start:].strip()


def offences(text: str) -> Iterator[tuple[Pattern, str]]:
    """The patterns in a passage, each with the sentence in which it stands."""
    for sentence in sentences(text):
        plain = sentence.lstrip("\"'(*_")
        if plain.rstrip("\"')*_").endswith("?"):
            continue
        for pattern in PATTERNS:
            if pattern.regex.search(plain):
                yield pattern, sentence


def line_of(passage: prose_text.Passage, sentence: str) -> int:
    """The line on which a sentence of the passage begins."""
    at = passage.text.find(sentence)
    return passage.lines[passage.text.count(" ", 0, at)] if at >= 0 else passage.lines[0]


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    failed = 0
    for file in prose_text.files(root):
        path = file.relative_to(root).as_posix()
        for passage in prose_text.passages(path, file.read_text()):
            for pattern, sentence in offences(passage.text):
                print(f"{path}:{line_of(passage, sentence)}: {pattern.name}: {sentence}")
                print(f"    {pattern.hint}")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())

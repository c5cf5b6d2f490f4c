"""Checks the documents against the code they speak of.

Code blocks that name a file (```cpp file=examples/corridor/corridor.cc) stand in it word by word.
The pages that add something (docs/add_*.md) have no other C++ and CMake than such blocks, and the
test library.installed compiles the files of examples/. Links lead to existing files and headings,
each `make TARGET` is a target of the Makefile, and the documents that code names exist. Seen
failing with a changed line in an example, a block without its file, a renamed document, a renamed
heading, a document that a comment misspells, and a removed target.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
MAKE = re.compile(r"`make ([a-z-]+)`")
NAMED = re.compile(r"\bdocs/[\w/]+\.md\b")
COMPILED = ("cpp", "cmake")
CODE_FOLDERS = ("src", "plugins", "examples", "tests", "tools", "cmake", "configs", "benchmarks")
CODE = (".cc", ".h", ".py", ".sh", ".cmake", ".toml", ".txt")


def anchor(heading):
    """The name that a heading has in links, as GitHub makes it."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading))
    return kept.strip().lower().replace(" ", "-")


def anchors(document):
    text = BLOCK.sub("", document.read_text())
    return {anchor(heading) for heading in HEADING.findall(text)}


def offences_of_blocks(document, text):
    """Yields the mistakes of the code blocks."""
    for language, file, block in BLOCK.findall(text):
        if file and block not in (ROOT / file).read_text():
            yield f"this block is not in {file}:\n{block}"
        if not file and language in COMPILED and document.name.startswith("add_"):
            yield f"this block names no file that is compiled:\n{block}"


def offences_of_links(document, text):
    """Yields the mistakes of the links."""
    for link, place in LINK.findall(text):
        target = document.parent / link if link else document
        if "://" in link:
            continue
        if not target.exists():
            yield f"link to {link}, which is not there"
        elif place and target.suffix == ".md" and place not in anchors(target):
            yield f"link to {link}#{place}, and no heading there is called so"


def offences(document, targets):
    text = document.read_text()
    yield from offences_of_blocks(document, text)
    prose = BLOCK.sub("", text)
    yield from offences_of_links(document, prose)
    for target in MAKE.findall(prose):
        if target not in targets:
            yield f"`make {target}` is no target of the Makefile"


def offences_of_code():
    """Yields (file, mistake) for each missing document that code names."""
    files = [f for folder in CODE_FOLDERS for f in (ROOT / folder).rglob("*") if f.suffix in CODE]
    for file in sorted(files):
        for named in NAMED.findall(file.read_text(errors="replace")):
            if not (ROOT / named).exists():
                yield file, f"names {named}, which is not there"


def main():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    found = []
    folders = [ROOT / "docs", ROOT / "plugins"]
    for document in [*ROOT.glob("*.md"), *(file for f in folders for file in f.rglob("*.md"))]:
        found += [(document, what) for what in offences(document, targets)]
    found += offences_of_code()
    for file, what in found:
        print(f"{file.relative_to(ROOT)}: {what}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

"""Checks the documents against the code they speak of.

Code blocks that name a file (```cpp file=examples/corridor/corridor.cc) stand in it word by word,
links lead to files that are there, and each `make TARGET` is a target of the Makefile.
Seen failing with a changed line in the example, a renamed document and a removed target.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
MAKE = re.compile(r"`make ([a-z]+)`")


def offences(document, targets):
    text = document.read_text()
    for file, block in BLOCK.findall(text):
        if block not in (ROOT / file).read_text():
            yield f"this block is not in {file}:\n{block}"
    for link in LINK.findall(text):
        if "://" not in link and not (document.parent / link).exists():
            yield f"link to {link}, which is not there"
    for target in MAKE.findall(text):
        if target not in targets:
            yield f"`make {target}` is no target of the Makefile"


def main():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    failed = False
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for what in offences(document, targets):
            print(f"{document.relative_to(ROOT)}: {what}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())

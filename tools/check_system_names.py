"""Checks that a system describes itself: no code outside its folder knows it by name.

usage: check_system_names.py [ROOT]
A system is a folder of src/tandem/systems. Its name as a string, its config keys ("paac.t_max"),
its log keys ("ga3c/agents") and includes of its headers may stand in that folder, and in those of
its own study and cluster, src/tandem/study/NAME and src/tandem/cluster/NAME. The catalogue lists
it. Comments and examples of commands
("tandem train paac") are free.
Prints each offence as FILE:LINE: what; exits with 1 if there is one.
"""

import re
import sys
from pathlib import Path

CATALOGUE = "src/tandem/systems/catalogue.cc"  # the one list of systems
# Words that name something else, too, where it is defined: the network of IMPALA's paper.
NAMESAKES = {("impala", "src/tandem/nn/architecture.cc")}
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
COMMENT = re.compile(r"^\s*(//|\*|/\*)")
RAW_TEXT = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)


def system_names(root):
    folders = (root / "src/tandem/systems").iterdir()
    return sorted(f.name for f in folders if f.is_dir() and f.name != "common")


def homes(name):
    """The folders that may know this system."""
    return tuple(f"src/tandem/{room}/{name}/" for room in ("systems", "study", "cluster"))


def offences_of_line(line, name):
    """Yields the parts of this line of code that name the system."""
    if COMMENT.match(line):
        return
    code = line.split(" // ")[0]
    if code.startswith("#include"):
        if f'"tandem/systems/{name}/' in code:
            yield f"{code.strip()} looks into the system {name}"
        return
    for literal in LITERAL.findall(code):
        if "tandem " in literal:  # an example of a command
            continue
        if literal == name or re.match(rf"{name}/", literal):
            yield f'"{literal}" names the system {name}'
        elif re.search(rf"\b{name}\.[a-z_]+\b", literal):
            yield f'"{literal}" names a key of the system {name}'
    if re.search(rf"\bconfig\.{name}\b", LITERAL.sub("", code)):
        yield f"config.{name} is a part of the system {name}"


def offences_of_file(path, text, names):
    """Yields (line, what) for one file."""
    # Raw strings are help texts full of examples. They are cut out, but for their newlines.
    text = RAW_TEXT.sub(lambda raw: "\n" * raw[0].count("\n"), text)
    if path == CATALOGUE:
        return
    for number, line in enumerate(text.splitlines(), 1):
        for name in names:
            if not path.startswith(homes(name)) and (name, path) not in NAMESAKES:
                for what in offences_of_line(line, name):
                    yield number, what


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    names = system_names(root)
    failed = False
    for file in sorted((root / "src").rglob("*")):
        if file.suffix not in (".cc", ".h"):
            continue
        path = file.relative_to(root).as_posix()
        for line, what in offences_of_file(path, file.read_text(), names):
            print(f"{path}:{line}: error: {what}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())

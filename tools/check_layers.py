"""Checks rules that no compiler checks: the order of folders, the files that include foreign
headers, the includes of public headers, and file sizes.

usage: check_layers.py [ROOT]
Prints each offence as FILE:LINE: what; exits with 1 if there is one.
"""

import re
import sys
from pathlib import Path

# src/tandem's folders; each may include itself and those before it.
LAYERS = (
    "base sync env nn data replay algo learn acting io run systems trainer cluster study app"
).split()

# Rooms within folders: files that match the first pattern may not include headers that match the
# second, except those of their own folder. A system uses itself and common/, and common/ uses no
# system.
ROOMS = (
    (r"tandem/systems/(?!common/)\w+/", r"tandem/systems/(?!common/)\w+/"),
    (r"tandem/systems/common/", r"tandem/systems/(?!common/)\w+/"),
    (r"tandem/nn/kernels/", r"tandem/nn/(composed|onednn|torch)/"),
    (r"tandem/cluster/\w+/", r"tandem/cluster/\w+/"),
    (r"tandem/(?!systems/|study/|trainer/|cluster/|app/)", r"tandem/systems/"),
)

# The folders that a plug-in may include: the environment interface and those below it.
PLUGIN_LAYERS = ("base", "env")

# The headers that other programs may include; the examples are such programs.
PUBLIC_HEADERS = "cmake/public_headers.txt"

# Foreign headers and the only files that may include them.
FOREIGN = {
    r"ale/": r"plugins/atari/",
    r"mujoco/": r"plugins/mujoco/",
    r"game_env\.hpp": r"plugins/football/game\.cc",
    r"(torch|ATen|c10)/": r"(src/tandem|tests)/nn/torch/",
    r"(oneapi/)?dnnl": r"src/tandem/nn/onednn/",
    r"(nanobind/|Python\.h)": r"python/src/",
}

WARN_LINES, MOST_LINES = 400, 450
FOLDERS = ("src", "python", "plugins", "tests", "benchmarks", "examples")
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^">]+)[">]')


def offence_of_include(path, header):
    """The reason why `path` must not include `header`, or None."""
    for foreign, home in FOREIGN.items():
        if re.match(foreign, header) and not re.match(home, path):
            return f"{header} may be included only in {home}*"
    target = re.match(r"tandem/(\w+)/", header)
    if not target:
        return None
    target = target[1]
    if target not in LAYERS:
        return f"{header} is in no folder of {' '.join(LAYERS)}"
    if re.match(r"plugins/|examples/corridor/", path) and target not in PLUGIN_LAYERS:
        return f"a plug-in may include only {' and '.join(PLUGIN_LAYERS)}, not {header}"
    for room, closed in ROOMS:
        same = path.removeprefix("src/").rpartition("/")[0] == header.rpartition("/")[0]
        if re.match("src/" + room, path) and re.match(closed, header) and not same:
            return f"{path.rpartition('/')[0]} may not include {header}: it is another room"
    layer = re.match(r"src/tandem/(\w+)/", path)
    if layer and LAYERS.index(target) > LAYERS.index(layer[1]):
        return f"{layer[1]} may not include {header}: {target} comes after it"
    return None


def offences_of_file(path, text):
    """Yields (line, what, fatal) for one file."""
    lines = text.splitlines()
    if path.endswith(".h") and "#pragma once" not in lines:
        yield 1, "a header needs #pragma once", True
    if len(lines) > WARN_LINES:
        yield len(lines), f"{len(lines)} lines; {WARN_LINES} are the aim", len(lines) > MOST_LINES
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        what = offence_of_include(path, include[1]) if include else None
        if what:
            yield number, what, True


def offences_of_public_headers(root):
    """Yields (file, line, what): includes of headers that are not public, where they must be."""
    listed = [
        line
        for line in (root / PUBLIC_HEADERS).read_text().splitlines()
        if line and not line.startswith("#")
    ]
    if listed != sorted(set(listed)):
        yield PUBLIC_HEADERS, 1, "the headers are not in alphabetical order, or twice there"
    public = [root / "src" / header for header in listed]
    for header in public:
        if not header.exists():
            yield PUBLIC_HEADERS, 1, f"there is no {header.relative_to(root)}"
    examples = [f for f in (root / "examples").rglob("*") if f.suffix in (".cc", ".h")]
    for file in [*filter(Path.exists, public), *examples]:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            include = INCLUDE.match(line)
            if include and include[1].startswith("tandem/") and include[1] not in listed:
                what = f"{include[1]} is not in {PUBLIC_HEADERS}"
                yield file.relative_to(root).as_posix(), number, what


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    failed = False
    files = (
        f for folder in FOLDERS for f in (root / folder).rglob("*") if f.suffix in (".cc", ".h")
    )
    for file in sorted(files):
        path = file.relative_to(root).as_posix()
        for line, what, fatal in offences_of_file(path, file.read_text()):
            print(f"{path}:{line}: {'error' if fatal else 'warning'}: {what}")
            failed = failed or fatal
    for path, line, what in offences_of_public_headers(root):
        print(f"{path}:{line}: error: {what}")
        failed = True
    for folder in sorted((root / "src/tandem").glob("*/")):
        if folder.is_dir() and folder.name not in LAYERS:
            print(f"{folder.relative_to(root)}: error: not a folder of {' '.join(LAYERS)}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())

"""Compiles each public header alone, in a folder that holds no other headers.

usage: headers_test.py COMPILER
Seen failing with a header left out of cmake/public_headers.txt, and with an #include taken out of
one.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main():
    compiler = sys.argv[1]
    lines = (ROOT / "cmake/public_headers.txt").read_text().splitlines()
    headers = [line for line in lines if line.startswith("tandem/")]
    with tempfile.TemporaryDirectory() as folder:
        for header in headers:
            (Path(folder) / header).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "src" / header, Path(folder) / header)

        def complaints(header):
            flags = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
            words = [compiler, *flags, f"-I{folder}", "-x", "c++", "-include", header, "/dev/null"]
            return subprocess.run(words, stderr=subprocess.PIPE, text=True).stderr

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(complaints, headers))
    for header, what in zip(headers, found, strict=True):
        if what:
            print(f"{header}:\n{what}")
    return any(found)


if __name__ == "__main__":
    sys.exit(main())

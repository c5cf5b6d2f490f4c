"""Checks the types of the package and of the examples with mypy --strict."""

import pathlib
import subprocess
import sys

try:
    import mypy  # noqa: F401
except ImportError:
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["python/tandem", "python/tandem_cluster", "python/tandem_export", "examples/python"]

if __name__ == "__main__":
    command = [sys.executable, "-m", "mypy", "--strict", *FOLDERS]
    sys.exit(subprocess.run(command, cwd=ROOT).returncode)

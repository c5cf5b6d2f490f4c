"""Names the machine that a benchmark ran on, as `tandem reproduce` names it."""

import sys
from pathlib import Path

# At the end: the folder holds the sources of the package `tandem`, too, without its compiled part.
sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))
from tandem_reproduce.machine import cpu_name, machine_name  # noqa: E402

__all__ = ["cpu_name", "machine_name"]

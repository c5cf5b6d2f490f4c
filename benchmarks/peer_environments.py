"""The virtual environments of the peers, each made the first time that a benchmark needs it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "benchmarks/peers"


class Missing(Exception):
    """A peer that cannot take part, and why."""


def python_with(venv, requirements):
    """The Python of a virtual environment of this clone, in which pip has installed
    `requirements`; other ones than last time are installed again. Raises Missing."""
    python, stamp = ROOT / venv / "bin/python", ROOT / venv / "requirements.txt"
    wanted = "".join(f"{requirement}\n" for requirement in requirements)
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"installing peers into {venv} (a few minutes)", file=sys.stderr)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "venv", ROOT / venv], [*pip, *requirements]):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            last = (result.stderr or result.stdout).strip().splitlines()[-1:]
            raise Missing(f"{venv} could not be made: {' '.join(last)}")
    stamp.write_text(wanted)
    return python


def python_for(requirements="requirements.txt", venv=".venv-peers"):
    """The Python with the peers that a file of benchmarks/peers names. Raises Missing."""
    return python_with(venv, (PEERS / requirements).read_text().splitlines())


def peers_python(given):
    """`given`, or a Python with the peers; without them the benchmark ends, and says why."""
    try:
        return given or python_for()
    except Missing as reason:
        sys.exit(str(reason))

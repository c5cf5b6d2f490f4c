"""The command `tandem` of the Python package. It imports no tandem, so it starts at once."""

import os
import sys
from pathlib import Path
from typing import NoReturn

PROGRAM = Path(__file__).parents[1] / "tandem" / "tandem"


def main() -> NoReturn:
    """Becomes the program that lies in the package. Environments in Python get this Python."""
    os.environ.setdefault("TANDEM_PYTHON", sys.executable)
    try:
        os.execv(PROGRAM, ["tandem", *sys.argv[1:]])
    except OSError as error:
        sys.exit(
            f"tandem: error: cannot start {PROGRAM}: {error.strerror}; install the package anew: "
            "pip install --force-reinstall --no-deps tandem-rl"
        )

"""Runs the installer: `python FOLDER/tandem_program`, which needs no import path."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])
    from tandem_program.install import main

    sys.exit(main())

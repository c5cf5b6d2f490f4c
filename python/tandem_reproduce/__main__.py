"""Runs the command: `python FOLDER/tandem_reproduce`, which needs no import path."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])
    from tandem_reproduce.command import main

    sys.exit(main())

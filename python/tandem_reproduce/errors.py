"""The words of the command to its user."""

import sys


class ReproduceError(Exception):
    """The command cannot go on; the message says what to do."""


def say(text: str) -> None:
    print(f"tandem: info: {text}", file=sys.stderr, flush=True)

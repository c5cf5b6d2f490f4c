"""The words of the command to its user."""

import sys

# Exit codes beside 0.
FAILED = 2  # an error that the user can mend, as with all commands of tandem
IN_PART = 3  # items are made but for parts whose environments are not here


class ReproduceError(Exception):
    """The command cannot go on; the message says what to do. It is empty where tandem has told the
    user already."""


class OtherPlanError(ReproduceError):
    """The folder holds the runs of another plan."""


class MixedRatesError(ReproduceError):
    """The runs have times and rates that do not compare, so no table shows them."""


def complain(error: Exception) -> None:
    if str(error):
        print(f"tandem: error: {error}", file=sys.stderr, flush=True)


def say(text: str) -> None:
    print(f"tandem: info: {text}", file=sys.stderr, flush=True)

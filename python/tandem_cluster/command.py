"""The command `tandem cluster train`: the program has read its words into a Plan, as JSON."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable

from tandem.errors import Error

from tandem_cluster.plan import Plan
from tandem_cluster.progress import write
from tandem_cluster.training import carry_out

USER_ERROR = 2  # as of all commands of tandem
# The end of a terminal is told by the shell and by the kernel: signals within this time are one.
_ONE_REQUEST_SECONDS = 0.5


def stop_by_signals(stop: Callable[[], None]) -> None:
    """SIGINT, SIGTERM and the terminal's SIGHUP, which `nohup` keeps ignored: the first ends the
    training with a checkpoint, and another one later ends it at once."""
    first: float | None = None

    def note(number: int, _frame: object) -> None:
        nonlocal first
        if first is None:
            first = time.monotonic()
            stop()
        elif time.monotonic() - first > _ONE_REQUEST_SECONDS:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    for number in numbers:
        signal.signal(number, note)


def main() -> None:
    logging.basicConfig(format="tandem: %(levelname)s: %(message)s")
    try:
        run = carry_out(Plan(**json.loads(sys.argv[1])), sys.stderr, stop_by_signals)
    except Error as error:
        write(sys.stderr, f"tandem: error: {error}\n")
        os._exit(USER_ERROR)  # at its end Ray would wait for a head that is lost
    words = f"finished; see how well it plays with: tandem eval {run.run_dir}"
    if run.result["why_ended"] == "signal":
        words = f"stopped; go on with: tandem cluster train --resume {run.run_dir}"
    write(sys.stderr, f"tandem: info: {words}\n")

"""The command `tandem cluster train`: the program has read its words into a Plan, as JSON."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from collections.abc import Callable

from tandem.errors import Error

from tandem_cluster.plan import Plan
from tandem_cluster.progress import write
from tandem_cluster.training import ONE_REQUEST_SECONDS, carry_out

USER_ERROR = 2  # as of all commands of tandem
INTERRUPTED = 128 + signal.SIGINT  # as shells tell it


def stop_by_signals(stop: Callable[[], None]) -> None:
    """SIGINT, SIGTERM and the terminal's SIGHUP, which `nohup` keeps ignored: the first ends the
    training with a checkpoint, and another one later ends it at once."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)

    def by_default(_number: int, _frame: object) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)

    def note(_number: int, _frame: object) -> None:
        for number in numbers:
            signal.signal(number, lambda *_: None)
        # The system then ends this process even while it waits for Ray.
        signal.signal(signal.SIGALRM, by_default)
        # The end of a terminal is told by the shell and by the kernel.
        signal.setitimer(signal.ITIMER_REAL, ONE_REQUEST_SECONDS)
        stop()

    for number in numbers:
        signal.signal(number, note)


def main() -> None:
    logging.basicConfig(format="tandem: %(levelname)s: %(message)s")
    try:
        run = carry_out(Plan(**json.loads(sys.argv[1])), sys.stderr, stop_by_signals)
    except Error as error:
        write(sys.stderr, f"tandem: error: {error}\n")
        os._exit(USER_ERROR)  # at its end Ray would wait for a head that is lost
    except KeyboardInterrupt:  # before the training has handlers
        write(sys.stderr, "tandem: info: stopped before the training began\n")
        sys.exit(INTERRUPTED)
    words = f"finished; see how well it plays with: tandem eval {run.run_dir}"
    if run.result["why_ended"] == "signal":
        words = f"stopped; go on with: tandem cluster train --resume {run.run_dir}"
    write(sys.stderr, f"tandem: info: {words}\n")

"""The command line: `tandem cluster train SYSTEM`, as the program hands it over."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from collections.abc import Callable

from tandem.errors import Error

from tandem_cluster.plan import Plan
from tandem_cluster.training import carry_out


def read_words(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tandem cluster train")
    parser.add_argument("system", nargs="?", default="")
    parser.add_argument("--config", default="")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--env")
    parser.add_argument("--steps")
    parser.add_argument("--seed")
    parser.add_argument("--run-dir", default="")
    parser.add_argument("--resume", default="")
    parser.add_argument("--address")
    parser.add_argument("--actors", type=int)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--working-dir")
    return parser.parse_args(words)


def plan_of(words: argparse.Namespace) -> Plan:
    settings = [tuple(one.split("=", 1)) for one in words.set]
    for key, value in (("env.id", words.env), ("run.steps", words.steps), ("run.seed", words.seed)):
        if value is not None:
            settings.append((key, value))
    return Plan(
        system=words.system,
        config=words.config,
        settings=[(key, value) for key, value in settings],
        run_dir=words.resume or words.run_dir,
        resume=bool(words.resume),
        actors=words.actors,
        shards=words.shards,
        address=words.address,
        working_dir=words.working_dir,
    )


def stop_by_signals(stop: Callable[[], None]) -> None:
    """SIGINT and SIGTERM: the first ends the training with a checkpoint, the second at once."""

    def note(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, note)


def main(words: list[str] | None = None) -> None:
    logging.basicConfig(format="tandem: %(levelname)s: %(message)s")
    try:
        run = carry_out(plan_of(read_words(words)), sys.stderr, stop_by_signals)
    except Error as error:
        sys.exit(f"tandem: error: {error}")
    print(
        "tandem: info: "
        + (
            f"stopped; go on with: tandem cluster train --resume {run.run_dir}"
            if run.result["why_ended"] == "signal"
            else f"finished; see how well it plays with: tandem eval {run.run_dir}"
        ),
        file=sys.stderr,
    )

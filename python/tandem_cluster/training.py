"""A training on a cluster, from Python."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from tandem.counts import as_count
from tandem.options import EnvId
from tandem.settings import as_env_settings, as_path, as_settings
from tandem.training import PathLike, Run

from tandem_cluster import ray_session
from tandem_cluster.plan import Plan
from tandem_cluster.progress import Progress, write

ONE_REQUEST_SECONDS = 0.5  # signals within this time are one request
# The most parts, as of `tandem cluster train`.
_MOST_ACTORS, _MOST_SHARDS = 1024, 64

# Receives a function that stops the training with a checkpoint.
OnBegin = Callable[[Callable[[], None]], None]


def train(
    system: str,
    env: EnvId | Mapping[str, Any] | None = None,
    *,
    config: PathLike | None = None,
    steps: float | str | None = None,
    seed: int | None = None,
    run_dir: PathLike | None = None,
    actors: int | None = None,
    shards: int | None = None,
    address: str | None = None,
    working_dir: PathLike | None = None,
    progress: bool = True,
    **settings: Any,
) -> Run:
    """Trains an agent on a Ray cluster to the end, as `tandem cluster train` does.

    Args:
        system: "apex" or "impala".
        env: an environment, as for `tandem.Training`. A function that makes one must be importable
            on all machines: see working_dir.
        config, steps, seed, settings: as for `tandem.Training`.
        run_dir: the run's folder, on storage that the learner's machines see.
        actors: processes that play, 1 to 1024. None: as the config says.
        shards: processes that hold Ape-X's replay, 1 to 64. None: one. IMPALA has no replay.
        address: HOST:PORT of a Ray cluster, or "auto". None: starts one of this machine alone.
        working_dir: a folder whose modules all machines shall have.
        progress: shows a line of progress.

    Ctrl-C stops the training with a checkpoint. Raises `Error` with the words of the command line.
    """
    given = [*as_settings(settings), *as_env_settings(env)]
    given += as_settings({"run.steps": steps, "run.seed": seed})
    plan = Plan(
        system=system,
        config=as_path(config),
        settings=given,
        run_dir=as_path(run_dir),
        actors=None if actors is None else as_count("actors", actors, most=_MOST_ACTORS),
        shards=None if shards is None else as_count("shards", shards, most=_MOST_SHARDS),
        address=address,
        working_dir=as_path(working_dir) or None,
    )
    return carry_out(plan, sys.stderr if progress else None)


def resume(
    run_dir: PathLike,
    steps: float | str | None = None,
    *,
    address: str | None = None,
    working_dir: PathLike | None = None,
    progress: bool = True,
    **settings: Any,
) -> Run:
    """Goes on with a run from its newest checkpoint, on as many parts as it had.

    Args:
        run_dir: the run's folder.
        steps: of the whole run. None: as before.
        address, working_dir, progress: as for train().
        settings: keys of the table [run], except for the seed, and those of the machine, as
            env={"workers": 4}.
    """
    plan = Plan(
        system="",
        settings=[*as_settings(settings), *as_settings({"run.steps": steps})],
        run_dir=as_path(run_dir),
        resume=True,
        address=address,
        working_dir=as_path(working_dir) or None,
    )
    return carry_out(plan, sys.stderr if progress else None)


def carry_out(plan: Plan, out: TextIO | None, on_begin: OnBegin = lambda stop: None) -> Run:
    """Trains to the end."""
    names_folder = bool(plan.run_dir)
    try:
        with modules_of(plan.working_dir):
            plan.complete()
        return _train(plan, out, on_begin)
    except BaseException:
        if plan.run_dir and not names_folder:
            with contextlib.suppress(OSError):  # it holds files
                Path(plan.run_dir).rmdir()
        raise


@contextlib.contextmanager
def modules_of(folder: str | None) -> Iterator[None]:
    """Lets environments in Python that begin meanwhile import the modules of a folder, as Ray lets
    those of the training."""
    if not folder:
        yield
        return
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([os.path.abspath(folder), *filter(None, [before])])
    try:
        yield
    finally:
        del os.environ["PYTHONPATH"]
        if before is not None:
            os.environ["PYTHONPATH"] = before


def _train(plan: Plan, out: TextIO | None, on_begin: OnBegin) -> Run:
    from tandem_cluster.driver import Driver, processors_of  # needs Ray, and takes a second

    def say(text: str) -> None:
        if out is not None:
            write(out, f"tandem: info: {text}\n")

    runtime_env = {"working_dir": plan.working_dir} if plan.working_dir else {}
    ray_session.begin(plan.address, processors_of(plan), runtime_env)
    try:
        driver = Driver(plan, say)
        on_begin(driver.stop)
        progress = Progress(out) if out is not None else None
        try:
            driver.begin()
            say(f"the run is in {driver.run_dir}; Ctrl-C ends it with a checkpoint")
            with interrupts_stop(driver.stop):
                while driver.go_on():
                    if progress is not None:
                        progress.show(driver.status())
            return Run(driver.run_dir, json.loads(driver.read_when_visible("result.json")))
        finally:
            if progress is not None:
                progress.end()
            driver.end()
    finally:
        ray_session.end()


@contextlib.contextmanager
def interrupts_stop(stop: Callable[[], None]) -> Iterator[None]:
    """The first Ctrl-C in Python stops the training with a checkpoint, and a later one ends it. Two
    within half a second are one request, as `timeout` sends them. The program's command has
    handlers of its own, and only the main thread may set one."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not ours or threading.current_thread() is not threading.main_thread():
        yield
        return

    first: float | None = None

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal first
        now = time.monotonic()
        if first is None:
            first = now
            stop()
        elif now - first > ONE_REQUEST_SECONDS:
            signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)

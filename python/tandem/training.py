"""Training agents, with the same systems, presets and keys as the command line."""

import atexit
import contextlib
import json
import logging
import os
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tandem import _core
from tandem.agent import Agent
from tandem.errors import Error
from tandem.messages import forward_messages
from tandem.options import EnvId
from tandem.progress import make_progress
from tandem.settings import Texts, as_env_settings, as_path, as_settings

# One line of metrics.jsonl: steps, rates, returns, losses.
Metrics: TypeAlias = dict[str, Any]
# Receives metrics; the training stops if it returns False.
Callback: TypeAlias = Callable[[Metrics], object]
PathLike: TypeAlias = str | os.PathLike[str]

_POLL_SECONDS = 0.25  # between two looks at the steps, for the progress
_LONG = 1e6  # seconds

_running: "weakref.WeakSet[Training]" = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """Ends the trainings that still run when the interpreter ends, each with a checkpoint.

    Another Ctrl-C ends the process at once, as on the command line.
    """
    try:
        for training in list(_running):
            training._native.end_for_good()
            try:
                training._native.raise_error()
            except Exception as error:  # the other trainings end, too
                logging.getLogger("tandem").error("%s", error)
        forward_messages()  # of trainings that nothing refers to
    except KeyboardInterrupt:
        os._exit(130)


def _as_metrics(line: str) -> Metrics:
    """A line of a run's file, with the property's word for the steps."""
    metrics: Metrics = json.loads(line)
    return {"steps": metrics.pop("step"), **metrics}


def _as_callbacks(given: Iterable[Callback] | None) -> tuple[Callback, ...]:
    """The callbacks; none for None. Raises `Error` for anything but a list of functions."""
    if given is None:
        return ()
    if not isinstance(given, Iterable):
        raise Error(f"callbacks is {given!r}; it must be a list of functions")
    callbacks = tuple(given)
    for one in callbacks:
        if not callable(one):
            raise Error(f"callbacks has {one!r}; each must be a function of the metrics")
    return callbacks


class _Ended(Exception):
    """There are no more metrics."""


class Training(Iterator[Metrics]):
    """A training that runs in threads of its own, from its construction on.

    Iterate over it for its metrics, which come every `run.log_seconds`; it goes on between them,
    and after you have left the loop. Use it in a `with` statement to end it with the block. A
    training that nothing refers to, or that still runs when the interpreter ends, is stopped with a
    checkpoint. Metrics that nobody takes are kept, the newest 100,000 of them; metrics.jsonl has
    all.

    Any thread may call `stop`, `save` and `close` and read the properties; one thread at a time may
    iterate. A forked process must not use its parent's trainings. All methods raise `Error` for
    these mistakes.
    """

    def __init__(
        self,
        system: str,
        env: EnvId | Mapping[str, Any] | None = None,
        *,
        config: PathLike | None = None,
        steps: float | str | None = None,
        seed: int | None = None,
        run_dir: PathLike | None = None,
        callbacks: Iterable[Callback] | None = None,
        **settings: Any,
    ) -> None:
        """Begins a training, with the words of `tandem train`.

        Args:
            system: "paac", "a3c", "ga3c", "hts", "impala" or "apex".
            env: the id of an environment, a function that makes a Gymnasium environment, or a dict
                with the table [env], whose "id" is one of the two. None: as the config says.
            config: a preset or a TOML file. None: the default preset.
            steps: of all environments together; "20M" and 1e6 are numbers, too.
            seed: of every random stream.
            run_dir: a folder for the run's files. None: runs/SYSTEM-ENV-sSEED-DATE.
            callbacks: functions that receive each item of the iteration before you do. One that
                returns False stops the training. An exception in one stops it, with a checkpoint,
                and is raised.
            settings: values of keys, as `tandem keys` lists them: lr=1e-3,
                optimizer={"lr": 1e-3} or **{"optimizer.lr": 1e-3}.

        Raises `Error` with the words of the command line.
        """
        given = [*as_settings(settings), *as_env_settings(env)]
        given += as_settings({"run.steps": steps, "run.seed": seed})
        self._begin(system, as_path(config), given, as_path(run_dir), False, callbacks)

    @classmethod
    def resume(
        cls,
        run_dir: PathLike,
        steps: float | str | None = None,
        *,
        callbacks: Iterable[Callback] | None = None,
        **settings: Any,
    ) -> "Training":
        """Goes on with a run from its newest checkpoint.

        Args:
            run_dir: the run's folder.
            steps: of the whole run, those before included. None: as before.
            callbacks: as for a new training.
            settings: keys of the table [run], except for the seed, and those of the machine, as
                env={"workers": 4}.
        """
        training = cls.__new__(cls)
        given = [*as_settings(settings), *as_settings({"run.steps": steps})]
        training._begin("", "", given, as_path(run_dir), True, callbacks)
        return training

    def _begin(
        self,
        system: str,
        config: str,
        settings: Texts,
        run_dir: str,
        resumes: bool,
        callbacks: Iterable[Callback] | None,
    ) -> None:
        self._callbacks = _as_callbacks(callbacks)
        self._native = _core.Training(system, config, settings, run_dir, resumes, sys.executable)
        _running.add(self)  # before the wait, which a daemon thread must leave at the end, too
        try:
            self._native.wait_until_built()
        except BaseException:
            _running.discard(self)
            raise
        finally:
            forward_messages()

    @property
    def run_dir(self) -> Path:
        """The folder with the run's files, absolute."""
        return Path(self._native.folder)

    @property
    def preset(self) -> str | None:
        """The preset that was chosen by default; None if you chose the config."""
        return self._native.preset or None

    @property
    def steps(self) -> int:
        """Steps so far, of all environments together, those before a resume included."""
        return self._native.steps

    @property
    def budget(self) -> int:
        """Steps of the whole run."""
        return self._native.budget

    @property
    def running(self) -> bool:
        """Whether the training goes on."""
        return not self._native.ended

    @property
    def result(self) -> dict[str, Any]:
        """The content of result.json: steps, rates, returns, and why the run ended.

        Raises `Error` while the training runs.
        """
        if not self._native.ended:
            raise Error("the training has not ended, so it has no result; run() waits for its end")
        try:
            result: dict[str, Any] = json.loads((self.run_dir / "result.json").read_text())
        except FileNotFoundError:
            raise Error(f"{self.run_dir} has no result.json; see its checkpoints") from None
        return result

    @property
    def evaluations(self) -> list[Metrics]:
        """The evaluations so far, oldest first; see `run.evaluate_steps`.

        Each is a line of evaluations.jsonl: steps, episodes, mean, std, min, max and more.
        """
        try:
            text = (self.run_dir / "evaluations.jsonl").read_text()
        except FileNotFoundError:
            return []
        whole = text[: text.rfind("\n") + 1]  # the last line may be half written
        found = []
        for line in whole.splitlines():
            with contextlib.suppress(ValueError, AttributeError, KeyError):  # a damaged line
                found.append(_as_metrics(line))
        return found

    def __iter__(self) -> "Training":
        return self

    def __next__(self) -> Metrics:
        """Waits for the next metrics, and calls the callbacks.

        Ctrl-C stops the training with a checkpoint and raises KeyboardInterrupt; `resume` goes on
        from there. An error that ends the training is raised once: `Diverged` if its numbers are no
        longer finite.
        """
        while True:
            try:
                metrics = self._take(_LONG)
            except _Ended:
                raise StopIteration from None
            if metrics is not None:
                return metrics

    def run(self, progress: bool = False) -> dict[str, Any]:
        """Waits until the training has ended, calls the callbacks, and returns its result.

        Args:
            progress: shows a bar where tqdm is installed, else a line for each report.

        Raises as the iteration does.
        """
        shown = make_progress(progress, self.steps, self.budget)
        try:
            while True:
                metrics = self._take(_POLL_SECONDS)
                shown.show(self.steps, metrics)
        except _Ended:
            shown.show(self.steps, None)
        except KeyboardInterrupt:  # while it shows
            self.close()
            raise
        finally:
            shown.close()
        return self.result

    def stop(self) -> None:
        """Asks the training to end with a checkpoint, and returns at once."""
        self._native.stop()

    def save(self) -> Path:
        """Waits for a checkpoint of the present state or a later one, and returns its folder.

        The last three checkpoints of a run stay. Once the training has made its last step, this is
        the last one. Ctrl-C ends the wait alone.

        Raises the error that ended the training, or `Error` if that has been raised before.
        """
        try:
            return Path(self._native.save())
        finally:
            forward_messages()

    def agent(self, *, best: bool = False) -> Agent:
        """Loads the agent of the newest checkpoint; with `best`, as it played best.

        `save()` writes a checkpoint of the present state before. Raises `Error` if there is none.
        """
        if self.running and not any((self.run_dir / "checkpoints").glob("0*")):
            raise Error("the training has no checkpoint yet; call save() first")
        return Agent.load(self.run_dir, best=best)

    def close(self) -> None:
        """Stops the training with a checkpoint and waits for its end. More calls do nothing."""
        self._native.close()
        forward_messages()

    def __enter__(self) -> "Training":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.close()
        if kind is None:
            self._native.raise_error()  # of a loop that was left before its end

    def __repr__(self) -> str:
        return f"<tandem.Training in {self.run_dir}: {self.steps} of {self.budget} steps>"

    def _take(self, seconds: float) -> Metrics | None:
        """The next metrics, or None if none come within so many seconds. Raises _Ended."""
        try:
            line = self._native.next(seconds)
        except KeyboardInterrupt:
            self.close()
            raise
        finally:
            forward_messages()
        if line is None:
            raise _Ended
        if not line:
            return None
        metrics = _as_metrics(line)
        self._call(metrics)
        return metrics

    def _call(self, metrics: Metrics) -> None:
        try:
            for callback in self._callbacks:
                answer = callback(metrics)
                if isinstance(answer, (bool, np.bool_)) and not answer:
                    self.stop()
        except BaseException as error:
            self._callbacks = ()
            self.close()
            if isinstance(error, StopIteration):  # it would end a loop over the metrics in silence
                raise RuntimeError("a callback raised StopIteration") from error
            raise


@dataclass(frozen=True)
class Run:
    """A run that has been trained.

    Attributes:
        run_dir: the folder with its files, absolute.
        result: the content of result.json.
    """

    run_dir: Path
    result: dict[str, Any]

    def agent(self, *, best: bool = False) -> Agent:
        """Loads the trained agent; with `best`, as it played best (run.evaluate_steps)."""
        return Agent.load(self.run_dir, best=best)


def train(
    system: str,
    env: EnvId | Mapping[str, Any] | None = None,
    *,
    progress: bool = True,
    **settings: Any,
) -> Run:
    """Trains an agent to the end, as `tandem train` does.

    Args:
        system: "paac", "a3c", "ga3c", "hts", "impala" or "apex".
        env: an environment, as for `Training`.
        progress: shows a bar where tqdm is installed, else a line for each report.
        settings: all other arguments of `Training`.

    Ctrl-C stops the training with a checkpoint, and `Training.resume` goes on from there. Raises as
    `Training` does.
    """
    with Training(system, env, **settings) as training:
        return Run(training.run_dir, training.run(progress))

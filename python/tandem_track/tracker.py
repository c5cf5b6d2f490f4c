"""The interface behind which all trackers look alike."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tandem_track.errors import TrackError
from tandem_track.lines import Point
from tandem_track.run_folder import Result, Value


@dataclass(frozen=True)
class Place:
    """The run in the tracker that shows a run of tandem."""

    project: str  # MLflow's experiment
    name: str
    uri: str  # of MLflow's server or store; empty: as MLflow chooses
    offline: bool  # wandb: nothing goes over the network until `wandb sync`


@dataclass(frozen=True)
class Description:
    """The parts of a run that do not change while it trains."""

    folder: Path
    config: Mapping[str, Value]
    tags: Mapping[str, str]


class Tracker(Protocol):
    """A tracker's run. Any method may raise any exception, for instance of the network."""

    @property
    def run_id(self) -> str:
        """Finds the run again: the argument of the next open_run."""

    @property
    def uri(self) -> str:
        """The server or store that was chosen; empty if there is no choice."""

    def reached(self, name: str) -> int | None:
        """The last value of a measurement that the tracker has; None if it does not tell."""

    def log(self, points: Sequence[Point]) -> None:
        """Adds the points of one file, in the order of their steps."""

    def finish(self, result: Result | None, step: int) -> None:
        """Ends the run and adds its result, or marks it as killed; `step` is its last one."""

    def close(self) -> None:
        """Leaves the run, which goes on later."""


# Makes a tracker's run, or goes on with the one of this id.
OpenRun = Callable[[Description, Place, str | None], Tracker]

PACKAGES = {"wandb": "wandb", "mlflow": "mlflow", "trackio": "trackio"}


def opener(tracker: str) -> OpenRun:
    """The function that opens a run of the tracker. Raises TrackError if its package is missing."""
    package = PACKAGES[tracker]
    try:
        module = importlib.import_module(f"tandem_track.to_{tracker}")
    except ModuleNotFoundError as error:
        if error.name != package:
            raise TrackError(f"{package} cannot be imported: {error}") from error
        raise TrackError(
            f"this Python has no {package}; install it: {sys.executable} -m pip install {package}"
            " (or name another Python by $TANDEM_PYTHON)"
        ) from error
    open_run: OpenRun = module.open_run
    return open_run

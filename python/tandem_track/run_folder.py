"""The folder of a run, as `tandem train` writes it."""

import fcntl
import importlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tandem_track.errors import TrackError

# Python's own since 3.11; before that a package of the same functions.
TOML_READER = "tomllib" if sys.version_info >= (3, 11) else "tomli"

# Keys of the config that tell of this machine alone, beside folders: those of is_of_machine() in
# env_config.h, and the code of a function.
PRIVATE = ("env.pickle", "env.python", "env.workers", "env.timeout_seconds")

Value = str | int | float | bool


@dataclass(frozen=True)
class Result:
    """The file result.json, in which a run tells how it ended."""

    text: str
    values: Mapping[str, Value]  # nested names have dots: "reached_return.steps"

    @property
    def why_ended(self) -> str:
        return str(self.values.get("why_ended", ""))

    @property
    def failed(self) -> bool:
        return self.why_ended.startswith(("error", "diverged"))


class RunFolder:
    """A run's folder, which another process may be writing."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begun(self) -> bool:
        """Whether there is a run in the folder."""
        return (self.path / "config.toml").exists()

    def identity(self) -> tuple[int, int] | None:
        """Tells the folder from another one that gets its name; None if there is no folder."""
        try:
            about = self.path.stat()
        except FileNotFoundError:
            return None
        return about.st_dev, about.st_ino

    def is_training(self) -> bool:
        """Whether a process trains into the folder: then it has locked the file .lock.

        A shared lock would be granted here only where no process trains, and is given back at once.
        """
        try:
            file = os.open(self.path / ".lock", os.O_RDONLY)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
        return False

    def result(self) -> Result | None:
        """How the run ended; None if it trains still, or if it was killed."""
        try:
            text = (self.path / "result.json").read_text()
        except FileNotFoundError:
            return None
        try:
            return Result(text, flat(json.loads(text)))
        except (ValueError, AttributeError) as error:
            raise TrackError(f"{self.path / 'result.json'} is damaged: {error}") from error

    def config(self) -> Mapping[str, Value]:
        """The resolved config, by the names of its keys: "optimizer.lr".

        Leaves out the options of this machine, such as its Python and its folders, and the code of
        a function that makes the environment.
        """
        file = self.path / "config.toml"
        try:
            config = flat(importlib.import_module(TOML_READER).loads(file.read_text()))
            return {key: value for key, value in config.items() if not is_private(key)}
        except ModuleNotFoundError as error:
            raise TrackError(
                f"Python 3.10 needs tomli to read {file}: {sys.executable} -m pip install tomli"
            ) from error
        except ValueError as error:
            raise TrackError(f"{file} is damaged: {error}") from error


def is_private(key: str) -> bool:
    """Whether a key of the config tells of this machine alone."""
    return key in PRIVATE or (key.startswith("env.") and key.endswith("_dir"))


def flat(table: Mapping[str, object], prefix: str = "") -> dict[str, Value]:
    """The values of nested tables under names with dots.

    A list becomes a text, and null is left out.
    """
    values: dict[str, Value] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            values |= flat(value, f"{prefix}{key}.")
        elif isinstance(value, str | int | float):
            values[prefix + key] = value
        elif value is not None:
            values[prefix + key] = json.dumps(value, default=str)
    return values

"""The command's memory, in the run's folder: how far a tracker has got."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tandem_track.errors import TrackError
from tandem_track.tracker import Place


@dataclass
class Record:
    """A tracker's run, and the part of the measurements that it has. Not thread-safe."""

    place: Place
    run_id: str | None = None
    reached: dict[str, int] = field(default_factory=dict)  # the last step of each file
    result: str = ""  # the text of result.json, once the tracker has it


class RecordFile:
    """The file of a Record: RUN/track/wandb.json."""

    def __init__(self, run: Path, tracker: str) -> None:
        self._tracker = tracker
        self.path = run / "track" / f"{tracker}.json"

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps other processes from passing the same run on. Raises TrackError if one does."""
        self.path.parent.mkdir(exist_ok=True)
        with self.path.with_suffix(".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise TrackError(
                    f"another process is passing this run on to {self._tracker} already"
                ) from error
            yield

    def read(self) -> Record | None:
        """The record; None if there is none yet."""
        try:
            values = json.loads(self.path.read_text())
            return Record(**{**values, "place": Place(**values["place"])})
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            raise TrackError(
                f"{self.path} is damaged ({error}); --new begins a new run in {self._tracker}"
            ) from error

    def write(self, record: Record) -> None:
        """Replaces the file as a whole, so that a kill leaves the old one or the new one."""
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(asdict(record), indent=2) + "\n")
        os.replace(fresh, self.path)

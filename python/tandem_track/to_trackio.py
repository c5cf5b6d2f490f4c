"""trackio: a database on this machine, or the server or Space of trackio's own variables."""

import os
from collections.abc import Sequence

import trackio
from trackio.sqlite_storage import SQLiteStorage

from tandem_track.errors import TrackError
from tandem_track.lines import Point
from tandem_track.run_folder import Result
from tandem_track.tracker import Description, Place, Tracker

REMOTE = ("TRACKIO_SPACE_ID", "TRACKIO_SERVER_URL")
NOTHING = -1  # a step before all others


class TrackioTracker:
    """A run of trackio, which finds it by its name. Its thread stores the points a little later."""

    def __init__(self, run: trackio.Run) -> None:
        self._run = run
        self._logged: dict[str, int] = {}  # the last step, by its name
        self.run_id: str = run.name
        self.uri = ""

    def reached(self, name: str) -> int | None:
        if any(os.environ.get(variable) for variable in REMOTE):
            return None
        values = SQLiteStorage.get_metric_values(self._run.project, self._run.name, name)
        return max((int(entry["value"]) for entry in values), default=NOTHING)

    def log(self, points: Sequence[Point]) -> None:
        for point in points:
            self._run.log(dict(point.values), step=point.step)
            self._logged[point.step_name] = point.step

    def finish(self, result: Result | None, step: int) -> None:
        if result is not None:
            values = {f"result/{name}": value for name, value in result.values.items()}
            self._run.log(values, step=step)
        self._run.finish()
        # trackio only warns when it cannot store points.
        for name, last in self._logged.items():
            if self.reached(name) not in (last, None):
                raise TrackError(
                    "trackio has not stored all points: look at the disk and at its warnings; the "
                    "same command passes the rest on"
                )

    def close(self) -> None:
        self._run.finish()


def open_run(description: Description, place: Place, run_id: str | None) -> Tracker:
    run = trackio.init(
        project=place.project,
        name=run_id or free_name(place),
        resume="allow",
        config=dict(description.config),
        embed=False,
        auto_log_gpu=False,
        auto_log_cpu=False,
    )
    return TrackioTracker(run)


def free_name(place: Place) -> str:
    """The name, with a number behind it if another run has it already."""
    taken = SQLiteStorage.get_runs(place.project)
    name, number = place.name, 2
    while name in taken:
        name, number = f"{place.name}-{number}", number + 1
    return name

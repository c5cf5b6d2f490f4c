"""Weights & Biases. Its own process keeps all points on the disk and sends them when it can."""

from collections.abc import Sequence

import wandb

from tandem_track.lines import Point
from tandem_track.run_folder import Result
from tandem_track.tracker import Description, Place, Tracker

LONGEST_TAG = 64  # characters


class WandbTracker:
    """A run of wandb.

    Training steps go there as a measurement: wandb's own steps would have to increase over all
    files together.
    """

    def __init__(self, run: wandb.Run) -> None:
        self._run = run
        self.run_id = run.id
        self.uri = ""
        self._known: set[str] = set()  # names of measurements whose axis is defined

    def reached(self, name: str) -> int | None:
        return None  # wandb knows it only online, and late

    def log(self, points: Sequence[Point]) -> None:
        for point in points:
            for name in point.values.keys() - self._known - {point.step_name}:
                self._run.define_metric(name, step_metric=point.step_name)
            self._known |= point.values.keys()
            self._run.log(dict(point.values))

    def finish(self, result: Result | None, step: int) -> None:
        if result is not None:
            values = {f"result/{name}": value for name, value in result.values.items()}
            self._run.summary.update(values)
        self._run.finish(exit_code=1 if result is None or result.failed else 0)

    def close(self) -> None:
        self._run.finish()


def open_run(description: Description, place: Place, run_id: str | None) -> Tracker:
    tags = [value[:LONGEST_TAG] for value in description.tags.values()]
    run = wandb.init(
        project=place.project,
        name=place.name,
        id=run_id,
        resume="allow",
        mode="offline" if place.offline else None,
        dir=description.folder / "track",
        tags=tags,
        config=dict(description.config),
        allow_val_change=True,
    )
    return WandbTracker(run)

"""MLflow: a server, or a store on this machine."""

import importlib.util
import os
import sys
import time
from collections.abc import Iterable, Sequence
from typing import TypeVar

import mlflow
from mlflow.entities import Metric, Param, RunTag

from tandem_track.errors import TrackError
from tandem_track.lines import Point, is_number
from tandem_track.run_folder import Result
from tandem_track.tracker import Description, Place, Tracker

Item = TypeVar("Item")

MOST_METRICS, MOST_PARAMETERS = 1000, 100  # in a request
DATABASES = ("sqlite:", "mysql", "postgresql", "mssql")
LONGEST_VALUE = 6000  # characters of a parameter


class MlflowTracker:
    """A run of MLflow."""

    def __init__(self, client: mlflow.MlflowClient, uri: str, run_id: str) -> None:
        self._client = client
        self.uri = uri
        self.run_id = run_id

    def reached(self, name: str) -> int | None:
        value = self._client.get_run(self.run_id).data.metrics.get(name)
        return None if value is None else int(value)

    def log(self, points: Sequence[Point]) -> None:
        """Sends whole points in each request: after a failure the last step tells what arrived."""
        now = milliseconds()
        request: list[Metric] = []
        for point in points:
            metrics = [Metric(n, v, now, point.step) for n, v in point.values.items()]
            if request and len(request) + len(metrics) > MOST_METRICS:
                self._log(request)
                request = []
            request += metrics
        self._log(request)

    def finish(self, result: Result | None, step: int) -> None:
        if result is not None:
            now = milliseconds()
            values = {f"result/{name}": value for name, value in result.values.items()}
            self._log([Metric(n, float(v), now, step) for n, v in values.items() if is_number(v)])
            for name, value in values.items():
                if isinstance(value, str):
                    self._client.set_tag(self.run_id, name, value)
        self._client.set_terminated(self.run_id, status_of(result))

    def close(self) -> None:
        """Nothing waits in MLflow's client; the run stays open."""

    def _log(self, metrics: Sequence[Metric]) -> None:
        for part in parts(metrics, MOST_METRICS):
            self._client.log_batch(self.run_id, metrics=part)

    def add_parameters(self, description: Description) -> None:
        """Adds the config. MLflow keeps the first value of a parameter that a resume changed."""
        there = self._client.get_run(self.run_id).data.params
        new = [
            Param(name, str(value)[:LONGEST_VALUE])
            for name, value in description.config.items()
            if name not in there
        ]
        for part in parts(new, MOST_PARAMETERS):
            self._client.log_batch(self.run_id, params=part)
        tags = [RunTag(name, value) for name, value in description.tags.items()]
        self._client.log_batch(self.run_id, tags=tags)


def milliseconds() -> int:
    return int(time.time() * 1000)


def parts(items: Sequence[Item], size: int) -> Iterable[Sequence[Item]]:
    return (items[begin : begin + size] for begin in range(0, len(items), size))


def status_of(result: Result | None) -> str:
    if result is None or result.why_ended == "signal":
        return "KILLED"
    return "FAILED" if result.failed else "FINISHED"


def open_run(description: Description, place: Place, run_id: str | None) -> Tracker:
    # The command tries again by itself and says so; MLflow alone would be silent for minutes.
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "20")
    uri = place.uri or mlflow.get_tracking_uri()
    if uri.startswith(DATABASES) and importlib.util.find_spec("sqlalchemy") is None:
        raise TrackError(
            f"{uri} is a database, for which mlflow-skinny is not enough: {sys.executable} -m pip "
            "install mlflow"
        )
    client = mlflow.MlflowClient(tracking_uri=uri)
    if run_id is None:
        run_id = make_run(client, place)
    else:
        client.update_run(run_id, status="RUNNING")
    tracker = MlflowTracker(client, uri, run_id)
    tracker.add_parameters(description)
    return tracker


def make_run(client: mlflow.MlflowClient, place: Place) -> str:
    experiment = client.get_experiment_by_name(place.project)
    if experiment is None:
        experiment_id = client.create_experiment(place.project)
    elif experiment.lifecycle_stage == "deleted":
        raise TrackError(
            f"the experiment {place.project} of MLflow is deleted: restore it, or choose another "
            "one with --project"
        )
    else:
        experiment_id = experiment.experiment_id
    run_id: str = client.create_run(experiment_id, run_name=place.name).info.run_id
    return run_id

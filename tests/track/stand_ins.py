"""Stand-ins for a run that trains and for a tracker."""

import fcntl
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))


class Run:
    """A run's folder, written as `tandem train` writes it."""

    def __init__(self, path):
        self.path = Path(path)
        self._lock = None

    def begin(self, config='system = "paac"\n[env]\nid = "cartpole"\n[optimizer]\nlr = 0.5\n'):
        self.path.mkdir(exist_ok=True)
        self.kill()
        self._lock = (self.path / ".lock").open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (self.path / "config.toml").write_text(config)

    def resume(self, step):
        """Goes back to a checkpoint."""
        self.begin()
        (self.path / "result.json").unlink(missing_ok=True)
        file = self.path / "metrics.jsonl"
        lines = file.read_text().splitlines(keepends=True)
        kept = [each for each in lines if each[-1] == "\n" and json.loads(each)["steps"] <= step]
        with file.open("r+") as stream:
            stream.truncate(sum(map(len, kept)))

    def kill(self):
        if self._lock:
            self._lock.close()

    def end(self, why="budget", **values):
        self.result(why, **values)
        self.kill()

    def result(self, why="budget", **values):
        text = json.dumps({"why_ended": why, "reached_return": None, **values})
        (self.path / "result.json").write_text(text)

    def write(self, text, file="metrics.jsonl"):
        with (self.path / file).open("a") as stream:
            stream.write(text)

    def log(self, *steps, **values):
        for step in steps:
            self.write(json.dumps({"steps": step, "loss/policy": step / 2, **values}) + "\n")

    def evaluate(self, *steps):
        for step in steps:
            line = {"step": step, "mean": step * 2, "protocol": "greedy"}
            self.write(json.dumps(line) + "\n", "evaluations.jsonl")


class FakeTracker:
    """A tracker that keeps its points in a list.

    `troubles` has an entry for each of the next calls of log: None, or an exception and whether the
    points arrive all the same. With `tells` it knows its last step, as MLflow does.
    """

    def __init__(self, tells=False):
        self.run_id = "run-1"
        self.uri = ""
        self.points = []
        self.calls = 0
        self.tells = tells
        self.troubles = []
        self.finished = []
        self.closed = 0

    def steps(self, name="steps"):
        return [point.step for point in self.points if name in point.values]

    def reached(self, name):
        return max(self.steps(name), default=None) if self.tells else None

    def log(self, points):
        self.calls += 1
        trouble, arrives = self.troubles.pop(0) if self.troubles else (None, True)
        if arrives:
            self.points += points
        if trouble:
            raise trouble

    def finish(self, result, step):
        self.finished.append((result and result.why_ended, step))

    def close(self):
        self.closed += 1

"""A test of trainings with a folder of its own."""

import json
import tempfile
import unittest
from pathlib import Path

import tandem

# A run of a second at most, with several lines of metrics.
QUICK = {"log_seconds": 0.05, "threads": 2}
ENDLESS = {**QUICK, "steps": "1G"}


def result_of(run):
    return json.loads((run / "result.json").read_text())


def checkpoints_of(run):
    return sorted(path.name for path in (run / "checkpoints").iterdir())


class TrainingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_dir = self.folder / "run"

    def begin(self, system="paac", env="cartpole", **settings):
        training = tandem.Training(system, env, **{"run_dir": self.run_dir, **ENDLESS, **settings})
        self.addCleanup(training.close)
        return training

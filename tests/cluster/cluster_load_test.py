"""The load benchmark in small: it runs, and no transition is lost or counted twice.

Needs $TANDEM and Ray; skipped without Ray.
"""

import importlib.util
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(os.environ["TANDEM"]).parent / "python"


@unittest.skipIf(not importlib.util.find_spec("ray"), "Ray is not installed")
class Load(unittest.TestCase):
    def test_every_transition_comes_once(self):
        words = ["--seconds=3", "--actors=2", "--envs=4", "--shards=2", "--env=catch"]
        words += ["--rate=2000", "--batches=2", "--batch=64", "--min-fill=1000"]
        done = subprocess.run(
            [sys.executable, ROOT / "benchmarks/cluster_replay.py", *words],
            env={**os.environ, "PYTHONPATH": str(PACKAGE)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        # A busy machine may miss the rates, and then says so.
        self.assertIn(", 0 batches lost", done.stdout, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(\d[\d,]*) transitions sent, \1 inserted")


if __name__ == "__main__":
    unittest.main()

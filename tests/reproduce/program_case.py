"""Runs the command of `tandem reproduce` in the tests. Needs $TANDEM, the path of the program."""

import csv
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import plans

PROGRAM = os.environ["TANDEM"]
COMMAND = plans.ROOT / "python/tandem_reproduce"
DRAWING = plans.ROOT / "tools/plot_item.py"
# Takes a fiftieth of the time of the real one, which imports matplotlib.
STAND_IN = """
import sys
from pathlib import Path

Path(sys.argv[1], "item.png").write_bytes(b"\\x89PNG\\r\\n\\x1a\\n")
"""


class ProgramCase(unittest.TestCase):
    """A folder for plans, one for results, and the command that makes them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.plans = self.path / "plans"
        self.plans.mkdir()
        self.out = self.path / "out"
        self.program = PROGRAM
        self.drawing = self.path / "plot_item.py"
        self.drawing.write_text(STAND_IN)
        # The sweeps' own pictures take longer than these sweeps. `true` draws none.
        variables = mock.patch.dict(os.environ, {"TANDEM_PYTHON": "/bin/true"})
        variables.start()
        self.addCleanup(variables.stop)

    def draws(self):
        """Lets real pictures be drawn."""
        self.drawing = DRAWING

    def plan(self, text=plans.CURVES, **what):
        plans.write(self.plans, text, **what)

    def script(self, text):
        """A program in the place of tandem."""
        self.program = self.path / "script"
        self.program.write_text(f"#!/bin/sh\n{text}\n")
        self.program.chmod(0o755)

    def record(self):
        """Lets the program write down the words of each of its commands."""
        self.script(f'echo "$@" >> {self.path}/recorded; exec {PROGRAM} "$@"')

    def recorded(self, command):
        """The words of the commands of this name since the last call."""
        file = self.path / "recorded"
        lines = file.read_text().splitlines()
        file.unlink()
        return [line for line in lines if line.split()[0] == command]

    def words(self, *words):
        fixed = {
            "out": self.out,
            "plans": self.plans,
            "program": self.program,
            "drawing": self.drawing,
        }
        options = [f"--{name}={value}" for name, value in fixed.items()]
        return [sys.executable, str(COMMAND), *options, *words]

    def make(self, *words):
        words = words or ("paac", "figure-1", "--budget", "paper")
        return subprocess.run(self.words(*words), capture_output=True, text=True, timeout=120)

    def passes(self, *words):
        result = self.make(*words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, *words):
        result = self.make(*words)
        self.assertEqual(result.returncode, 2, result.stderr)
        return result.stderr

    def numbers(self, item="figure-1-paper", paper="paac"):
        """The lines of item.csv, by row, source and column."""
        with (self.out / paper / item / "item.csv").open(newline="") as lines:
            rows = list(csv.DictReader(lines))
        return {(row["row"], row["of"], row["column"]): row for row in rows}

    def start(self, *words):
        pipe = subprocess.PIPE
        process = subprocess.Popen(self.words(*words), stdout=pipe, stderr=pipe, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, pattern):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if any(self.out.glob(pattern)):
                return
            time.sleep(0.02)
        self.fail(f"there is no {pattern}")

    def children(self, process):
        return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()

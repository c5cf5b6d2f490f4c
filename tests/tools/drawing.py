"""Runs the tools that draw a picture of the tables in a folder, and lets tests import them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).parents[2] / "tools"
sys.path.insert(0, str(TOOLS))


class DrawingTest(unittest.TestCase):
    """Tests of one tool, each with an empty folder."""

    tool: str  # the name of its file

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def draw(self):
        return subprocess.run(
            [sys.executable, str(TOOLS / self.tool), str(self.folder)],
            capture_output=True,
            text=True,
        )

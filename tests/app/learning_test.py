"""Trains small tasks from their presets as a user does: they must be learned, not only run.

Needs $TANDEM, the path of the program. Seen failing with the policy's gradient turned around.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path


def mean_return(preset, *words):
    """Of the last 100 training episodes of a preset, which is named by its system first."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        system = preset.split("/")[0]
        command = [os.environ["TANDEM"], "train", system, "--config", preset, "--seed", "1", *words]
        subprocess.run([*command, "--run-dir", run], check=True, capture_output=True, timeout=600)
        return json.loads((run / "result.json").read_text())["mean_return"]


class Learning(unittest.TestCase):
    def test_cartpole(self):
        self.assertGreaterEqual(mean_return("paac/cartpole"), 400)  # random play: 22; most: 500

    def test_catch(self):
        self.assertGreaterEqual(mean_return("paac/catch"), 0.95)  # random play: -0.6; most: 1

    # A3C's runs differ by the threads' timing, so these leave more room.
    def test_a3c_cartpole(self):
        self.assertGreaterEqual(mean_return("a3c/cartpole"), 300)

    def test_a3c_catch(self):
        self.assertGreaterEqual(mean_return("a3c/catch"), 0.9)

    # A recurrent agent learns what a feed-forward one cannot: the cue is gone when it is asked for.
    def test_a3c_memory(self):
        self.assertGreaterEqual(mean_return("a3c/memory"), 0.9)  # random play: 0; most: 1
        self.assertLessEqual(mean_return("a3c/memory", "--set", "net.lstm=0"), 0.3)


if __name__ == "__main__":
    unittest.main()

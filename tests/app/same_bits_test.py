"""The built program, killed and resumed or given other threads, must end with the same bits.

On Atari with a convolutional network where the plug-in is built: libtorch, the emulator's state and
the checkpoint's file take part. Needs $TANDEM, the path of the program. Seen failing with the
streams' positions left out of the checkpoint.
"""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["TANDEM"])
HAS_ATARI = (PROGRAM.parent / "plugins" / "tandem_atari.so").exists()
STEPS = 6400
CONFIG = [
    *["--env", "atari:Pong" if HAS_ATARI else "catch", "--steps", STEPS, "--seed", 3],
    *["--set", "net.arch=nips", "--set", "paac.envs=8", "--set", "paac.envs_per_group=4"],
    *["--set", "run.checkpoint_minutes=0.01"],
]


def start(run, *words):
    command = [PROGRAM, "train", *words] if words else [PROGRAM, "train", "--resume", run]
    return subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def train(run, threads):
    return start(run, "paac", *CONFIG, "--threads", threads, "--run-dir", run)


class SameBits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.whole = self.folder / "whole"
        self.finish(train(self.whole, threads=1))

    def finish(self, process):
        self.assertEqual(process.wait(timeout=300), 0)

    def bits(self, run):
        result = json.loads((run / "result.json").read_text())
        return result["steps"], result["episodes"], result["parameters_sha256"]

    def cut_short(self, number):
        """A run that got the signal after its first checkpoint."""
        run = self.folder / "cut"
        process = train(run, threads=2)
        while not list(run.glob("checkpoints/0*")):
            self.assertIsNone(process.poll(), "the run ended before its first checkpoint")
            time.sleep(0.01)
        process.send_signal(number)
        self.assertEqual(process.wait(timeout=300), 0 if number == signal.SIGINT else -number)
        return run

    def test_other_threads(self):
        run = self.folder / "threads"
        self.finish(train(run, threads=3))
        self.assertEqual(self.bits(run), self.bits(self.whole))

    def test_interrupted_and_resumed(self):
        run = self.cut_short(signal.SIGINT)
        self.assertLess(self.bits(run)[0], STEPS)
        self.finish(start(run))
        self.assertEqual(self.bits(run), self.bits(self.whole))

    def test_killed_and_resumed(self):
        run = self.cut_short(signal.SIGKILL)
        self.assertFalse((run / "result.json").exists())
        self.finish(start(run))
        self.assertEqual(self.bits(run), self.bits(self.whole))


if __name__ == "__main__":
    unittest.main()

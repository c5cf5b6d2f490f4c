"""The built program, killed and resumed or given other threads, must end with the same bits.

If the plug-in is built, it plays Atari with a convolutional network: oneDNN (libtorch in a build
without it), the emulator's state and the checkpoint's file take part. Needs $TANDEM, the path of
the program. Seen failing with the streams' positions left out of the checkpoint.
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
CONFIG = ["--seed", 3, "--set", "run.checkpoint_minutes=0.003"]

THREE_AGENTS = ["--env", "catch", *["--set", "env.players=3", "--set", "env.size=84"]]
THREE_AGENTS += ["--set", "net.arch=nips"]

# The network is so large that a run lasts beyond its first checkpoint.
STATISTICS = ["--env", "pendulum", "--set", "net.arch=mlp", "--set", "net.hidden=512"]
STATISTICS += ["--set", "env.normalise=running", "--set", "env.normalise_rewards=true"]


def launch(*words):
    return subprocess.Popen(
        [str(word) for word in (PROGRAM, "train", *words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def resume(run):
    return launch("--resume", run)


class SameBits:
    """One system: its name, its options, and options for two different sets of threads."""

    system = ""
    task = ["--env", "atari:Pong" if HAS_ATARI else "catch", "--set", "net.arch=nips"]
    steps = 3200
    words = []
    few_threads = []
    more_threads = []

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.whole = cls.folder / "whole"
        assert cls.train(cls.whole, cls.few_threads).wait(timeout=300) == 0

    @classmethod
    def train(cls, run, threads):
        words = [*cls.task, *CONFIG, *cls.words, *threads, "--run-dir", run]
        return launch(cls.system, "--steps", cls.steps, *words)

    def finish(self, process):
        self.assertEqual(process.wait(timeout=300), 0)

    def bits(self, run):
        result = json.loads((run / "result.json").read_text())
        return result["steps"], result["episodes"], result["parameters_sha256"]

    def cut_short(self, name, number):
        """A run that received the signal after its first checkpoint."""
        run = self.folder / name
        process = self.train(run, self.more_threads)
        while not list(run.glob("checkpoints/0*")):
            self.assertIsNone(process.poll(), "the run ended before its first checkpoint")
            time.sleep(0.01)
        process.send_signal(number)
        self.assertEqual(process.wait(timeout=300), 0 if number == signal.SIGINT else -number)
        return run

    def test_other_threads(self):
        run = self.folder / "threads"
        self.finish(self.train(run, self.more_threads))
        self.assertEqual(self.bits(run), self.bits(self.whole))

    # The run is killed several times, at moments unrelated to its checkpoints.
    def test_killed_and_resumed(self):
        run = self.cut_short("killed", signal.SIGKILL)
        self.assertFalse((run / "result.json").exists())
        for milliseconds in (100, 250, 400):
            process = resume(run)
            time.sleep(milliseconds / 1000)
            process.kill()
            process.wait(timeout=300)
        self.finish(resume(run))
        self.assertEqual(self.bits(run), self.bits(self.whole))


class Paac(SameBits, unittest.TestCase):
    system = "paac"
    words = ["--set", "paac.envs=8", "--set", "paac.envs_per_group=4"]
    few_threads = ["--threads", 1]
    more_threads = ["--threads", 3]

    def test_interrupted_and_resumed(self):
        run = self.cut_short("interrupted", signal.SIGINT)
        self.assertLess(self.bits(run)[0], self.steps)
        self.finish(resume(run))
        self.assertEqual(self.bits(run), self.bits(self.whole))


class HtsA2c(SameBits, unittest.TestCase):
    system = "hts"
    words = ["--set", "hts.envs=8", "--set", "hts.envs_per_group=4"]
    few_threads = ["--set", "hts.executors=1", "--set", "hts.actors=0"]
    more_threads = [
        *["--set", "hts.executors=3", "--set", "hts.actors=4", "--set", "hts.learners=2"],
    ]


class PaacAgents(Paac):
    task = THREE_AGENTS
    steps = 12000


class HtsAgents(HtsA2c):
    task = THREE_AGENTS
    steps = 12000


class HtsPpo(HtsA2c):
    words = [*HtsA2c.words, "--set", "algo=ppo", "--set", "hts.alpha=16"]


class Apex(SameBits, unittest.TestCase):
    system = "apex"
    steps = 2400  # beyond the replay's capacity
    words = ["--set", "apex.lockstep=true", "--set", "apex.actors=3", "--set", "apex.batch=32"]
    words += ["--set", "replay.min_fill=250", "--set", "replay.capacity=1500"]
    words += ["--set", "replay.samples_per_insert=2", "--set", "replay.slack=64"]
    few_threads = ["--threads", 1]
    more_threads = ["--threads", 3]


class PaacStatistics(Paac):
    task = STATISTICS
    steps = 24000


class HtsStatistics(HtsA2c):
    task = STATISTICS
    steps = 18000


if __name__ == "__main__":
    unittest.main()

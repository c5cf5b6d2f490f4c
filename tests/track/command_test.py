"""Runs the command `tandem track` in processes: its words, its signals and its ends.

Seen failing without a handler of signals, with a pause that a signal does not end, with a follower
that asks no tracker how far it has got, without the lock, and with an --offline that is not kept.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from stand_ins import Run

HERE = Path(__file__).parent
COMMAND = HERE.parents[1] / "python" / "tandem_track"
PROGRAM = os.environ.get("TANDEM")


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.path = self.root / "pong"
        self.run_ = Run(self.path)
        self.addCleanup(self.run_.kill)
        self.variables = {**os.environ, "POINTS": str(self.root / "points")}

    def start(self, *words, **variables):
        process = subprocess.Popen(
            [sys.executable, HERE / "stand_in_command.py", "--to", "mlflow", *words, self.path],
            env=self.variables | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def track(self, *words, code=0, **variables):
        process = self.start(*words, **variables)
        out, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, out + errors)
        return out if code == 0 else errors

    def points(self):
        file = self.root / "points"
        return list(map(json.loads, file.read_text().splitlines())) if file.exists() else []

    def steps(self):
        return [point["steps"] for point in self.points()]

    def until(self, condition):
        limit = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.02)

    def begin(self, *steps):
        self.run_.begin()
        self.run_.log(*steps)

    def test_a_run_that_has_ended(self):
        self.begin(10, 20)
        self.run_.end()
        out = self.track()
        self.assertIn("place: tandem pong  False", out)
        self.assertIn("tags: paac cartpole lr: 0.5", out)
        self.assertIn("finished: budget 20", out)
        self.assertIn("already", self.track())
        self.assertEqual(self.steps(), [10, 20])
        self.assertIn("beginning mlflow's run", self.track("--new"))
        self.assertEqual(self.steps(), [10, 20, 10, 20])
        self.assertEqual(len({point["run"] for point in self.points()}), 2)

    def test_options_are_kept(self):
        self.begin(10)
        self.run_.kill()
        first = ["--project", "control", "--name", "a", "--uri", f"sqlite:///{self.root}/m.db"]
        place = f"place: control a sqlite:///{self.root}/m.db True"
        self.assertIn(place, self.track(*first, "--offline"))
        self.assertIn(place, self.track(*first[2:]))
        self.assertIn("--project control before", self.track("--project", "b", code=2))
        self.assertIn("place: b pong", self.track("--project", "b", "--new"))
        self.assertIn("no --offline before", self.track("--offline", code=2))

    def test_refusals(self):
        words = self.track(code=2)
        for text in ("tandem: error: cannot track", "no config.toml", "--wait"):
            self.assertIn(text, words)
        self.begin(10)
        self.assertIn("PermissionError: log in first", self.track(code=2, REFUSE="1"))
        (self.path / "config.toml").write_text("a = ")
        self.assertIn("config.toml is damaged", self.track(code=2))

    def test_it_waits_for_a_run_to_begin(self):
        process = self.start("--wait")
        self.assertIn("waiting for a run to begin", process.stdout.readline())
        self.assertFalse(self.path.exists())
        self.begin(10)
        self.until(lambda: self.steps() == [10])
        self.run_.end()
        self.assertEqual(process.wait(timeout=60), 0)

    def test_signals(self):
        self.begin()
        for count, number in enumerate((signal.SIGINT, signal.SIGTERM), 1):
            self.run_.log(count)
            process = self.start(POLL="60")
            self.until(lambda count=count: len(self.steps()) == count)
            begin = time.monotonic()
            process.send_signal(number)
            out, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number, errors)
            self.assertIn("the same command goes on from here", out)
            self.assertIn("closed", out)
            self.assertEqual(errors, "")
            self.assertLess(time.monotonic() - begin, 20)  # and not until the next poll
        self.run_.path = self.path = self.root / "later"
        process = self.start("--wait")
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)

    def test_two_at_once(self):
        self.begin(10)
        self.start()
        self.until(lambda: self.steps() == [10])
        self.assertIn("another process is passing this run on", self.track(code=2))

    def test_killed_at_any_moment_it_repeats_and_loses_nothing(self):
        chance = random.Random(1)
        self.begin()
        written = 0
        for _ in range(6):
            process = self.start(SLOW="0.2")  # a kill mostly comes before the record is written
            end = time.monotonic() + chance.uniform(0.3, 0.8)
            while time.monotonic() < end:
                written += 1
                self.run_.log(written)
                time.sleep(0.001)
            process.kill()
            process.wait()
        self.run_.end()
        self.track()
        self.assertEqual(self.steps(), list(range(1, written + 1)))

    def test_a_tracker_that_is_not_installed(self):
        self.begin(10)
        for tracker in ("wandb", "mlflow", "trackio"):
            result = subprocess.run(
                [sys.executable, "-S", COMMAND, self.path, "--to", tracker],
                capture_output=True,
                text=True,
            )
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(f"no {tracker}; install it: ", result.stderr)
            self.assertIn(f"-m pip install {tracker}", result.stderr)

    @unittest.skipUnless(PROGRAM, "there is no program")
    def test_a_real_run(self):
        words = ["--set", "run.log_seconds=0.01", "--set", "run.checkpoint_minutes=0.002"]
        process = self.start("--wait")
        train = [PROGRAM, "train", "paac", "--env", "cartpole", "--steps", "100M", *words]
        training = subprocess.Popen(
            [*train, "--run-dir", self.path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.addCleanup(training.wait)
        self.addCleanup(training.kill)
        self.until(lambda: len(self.steps()) > 20)
        self.until(lambda: any((self.path / "checkpoints").glob("*/*")))
        training.kill()  # with lines that the resume takes back
        training.wait()
        process.terminate()
        process.wait(timeout=60)
        before = self.steps()
        process = self.start()
        steps = str(before[-1] + 200_000)
        resumed = subprocess.run(
            [PROGRAM, "train", "--resume", self.path, "--steps", steps],
            capture_output=True, text=True,
        )  # fmt: skip
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        process.wait(timeout=60)
        out = self.track()
        self.assertIn("already", out)
        lines = (self.path / "metrics.jsonl").read_text().splitlines()
        later = [json.loads(line)["steps"] for line in lines]
        self.assertEqual(self.steps(), before + [step for step in later if step > before[-1]])
        self.assertGreater(len(self.steps()), len(before))


if __name__ == "__main__":
    unittest.main()

"""Whole trainings on a Ray cluster of this machine, also while their processes are killed.

Needs $TANDEM, the path of the program, and a Python with Ray; without Ray the tests are skipped.
"""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["TANDEM"]
CATCH = ["apex", "--config", "apex/catch", "--seed", "1"]


def begin(*words):
    environment = {**os.environ, "TANDEM_PYTHON": sys.executable}
    return subprocess.Popen(
        [PROGRAM, "cluster", "train", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def result(run):
    return json.loads((run / "result.json").read_text())


def steps_of(run):
    lines = (run / "metrics.jsonl").read_text().splitlines() if run.exists() else []
    return json.loads(lines[-1])["steps"] if lines else 0


def ancestors(pid):
    found = set()
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        found.add(pid)
    return found


def processes_of(driver, name):
    """The Ray processes that host such parts, of the cluster that a driver has started."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_text() if entry.name.isdigit() else ""
            if f"ray::{name}" in words and driver.pid in ancestors(int(entry.name)):
                found.append(int(entry.name))
        except OSError:  # it has ended
            continue
    return found


@unittest.skipUnless(importlib.util.find_spec("ray"), "Ray is not installed")
class ClusterTraining(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run_dir = Path(folder.name) / "run"

    def begin(self, *words):
        process = begin(*words, "--run-dir", self.run_dir)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process, seconds=300):
        _, errors = process.communicate(timeout=seconds)
        self.assertEqual(process.returncode, 0, errors)
        return errors

    def wait_for_steps(self, process, steps, seconds=180):
        end = time.monotonic() + seconds
        while not (self.run_dir / "metrics.jsonl").exists() or steps_of(self.run_dir) < steps:
            self.assertIsNone(process.poll(), "the training ended too early")
            self.assertLess(time.monotonic(), end, "the training makes no steps")
            time.sleep(0.1)

    def assert_learns(self, words, score=0.9):
        """Fails unless one of two trainings plays well: they depend on the processes' timing."""
        scores = []
        while len(scores) < 2 and max(scores, default=-1) < score:
            self.run_dir = self.run_dir.with_name(f"run-{len(scores)}")
            self.finish(self.begin(*words))
            command = [PROGRAM, "eval", self.run_dir, "--episodes", "200", "--greedy", "--json"]
            done = subprocess.run(command, check=True, capture_output=True)
            scores.append(json.loads(done.stdout)["mean"])
        self.assertGreaterEqual(max(scores), score, scores)

    def test_learns_catch(self):
        self.assert_learns([*CATCH, "--steps", "100k", "--actors", "2", "--shards", "2"])
        self.assertGreaterEqual(result(self.run_dir)["steps"], 100_000)

    def test_goes_on_when_its_processes_are_killed(self):
        words = [*CATCH, "--steps", "60k", "--actors", "2", "--set", "log_seconds=0.5"]
        words += ["--set", "checkpoint_minutes=0.05"]
        process = self.begin(*words)
        for steps, name in ((10_000, "Actor"), (20_000, "Shard"), (30_000, "Learner")):
            self.wait_for_steps(process, steps)
            os.kill(processes_of(process, name)[0], signal.SIGKILL)
        errors = self.finish(process)
        for part in (r"actor \d+", "shard 0", "the learner"):
            self.assertRegex(errors, f"{part} is lost")
        self.assertGreaterEqual(result(self.run_dir)["steps"], 60_000)

    # Seen failing when other words went on with the run, too.
    def test_the_same_command_goes_on_when_the_driver_or_its_terminal_ends(self):
        words = [*CATCH, "--steps", "40k", "--actors", "1", "--set", "log_seconds=0.5"]
        words += ["--set", "checkpoint_minutes=0.05"]
        process = self.begin(*words)
        self.wait_for_steps(process, 15_000)
        process.kill()
        process.communicate(timeout=60)
        for name, more in (("settings", "--set=optimizer.lr=1e-3"), ("shards", "--shards=2")):
            other = self.begin(*words, more)
            _, errors = other.communicate(timeout=60)
            self.assertEqual(other.returncode, 2, errors)
            self.assertIn(f"holds a run that began with {name} ", errors)
        self.finish(self.begin(*words))
        self.assertGreaterEqual(result(self.run_dir)["steps"], 40_000)
        for number in (signal.SIGHUP, signal.SIGTERM):
            steps = steps_of(self.run_dir)
            self.end_group(number, begin("--resume", self.run_dir, "--steps", "1G"), steps)

    # A terminal's end comes from the shell and from the kernel, and nobody reads any more. Seen
    # failing when Ray's own processes ended, when the second signal killed the driver, and when its
    # words did.
    def end_group(self, number, process, steps_before):
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for_steps(process, steps_before + 1_000)
        process.stderr.close()
        for _ in range(2):
            os.killpg(process.pid, number)
            time.sleep(0.1)
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(result(self.run_dir)["why_ended"], "signal")
        newest = max((self.run_dir / "checkpoints").glob("0*"))
        self.assertEqual(int(newest.name), result(self.run_dir)["steps"])

    def test_in_lockstep_it_has_the_bits_of_one_process(self):
        words = [*CATCH, "--steps", "6k", "--set", "apex.actors=1", "--set", "apex.lockstep=true"]
        self.finish(self.begin(*words))
        alone = self.run_dir.parent / "alone"
        command = [PROGRAM, "train", *words, "--run-dir", alone]
        subprocess.run(command, check=True, capture_output=True)
        self.assertEqual(
            result(self.run_dir)["parameters_sha256"], result(alone)["parameters_sha256"]
        )
        subprocess.run([PROGRAM, "verify", self.run_dir], check=True, capture_output=True)

    def test_impala_learns_catch(self):
        words = ["impala", "--config", "impala/catch", "--seed", "1", "--actors", "2"]
        words += ["--steps", "250k", "--set", "run.until_return=0.9"]
        self.assert_learns(words)


class Words(unittest.TestCase):
    def errors_of(self, *words):
        done = subprocess.run(
            [PROGRAM, "cluster", "train", *words], capture_output=True, text=True, timeout=60
        )
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_another_system_is_refused(self):
        self.assertIn("paac does not train on a cluster", self.errors_of("paac", "--env", "catch"))

    def test_a_bad_key_is_refused_before_anything_starts(self):
        errors = self.errors_of("apex", "--env", "catch", "--set", "apex.actor=3")
        self.assertIn("apex.actor", errors)

    def test_a_resumed_run_keeps_its_parts(self):
        for option in ("--actors", "--shards"):
            self.assertIn("excludes", self.errors_of("--resume", "x", option, "2"))

    def test_a_working_folder_that_is_none_is_refused(self):
        errors = self.errors_of("apex", "--env", "catch", "--working-dir", "/no/folder")
        self.assertIn("--working-dir: /no/folder is no folder", errors)

    # The command looks at the environment before it refuses the shards.
    @unittest.skipUnless(importlib.util.find_spec("gymnasium"), "no Gymnasium")
    def test_the_command_sees_the_modules_of_the_working_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "tandem_own_games.py").write_text(
                "import gymnasium\n"
                "entry = 'gymnasium.envs.classic_control:CartPoleEnv'\n"
                "gymnasium.register('Own-v0', entry)\n"
            )
            words = ["impala", "--env", "gym:tandem_own_games:Own-v0", "--shards", "2"]
            words += ["--set", f"env.python={sys.executable}"]
            self.assertIn("tandem_own_games", self.errors_of(*words))
            errors = self.errors_of(*words, "--working-dir", folder)
            self.assertIn("--shards: impala has no replay; leave it out", errors)

    # Seen failing when the run's folder was not looked at.
    @unittest.skipUnless(importlib.util.find_spec("ray"), "Ray is not installed")
    def test_a_folder_with_files_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mine.txt").write_text("mine")
            errors = self.errors_of(*CATCH, "--run-dir", folder)
            self.assertIn("is not empty and holds no run of a cluster", errors)
            self.assertEqual((Path(folder) / "mine.txt").read_text(), "mine")

    @unittest.skipUnless(importlib.util.find_spec("ray"), "Ray is not installed")
    def test_a_gpu_is_refused(self):
        errors = self.errors_of(*CATCH, "--set", "run.device=cuda")
        self.assertIn("a cluster computes networks on CPUs", errors)


if __name__ == "__main__":
    unittest.main()

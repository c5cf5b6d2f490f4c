"""Runs `tandem sweep` and `tandem speedup` as a user does: tables, pictures, stops and resumes.

Needs $TANDEM, the path of the program.
"""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

from program import PROGRAM, Folder, tandem

PYTHON = {"TANDEM_PYTHON": sys.executable}
PNG = b"\x89PNG\r\n\x1a\n"
CATCH = ["--config", "paac/catch", "--seed", 3, "--threads", 1]


def table(file):
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def found(folder, pattern):
    try:
        return set(folder.glob(pattern))
    except FileNotFoundError:  # a folder was removed while it was read
        return set()


def without_times(rows):
    return [{k: v for k, v in row.items() if not k.startswith("seconds")} for row in rows]


# An environment whose games draw random numbers of their own, whatever the seed is.
NOISY = """
import gymnasium
import numpy as np


class Noisy(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    noise = np.random.default_rng()
    steps = 0

    def observe(self):
        return self.noise.normal(size=3).astype(np.float32)

    def reset(self, seed=None, options=None):
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        return self.observe(), float(action), self.steps == 20, False, {}


gymnasium.register("Noisy-v0", entry_point=Noisy)
"""


class Experiment(Folder):
    def setUp(self):
        super().setUp()
        self.out = self.path / "out"

    def passes(self, *words, python="/bin/true"):
        """Draws pictures only with another Python."""
        result = tandem(*words, TANDEM_PYTHON=python)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def assert_png(self):
        self.assertEqual((self.out / "sweep.png").read_bytes()[:8], PNG)


class Sweep(Experiment):
    def sweep(self, *words, out=None):
        return ["sweep", "paac", *CATCH, "--out", out or self.out, *words]

    def test_makes_a_table_a_picture_and_ordinary_runs(self):
        words = ["--steps", "4k", "--runs", 3, "--vary", "kind=rmsprop,momentum"]
        done = self.passes(*self.sweep(*words), python=sys.executable)
        self.assertIn("run 6 of 6", done.stderr)
        # Seen failing when the option was ignored.
        self.assert_refused("plot", self.out, "--by", "frames", says="--by is for runs")
        rows = table(self.out / "sweep.csv")
        self.assertEqual([row["run"] for row in rows], list("123456"))
        self.assertEqual([row["seed"] for row in rows], list("334455"))
        self.assertEqual([row["optimizer.kind"] for row in rows], ["rmsprop", "momentum"] * 3)
        rates = [float(row["optimizer.lr"]) for row in rows]
        self.assertEqual(rates[::2], rates[1::2])
        self.assertEqual(len(set(rates)), 3)
        self.assertTrue(all(1e-4 <= rate <= 1e-2 for rate in rates), rates)
        for row in rows:
            result = json.loads((self.out / row["folder"] / "result.json").read_text())
            self.assertEqual(float(row["score"]), result["mean_return"])
            self.assertEqual((row["why_ended"], row["steps"]), ("budget", str(result["steps"])))
            self.assertIn(f"lr = {row['optimizer.lr']}", self.config(row))
        self.assert_png()

        # The same sweep again trains nothing. With more runs, it trains the new ones alone.
        kept = (self.out / "runs/001/result.json").stat().st_mtime_ns
        self.assertNotIn("run 1 of", self.passes(*self.sweep(*words)).stderr)
        words[3] = 4
        more = self.passes(*self.sweep(*words)).stderr
        self.assertIn("6 of 8 runs have ended before", more)
        self.assertEqual((self.out / "runs/001/result.json").stat().st_mtime_ns, kept)
        again = table(self.out / "sweep.csv")
        self.assertEqual((again[:6], len(again)), (rows, 8))

        # Another sweep is refused and changes nothing.
        words[1] = "5k"
        says = ["holds another sweep", "run.steps is 4000 there and 5000 here"]
        self.assert_refused(*self.sweep(*words), says=says)
        self.assertEqual(table(self.out / "sweep.csv"), again)
        (self.out / "sweep.png").unlink()
        self.passes("plot", self.out, python=sys.executable)
        self.assert_png()

    def config(self, row):
        return (self.out / row["folder"] / "config.toml").read_text()

    def test_several_at_once_give_the_same_results(self):
        words = ["--steps", "4k", "--runs", 3]
        self.passes(*self.sweep(*words))
        other = self.path / "other"
        self.passes(*self.sweep(*words, "--jobs", 3, out=other))
        self.assertEqual(
            without_times(table(self.out / "sweep.csv")), without_times(table(other / "sweep.csv"))
        )

    # Seen failing when a run that went on measured random play anew.
    def test_killed_it_keeps_what_random_play_measured(self):
        (self.path / "noisy.py").write_text(NOISY)
        words = ["sweep", "paac", "--env", "gym:noisy:Noisy-v0", "--set", "env.normalise=true"]
        words += ["--set", "checkpoint_minutes=0.001", "--steps", "20k", "--runs", 1]
        words += ["--keep-lr", "--out", self.out]
        with mock.patch.dict(os.environ, {**PYTHON, "PYTHONPATH": str(self.path)}):
            process = subprocess.Popen([PROGRAM, *map(str, words)], stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 300
            pattern = "runs/001/checkpoints/0*/manifest.json"  # not one being written
            while not found(self.out, pattern) and time.monotonic() < deadline:
                self.assertIsNone(process.poll(), "the sweep ended before a checkpoint")
                time.sleep(0.002)
            process.kill()
            process.wait()
            self.assertFalse((self.out / "runs/001/result.json").exists())
            self.passes(*words, python=sys.executable)
        self.assertEqual(len(table(self.out / "sweep.csv")), 1)

    # Seen failing when a run began anew in the killed run's folder, and when it resumed without its
    # checkpoint's optimizer.
    def test_killed_at_any_point_it_ends_as_if_it_was_not(self):
        words = ["--steps", "300k", "--runs", 2, "--set", "checkpoint_minutes=0.001"]
        self.passes(*self.sweep(*words))
        killed = self.path / "killed"
        # The sweep is stopped before the first checkpoint, within either run, and by Ctrl-C.
        for end, first_file in [
            (signal.SIGKILL, "runs/001/config.toml"),
            (signal.SIGKILL, "runs/001/checkpoints/0*/manifest.json"),
            (signal.SIGINT, "runs/001/checkpoints/0*/manifest.json"),
            (signal.SIGKILL, "runs/002/checkpoints/0*/manifest.json"),
        ]:
            before = found(killed, first_file)
            goes_on = self.has_a_run_to_go_on_with(killed)
            command = [PROGRAM, *map(str, self.sweep(*words, out=killed))]
            env = os.environ | PYTHON
            process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)
            deadline = time.monotonic() + 300
            while not found(killed, first_file) - before and time.monotonic() < deadline:
                self.assertIsNone(process.poll(), f"the sweep ended before {first_file}")
                time.sleep(0.002)
            process.send_signal(end)
            said = process.communicate(timeout=300)[1]
            self.assertEqual("going on from" in said, goes_on, said)
            if end == signal.SIGINT:
                self.assertEqual(process.returncode, 0, said)
                self.assertIn("the same command goes on", said)
        done = self.passes(*self.sweep(*words, out=killed))
        self.assertIn("going on from", done.stderr)
        rows = without_times(table(killed / "sweep.csv"))
        self.assertEqual(rows, without_times(table(self.out / "sweep.csv")))
        for run in ("001", "002"):
            sums = {
                json.loads((out / "runs" / run / "result.json").read_text())["parameters_sha256"]
                for out in (killed, self.out)
            }
            self.assertEqual(len(sums), 1)

    def has_a_run_to_go_on_with(self, out):
        """Whether a run has a checkpoint but has not ended."""
        checkpoints = found(out, "runs/*/checkpoints/0*/manifest.json")
        results = [file.parents[2] / "result.json" for file in checkpoints]
        return any(not file.exists() or '"signal"' in file.read_text() for file in results)

    def test_a_run_without_checkpoints_keeps_its_results(self):
        words = self.sweep("--steps", "2k", "--runs", 3)
        self.passes(*words)
        first, second, third = (self.out / "runs" / name for name in ("001", "002", "003"))
        for run in (first, second, third):
            shutil.rmtree(run / "checkpoints")
            (run / "result.json").unlink()
        for run in (second, third):
            (run / "metrics.jsonl").write_text("")
        (third / "best/000000000100").mkdir(parents=True)
        measured = (first / "metrics.jsonl").read_bytes()
        done = self.passes(*words)
        self.assertEqual(done.stderr.count("has no checkpoint to go on from"), 2, done.stderr)
        before = self.out / "before"
        self.assertEqual({each.name for each in before.iterdir()}, {"001", "003"})
        self.assertEqual((before / "001/metrics.jsonl").read_bytes(), measured)
        self.assertTrue((before / "003/best/000000000100").exists())
        self.assertEqual([row["run"] for row in table(self.out / "sweep.csv")], list("123"))

    # A run of A3C makes a few steps more than its budget. Seen failing when a budget below the
    # steps made was refused.
    def test_a_run_killed_before_it_wrote_its_result_ends(self):
        words = ["sweep", "a3c", "--config", "a3c/catch", "--out", self.out]
        words += ["--steps", "2001", "--runs", 1]
        self.passes(*words)
        result = self.out / "runs/001/result.json"
        self.assertGreater(json.loads(result.read_text())["steps"], 2001)
        result.unlink()
        self.passes(*words)
        self.assertEqual(json.loads(result.read_text())["why_ended"], "budget")

    def test_the_rate_that_the_user_names_is_trained(self):
        config = self.path / "drawn.toml"
        config.write_text('[net]\narch = "mlp"\n[optimizer]\nlr_choice = "log_uniform"\n')
        words = ["sweep", "a3c", "--config", config, "--env", "catch", "--out", self.out]
        self.passes(*words, "--steps", "500", "--runs", 1, "--set", "lr=7e-4")
        self.assertIn("lr = 0.0007", (self.out / "runs/001/config.toml").read_text())

    def test_a_config_from_a_pipe_is_that_of_every_run(self):
        words = ["sweep", "paac", "--config", "/dev/stdin", "--steps", "500", "--keep-lr"]
        words += ["--runs", "2", "--vary", "t_max=3,4", "--out", str(self.out)]
        config = '[env]\nid = "catch"\n[net]\narch = "mlp"\n[paac]\nenvs = 6\n'
        done = subprocess.run(
            [PROGRAM, *words],
            input=config,
            capture_output=True,
            text=True,
            timeout=600,
            env=os.environ | {"TANDEM_PYTHON": "/bin/true"},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = table(self.out / "sweep.csv")
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertIn("\nenvs = 6\n", self.config(row))
            self.assertIn('id = "catch"', self.config(row))

    def test_keys_of_a_later_version_had_their_defaults(self):
        words = ["--steps", "1k", "--runs", 1]
        self.passes(*self.sweep(*words))
        description = json.loads((self.out / "sweep.json").read_text())
        del description["config"]["net.depth"]
        (self.out / "sweep.json").write_text(json.dumps(description))
        self.passes(*self.sweep(*words))
        # net.layers was once the key of the depth of mlp.
        old = description | {"config": description["config"] | {"net.layers": 2}}
        (self.out / "sweep.json").write_text(json.dumps(old))
        self.passes(*self.sweep(*words))
        (self.out / "sweep.json").write_text(json.dumps(description))
        says = "net.depth is 2 there and 3 here"
        self.assert_refused(*self.sweep(*words, "--set", "depth=3"), says=says)

    def test_its_folder_is_no_run(self):
        self.passes(*self.sweep("--steps", "1k", "--runs", 1))
        train = ["train", "paac", *CATCH, "--run-dir", self.out]
        self.assert_refused(*train, says="is not empty: choose another folder")

    def test_a_run_that_diverges_is_noted_and_the_others_go_on(self):
        spoilt = ["--vary", "lr=1e30,0.001", "--set", "kind=momentum", "--set", "clip_norm=0"]
        words = self.sweep("--steps", "2k", "--runs", 1, *spoilt)
        done = self.passes(*words, python=sys.executable)
        self.assertIn("run 1 of 2 diverged: ", done.stderr)
        bad, good = table(self.out / "sweep.csv")
        self.assertEqual((bad["why_ended"], bad["score"]), ("diverged", ""))
        self.assertIn("so the run was stopped", bad["message"])
        self.assertEqual((good["why_ended"], good["message"]), ("budget", ""))
        self.assert_png()
        again = self.passes(*words)
        self.assertNotIn("run 1 of 2", again.stderr)

    def test_refuses_before_it_makes_a_folder(self):
        for words, says in [
            (["--vary", "lr=normal(1,2)"], "there is no distribution normal"),
            (["--vary", "learning_rate=1,2"], "there is no key learning_rate"),
            (["--vary", "kind=adam,madam"], 'not "madam"'),
            (["--set", "lr=1", "--vary", "lr=1,2"], "by --vary and by another option"),
            (["--frames", "4k", "--vary", "steps=1e3,2e3"], "by --vary and by another option"),
            (["--vary", "arch=mlp,nips"], "net.arch=nips seed=3: net.arch: the observation"),
            (["--jobs", 0], "--jobs"),
        ]:
            self.assert_refused(*self.sweep("--runs", 1, *words), says=says)
            self.assertFalse(self.out.exists())
        self.assert_refused("sweep", "--runs", 1, "--out", self.out, says="which SYSTEM")
        self.assert_refused(*self.sweep(), says="--runs")
        (self.path / "mine").write_text("letters")
        self.assert_refused(*self.sweep("--runs", 1, out=self.path), says="not empty")


class Speedup(Experiment):
    def speedup(self, *words):
        start = ["speedup", "a3c", "--config", "a3c/catch", "--out", self.out]
        return [*start, "--set", "log_seconds=0.01", *words]

    def test_measures_time_and_data_to_a_score(self):
        words = ["--score", -0.2, "--steps", "200k", "--runs", 2, "--threads", "2,1"]
        done = self.passes(*self.speedup(*words), python=sys.executable)
        self.assertRegex(done.stdout, r"This machine has \d+ cores")
        self.assertRegex(done.stdout, r"THREADS +REACHED +SECONDS +FRAMES")
        runs = table(self.out / "sweep.csv")
        self.assertEqual([run["a3c.learners"] for run in runs], list("2121"))
        self.assertEqual({run["why_ended"] for run in runs}, {"return"})
        one, two = table(self.out / "speedup.csv")
        self.assertEqual((one["threads"], one["counted"].split()), ("1", self.soonest(runs, "1")))
        self.assertEqual((two["threads"], two["reached"]), ("2", "2"))
        self.assertEqual((one["time_speedup"], one["data_speedup"]), ("1.000", "1.000"))
        ratio = float(one["frames"]) / float(two["frames"])
        self.assertAlmostEqual(float(two["data_speedup"]), ratio, places=2)
        self.assert_png()
        again = self.passes(*self.speedup(*words))
        self.assertNotIn("run 1 of", again.stderr)
        self.assertEqual(again.stdout.splitlines()[-2:], done.stdout.splitlines()[-2:])
        words[1] = -0.1
        self.assert_refused(*self.speedup(*words), says="score is -0.2 there and -0.1 here")
        for own in (["--set", "run.until_return=1"], ["--vary", "until_return=0.1,0.2"]):
            self.assert_refused(*self.speedup(*words, *own), says="--score decides")

    def test_tells_how_many_of_the_runs_count(self):
        words = ["--score", 2, "--steps", "3k", "--threads", 1, "--runs", 3]
        for best, said in (
            (2, "Medians of the 2 soonest of 3 runs; speed-ups"),
            (1, "Numbers of the soonest of 3 runs; speed-ups"),
            (3, "Medians of the runs; speed-ups"),
        ):
            done = self.passes(*self.speedup(*words, "--best", best))
            self.assertIn(said, done.stdout)
            self.assertIn("0 of 3", done.stdout)
            (row,) = table(self.out / "speedup.csv")
            self.assertEqual((row["runs"], row["all_runs"]), (str(best), "3"))

    # Another CPU may have as many cores.
    def test_goes_on_on_the_same_cpu_alone(self):
        words = self.speedup("--score", 2, "--steps", "3k", "--threads", 1)
        self.passes(*words)
        file = self.out / "sweep.json"
        described = json.loads(file.read_text())
        here = described["cpu"]
        file.write_text(json.dumps(described | {"cpu": "another CPU"}))
        says = f"cpu is another CPU there and {here} here"
        self.assert_refused(*words, says=says)
        self.assert_refused(*words, "--check", says=says)
        del described["cpu"]  # as an older version left it
        file.write_text(json.dumps(described))
        self.passes(*words)

    def soonest(self, runs, threads):
        same = [run for run in runs if run["a3c.learners"] == threads]
        same.sort(key=lambda run: float(run["seconds_to_return"]))
        return [Path(run["folder"]).name for run in same]

    def test_a_score_that_is_never_reached_has_no_numbers(self):
        words = ["--score", 2, "--steps", "3k", "--threads", "1,2"]
        done = self.passes(*self.speedup(*words))
        self.assertEqual(done.stdout.count("never"), 4)
        rows = table(self.out / "speedup.csv")
        self.assertEqual(len(rows), 2)
        for row in rows:
            numbers = [row[k] for k in ("seconds", "frames", "time_speedup", "data_speedup")]
            self.assertEqual((row["reached"], numbers), ("0", [""] * 4))

    def test_refuses(self):
        self.assert_refused(*self.speedup("--threads", "1,2"), says="--score")
        self.assert_refused(*self.speedup("--score", 1, "--threads", "1,x"), says='not "x"')
        self.assert_refused(*self.speedup("--score", 1, "--threads", "2,2"), says="there twice")
        self.assert_refused(
            *self.speedup("--score", 1, "--set", "a3c.learners=2"),
            says="--threads gives the values",
        )
        self.assert_refused(*self.speedup("--score", 1, "--key", "threeds"), says="run.threads?")
        self.assert_refused(
            *self.speedup("--score", 1, "--key", "arch"), says="not a number of threads"
        )
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()

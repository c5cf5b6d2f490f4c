"""Runs the built program as a user does: exit codes, messages and listings.

Needs $TANDEM, the path of the program.
"""

import json
import os
import signal
import subprocess
import time
import tomllib
import unittest
from pathlib import Path

from program import HAS_ATARI, PROGRAM, Folder, tandem

PYTHON_OF_SETUP = Path(PROGRAM).parents[1] / ".venv/bin/python"


class Usage(Folder):
    def test_version_and_help(self):
        version = tandem("--version")
        self.assertEqual(version.returncode, 0)
        self.assertRegex(version.stdout, r"^tandem \d+\.\d+\.\d+\noneDNN.*\nlibtorch: .*\n$")
        absent = tandem("--version", TANDEM_BACKEND_PATH="/no/where").stdout
        self.assertIn("libtorch: absent", absent)
        self.assertIn("/no/where", absent)
        commands = ["envs", "systems", "keys", "rollout", "bench", "train"]
        program = tandem("--help")
        self.assertEqual(program.returncode, 0)
        for command in commands:
            self.assertIn(command, program.stdout)
            one = tandem(command, "--help")
            self.assertEqual(one.returncode, 0)
            self.assertIn("--help", one.stdout)

    def test_usage_errors(self):
        self.assert_refused(says="subcommand is required")
        self.assert_refused("trian", says=["no command trian", "did you mean train?"])
        self.assert_refused("envs", "--fast", says="--fast")
        self.assert_refused("rollout", "--env", "cartpole", says="--out")
        self.assert_refused("train", "paac", "--steps", 5, "--frames", 5, says="--frames")

    # Seen failing when "010" was eight, and "nan" passed each range.
    def test_numbers_are_read_as_config_keys_are(self):
        folders = []
        for seed in ("010", "10"):
            folders.append(self.path / seed)
            words = ["--env", "cartpole", "--random", "--steps", 50, "--seed", seed]
            done = tandem("rollout", "--out", folders[-1], *words)
            self.assertEqual(done.returncode, 0, done.stderr)
        first, second = ((folder / "obs.npy").read_bytes() for folder in folders)
        self.assertEqual(first, second)
        words = ["rollout", "--env", "cartpole", "--random", "--steps", 5, "--out", "x"]
        for wrong in ("99999999999999999999", "0x10", "some", "1.5"):
            self.assert_refused(*words, "--seed", wrong, says="--seed: it needs an integer")
        bench = ["bench", "env", "--env", "cartpole", "--seconds"]
        self.assert_refused(*bench, "nan", says="it needs a number from 0.01 to 3600")

    # Seen failing when what could not be written was lost without a word, or told as a bug.
    def test_output_that_cannot_be_written_is_told(self):
        for words in (["presets"], ["keys"], ["--help"]):
            with Path("/dev/full").open("w") as full:
                done = subprocess.run(
                    [PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
                )
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("cannot write the output: No space left", done.stderr)

    def test_errors_that_cannot_be_written_keep_the_exit_code(self):
        for words in (["trian"], ["train", "--resume", self.path]):
            with Path("/dev/full").open("w") as full:
                done = subprocess.run([PROGRAM, *words], stderr=full, timeout=60)
            self.assertEqual(done.returncode, 2)

    # The files of a run would get the numbers of closed streams, and with them the messages.
    def test_closed_streams_are_no_files_of_the_run(self):
        run = self.path / "run"
        words = ["train", "paac", "--env", "cartpole", "--steps", "500", "--run-dir", run]
        done = subprocess.run(
            [PROGRAM, *words], preexec_fn=lambda: os.closerange(0, 3), timeout=600
        )
        self.assertEqual(done.returncode, 0)
        self.assertEqual((run / ".lock").read_bytes(), b"")
        lines = (run / "metrics.jsonl").read_text().splitlines()
        self.assertTrue(lines)
        self.assertTrue(all("steps" in json.loads(line) for line in lines), lines)

    def test_a_reader_may_have_had_enough(self):
        with subprocess.Popen([PROGRAM, "keys"], stdout=-1, stderr=-1) as running:
            running.stdout.close()
            errors = running.stderr.read()
        self.assertEqual((running.returncode, errors), (0, b""))

    # Seen failing when the end of the terminal killed a training.
    def test_the_end_of_the_terminal_leaves_a_checkpoint(self):
        run = self.path / "run"
        words = ["train", "paac", "--env", "cartpole", "--steps", "1G", "--run-dir", run]
        running = self.begin(*words)
        wait_for(run / "metrics.jsonl")
        running.send_signal(signal.SIGHUP)
        errors = running.communicate(timeout=60)[1]
        self.assertEqual(running.returncode, 0, errors)
        self.assertTrue(list((run / "checkpoints").glob("0*")))


class Gymnasium(Folder):
    # Seen failing when a stop was noticed only after the measurement, of four minutes here.
    def test_a_signal_ends_the_measuring_of_an_environment(self):
        (self.path / "seeds.py").write_text(SEEDS)
        run, log = self.path / "run", self.path / "log"
        where = {"PYTHONPATH": str(self.path), "SEEDS": str(log), "SLOW": "0.05"}
        words = ["paac", "--env", "gym:seeds:Seeds-v0", "--set", "env.normalise=true"]
        running = self.begin("train", *words, "--run-dir", run, **where)
        wait_for(log)
        running.terminate()
        errors = running.communicate(timeout=60)[1]
        self.assertEqual(running.returncode, 2, errors)
        self.assertIn("stopped before the training began", errors)
        self.assertFalse(run.exists())

    # Seen failing when advise looked for a stop only after two measurements.
    def test_a_signal_ends_advice(self):
        (self.path / "seeds.py").write_text(SEEDS)
        log = self.path / "log"
        where = {"PYTHONPATH": str(self.path), "SEEDS": str(log), "SLOW": "0.05"}
        for more in (["--set", "env.normalise=true"], ["--seconds", 60]):
            log.unlink(missing_ok=True)
            running = self.begin("advise", "--env", "gym:seeds:Seeds-v0", *more, **where)
            wait_for(log)
            running.terminate()
            errors = running.communicate(timeout=60)[1]
            self.assertEqual(running.returncode, 2, errors)
            self.assertIn("interrupted; there is no result", errors)

    def test_a_signal_ends_a_prediction(self):
        (self.path / "seeds.py").write_text(SEEDS)
        log = self.path / "log"
        where = {"PYTHONPATH": str(self.path), "SEEDS": str(log), "SLOW": "0.05"}
        words = ["--env", "gym:seeds:Seeds-v0", "--set", "net.arch=mlp", "--seconds", 60]
        running = self.begin("predict", *words, **where)
        wait_for(log)
        running.terminate()
        errors = running.communicate(timeout=60)[1]
        self.assertEqual(running.returncode, 2, errors)
        self.assertIn("interrupted; there is no result", errors)

    # Seen failing when a resumed run gave its environments the seeds of the first time.
    def test_a_resumed_run_begins_other_games(self):
        (self.path / "seeds.py").write_text(SEEDS)
        run, log = self.path / "run", self.path / "seeds.txt"
        where = {"PYTHONPATH": str(self.path), "SEEDS": str(log)}
        words = ["paac", "--env", "gym:seeds:Seeds-v0", "--set", "paac.envs=2"]
        done = tandem("train", *words, "--steps", 100, "--run-dir", run, **where)
        self.assertEqual(done.returncode, 0, done.stderr)
        first = log.read_text().split()
        done = tandem("train", "--resume", run, "--steps", 200, **where)
        self.assertEqual(done.returncode, 0, done.stderr)
        later = log.read_text().split()[len(first) :]
        self.assertTrue(later)
        self.assertFalse(set(first) & set(later), f"{first} {later}")

    # As `docker pause` does. Seen failing when the time of the pause counted as the workers'.
    def test_a_job_that_was_suspended_goes_on(self):
        (self.path / "seeds.py").write_text(SEEDS)
        run = self.path / "run"
        words = ["paac", "--env", "gym:seeds:Seeds-v0", "--set", "env.timeout_seconds=3"]
        words += [
            "--set",
            "env.normalise=false",
            "--set",
            "log_seconds=0.2",
            "--steps",
            "1G",
            "--run-dir",
            run,
        ]
        where = {"PYTHONPATH": str(self.path), "SEEDS": str(self.path / "log"), "SLOW": "0.05"}
        running = self.begin("train", *words, **where)
        wait_for(run / "metrics.jsonl")
        workers = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
        self.assertTrue(workers)
        for number, seconds in ((signal.SIGSTOP, 5), (signal.SIGCONT, 2)):
            for pid in (running.pid, *map(int, workers)):
                os.kill(pid, number)
            time.sleep(seconds)
        running.terminate()
        errors = running.communicate(timeout=60)[1]
        self.assertEqual(running.returncode, 0, errors)


SEEDS = """
import os
import time
import gymnasium

class Seeds(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 1, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        if seed is not None:
            with open(os.environ["SEEDS"], "a") as file:
                file.write(f"{seed}\\n")
        return self.observation_space.low, {}

    def step(self, action):
        time.sleep(float(os.environ.get("SLOW", 0)))
        return self.observation_space.low, 0.0, False, True, {}

gymnasium.register("Seeds-v0", Seeds)
"""


def wait_for(file, seconds=60):
    end = time.monotonic() + seconds
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < end, f"there is no {file}"
        time.sleep(0.05)


class Train(Folder):
    def test_run_keeps_its_resolved_config_and_resumes_by_it(self):
        run = self.path / "run"
        options = ["--steps", "400", "--seed", 7, "--set", "lr=0.001", "--set", "envs=4"]
        first = tandem("train", "paac", "--config", "paac/cartpole", "--run-dir", run, *options)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn(f"tandem eval {run}", first.stderr)
        config = tomllib.loads((run / "config.toml").read_text())
        self.assertEqual((config["system"], config["env"]["id"]), ("paac", "cartpole"))
        self.assertEqual((config["run"]["steps"], config["run"]["seed"]), (400, 7))
        self.assertEqual((config["optimizer"]["lr"], config["paac"]["envs"]), (0.001, 4))

        self.assert_refused(
            *["train", "--resume", run, "--set", "lr=0.1"],
            says="a resumed run keeps optimizer.lr = 0.001",
        )
        self.assert_refused(
            *["train", "--resume", run, "--steps", "100"], says="has made 400 steps already"
        )
        # The checkpoint holds a config of its own, so a changed config.toml is noticed.
        file = run / "config.toml"
        whole = file.read_text()
        file.write_text(whole.replace("lr = 0.001", "lr = 0.9"))
        self.assert_refused("train", "--resume", run, says="keeps optimizer.lr = 0.001")
        self.assertIn("lr = 0.9", file.read_text(), "a refused resume leaves the run as it was")
        says = f"{file} has optimizer.lr = 0.9, but the checkpoint was trained with 0.001"
        self.assert_refused("eval", run, "--episodes", "1", says=says)
        file.write_text(whole)

        # Seen failing with a list of keys that lacked this one.
        awaited = ["--set", "until_evaluations=1"]
        longer = tandem("train", "--resume", run, "--steps", "800", *awaited)
        self.assertEqual(longer.returncode, 0, longer.stderr)
        self.assertEqual(json.loads((run / "result.json").read_text())["steps"], 800)
        config = tomllib.loads((run / "config.toml").read_text())
        self.assertEqual(config["run"]["steps"], 800)

    def test_it_begins_from_the_default_preset_and_says_so(self):
        run = self.path / "run"
        words = ["--env", "pendulum", "--steps", 20, "--run-dir", run]
        trained = tandem("train", "apex", *words)
        self.assertEqual(trained.returncode, 0, trained.stderr)
        self.assertIn("preset apex/pendulum, the default here", trained.stderr)
        self.assertEqual(tomllib.loads((run / "config.toml").read_text())["algo"], "dpg")
        self.assert_refused(
            *["train", "apex", "--env", "memory", "--run-dir", self.path / "none"],
            says=["an agent with a memory", "impala (a2c)", "--config"],
        )

    # Seen failing when the workers' Python was python3 without $TANDEM_PYTHON.
    @unittest.skipUnless(PYTHON_OF_SETUP.exists(), "the program is not in a source tree with .venv")
    def test_gymnasium_is_that_of_the_setup(self):
        words = ["train", "paac", "--env", "gym:CartPole-v1", "--steps", 100]
        nothing = {"TANDEM_PYTHON": "", "VIRTUAL_ENV": "", "CONDA_PREFIX": ""}
        trained = tandem(*words, "--run-dir", self.path / "run", PATH="/usr/bin:/bin", **nothing)
        self.assertEqual(trained.returncode, 0, trained.stderr)

    def test_an_evaluation_of_endless_games_ends(self):
        run = self.path / "run"
        words = ["--env", "memory", "--steps", 100, "--run-dir", run]
        trained = tandem("train", "paac", *words)
        self.assertEqual(trained.returncode, 0, trained.stderr)
        endless = ["eval", run, "--episodes", 1, "--set", "env.delay=1G"]
        self.assert_refused(*endless, says="a game has not ended after")

    # Seen failing without the words.
    def test_threads_that_a_system_counts_by_its_own_key(self):
        words = ["--steps", 100, "--threads", 2, "--run-dir"]
        learners = "a3c.learners = 8 sets how many threads play"
        a3c = tandem("train", "a3c", "--config", "a3c/cartpole", *words, self.path / "a3c")
        self.assertEqual(a3c.stderr.count(learners), 1, a3c.stderr)
        paac = tandem("train", "paac", "--config", "paac/cartpole", *words, self.path / "paac")
        self.assertNotIn("how many threads play", paac.stderr)


LARGE = ["--set", "env.size=84"]  # catch's own default; its presets have smaller ones


class WithoutTorch(Folder):
    """Every family of networks trains on the CPU where there is no libtorch to load."""

    def assert_trains(self, *words):
        run = self.path / "run"
        words = ["train", *words, "--steps", 400, "--run-dir", run]
        trained = tandem(*words, TANDEM_BACKEND_PATH="/no/where")
        self.assertEqual(trained.returncode, 0, trained.stderr)
        said = (run / "backends.txt").read_text()
        self.assertRegex(said, r"^oneDNN \d+\.\d+\.\d+\n$")

    def setUp(self):
        super().setUp()
        if "oneDNN: absent" in tandem("--version").stdout:
            self.skipTest("built without oneDNN")

    def test_vectors(self):
        self.assert_trains("paac", "--env", "cartpole", "--set", "net.arch=mlp")

    def test_images_through_dense_layers(self):
        self.assert_trains("paac", "--env", "catch", "--set", "net.arch=mlp")

    def test_linear_convolutions(self):
        self.assert_trains("paac", "--env", "catch", "--set", "net.arch=linear_conv", *LARGE)

    def test_odd_strides(self):
        self.assert_trains("ga3c", "--env", "catch", "--set", "net.arch=large3", *LARGE)

    def test_lstm_and_continuous_actions(self):
        self.assert_trains("a3c", "--config", "a3c/pendulum")

    def test_dueling_from_a_replay(self):
        words = ["--config", "apex/cartpole", "--set", "replay.min_fill=100"]
        self.assert_trains("apex", *words)

    def test_given_layers(self):
        layers = "net.layers=conv 20 5 3 tanh, dense 40 none, dense 30"
        self.assert_trains("hts", "--env", "catch", "--set", layers)


class Listings(Folder):
    def test_envs(self):
        listed = tandem("envs")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        for name in ["cartpole", "catch"] + (["atari:Pong"] if HAS_ATARI else []):
            self.assertIn(name, listed.stdout.split())

    def test_systems(self):
        self.assertIn("paac", tandem("systems").stdout)

    def test_a_bad_plugin_does_not_hide_the_others(self):
        (self.path / "tandem_bad.so").write_text("no shared object")
        listed = tandem("envs", TANDEM_PLUGIN_PATH=str(self.path))
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("plug-in bad cannot be used", listed.stdout)

    def test_keys(self):
        listed = json.loads(tandem("keys", "paac", "--env", "cartpole", "--json").stdout)
        keys = {entry["key"]: entry for entry in listed}
        t_max = keys["paac.t_max"]
        self.assertEqual((t_max["type"], t_max["default"], t_max["least"]), ("integer", 5, 1))
        self.assertIn("section 5.1", t_max["source"])
        self.assertEqual(keys["net.arch"]["choices"][:3], ["nips", "nature", "large4"])
        table = tandem("keys", "paac", "--env", "cartpole", COLUMNS="120").stdout
        for key in keys:
            self.assertIn(key, table)
        self.assertLessEqual(max(map(len, table.splitlines())), 120)
        dpg = ["--env", "pendulum", "--set", "algo=dpg"]
        self.assertIn("dpg.sigma", tandem("keys", "apex", *dpg).stdout)

    def test_presets(self):
        listed = tandem("presets", "apex", COLUMNS="200").stdout
        self.assertIn("apex/control ", listed)
        self.assertIn("mujoco numbers (dpg)", listed)
        self.assertNotIn("paac/atari", listed)
        for preset in ["cartpole", "catch"] + (["paper_nips"] if HAS_ATARI else []):
            refused = tandem("train", "paac", "--config", f"paac/{preset}", "--threads", "-1")
            self.assertIn("run.threads needs", refused.stderr)


if __name__ == "__main__":
    unittest.main()

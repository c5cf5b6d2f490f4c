"""Tests of configs, of wrong ones above all, as the built program takes them."""

import hashlib
import json
import os
import unittest
from pathlib import Path

from program import Folder, tandem


def replace_in_state(checkpoint, old, new):
    """Changes state.json and the manifest, which has its checksum."""
    state, manifest = checkpoint / "state.json", checkpoint / "manifest.json"
    assert old in state.read_text()
    state.write_text(state.read_text().replace(old, new))
    told = json.loads(manifest.read_text())
    del told["sha256"]
    told["files"]["state.json"] = {
        "size": state.stat().st_size,
        "sha256": hashlib.sha256(state.read_bytes()).hexdigest(),
    }
    compact = json.dumps(told, sort_keys=True, separators=(",", ":"))
    told["sha256"] = hashlib.sha256(compact.encode()).hexdigest()
    manifest.write_text(json.dumps(told, sort_keys=True, indent=2) + "\n")


class Config(Folder):
    def write(self, text):
        file = self.path / "bad.toml"
        file.write_text(text)
        return file

    def train(self, *words, says):
        out = self.path / "run"
        start = ["train", "paac", "--env", "cartpole", "--run-dir", out]
        self.assert_refused(*start, *words, says=says)
        self.assertFalse(out.exists(), "a refused config must leave no run behind")

    def test_file_errors_name_file_line_key_and_need(self):
        file = self.write("[paac]\nt_max = 0\n")
        self.train(
            "--config", file, says=f"{file}:2: paac.t_max needs an integer from 1 to 10000, not 0"
        )
        file = self.write("\n\n[a2c]\ngamma = 'high'\n")
        needs = 'a2c.gamma needs a number from 0 to 1, not "high"'
        self.train("--config", file, says=f"{file}:4: {needs}")
        file = self.write("[paac]\nt_mox = 5\n")
        self.train("--config", file, says=[f"{file}:2: there is no key paac.t_mox", "paac.t_max?"])
        file = self.write("[paac\n")
        self.train("--config", file, says=[f"{file}:1:", "not valid TOML"])

    def test_set_errors(self):
        self.train("--set", "t_max=many", says='needs an integer from 1 to 10000, not "many"')
        self.train("--set", "envz=5", says="did you mean paac.envs?")
        self.train("--set", "t_max", says="key=value")
        needs = 'run.device needs one of cpu or cuda, not "tpu"'
        self.train("--device", "tpu", says=f"--device: {needs}")
        self.train("--steps", "-5", says="--steps: run.steps needs an integer from 1")

    def test_unknown_names_offer_the_nearest(self):
        self.assert_refused("train", "pac", "--env", "cartpole", says="did you mean paac?")
        self.assert_refused("train", "paac", "--env", "cartpol", says=["did you mean", "cartpole"])
        self.train("--config", "paac/paper_nip", says="did you mean paac/paper_nips?")

    def test_empty_values_are_not_left_out_options(self):
        self.assert_refused("train", "--resume", "", says="'--resume' is given an empty value")
        self.assert_refused("train", "--resume=", says="'--resume=' is given an empty value")
        self.assert_refused("", says="empty value")

    def test_a_missing_device_leaves_no_run_behind(self):
        if Path("/dev/nvidia0").exists():
            self.skipTest("there is a GPU")
        self.train("--set", "net.arch=mlp", "--device", "cuda", says="--device cpu")

    # Seen leaving a folder that refused the corrected command.
    def test_an_optimizer_that_does_not_fit_leaves_no_run_behind(self):
        words = ["a3c", "--env", "cartpole", "--run-dir", self.path / "run"]
        self.assert_refused("train", *words, "--set", "optimizer.kind=adam", says="asynchronous")
        self.assertFalse((self.path / "run").exists())

    # Seen refused: the error asked for fp32, which the agent's config does not allow to set.
    def test_an_agent_of_bf16_acts_in_fp32_where_that_is_not_computed(self):
        run = self.path / "run"
        words = ["paac", "--env", "cartpole", "--steps", 500, "--seed", 1, "--run-dir", run]
        self.assertEqual(tandem("train", *words).returncode, 0)
        config = run / "config.toml"
        config.write_text(config.read_text().replace('"fp32"', '"bf16"'))
        (checkpoint,) = (run / "checkpoints").iterdir()
        replace_in_state(checkpoint, r"\"fp32\"", r"\"bf16\"")
        done = tandem("eval", run, "--episodes", 2, TANDEM_CPU="avx2")
        self.assertIn("so the agent acts in fp32", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)

    # Seen training Breakout less the grey of Pong.
    def test_numbers_measured_elsewhere_are_refused(self):
        run = self.path / "run"
        words = ["paac", "--env", "catch", "--steps", 200, "--set", "net.pixel_mean=auto"]
        self.assertEqual(tandem("train", *words, "--run-dir", run).returncode, 0)
        words = ["paac", "--config", run / "config.toml", "--env", "labyrinth"]
        words += ["--steps", 50, "--run-dir", self.path / "other"]
        self.assert_refused("train", *words, says="--set net.pixel_mean=median")
        done = tandem("train", *words, "--set", "net.pixel_mean=median")
        self.assertEqual(done.returncode, 0, done.stderr)
        # A run that takes the numbers over hands them on. Seen forgotten.
        middle = self.path / "middle"
        words = ["paac", "--config", run / "config.toml", "--steps", 200, "--run-dir", middle]
        self.assertEqual(tandem("train", *words).returncode, 0)
        words = ["paac", "--config", middle / "config.toml", "--env", "labyrinth"]
        words += ["--steps", 50, "--run-dir", self.path / "last"]
        self.assert_refused("train", *words, says="net.pixel_mean was measured in catch")

    def test_contradictions_of_a_replay_leave_no_run_behind(self):
        out = self.path / "run"
        words = ["train", "apex", "--env", "catch", "--run-dir", out, "--set", "net.arch=nips"]
        self.assert_refused(*words, "--set", "replay.capacity=10", says="replay.min_fill")
        self.assertFalse(out.exists())

    def test_a_missing_backend_is_told(self):
        out = self.path / "run"
        start = ["train", "paac", "--env", "cartpole", "--set", "net.arch=mlp", "--run-dir", out]
        says = ["libtorch", "/no/where", "make torch", "--device cpu"]
        self.assert_refused(*start, "--device", "cuda", says=says, TANDEM_BACKEND_PATH="/no/where")
        self.assertFalse(out.exists())

    def test_layers_that_are_none_are_told(self):
        self.train("--set", "net.layers=dense 64, cov 3", says=["layer 2, 'cov 3'", "dense UNITS"])
        self.train("--set", "net.layers=conv 8 3 1", says=["needs images", "dense layers alone"])

    def test_bf16_without_instructions_for_it_says_what_to_do(self):
        if "oneDNN: absent" in tandem("--version").stdout:
            self.skipTest("built without oneDNN")
        refused = tandem(
            *["train", "paac", "--env", "catch", "--set", "net.arch=nips", "--set", "size=42"],
            *["--set", "net.precision=bf16", "--steps", 10, "--run-dir", self.path / "run"],
            ONEDNN_MAX_CPU_ISA="AVX2",
        )
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no instructions for bfloat16", refused.stderr)
        self.assertIn('use net.precision = "fp32"', refused.stderr)
        self.assertFalse((self.path / "run").exists())

    def test_a_folder_of_a_cluster_that_is_not_utf_8_is_refused(self):
        words = ["cluster", "train", "apex", "--config", "apex/catch", "--run-dir"]
        self.assert_refused(*words, self.path / os.fsdecode(b"run\xff"), says="is not UTF-8")

    def test_resume_needs_a_run(self):
        for folder in (self.path, self.path / "nowhere"):
            self.assert_refused("train", "--resume", folder, says="that `tandem train` made")
        self.assert_refused("train", says="tandem systems")


if __name__ == "__main__":
    unittest.main()

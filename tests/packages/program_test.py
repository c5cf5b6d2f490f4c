"""The program in a wheel and in a build: the commands that it advises.

usage: program_test.py TANDEM

A copy of the program in a folder with the headers of plug-ins is a program in a wheel.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILT = Path(sys.argv.pop(1))


def run(program, *words, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TANDEM_")}
    return subprocess.run(
        [program, *map(str, words)],
        env={**environment, **variables},
        capture_output=True,
        text=True,
    )


class Wheel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.package = self.folder / "tandem"
        header = self.package / "include/tandem/env/family.h"
        header.parent.mkdir(parents=True)
        header.touch()
        self.program = shutil.copy(BUILT, self.package / "tandem")

    def roll_out(self, program, env, **variables):
        words = ("rollout", "--env", env, "--random", "--steps", 1, "--out", self.folder / "out")
        return run(program, *words, **variables)

    def test_a_plugin_that_is_missing_can_be_installed(self):
        said = self.roll_out(self.program, "atari:Pong", HOME="/no/where", XDG_DATA_HOME="")
        self.assertEqual(said.returncode, 2)
        self.assertIn("`tandem install atari` builds it.", said.stderr)
        self.assertIn(f"{self.package}/plugins:/no/where/.local/share/tandem/plugins-", said.stderr)
        said = self.roll_out(self.program, "mujoco:cartpole-swingup", XDG_DATA_HOME="/data")
        self.assertIn("`tandem install mujoco` builds it.", said.stderr)
        self.assertIn(f"{self.package}/plugins:/data/tandem/plugins-", said.stderr)

    def test_a_variable_replaces_the_folders(self):
        said = self.roll_out(self.program, "atari:Pong", TANDEM_PLUGIN_PATH="/here:/there")
        self.assertIn("in /here:/there. `tandem install atari`", said.stderr)

    def test_a_wheel_without_the_backend_says_so(self):
        said = run(
            self.program, "train", "paac", "--env", "cartpole", "--steps", 100, "--device", "cuda",
            "--run-dir", self.folder / "run",
        )  # fmt: skip
        self.assertEqual(said.returncode, 2)
        self.assertIn("this wheel of tandem was built without its backend", said.stderr)

    def test_a_backend_that_cannot_be_loaded_is_absent(self):
        (self.package / "backends").mkdir()
        (self.package / "backends/tandem_torch.so").write_text("no library")
        version = run(self.program, "--version")
        self.assertEqual(version.returncode, 0, version.stderr)
        self.assertIn("libtorch: absent", version.stdout)
        self.assertIn("pip install 'tandem-rl[torch]'", version.stdout)

    def test_install_starts_the_packages_own_installer(self):
        script = self.folder / "tandem_program/__main__.py"
        script.parent.mkdir()
        script.write_text("import sys; print(*sys.argv[1:], sep='\\n')")
        said = run(
            self.program, "install", "atari", "--force", "--find-links", "dist",
            TANDEM_PYTHON=sys.executable,
        )  # fmt: skip
        self.assertEqual(said.returncode, 0, said.stderr)
        words = said.stdout.splitlines()
        self.assertEqual(words[0], "atari")
        self.assertEqual(words[words.index("--package") + 1], str(self.package))
        self.assertIn(f"{self.package}/plugins", words[words.index("--folders") + 1])
        self.assertEqual(words[words.index("--find-links") + 1], "dist")
        self.assertIn("--force", words)

    def test_track_starts_the_packages_own_program(self):
        script = self.folder / "tandem_track/__main__.py"
        script.parent.mkdir()
        script.write_text("import sys; print(*sys.argv[1:], sep='\\n')")
        said = run(
            self.program, "track", "runs/a", "--to", "mlflow", "--uri", "http://here",
            "--project", "p", "--name=-n", "--wait", "--new", TANDEM_PYTHON=sys.executable,
        )  # fmt: skip
        self.assertEqual(said.returncode, 0, said.stderr)
        words = ["--to=mlflow", "--project=p", "--name=-n", "--uri=http://here"]
        self.assertEqual(said.stdout.splitlines(), [*words, "--wait", "--new", "--", "runs/a"])

    def test_track_of_a_build_is_in_the_clone(self):
        words = ("track", self.folder, "--to", "wandb")
        said = run(BUILT, *words, TANDEM_PYTHON=sys.executable)
        self.assertEqual(said.returncode, 2)
        self.assertRegex(said.stderr, "install it: .* -m pip install wandb|no config.toml")
        said = run(BUILT, *words, "--uri", "http://here")
        self.assertEqual(said.returncode, 2)
        self.assertIn("--uri is for mlflow alone", said.stderr)
        said = run(BUILT, "track", self.folder, "--to", "trackio", "--offline")
        self.assertIn("--offline is for wandb alone", said.stderr)
        said = run(BUILT, *words, TANDEM_PYTHON="/no/python")
        self.assertIn("cannot start the Python /no/python", said.stderr)
        shutil.rmtree(self.package)  # a program alone has no Python beside it
        alone = shutil.copy(BUILT, self.folder / "alone")
        said = run(alone, *words, TANDEM_PYTHON=sys.executable)
        self.assertEqual(said.returncode, 2)
        self.assertIn("cannot find the folder tandem_track", said.stderr)

    def test_a_python_that_is_missing_is_named(self):
        said = run(self.program, "install", "atari", TANDEM_PYTHON="/no/python")
        self.assertEqual(said.returncode, 2)
        self.assertIn("cannot start the Python /no/python", said.stderr)

    def test_a_program_alone_installs_nothing(self):
        alone = shutil.copy(BUILT, self.folder / "alone")
        said = run(alone, "install", "atari")
        self.assertEqual(said.returncode, 2)
        self.assertIn("in the build folder of a clone", said.stderr)

    def test_a_clone_builds_the_plugin(self):
        for name in ("build", "tools"):
            (self.folder / name).mkdir()
        program = shutil.copy(BUILT, self.folder / "build/tandem")
        (self.folder / "tools/install_plugin.sh").write_text('echo "builds $*"\n')
        said = run(program, "install", "football", "--force")
        self.assertEqual(said.returncode, 0, said.stderr)
        folder = (self.folder / "build").resolve()
        self.assertEqual(said.stdout, f"builds football {folder} --force\n")

    def test_there_is_no_other_plugin(self):
        said = run(self.program, "install", "chess")
        self.assertEqual(said.returncode, 2)
        self.assertIn("chess", said.stderr)


if __name__ == "__main__":
    unittest.main()

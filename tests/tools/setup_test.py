"""Runs tools/setup.sh as a user does: nothing to do, its stages, and steps that fail.

All tests but the first run in a copy of tools/, with stand-ins for dpkg-query, sudo, CMake, Python
and the two scripts that build the plug-ins' libraries, so nothing is installed. Seen failing with a
cause removed from the list.
"""

import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]


def set_up(folder, path="", *stage, **variables):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(
        [folder / "tools" / "setup.sh", *stage],
        env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}", **variables},
        capture_output=True,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result.cpu_seconds = sum(after[:2]) - sum(before[:2])
    return result


class NothingToDo(unittest.TestCase):
    @unittest.skipUnless((ROOT / "build" / "tandem-stamp").exists(), "not set up by tools/setup.sh")
    def test_says_and_does_nothing(self):
        result = set_up(ROOT)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertLess(result.cpu_seconds, 2)


class Copy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.programs = self.root / "programs"
        self.programs.mkdir()
        shutil.copytree(ROOT / "tools", self.root / "tools")
        for plugin in ("atari", "football"):
            (self.root / f"plugins/{plugin}/patches").mkdir(parents=True)
            (self.root / f"plugins/{plugin}/patches/README.md").touch()
        (self.root / "plugins/doom/engine").mkdir(parents=True)
        (self.root / "plugins/doom/engine/supervisor.cc").touch()
        (self.root / "plugins/torcs/engine/without_screen/GL").mkdir(parents=True)
        (self.root / "plugins/torcs/engine/without_screen/GL/header.h").touch()
        (self.root / "plugins/torcs/engine/race.cc").touch()
        (self.root / "plugins/torcs/protocol.h").touch()
        for name in ("ale", "mujoco", "football", "doom", "torcs"):
            self.write(f"tools/build_{name}.sh", f"mkdir -p .deps/{name}")
        self.install("cmake", "mkdir -p build", "touch build/build.ninja")
        packages = (ROOT / "tools" / "packages.txt").read_text().split("\n")
        self.install(
            "dpkg-query", *(f"echo 'installed {p}'" for p in packages if p[:1] not in "#[")
        )
        # Stands for Python. As `python -m venv --clear .venv` it copies itself to be that of .venv.
        self.python = self.install(
            "python",
            'if [ "$*" = -V ]; then echo Python 3.11.2; fi',
            "torch=.venv/lib/python3.11/site-packages/torch-1.dist-info",
            'case "$*" in *pip*install*torch*) mkdir -p $torch; touch $torch/RECORD ;; esac',
            'case "$*" in *"-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;; esac',
        )

    def write(self, name, *lines):
        program = self.root / name
        program.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        program.chmod(0o755)
        return program

    def install(self, name, *lines):
        return self.write(f"programs/{name}", *lines)

    def set_up(self, *stage, **variables):
        variables = {"TANDEM_VENV_PYTHON": str(self.python), **variables}
        return set_up(self.root, self.programs, *stage, **variables)


class Stages(Copy):
    def done(self, *stage, **variables):
        """The steps that a set-up says it has done."""
        result = self.set_up(*stage, **variables)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        ends = [line for line in result.stdout.split("\n") if ": done in " in line]
        return {
            step
            for step, words in {
                "venv": "making .venv",
                "ale": "Arcade",
                "python": "Python packages",
                "mujoco": "MuJoCo",
                "football": "football",
                "doom": "doom",
                "torcs": "TORCS",
                "configure": "configuring",
            }.items()
            if any(words in line for line in ends)
        }

    # Seen failing when the build folder was not configured again after torch had come.
    def test_each_does_what_those_before_it_left(self):
        self.assertEqual(self.done("program"), {"venv", "ale", "configure"})
        self.assertEqual(self.done("program"), set())
        self.assertEqual(self.done(), {"python", "mujoco", "configure"})
        self.assertEqual(self.done("all"), set())
        self.assertEqual(self.done("torch"), {"python", "configure"})
        for stage in ("torch", "all", "program"):
            self.assertEqual(self.done(stage), set())

    def test_the_last_does_all(self):
        self.assertEqual(self.done("torch"), {"venv", "ale", "python", "mujoco", "configure"})
        self.assertEqual(self.done("program"), set())

    def test_football_comes_when_it_is_asked_for(self):
        self.assertEqual(self.done("football"), {"venv", "ale", "football", "configure"})
        self.assertEqual(self.done("football"), set())
        (self.root / "tools/football_scenarios.py").write_text("changed")
        self.assertEqual(self.done("program"), {"football", "configure"})

    def test_doom_comes_when_it_is_asked_for(self):
        self.assertEqual(self.done("doom"), {"venv", "ale", "doom", "configure"})
        (self.root / "plugins/doom/engine/supervisor.cc").write_text("changed")
        self.assertEqual(self.done("program"), {"doom", "configure"})

    def test_torcs_comes_when_it_is_asked_for(self):
        self.assertEqual(self.done("torcs"), {"venv", "ale", "torcs", "configure"})
        (self.root / "plugins/torcs/engine/without_screen/GL/header.h").write_text("changed")
        self.assertEqual(self.done("program"), {"torcs", "configure"})

    def test_that_of_the_tests_does_all(self):
        everything = {"venv", "ale", "python", "mujoco", "football", "doom", "torcs", "configure"}
        self.assertEqual(self.done("test"), everything)
        self.assertEqual(self.done("torch"), set())

    def test_a_torch_that_is_there_already_is_remembered(self):
        (self.root / "mine/lib").mkdir(parents=True)
        (self.root / "mine/lib/libtorch.so").touch()
        steps = self.done("torch", TANDEM_TORCH_DIR=str(self.root / "mine"))
        self.assertEqual(steps, {"venv", "ale", "python", "mujoco", "configure"})
        self.assertFalse((self.root / ".venv/tandem-torch").exists())
        self.assertEqual(self.done("torch"), set())
        self.assertEqual(self.done("torch", TANDEM_TORCH_DIR=""), {"python", "configure"})

    def test_the_python_of_the_first_time_is_remembered(self):
        self.done("program")
        result = set_up(self.root, self.programs, "program")
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    # Seen failing when it counted as a copy's.
    def test_another_name_of_the_folder_is_no_other_folder(self):
        self.done("program")
        link = self.root.with_name(self.root.name + "-link")
        link.symlink_to(self.root)
        self.addCleanup(link.unlink)
        result = set_up(link, self.programs, "program", TANDEM_VENV_PYTHON=str(self.python))
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    # Seen failing when the stamp had the word python3 alone.
    def test_another_python_that_comes_first_changes_nothing(self):
        lines = self.python.read_text().splitlines()[1:]
        told = 'case "$*" in *_base_executable*) echo "$0" ;; esac'
        self.install("python3", *lines, told)
        first = set_up(self.root, self.programs, "program")
        self.assertIn("making .venv", first.stdout)
        (self.root / "later").mkdir()
        self.write("later/python3", *(line.replace("3.11.2", "3.12.1") for line in lines), told)
        second = set_up(self.root, f"{self.root / 'later'}:{self.programs}", "program")
        self.assertEqual((second.returncode, second.stdout), (0, ""), second.stderr)

    # Seen failing when torch came in the stages torch and test alone.
    def test_torch_comes_again_with_a_new_venv(self):
        self.done("torch")
        shutil.rmtree(self.root / ".venv")
        self.done("all")
        self.assertTrue((self.root / ".venv/tandem-torch").exists())

    # Seen failing when a section of packages.txt was read on to the end of the file.
    def test_the_first_installs_no_packages_of_the_others(self):
        self.install("dpkg-query", "exit 0")
        self.install("sudo", 'exec "$@"')
        self.install("apt-get", f'echo "$*" >>{self.root}/installed')
        self.done("program")
        installed = (self.root / "installed").read_text().split()
        self.assertIn("cmake", installed)
        self.assertFalse({"ffmpeg", "doxygen"} & set(installed))
        self.done()
        installed = (self.root / "installed").read_text().split()
        self.assertLessEqual({"ffmpeg", "doxygen"}, set(installed))

    def test_there_is_no_other_stage(self):
        result = self.set_up("everything")
        self.assertEqual(result.returncode, 2)
        self.assertIn("usage", result.stderr)


class Failures(Copy):
    def assert_fails(self, *stage, says, **variables):
        result = self.set_up(*stage, **variables)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        for text in says:
            self.assertIn(text, result.stderr)

    # Seen failing when the environment to which the link leads was cleared.
    def test_a_linked_venv_of_another_folder_is_left_alone(self):
        self.set_up("program")
        (self.root / "other").mkdir()
        (self.root / ".venv").rename(self.root / "other/.venv")
        (self.root / ".venv").symlink_to(self.root / "other/.venv")
        before = (self.root / "other/.venv/tandem-stamp").read_text()
        self.assert_fails("program", says=[".venv is a link to"])
        self.assertEqual((self.root / "other/.venv/tandem-stamp").read_text(), before)

    def test_no_such_torch(self):
        self.assert_fails(TANDEM_TORCH_DIR=str(self.root), says=["lib/libtorch.so", "name the"])

    def test_no_such_python(self):
        self.assert_fails(
            TANDEM_VENV_PYTHON="python-of-nowhere",
            says=["set-up failed: making .venv", "no such Python", ".deps/log/venv.log"],
        )

    def test_pip_without_network_or_disk(self):
        for words, remedy in {
            "OSError: [Errno 28] No space left on device": "free about 4 GB",
            "Failed to establish a new connection": "check the connection and the proxy",
        }.items():
            self.install(
                "python",
                'case "$*" in *pip*install*) echo "' + words + '"; exit 1 ;; esac',
                'case "$*" in *venv*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;; esac',
            )
            shutil.rmtree(self.root / ".venv", ignore_errors=True)
            self.assert_fails(says=["set-up failed: installing Python packages", words, remedy])
            self.assertFalse((self.root / ".venv/tandem-packages").exists())

    # Seen failing when the exit status of a step in the background was not checked.
    def test_a_step_in_the_background_that_fails(self):
        self.write("tools/build_ale.sh", "echo 'Could not resolve host'", "exit 1")
        self.assert_fails("program", says=["Arcade Learning Environment", "check the connection"])
        self.assertFalse((self.root / "build").exists())

    # Seen failing when steps went on after the set-up had been interrupted, and when the interrupt
    # came between the start of a step and a note of it.
    def test_interrupted_it_leaves_nothing_at_work(self):
        self.write(
            "tools/build_ale.sh",
            "touch began",
            "until [ -e go_on ]; do sleep 0.02; done",
            "touch ended",
            "mkdir -p .deps/ale",
        )
        process = subprocess.Popen(
            [self.root / "tools/setup.sh", "program"],
            env={
                **os.environ,
                "PATH": f"{self.programs}:{os.environ['PATH']}",
                "TANDEM_VENV_PYTHON": str(self.python),
            },
            stdout=subprocess.DEVNULL,
            # A shell in the background starts its programs deaf to this signal.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.addCleanup((self.root / "go_on").touch)
        while not (self.root / "began").exists():
            self.assertIsNone(process.poll(), "the set-up ended before it began to build")
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        (self.root / "go_on").touch()
        time.sleep(1)
        self.assertFalse((self.root / "ended").exists())
        self.write("tools/build_ale.sh", "mkdir -p .deps/ale")
        self.assertEqual(self.set_up("program").returncode, 0)

    def test_packages_without_root(self):
        self.install("dpkg-query", "exit 0")
        self.install("sudo", "echo 'sudo: a password is required' >&2", "exit 1")
        self.install("apt-get", "echo 'E: Unable to locate package tandem-dreams'", "exit 100")
        remedy = "let an administrator" if os.geteuid() else "made for Debian 12"
        self.assert_fails(says=["set-up failed: installing Debian packages", remedy])


if __name__ == "__main__":
    unittest.main()

"""Runs tools/setup.sh as a user does: nothing to do, and steps that fail.

The failing steps run in a copy of the tools, with programs of the test's own in place of
dpkg-query, sudo and Python, so nothing is installed. Seen failing with a cause cut out of the list.
"""

import os
import resource
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]


def set_up(folder, path="", **variables):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(
        [folder / "tools" / "setup.sh"],
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


class Failures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.programs = self.root / "programs"
        self.programs.mkdir()
        shutil.copytree(ROOT / "tools", self.root / "tools")
        packages = (ROOT / "tools" / "packages.txt").read_text().split("\n")
        self.install("dpkg-query", *(f"echo 'installed {p}'" for p in packages if p[:1] != "#"))

    def install(self, name, *lines):
        program = self.programs / name
        program.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        program.chmod(0o755)
        return program

    def assert_fails(self, *, says, **variables):
        result = set_up(self.root, self.programs, **variables)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        for text in says:
            self.assertIn(text, result.stderr)

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
            # Stands for Python and, as `python -m venv --clear .venv` makes it, for that of .venv.
            python = self.install(
                "python",
                'case "$*" in *pip*install*) echo "' + words + '"; exit 1 ;; esac',
                'case "$*" in *venv*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;; esac',
            )
            shutil.rmtree(self.root / ".venv", ignore_errors=True)
            self.assert_fails(
                TANDEM_VENV_PYTHON=str(python), says=["set-up failed: making .venv", words, remedy]
            )

    def test_packages_without_root(self):
        self.install("dpkg-query", "exit 0")
        self.install("sudo", "echo 'sudo: a password is required' >&2", "exit 1")
        self.install("apt-get", "echo 'E: Unable to locate package tandem-dreams'", "exit 100")
        remedy = "let an administrator" if os.geteuid() else "made for Debian 12"
        self.assert_fails(says=["set-up failed: installing Debian packages", remedy])


if __name__ == "__main__":
    unittest.main()

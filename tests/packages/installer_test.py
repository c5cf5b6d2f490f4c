"""Runs the installer of plug-ins as `tandem install` does, with stand-ins for the program, the
compiler, CMake and the plug-in's source.

Seen failing with a check of installed plug-ins that ignores their version, and with a child that is
not ended by an interrupt, or that is not when the interrupt comes while it starts.
"""

import io
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

INSTALLER = Path(__file__).parents[2] / "python/tandem_program"
sys.path.insert(0, str(INSTALLER.parent))

from tandem_program import place  # noqa: E402
from tandem_program.steps import InstallError  # noqa: E402

# Stands for CMake: its call with --build makes the plug-in in the folder that follows.
CMAKE = """case "$1" in
  --version) echo cmake version 3.25.1 ;;
  --build) echo built >>"$2/tandem_atari.so"; echo compile >>"$TRACE" ;;
  -S) mkdir -p "$4" ;;
esac"""


class Installer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.trace = self.root / "trace"
        self.package = self.root / "tandem"
        for name in ("bin", "tandem", "dist"):
            (self.root / name).mkdir()
        self.write("tandem/tandem", "exit 0")
        self.write("bin/cmake", CMAKE)
        for name in ("ninja", "c++"):
            self.write(f"bin/{name}", "exit 0")
        self.pack("mkdir -p $1", "echo library >>$TRACE")

    def write(self, name, *lines):
        (self.root / name).write_text("\n".join(["#!/bin/sh", *lines, ""]))
        (self.root / name).chmod(0o755)

    def pack(self, *script, version="1.2.3"):
        """Makes the source distribution, with this script that brings the library."""
        data = "\n".join(script).encode()
        with tarfile.open(self.root / f"dist/tandem_rl_atari-{version}.tar.gz", "w:gz") as files:
            entry = tarfile.TarInfo(f"tandem_rl_atari-{version}/tools/build_ale.sh")
            entry.size = len(data)
            files.addfile(entry, io.BytesIO(data))

    def words(self, *more, version="1.2.3", folders=None):
        folders = folders or [self.package / "plugins", self.root / "home/plugins"]
        return [
            sys.executable, INSTALLER, "atari", "--version", version, "--package", self.package,
            "--folders", ":".join(map(str, folders)), "--find-links", self.root / "dist", *more,
        ]  # fmt: skip

    def environment(self, path=None):
        path = path or f"{self.root / 'bin'}:{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "TRACE": str(self.trace), "PIP_NO_INDEX": "1"}

    def install(self, *more, path=None, variables=None, **options):
        self.trace.write_text("")
        result = subprocess.run(
            self.words(*more, **options),
            env=self.environment(path) | (variables or {}),
            capture_output=True,
            text=True,
        )
        return result, self.trace.read_text().split()

    def assert_fails(self, *says, **options):
        result, _ = self.install(**options)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertIn("tandem: error: cannot install atari", result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        for text in says:
            self.assertIn(text, result.stderr)

    def test_builds_once(self):
        result, done = self.install()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(done, ["library", "compile"])
        for text in ("Arcade Learning Environment: done in", "compiling", "all done in"):
            self.assertIn(text.partition(":")[0], result.stdout)
        self.assertTrue((self.package / "plugins/tandem_atari.so").exists())
        result, done = self.install()
        self.assertEqual((result.returncode, done), (0, []))
        self.assertIn("1.2.3 is already installed", result.stdout)

    def test_builds_anew_if_told_for_another_version_and_if_it_does_not_work(self):
        self.install()
        self.assertEqual(self.install("--force")[1], ["library", "compile"])
        self.pack("mkdir -p $1", version="1.3.0")
        result, done = self.install(version="1.3.0")
        self.assertEqual(done, ["compile"])
        self.assertIn("is of version 1.2.3", result.stdout)
        # The program works again as soon as the plug-in has been compiled.
        self.write("tandem/tandem", "grep -q compile $TRACE || { echo old interface >&2; exit 2; }")
        result, done = self.install(version="1.3.0")
        self.assertEqual((result.returncode, done), (0, ["compile"]))
        self.assertIn("old interface", result.stdout)

    def test_goes_to_the_users_folder_if_the_package_is_not_writable(self):
        (self.package / "plugins").write_text("a file, in which root cannot write either")
        result, _ = self.install()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.root / "home/plugins/tandem_atari.so").exists())

    def test_a_file_that_comes_first_and_cannot_be_replaced_is_told(self):
        folders = ["/first", "/second/", "/third"]
        place.require_first(None, Path("/second"), folders)
        place.require_first(Path("/third/a.so"), Path("/second"), folders)
        place.require_first(Path("/second/a.so"), Path("/second"), folders)
        with self.assertRaisesRegex(InstallError, "takes /first/a.so first"):
            place.require_first(Path("/first/a.so"), Path("/second"), folders)

    # Seen failing when the library's stamp stayed, so that its script did nothing.
    def test_force_builds_the_library_anew(self):
        self.pack("mkdir -p $1; [ -e $1/stamp ] || echo library >>$TRACE; touch $1/stamp")
        self.assertEqual(self.install()[1], ["library", "compile"])
        self.assertEqual(self.install("--force")[1], ["library", "compile"])

    def test_no_folder_is_writable(self):
        (self.root / "file").touch()
        self.assert_fails("no folder", "TANDEM_PLUGIN_PATH", folders=[self.root / "file/plugins"])

    def test_no_compiler(self):
        for name in ("bash", "tar", "patch", "gzip"):
            (self.root / "bin" / name).symlink_to(f"/bin/{name}")
        (self.root / "bin/c++").unlink()
        self.assert_fails("c++ not found", "apt-get install g++", path=str(self.root / "bin"))

    def test_no_source(self):
        self.assert_fails(
            "there is no tandem-rl-atari 9.9.9", "tandem_rl_atari-9.9.9.tar.gz", "--find-links",
            version="9.9.9",
        )  # fmt: skip

    def test_no_network(self):
        nowhere = {"PIP_NO_INDEX": "0", "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "1"}
        nowhere |= {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_FIND_LINKS": ""}
        self.assert_fails("no network", version="9.9.9", variables=nowhere)

    def test_a_source_that_is_cut_short(self):
        archive = self.root / "dist/tandem_rl_atari-1.2.3.tar.gz"
        archive.write_bytes(archive.read_bytes()[:40])
        self.assert_fails("cannot be unpacked")

    def test_a_step_that_fails_shows_its_end_and_the_cause(self):
        self.pack("echo 'Could NOT find ZLIB'", "exit 1")
        self.assert_fails("Could NOT find ZLIB", "apt-get install zlib1g-dev")
        self.assertFalse((self.package / "plugins/tandem_atari.so").exists())
        self.pack("echo 'Failed to establish a new connection'", "exit 1")
        self.assert_fails("no network")

    def test_a_plugin_that_does_not_work_is_told(self):
        self.write("tandem/tandem", "echo it lacks a ROM >&2; exit 2")
        self.assert_fails("was built, but does not work: it lacks a ROM")

    # Seen failing when the end of a terminal, SIGHUP, left the script at work.
    def test_interrupted_it_leaves_nothing_at_work(self):
        go = self.trace.with_name("go")
        late = f"until [ -e {go} ]; do sleep 0.05; done; echo ended >>$TRACE"
        self.pack(f"({late}) &", "echo began >>$TRACE", "wait")
        for number in (signal.SIGINT, signal.SIGHUP):
            self.trace.write_text("")
            process = subprocess.Popen(
                self.words(),
                env=self.environment(),
                stdout=subprocess.DEVNULL,
                # The test itself may run under nohup or in the background.
                preexec_fn=lambda number=number: signal.signal(number, signal.SIG_DFL),
            )
            deadline = time.monotonic() + 60
            while "began" not in self.trace.read_text() and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=60), 128 + number)
            go.touch()
            time.sleep(0.5)
            self.assertEqual(self.trace.read_text().split(), ["began"])
            go.unlink()


if __name__ == "__main__":
    unittest.main()

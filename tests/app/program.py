"""The built program, run as a user does, for the tests of this folder.

Needs $TANDEM, the path of the program.
"""

import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TANDEM"]
PLUGINS = Path(PROGRAM).parent / "plugins"
HAS_ATARI = (PLUGINS / "tandem_atari.so").exists()
HAS_FOOTBALL = (PLUGINS / "tandem_football.so").exists()


def tandem(*words, **environment):
    return subprocess.run(
        [PROGRAM, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=600,  # a sanitizer makes the program slow
        check=False,
        env={**os.environ, **environment},
    )


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def begin(self, *words, **environment):
        """Starts the program, which the end of the test kills if it still runs."""
        process = subprocess.Popen(
            [PROGRAM, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # `nohup make test`
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def assert_refused(self, *words, says, **environment):
        """Checks for exit code 2, one line on stderr with these words, and nothing on stdout."""
        result = tandem(*words, **environment)
        self.assertEqual(result.returncode, 2, result.stderr)
        lines = [each for each in result.stderr.splitlines() if ": info: preset" not in each]
        self.assertTrue(lines[0].startswith("tandem: error: "), result.stderr)
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertEqual(result.stdout, "")
        for words_said in [says] if isinstance(says, str) else says:
            self.assertIn(words_said, result.stderr)

"""Runs tandem's own commands, one at a time."""

import ctypes
import json
import os
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from tandem_reproduce.errors import ReproduceError, say

PR_SET_PDEATHSIG = 1
REFUSED = 2  # the exit code of a command that has told the user its error


class Stopped(Exception):
    """The user asked for the end, and the command has ended with its checkpoints."""


class Tandem:
    """The program. It passes signals on to the command that runs, which then ends in order. If this
    process is killed, the system tells the command to end."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._libc = ctypes.CDLL(None)
        self._stop = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)
        self._child: subprocess.Popen[str] | None = None

    def run(self, words: list[str], output: Path | None = None) -> None:
        """Runs a command to its end; `output` receives its standard output. Raises Stopped, and
        ReproduceError if the command failed, which has told why."""
        text = self._wait(words, captured=output is not None)
        if output is not None:
            replace(output, text)

    def build(self) -> str:
        """The program's version, and when it was built."""
        version = self.tell(["--version"]).partition("\n")[0]
        return f"{version} of {datetime.fromtimestamp(self._program.stat().st_mtime)}"

    def tell(self, words: list[str]) -> str:
        """The text that a command prints."""
        return self._wait(words, captured=True)

    def ask(self, words: list[str]) -> Any:
        """The JSON that a command prints."""
        text = self.tell(words)
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise ReproduceError(f"tandem {' '.join(words)} printed no JSON: {error}") from error

    def _wait(self, words: list[str], captured: bool) -> str:
        if self._stop:
            raise Stopped
        parent = os.getpid()

        def end_with_parent() -> None:
            self._libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:  # it died before
                os._exit(1)

        self._child = subprocess.Popen(
            [str(self._program), *words],
            stdout=subprocess.PIPE if captured else sys.stderr,
            text=True,
            preexec_fn=end_with_parent,
            start_new_session=True,  # the signals of a terminal come by _note()
        )
        if self._stop:  # the signal came while the command started
            self._child.send_signal(signal.SIGTERM)
        text, _ = self._child.communicate()
        code = self._child.returncode
        self._child = None
        if self._stop:
            raise Stopped
        if code == REFUSED:
            raise ReproduceError("")
        if code != 0:
            raise ReproduceError(f"this command ended with {code}: tandem {' '.join(words)}")
        return text or ""

    def _note(self, _number: int, _frame: object) -> None:
        """Passes the signal on. The command itself knows what a second one means."""
        if not self._stop:
            say("stopping: the run writes its checkpoint first")
        self._stop = True
        if self._child is not None:
            self._child.send_signal(signal.SIGTERM)


def replace(file: Path, text: str) -> None:
    """Writes a file that is whole at any moment. Its text reaches the disk before its name does, so
    that a loss of power leaves no empty file."""
    new = file.with_name(f"{file.name}.{os.getpid()}.new")
    with new.open("w") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    new.replace(file)

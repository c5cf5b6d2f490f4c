"""The peers' virtual environments, each made the first time that a benchmark needs it, and their
processes, which work by turns."""

import contextlib
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "benchmarks/peers"


class Missing(Exception):
    """A peer that cannot take part, and why."""


def python_with(venv, requirements):
    """The Python of a virtual environment of this clone, in which pip has installed
    `requirements`; other ones than last time are installed again. Raises Missing."""
    python, stamp = ROOT / venv / "bin/python", ROOT / venv / "requirements.txt"
    wanted = "".join(f"{requirement}\n" for requirement in requirements)
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print(f"installing peers into {venv} (a few minutes)", file=sys.stderr)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "venv", ROOT / venv], [*pip, *requirements]):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            last = (result.stderr or result.stdout).strip().splitlines()[-1:]
            raise Missing(f"{venv} could not be made: {' '.join(last)}")
    stamp.write_text(wanted)
    return python


def python_for(requirements="requirements.txt", venv=".venv-peers"):
    """The Python with the peers that a file of benchmarks/peers names. Raises Missing."""
    return python_with(venv, (PEERS / requirements).read_text().splitlines())


def peers_python(given):
    """`given`, or a Python with the peers; without them the benchmark ends, and says why."""
    try:
        return given or python_for()
    except Missing as reason:
        sys.exit(str(reason))


class Turns:
    """A process that works when it is its turn: it answers a line of words with numbers. Raises
    Missing where it cannot start, or ends by itself."""

    def __init__(self, words, environment=None):
        self._words = [str(word) for word in words]
        self._errors = tempfile.TemporaryFile("w+")
        try:
            self._process = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                env=environment,
            )
        except OSError as error:
            raise Missing(f"{self._words[0]} cannot be started: {error}") from error
        self.first_answer = self._answer()

    def _answer(self):
        for line in self._process.stdout:
            words = line.split()
            if words[:1] == ["@@"]:
                return [float(word) for word in words[1:]]
        self._errors.seek(0)
        tail = "\n".join(self._errors.read().splitlines()[-15:])
        raise Missing(f"{shlex.join(self._words)} ended by itself:\n{tail}")

    def turn(self, *words):
        with contextlib.suppress(BrokenPipeError):
            print(*words, file=self._process.stdin, flush=True)
        return self._answer()

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._errors.close()

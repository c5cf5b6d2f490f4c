"""Scripts in processes of their own."""

import os
import signal
import subprocess
import sys
import textwrap


def start_python(script, *words, **options):
    """Starts a script, in a group of its own; its output can be read."""
    return subprocess.Popen(
        [sys.executable, "-u", "-c", textwrap.dedent(script), *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def finish(process, timeout=120):
    """The output of a process that was started, whose exit status must be 0."""
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its children as well
        process.communicate()
        raise
    assert process.returncode == 0, f"exit status {process.returncode}\n{output}{errors}"
    return output


def run_python(script, *words, timeout=120):
    """The output of a script, whose exit status must be 0."""
    return finish(start_python(script, *words), timeout)

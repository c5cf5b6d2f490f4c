"""Steps of an installation: each is announced, timed, and fails with a cause and a remedy."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # ask an installation to end
LINES_SHOWN = 20  # of a failed step's output

# The output of a failed step, by patterns, and its likeliest cause.
CAUSES = (
    (r"No space left on device", "the disk is full; the build needs 1 GB"),
    (r"Permission denied|Read-only file system", "a folder is not writable; see the lines above"),
    (
        r"Temporary failure in name resolution|NameResolutionError|Name or service not known"
        r"|Failed to establish a new connection|Network is unreachable|Could not resolve"
        r"|ProxyError|Connection refused|ConnectTimeout|ReadTimeout|SSLError",
        "no network; check the connection and the proxy settings (http_proxy, https_proxy)",
    ),
    (r"No module named pip", "this Python has no pip; get it by: python -m ensurepip"),
    (r"[Zz]lib(1g-dev|\.h)|Could NOT find ZLIB", "zlib is missing: apt-get install zlib1g-dev"),
    (
        r"CMAKE_CXX_COMPILER|unrecognized command.line option|requires? C\+\+20",
        "there is no C++20 compiler; install GCC 12 or newer: apt-get install g++",
    ),
    (r"Killed signal|out of memory|cc1plus.*[Kk]illed", "there is too little memory"),
)
UNKNOWN_CAUSE = "see the lines above"


class InstallError(Exception):
    """The installation cannot go on; the message says what to do."""


def say(text: str) -> None:
    print(f"tandem install: {text}", flush=True)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Announces a step and says how long it took."""
    say(f"{what} ...")
    begin = time.monotonic()
    yield
    say(f"{what.partition(' (')[0]}: done in {time.monotonic() - begin:.0f} s")


def cause(output: str) -> str:
    """The likeliest cause of a failure, by the output of the program that failed."""
    for pattern, text in CAUSES:
        if re.search(pattern, output):
            return text
    return UNKNOWN_CAUSE


def run(words: Sequence[str | Path], log: Path, environment: Mapping[str, str]) -> None:
    """Runs a program, its output in a log. Throws InstallError with the end of the log.

    The program and its children are ended when this one is interrupted.
    """
    with log.open("w") as output:
        # A signal that came before the child is known would leave it at work.
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
        process = None
        try:
            try:
                # Shells ignore Ctrl-C in their children, so a group of its own is ended as a whole.
                process = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=dict(environment),
                    start_new_session=True,
                    preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS),
                )
            finally:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
            status = process.wait()
        except BaseException:
            if process is not None:
                with suppress(ProcessLookupError):  # it has just ended
                    os.killpg(process.pid, signal.SIGTERM)
                process.wait()
            raise
    if status == 0:
        return
    text = log.read_text(errors="replace")
    lines = "\n".join(text.splitlines()[-LINES_SHOWN:])
    raise InstallError(f"{lines}\n{Path(words[0]).name} failed. Likely cause: {cause(text)}")

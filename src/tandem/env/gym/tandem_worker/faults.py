"""Errors of environments in words."""

import sys
import traceback

from gymnasium.error import DependencyNotInstalled

MOST_BYTES = 16_000  # of a text; the trainer's memory has a little more for each environment


class Lie(Exception):
    """An environment does not do as its spaces, or Gymnasium's interface, say."""


def describe(error: BaseException) -> str:
    """The error with its traceback, without the worker's own part of it."""
    if isinstance(error, Lie | DependencyNotInstalled):
        return str(error)
    rest = error.__traceback__
    while rest is not None and _is_ours(rest.tb_frame.f_code.co_filename):
        rest = rest.tb_next
    if rest is None:  # no line of the environment took part
        rest = error.__traceback__
    lines = traceback.format_exception(type(error), error, rest)
    return "".join(lines).rstrip()


def cut(text: str) -> bytes:
    """At most MOST_BYTES; a long text loses its middle, since an error's last lines say most."""
    data = text.encode(errors="replace").replace(b"\0", b" ")
    if len(data) <= MOST_BYTES:
        return data
    head, tail = data[: MOST_BYTES // 4], data[-(MOST_BYTES // 2) :]
    left_out = b"\n[... the middle is left out ...]\n"
    return (head + left_out + tail).decode(errors="ignore").encode()


def _is_ours(file: str) -> bool:
    return file.startswith(("<tandem_worker.", "<string>"))


def say(text: str) -> None:
    """To the user, past the trainer."""
    print(f"tandem: {text}", file=sys.stderr, flush=True)

"""Closes environments that are still open when the interpreter ends."""

import atexit
import weakref
from typing import Protocol


class _Closable(Protocol):
    def close(self) -> None: ...


_open: "weakref.WeakSet[_Closable]" = weakref.WeakSet()


def close_at_exit(environment: _Closable) -> None:
    """Ends the threads and processes of an environment with the interpreter, unless it is gone."""
    _open.add(environment)


@atexit.register
def _close_all() -> None:
    for environment in list(_open):
        try:
            environment.close()
        except (Exception, KeyboardInterrupt):
            continue  # as when another thread is stepping it, which ends with the process

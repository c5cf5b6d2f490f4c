"""Closes environments that are still open when the interpreter ends."""

import atexit
import time
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from tandem.errors import Error

_ATTEMPTS = 1000


class _Closable(Protocol):
    _native: Any

    def close(self) -> None: ...


_open: "weakref.WeakSet[_Closable]" = weakref.WeakSet()


def close_at_exit(environment: _Closable) -> None:
    """Ends the threads and processes of an environment with the interpreter, unless it is gone."""
    _open.add(environment)


def wait_while(busy: Callable[[], object]) -> None:
    """Waits until no call is within an object any more, for a second at most."""
    for _ in range(_ATTEMPTS):
        if not busy():
            return
        time.sleep(0.001)


@atexit.register
def _close_all() -> None:
    # Threads that step environments must not come back from there while the interpreter ends.
    for environment in list(_open):
        if hasattr(environment, "_native"):
            environment._native.refuse()
    for environment in list(_open):
        for _ in range(_ATTEMPTS):
            try:
                environment.close()
            except Error:  # another thread still steps it
                time.sleep(0.001)
            except (Exception, KeyboardInterrupt):
                break
            else:
                break

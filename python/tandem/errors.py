"""The exceptions of tandem."""

import gymnasium.error

from tandem._core import Diverged, Error, ReplayClosedError

__all__ = [
    "ClosedEnvironmentError",
    "Diverged",
    "Error",
    "ReplayClosedError",
    "ReplayTimeoutError",
]


class ClosedEnvironmentError(Error, gymnasium.error.ClosedEnvironmentError):
    """A call of environments that have been closed."""


class ReplayTimeoutError(Error, TimeoutError):
    """A call that waited for a replay as long as it should; it has changed nothing."""

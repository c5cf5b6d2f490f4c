"""The exceptions of tandem."""

import gymnasium.error

from tandem._core import Diverged, Error

__all__ = ["ClosedEnvironmentError", "Diverged", "Error"]


class ClosedEnvironmentError(Error, gymnasium.error.ClosedEnvironmentError):
    """A call of environments that have been closed."""

"""Numbers of things, as callers give them."""

import operator
from typing import Any

from tandem.errors import Error


def as_count(name: str, given: Any, least: int = 1, most: int | None = None) -> int:
    """The number. Raises Error unless it is an integer within these bounds; `name` is its own."""
    try:
        count = operator.index(given)
    except TypeError:
        raise Error(f"{name} is {given!r}; it must be an integer") from None
    if count < least or (most is not None and count > most):
        limit = f"at least {least}" if most is None else f"from {least} to {most}"
        raise Error(f"{name} is {count}; it must be {limit}")
    return count

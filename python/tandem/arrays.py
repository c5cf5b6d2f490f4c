"""Arrays of whatever users give."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tandem.errors import Error


def as_array(name: str, given: Any) -> npt.NDArray[Any]:
    """The same numbers as an array. Raises `Error`, which names them, where there is none."""
    try:
        return np.asarray(given)
    except (RuntimeError, TypeError, ValueError) as error:  # the first is that of torch
        raise Error(f"{name} cannot be made an array: {error}") from None

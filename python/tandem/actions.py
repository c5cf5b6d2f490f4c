"""Actions as the native environments take them."""

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tandem._core import Environments
from tandem.arrays import as_array
from tandem.errors import Error


def as_integers(actions: Any) -> npt.NDArray[np.int64]:
    """Discrete actions, [k]. Raises `Error` for other shapes and types."""
    array = as_array("the actions", actions)
    if array.dtype.kind not in "iu":
        raise Error(f"the actions are of type {array.dtype}; these environments take integers")
    if array.ndim != 1:
        raise Error(f"the actions have the shape {list(array.shape)}, not [number of environments]")
    return np.ascontiguousarray(array, np.int64)


def as_floats(actions: Any) -> npt.NDArray[np.float32]:
    """Continuous actions, [k, numbers]. Raises `Error` for other shapes and types."""
    array = as_array("the actions", actions)
    if array.dtype.kind not in "fiu":
        raise Error(f"the actions are of type {array.dtype}; these environments take floats")
    if array.ndim != 2:
        raise Error(
            f"the actions have the shape {list(array.shape)}, not [number of environments, numbers "
            "of an action]"
        )
    return np.ascontiguousarray(array, np.float32)


def of_players(
    actions: Any, players: Sequence[str], discrete: bool, shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    """The rows of a dict with an action of this shape for each player, in the players' order.

    Raises `Error` unless it has an action for each of them, and none for anybody else.
    """
    if not isinstance(actions, Mapping):
        raise Error(f"the actions are {actions!r}; they must be a dict with one of each agent")
    unknown = [name for name in actions if name not in players]
    if unknown:
        raise Error(f"there is no agent {unknown[0]!r}; the agents are {', '.join(players)}")
    missing = [name for name in players if name not in actions]
    if missing:
        raise Error(
            f"there is no action of {', '.join(missing)}; each step takes one of each agent"
        )
    wanted = "an integer" if discrete else f"an array {list(shape)} of floats"
    rows = []
    for name in players:
        row = as_array(f"the action of {name}", actions[name])
        if row.shape != shape or row.dtype.kind not in ("iu" if discrete else "fiu"):
            raise Error(f"the action of {name} is {actions[name]!r}; it must be {wanted}")
        rows.append(row)
    return np.stack(rows)


def as_ids(ids: Any, count: int) -> list[int]:
    """Ids of environments. Raises `Error` unless they are integers from 0 to count - 1."""
    try:
        numbers = [operator.index(one) for one in ids]
    except TypeError:
        raise Error(f"env_ids is {ids!r}; it must be a list of integers") from None
    for one in numbers:
        if not 0 <= one < count:
            raise Error(f"there is no environment {one}: ids are 0 to {count - 1}")
    return numbers


def send(environments: Environments, discrete: bool, actions: Any, ids: Sequence[int]) -> None:
    """Starts a step of environments ids[k] with action k."""
    if discrete:
        environments.send_discrete(as_integers(actions), ids)
    else:
        environments.send_continuous(as_floats(actions), ids)

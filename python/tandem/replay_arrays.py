"""Observations, actions and numbers as the native replay takes and gives them."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from tandem._core import ReplayShape
from tandem.arrays import as_array
from tandem.errors import Error

Array: TypeAlias = npt.NDArray[Any]
Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float32]


def _require_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise Error(f"{name} has the shape {list(array.shape)}; it must be {list(shape)}")


class Observations:
    """Observations of one shape and type, as rows of bytes and back."""

    def __init__(self, space: gymnasium.Space[Any], stack: int) -> None:
        shape, dtype = space.shape, space.dtype
        if shape is None or dtype is None or dtype.hasobject:
            raise Error(
                f"observations of {space} are no arrays of one shape; flatten them, for instance "
                "by gymnasium.wrappers.vector.FlattenObservation"
            )
        if 0 in shape:
            raise Error(f"observations of the shape {list(shape)} are empty")
        if stack < 1 or (stack > 1 and (not shape or shape[0] % stack)):
            raise Error(
                f"stack is {stack}; it must be at least 1 and divide the first number of the "
                f"observations' shape, {list(shape)}"
            )
        self.shape, self.dtype, self.stack = tuple(shape), np.dtype(dtype), stack

    def rows(self, name: str, given: Any, count: int) -> npt.NDArray[np.uint8]:
        """The bytes [count, bytes of an observation] of an array [count, *shape]."""
        array = as_array(name, given)
        if array.dtype != self.dtype:
            raise Error(
                f"{name} is of type {array.dtype}; these observations are {self.dtype}: convert it"
            )
        _require_shape(name, array, (count, *self.shape))
        return np.ascontiguousarray(array).reshape(count, -1).view(np.uint8)

    def arrays(self, rows: npt.NDArray[np.uint8]) -> Array:
        """The observations [count, *shape] that these bytes are."""
        return rows.view(self.dtype).reshape(len(rows), *self.shape)


def _holds_floats(space: gymnasium.Space[Any]) -> bool:
    """Whether the space has arrays of floats, of one number at least."""
    if not space.shape or space.dtype is None:
        return False
    return 0 not in space.shape and space.dtype.kind == "f"


def _way_out(space: gymnasium.Space[Any]) -> str:
    """How a replay can take actions of several integers, as the end of a refusal."""
    if not isinstance(space, gymnasium.spaces.MultiDiscrete):
        return ""
    alike = len(set(space.nvec.ravel().tolist())) == 1
    if space.nvec.ndim == 1 and alike:  # as that of a vector of environments with a Discrete
        one = "give the space of one environment (single_action_space), or, if each takes several"
        return f": {one} integers, number them (np.ravel_multi_index) as a Discrete"
    return ": number them (np.ravel_multi_index) as a Discrete"


class Actions:
    """Actions of one space: integers, or arrays of floats."""

    def __init__(self, space: gymnasium.Space[Any]) -> None:
        self.first, self.last, self.dims = 0, 0, 0
        if isinstance(space, gymnasium.spaces.Discrete):
            self.first, self.last = int(space.start), int(space.start + space.n) - 1
            if not (-(2**31) <= self.first and self.last < 2**31):
                raise Error(f"the actions of {space} do not fit into 32 bits")
        elif isinstance(space, gymnasium.spaces.Box) and _holds_floats(space):
            self.shape = tuple(space.shape)
            self.dims = int(np.prod(self.shape))
        else:
            raise Error(
                f"actions of {space} are neither integers nor arrays of floats; a replay takes the "
                f"spaces Discrete and Box{_way_out(space)}"
            )

    @property
    def discrete(self) -> bool:
        return self.dims == 0

    def __str__(self) -> str:
        if self.discrete:
            return f"actions from {self.first} to {self.last}"
        return f"actions {list(self.shape)}"

    def integers(self, given: Any, count: int) -> npt.NDArray[np.int32]:
        """Discrete actions [count]. Raises `Error` for other shapes and types, and out of range."""
        array = as_array("actions", given)
        if array.dtype.kind not in "iu":
            raise Error(f"actions is of type {array.dtype}; these actions are integers")
        _require_shape("actions", array, (count,))
        bad = (array < self.first) | (array > self.last)
        if bad.any():
            row = int(bad.argmax())
            raise Error(
                f"action {array[row]} of environment {row} is out of range: actions are "
                f"{self.first} to {self.last}"
            )
        return np.ascontiguousarray(array, np.int32)

    def floats(self, given: Any, count: int) -> Floats:
        """Continuous actions [count, numbers]. Raises `Error` for other shapes and types."""
        array = as_array("actions", given)
        if array.dtype.kind not in "fiu":
            raise Error(f"actions is of type {array.dtype}; these actions are floats")
        _require_shape("actions", array, (count, *self.shape))
        return np.ascontiguousarray(array, np.float32).reshape(count, -1)

    def given(self, integers: npt.NDArray[np.int32], controls: Floats | None) -> Array:
        """The actions of a batch: int64 [size], as torch's indices are, or float32."""
        if controls is None:
            return integers.astype(np.int64)
        return controls.reshape(len(controls), *self.shape)


def numbers(name: str, given: Any, count: int) -> npt.NDArray[np.float64]:
    """An array [count] of float64."""
    array = as_array(name, given)
    if array.dtype.kind not in "fiub":
        raise Error(f"{name} is of type {array.dtype}; it must be numbers")
    _require_shape(name, array, (count,))
    return np.ascontiguousarray(array, np.float64)


def values(name: str, given: Any, count: int) -> Floats | None:
    """An array [count] of float32, or None."""
    return None if given is None else numbers(name, given, count).astype(np.float32)


def flags(name: str, given: Any, count: int) -> Bools:
    """An array [count] of bools."""
    array = as_array(name, given)
    if array.dtype != np.bool_:
        raise Error(f"{name} is of type {array.dtype}; it must be bools")
    _require_shape(name, array, (count,))
    return np.ascontiguousarray(array)


def refuse_final_observations(mode: AutoresetMode, infos: object) -> None:
    """Raises `Error` where infos tell that the environments reset in the step that ends an episode,
    and the mode is another."""
    if mode is AutoresetMode.SAME_STEP or not isinstance(infos, Mapping):
        return
    if "final_obs" in infos:
        raise Error(
            "infos has 'final_obs', so the environments' autoreset mode is SAME_STEP, and the "
            f"replay's is {mode.name}: give both one mode"
        )


def with_final_observations(next_observations: Any, ended: Bools, infos: object) -> Array:
    """The next observations, with those that ended episodes from infos["final_obs"]."""
    final = infos.get("final_obs") if isinstance(infos, Mapping) else None
    array: Array = np.array(as_array("next_observations", next_observations))
    _require_shape("next_observations", array, (len(ended), *array.shape[1:]))
    for row in np.flatnonzero(ended):
        last = None if final is None or len(final) != len(ended) else final[row]
        if last is None or np.shape(last) != array.shape[1:]:
            raise Error(
                f"environment {row} was truncated and reset in the same step, so infos must have "
                'its last observation in "final_obs"'
            )
        array[row] = last
    return array


def shape_of(observations: Observations, actions: Actions, n: int, gamma: float) -> ReplayShape:
    """The native description of a replay of these observations and actions."""
    kind = f"{observations.dtype.str} {list(observations.shape)}, {actions}"
    return ReplayShape(
        kind=kind if observations.stack == 1 else f"{kind}, stack={observations.stack}",
        bytes=observations.dtype == np.uint8,
        item_bytes=observations.dtype.itemsize,
        shape=list(observations.shape),
        stack=observations.stack,
        action_dims=actions.dims,
        n=n,
        gamma=gamma,
    )

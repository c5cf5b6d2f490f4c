"""Turns observations of Gymnasium's spaces into frames, and tandem's actions into theirs.

All choices that a space asks for are made once, at the start: a step calls functions that know
their arrays and do nothing else.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces
from tandem_worker.faults import Lie

MOST_PRODUCTS = 1024  # actions of a MultiDiscrete or MultiBinary space

Write = Callable[[Any], None]
Read = Callable[[], Any]


class Refused(Exception):
    """A space that tandem cannot use."""


# ---- observations -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frame:
    """A frame as the trainer sees it."""

    dtype: str  # "u8" or "f32"
    shape: list[int]

    def bytes(self) -> int:
        return math.prod(self.shape) * (1 if self.dtype == "u8" else 4)


def frame_of(space: spaces.Space[Any]) -> Frame:
    """Pictures of bytes stay pictures, with their channels first; all else is a list of numbers."""
    planes = _planes_of(space)
    if planes is not None:
        return Frame("u8", list(planes.shape))
    numbers = _count(space)
    if numbers == 0:
        raise Refused(f"the observation space {space} has no numbers")
    return Frame("f32", [numbers])


def writer_of(space: spaces.Space[Any], memory: memoryview) -> Write:
    """A function that writes an observation into `memory`, which has the frame's bytes."""
    planes = _planes_of(space)
    if planes is None:
        return _number_writer(space, np.frombuffer(memory, np.float32))
    return _array_writer(space, planes.view(np.frombuffer(memory, np.uint8)))


@dataclass(frozen=True)
class _Planes:
    """The channels of a picture, and where its own dimensions are among them."""

    shape: tuple[int, int, int]  # channels, height, width
    split: tuple[int, ...]  # the frame's dimensions with stacked pictures apart
    order: tuple[int, ...]  # of `split`, as the observation has them

    def view(self, frame: np.ndarray) -> Any:
        """The frame, with its dimensions in the order of the observation."""
        return frame.reshape(self.split).transpose(self.order)


def _planes_of(space: spaces.Space[Any]) -> _Planes | None:
    """None: this is no picture of bytes."""
    if not isinstance(space, spaces.Box) or space.dtype != np.uint8:
        return None
    shape = space.shape
    if len(shape) == 2:
        height, width = shape
        return _Planes((1, height, width), (height, width), (0, 1))
    if len(shape) == 3 and _has_channels_first(shape):
        return _Planes((shape[0], shape[1], shape[2]), shape, (0, 1, 2))
    if len(shape) == 3:
        height, width, channels = shape
        return _Planes((channels, height, width), (channels, height, width), (1, 2, 0))
    if len(shape) == 4 and _has_channels_first(shape[1:]):
        stack, channels, height, width = shape
        return _Planes((stack * channels, height, width), shape, (0, 1, 2, 3))
    if len(shape) == 4:
        stack, height, width, channels = shape
        split = (stack, channels, height, width)
        return _Planes((stack * channels, height, width), split, (0, 2, 3, 1))
    return None


def _has_channels_first(shape: tuple[int, ...]) -> bool:
    """Whether it is {4, 84, 84}, as stacks of grey pictures are, and not {84, 84, 3}."""
    first, middle, last = shape
    if last <= 4 or first == middle:
        return False
    if first <= 4 or (first < middle and middle == last):
        return True
    smallest_picture = 16  # of a side; smaller ones may be boards with a plane for each thing
    return first < min(middle, last) and min(middle, last) >= smallest_picture


def _count(space: spaces.Space[Any]) -> int:
    """The numbers of an observation of this space."""
    if isinstance(space, spaces.Box | spaces.MultiBinary):
        return math.prod(space.shape)
    if isinstance(space, spaces.Discrete):
        return int(space.n)
    if isinstance(space, spaces.MultiDiscrete):
        return int(space.nvec.sum())
    return sum(_count(part) for _, part in _parts(space))


def _parts(space: spaces.Space[Any]) -> list[tuple[Any, spaces.Space[Any]]]:
    if isinstance(space, spaces.Dict):
        return list(space.spaces.items())
    if isinstance(space, spaces.Tuple):
        return list(enumerate(space.spaces))
    old = (
        " It is of the old package gym, and tandem takes those of gymnasium."
        if type(space).__module__.split(".")[0] == "gym"
        else ""
    )
    raise Refused(
        f"tandem cannot use the observation space {space}: it takes Box, Discrete, MultiDiscrete "
        f"and MultiBinary, and Dict and Tuple of them.{old} A wrapper can leave it out "
        "(env.wrappers = module:Class)"
    )


def _number_writer(space: spaces.Space[Any], view: np.ndarray) -> Write:
    """A function that writes an observation as 32-bit floats."""
    if isinstance(space, spaces.Box | spaces.MultiBinary):
        return _array_writer(space, view.reshape(space.shape))
    if isinstance(space, spaces.Discrete):
        return _one_hot_writer(space, view)
    if isinstance(space, spaces.MultiDiscrete):
        return _one_hots_writer(space, view)
    keys, writers, begin = [], [], 0
    for key, part in _parts(space):
        end = begin + _count(part)
        keys.append(key)
        writers.append(_number_writer(part, view[begin:end]))
        begin = end
    parts = list(zip(keys, writers, strict=True))
    size = len(parts)
    kind = dict if isinstance(space, spaces.Dict) else (tuple, list)

    def write(observation: Any) -> None:
        if not isinstance(observation, kind) or len(observation) != size:
            raise Lie(_unlike(space, f"is {_short(observation)}"))
        try:
            for key, write_part in parts:
                write_part(observation[key])
        except KeyError:
            raise Lie(_unlike(space, f"is {_short(observation)}")) from None

    return write


def _array_writer(space: spaces.Space[Any], view: np.ndarray) -> Write:
    shape, dtype = view.shape, space.dtype
    array = np.ndarray

    def write(observation: Any) -> None:
        if (
            type(observation) is not array
            or observation.dtype is not dtype
            or observation.shape != shape
        ):
            observation = _checked(space, observation, view)
        view[...] = observation

    return write


def _checked(space: spaces.Space[Any], observation: Any, view: np.ndarray) -> np.ndarray:
    """Lists do, and other types of numbers where the frame can show them."""
    array = np.asarray(observation)
    if array.shape != view.shape:
        raise Lie(_unlike(space, f"has the shape {array.shape}"))
    if view.dtype == np.uint8 and array.dtype.kind in "iu":
        if array.size and (array.min() < 0 or array.max() > 255):
            raise Lie(_unlike(space, "has numbers that are no bytes"))
        return array
    if not np.can_cast(array.dtype, view.dtype, "same_kind"):
        raise Lie(_unlike(space, f"has the dtype {array.dtype}"))
    return array


def _one_hot_writer(space: spaces.Discrete, view: np.ndarray) -> Write:
    start, count = int(space.start), int(space.n)

    def write(observation: Any) -> None:
        try:
            place = index(observation) - start
        except TypeError:
            raise Lie(_unlike(space, f"is {_short(observation)}")) from None
        if not 0 <= place < count:
            raise Lie(_unlike(space, f"is {_short(observation)}"))
        view[...] = 0
        view[place] = 1

    return write


def _one_hots_writer(space: spaces.MultiDiscrete, view: np.ndarray) -> Write:
    # Unsigned numbers would wrap, and their sums become floats.
    counts = space.nvec.ravel().astype(np.int64)
    starts = np.broadcast_to(getattr(space, "start", 0), space.nvec.shape).ravel().astype(np.int64)
    begins = np.concatenate(([0], np.cumsum(counts)[:-1]))
    shape = space.nvec.shape

    def write(observation: Any) -> None:
        array = np.asarray(observation)
        if array.shape != shape or array.dtype.kind not in "iu":
            raise Lie(_unlike(space, f"has the shape {array.shape} and dtype {array.dtype}"))
        places = array.ravel().astype(np.int64) - starts
        if (places < 0).any() or (places >= counts).any():
            raise Lie(_unlike(space, f"is {_short(observation)}"))
        view[...] = 0
        view[begins + places] = 1

    return write


def _unlike(space: spaces.Space[Any], is_or_has: str) -> str:
    return f"an observation {is_or_has}, but the observation space says {space}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "..."


# ---- actions ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Actions:
    """The actions as the trainer sees them: `count` discrete ones, or numbers within bounds.

    The trainer counts from 0. To its users the first action is the number `first`.
    """

    count: int = 0
    first: int = 0
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)


def actions_of(space: spaces.Space[Any]) -> Actions:
    if isinstance(space, spaces.Discrete):
        return Actions(count=int(space.n), first=int(space.start))
    if isinstance(space, spaces.MultiDiscrete | spaces.MultiBinary):
        return Actions(count=math.prod(_choices(space)))
    if isinstance(space, spaces.Box) and math.prod(space.shape) > 0:
        low, high = space.low.ravel(), space.high.ravel()
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise Refused(
                f"the action space {space} has no bounds, and tandem needs them: set finite ones "
                "in the environment, or in an ActionWrapper of your own that has some "
                "(env.wrappers = module:Class)"
            )
        return Actions(low=[float(x) for x in low], high=[float(x) for x in high])
    raise Refused(
        f"tandem cannot use the action space {space}: it takes Discrete, Box, MultiDiscrete and "
        "MultiBinary. A wrapper can make one of these of it (env.wrappers = module:Class)"
    )


def reader_of(space: spaces.Space[Any], memory: memoryview) -> Read:
    """A function that makes the action from the trainer's numbers in `memory`."""
    if isinstance(space, spaces.Box):
        return _box_reader(space, np.frombuffer(memory, np.float32))
    number = memory.cast("i")
    if isinstance(space, spaces.Discrete):
        scalar = np.dtype(space.dtype).type
        scalars = [scalar(space.start + k) for k in range(int(space.n))]
        return lambda: scalars[number[0]]
    # Environments may change their action, so each step has its own.
    assert isinstance(space, spaces.MultiDiscrete | spaces.MultiBinary)
    arrays = list(_products(space))
    return lambda: arrays[number[0]].copy()


def _box_reader(space: spaces.Box, numbers: np.ndarray) -> Read:
    view, dtype = numbers.reshape(space.shape), space.dtype
    # The trainer's single precision may round a bound to a number beyond it.
    low, high = space.low.astype(np.float64), space.high.astype(np.float64)
    if np.issubdtype(dtype, np.integer):
        return lambda: np.clip(np.rint(view.astype(np.float64)), low, high).astype(dtype)
    return lambda: np.clip(view.astype(np.float64), low, high).astype(dtype)


def _choices(space: spaces.MultiDiscrete | spaces.MultiBinary) -> list[int]:
    """How many values each number of an action has."""
    if isinstance(space, spaces.MultiBinary):
        choices = [2] * math.prod(space.shape)
    else:
        choices = [int(n) for n in space.nvec.ravel()]
    # Logarithms, because the product may have thousands of digits.
    if not choices or sum(map(math.log2, choices)) > math.log2(MOST_PRODUCTS) + 1e-9:
        raise Refused(
            f"the action space {space} has more than {MOST_PRODUCTS} actions, or none: tandem "
            f"takes the product of its choices as one discrete action, up to {MOST_PRODUCTS}"
        )
    return choices


def _products(space: spaces.MultiDiscrete | spaces.MultiBinary) -> Any:
    start = getattr(space, "start", 0)
    for choice in itertools.product(*(range(n) for n in _choices(space))):
        yield (np.array(choice).reshape(space.shape) + start).astype(space.dtype)

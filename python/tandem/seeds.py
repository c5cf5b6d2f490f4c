"""Seeds of environments."""

import operator
import os
from collections.abc import Sequence
from typing import SupportsIndex, TypeAlias

from tandem.errors import Error

Seed: TypeAlias = int | Sequence[int] | None
_LIMIT = 1 << 64


def random_seed() -> int:
    """A seed from the system's generator."""
    return int.from_bytes(os.urandom(7), "little")


def as_seeds(seed: SupportsIndex | Sequence[SupportsIndex], count: int) -> list[int]:
    """One seed for each of `count` environments: s gives s, s + 1 and so on, as in Gymnasium.

    Raises `Error` unless it is an integer or `count` integers, from 0 on.
    """
    try:
        if isinstance(seed, SupportsIndex) and not getattr(seed, "ndim", 0):
            first = operator.index(seed)
            seeds = [first + i for i in range(count)]
        else:
            seeds = [operator.index(one) for one in seed]  # type: ignore[union-attr]
    except TypeError:
        raise Error(f"a seed is an integer or a list of {count} integers, not {seed!r}") from None
    if len(seeds) != count:
        raise Error(f"there are {len(seeds)} seeds for {count} environments")
    for one in seeds:
        if not 0 <= one < _LIMIT:
            raise Error(f"the seed {one} is out of range: seeds are from 0 to {_LIMIT - 1}")
    return seeds

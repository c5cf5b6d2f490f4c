"""The extension module. Use it through the classes of tandem."""

import enum
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__version__: str

class Error(RuntimeError):
    """A problem that the user can solve: a bad option, an action out of range, a missing ROM.

    Its text says what is wrong, where, and what to do, in the words of the command line.
    """

class ReplayClosedError(Error):
    """A call of a replay that is closed, or that was closed while the call waited."""

class Autoreset(enum.Enum):
    NEXT_STEP = ...
    SAME_STEP = ...
    DISABLED = ...

class Spec:
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> list[int]: ...
    @property
    def num_actions(self) -> int: ...
    @property
    def action_low(self) -> list[float]: ...
    @property
    def action_high(self) -> list[float]: ...
    @property
    def action_names(self) -> list[str]: ...
    @property
    def frames_per_step(self) -> int: ...
    @property
    def render_fps(self) -> float: ...

_Array: TypeAlias = npt.NDArray[Any]
_Bools: TypeAlias = npt.NDArray[np.bool_]
_Floats: TypeAlias = npt.NDArray[np.float64]
_Events: TypeAlias = list[tuple[int, float, int]] | None
Step: TypeAlias = tuple[_Array, _Floats, _Bools, _Bools, _Events]

class Environments:
    def __init__(
        self,
        id: str,
        options: Sequence[tuple[str, str]],
        count: int,
        threads: int,
        autoreset: Autoreset,
        source: object,
    ) -> None: ...
    @property
    def spec(self) -> Spec: ...
    def start(self, seeds: Sequence[int]) -> _Array: ...
    def restart(self) -> _Array: ...
    def restart_some(self, ids: Sequence[int]) -> _Array: ...
    def step_discrete(self, actions: npt.NDArray[np.int64]) -> Step: ...
    def step_continuous(self, actions: npt.NDArray[np.float32]) -> Step: ...
    def send_discrete(self, actions: npt.NDArray[np.int64], ids: Sequence[int]) -> None: ...
    def send_continuous(self, actions: npt.NDArray[np.float32], ids: Sequence[int]) -> None: ...
    def receive(self, at_least: int) -> tuple[list[int], Step]: ...
    def final_observation(self, id: int) -> _Array: ...
    def render(self, id: int) -> npt.NDArray[np.uint8]: ...
    def close(self) -> None: ...
    @property
    def blocks(self) -> int: ...

_Float32s: TypeAlias = npt.NDArray[np.float32]
_Bytes: TypeAlias = npt.NDArray[np.uint8]

class TableState:
    @property
    def transitions(self) -> int: ...
    @property
    def inserted(self) -> int: ...
    @property
    def sampled(self) -> int: ...
    @property
    def stale(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class ReplayShape:
    def __init__(
        self,
        kind: str,
        bytes: bool,
        item_bytes: int,
        shape: Sequence[int],
        stack: int,
        action_dims: int,
        n: int,
        gamma: float,
    ) -> None: ...

class VectorStep:
    def __init__(
        self,
        observations: _Bytes,
        next_observations: _Bytes,
        rewards: _Floats,
        terminated: _Bools,
        truncated: _Bools,
        action_values: _Float32s | None,
        state_values: _Float32s | None,
        final_values: _Float32s | None,
    ) -> None: ...

class ReplayWriter:
    def __init__(self, replay: Replay, rows: int, autoreset: Autoreset) -> None: ...
    def add_discrete(
        self, actions: npt.NDArray[np.int32], step: VectorStep, timeout: float | None
    ) -> bool: ...
    def add_continuous(
        self, actions: _Float32s, step: VectorStep, timeout: float | None
    ) -> bool: ...
    def end_episodes(self) -> None: ...
    def flush(self) -> None: ...

class Replay:
    def __init__(
        self, options: Sequence[tuple[str, str]], shape: ReplayShape, seed: int
    ) -> None: ...
    def sample(
        self, size: int, timeout: float | None
    ) -> (
        tuple[
            _Bytes,
            _Bytes,
            npt.NDArray[np.int32],
            _Float32s | None,
            _Float32s,
            _Float32s,
            _Float32s,
            npt.NDArray[np.uint64],
            _Float32s,
            npt.NDArray[np.int64],
        ]
        | None
    ): ...
    def update(self, keys: npt.NDArray[np.uint64], priorities: _Float32s) -> None: ...
    def state(self) -> TableState: ...
    def save(self, file: str) -> None: ...
    def load(self, file: str) -> None: ...
    def close(self) -> None: ...
    @property
    def calls(self) -> int: ...

def environment_ids() -> list[str]: ...

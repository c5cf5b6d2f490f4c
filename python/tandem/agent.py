"""Trained agents."""

import atexit
import math
import os
import sys
import warnings
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt

from tandem import spaces
from tandem._core import TrainedAgent
from tandem.arrays import as_array
from tandem.at_exit import wait_while
from tandem.counts import as_count
from tandem.errors import Error
from tandem.messages import forward_messages
from tandem.options import as_texts

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float32]


class Heads(NamedTuple):
    """The outputs of an agent's network for a batch of observations."""

    policy: Floats  # [batch, outputs]
    value: Floats | None  # [batch]; None: the network has no value head
    state: Floats | None  # [batch, state_size], after the observations; None: no LSTM


@dataclass(frozen=True, eq=False)  # arrays have no single truth
class Evaluation:
    """Raw returns of whole games."""

    returns: npt.NDArray[np.float64]  # of each game
    lengths: npt.NDArray[np.int64]  # in steps
    mean: float  # of the returns, as the next ones
    median: float
    std: float  # of the sample (n - 1); NaN for a single game
    min: float
    max: float
    human_normalised: float | None  # 0: random play, 1: a person; None: no such scores

    @property
    def episodes(self) -> int:
        """The number of games."""
        return len(self.returns)


@dataclass(frozen=True)
class Recording:
    """A game that was recorded as a video."""

    path: Path
    game_return: float  # raw, up to the end of the video
    steps: int
    seconds: float  # of the video
    whole: bool  # whether the game ended before the limit


_loaded: "weakref.WeakSet[Agent]" = weakref.WeakSet()


@atexit.register
def _refuse_all() -> None:
    """Lets no thread come back from an agent while the interpreter ends."""
    agents = list(_loaded)
    for agent in agents:
        agent._native.refuse()
    for agent in agents:
        wait_while(partial(getattr, agent._native, "used"))


class Agent:
    """A trained agent; `Agent.load` makes it.

    One thread at a time may use an object; threads that act at once load an agent each. A process
    that was forked must load its own. All methods raise `tandem.Error` for bad input. Python's lock
    is free while the agent computes.
    """

    def __init__(self, native: TrainedAgent) -> None:
        """For `Agent.load`."""
        self._native = native
        _loaded.add(self)
        self._spec = native.spec
        self._dtype = np.dtype(self._spec.dtype)
        self._shape = tuple(self._spec.shape)

    @classmethod
    def load(
        cls,
        run: str | os.PathLike[str],
        checkpoint: int | None = None,
        device: str = "cpu",
        env: Mapping[str, object] | None = None,
        seed: int = 0,
        best: bool = False,
    ) -> "Agent":
        """Loads the agent of a run.

        Args:
            run: the folder of the run, as `tandem train` made it.
            checkpoint: the steps of a checkpoint; None: the newest. A damaged one is skipped with a
                warning.
            device: "cpu" or "cuda".
            env: changes of the environment's options, by their keys without "env.".
            seed: of sampled actions.
            best: takes the checkpoint that played best in evaluations during the training
                (run.evaluate_steps), in place of the newest.

        Raises `tandem.Error` if there is no run or no good checkpoint, and for an option that the
        environment does not have or that belongs to the trained agent.
        """
        if checkpoint is not None:
            checkpoint = as_count("checkpoint", checkpoint, least=0)
        if device not in ("cpu", "cuda"):
            raise Error(f'device is {device!r}; it must be "cpu" or "cuda"')
        options = as_texts(env or {})
        try:
            native = TrainedAgent(
                os.fspath(run), checkpoint, bool(best), device, options, sys.executable
            )
        finally:
            forward_messages()
        for damage in native.damages:
            warnings.warn(damage, RuntimeWarning, stacklevel=2)
        agent = cls(native)
        agent.seed(seed)
        return agent

    @property
    def env(self) -> str:
        """The id of its environment, for `tandem.make_vec(agent.env, 8, **agent.env_options)`.

        Where several agents act at once, it is for `tandem.make_parallel`, which makes one.
        """
        return self._native.env

    @property
    def env_options(self) -> dict[str, Any]:
        """The options with which its environment gives the observations that `act` takes.

        They are those of training, with the changes of `load`, except that a lost life ends no
        episode, unless FIRE begins episodes in its game. The scaling of `env.normalise` is
        missing, because it is a part of the agent.
        """
        return self._native.env_options

    @property
    def observation_space(self) -> gymnasium.spaces.Box:
        """The space of one observation."""
        return spaces.observation_space(self._spec)

    @property
    def action_space(self) -> gymnasium.spaces.Discrete | gymnasium.spaces.Box:
        """The space of one action."""
        return spaces.action_space(self._spec)

    @property
    def step(self) -> int:
        """Steps of all environments until its checkpoint."""
        return self._native.step

    @property
    def checkpoint(self) -> Path:
        """The folder of its checkpoint."""
        return Path(self._native.checkpoint)

    @property
    def state_size(self) -> int:
        """Numbers of a recurrent state; 0: the agent has none."""
        return self._native.state_size

    def seed(self, seed: int) -> None:
        """Begins the stream of sampled actions anew."""
        self._native.seed(_as_seed(seed))

    def act(
        self, observations: Any, deterministic: bool = False, state: Any = None
    ) -> tuple[Array, Floats | None]:
        """Chooses an action for each observation.

        Args:
            observations: [batch, *observation_space.shape] of the environment's dtype. Floats of
                another precision are converted. Where several agents act in an environment, each of
                them is a row.
            deterministic: take the most probable action, or that of the highest value, or the mean.
                Else actions are sampled; an agent that learned action values explores as in
                `tandem eval`.
            state: of a recurrent agent: the state that the last call returned, [batch, state_size]
                float32. Set its rows to 0 where a new game begins. None: a game begins in all rows.

        Returns the actions of `action_space`, [batch] int64 or [batch, numbers] float32 within the
        bounds, and the new state; None for an agent without one.
        """
        rows = self._as_observations(observations)
        actions, after = self._native.act(rows, self._as_state(state), bool(deterministic))
        return actions, after

    def heads(self, observations: Any, state: Any = None) -> Heads:
        """The outputs of the network; arguments as those of `act`.

        The policy head has the logits of discrete actions, their values or advantages, the mean and
        the spread of a continuous action, or the action itself, by the algorithm. Of discrete
        actions, column j is that of action `action_space.start + j`.
        """
        return Heads(
            *self._native.heads(self._as_observations(observations), self._as_state(state))
        )

    def evaluate(
        self,
        episodes: int | None = None,
        deterministic: bool = False,
        seed: int = 0,
        start: str | None = None,
        threads: int | None = None,
        protocol: str | None = None,
        starts: str | os.PathLike[str] | None = None,
    ) -> Evaluation:
        """Plays whole games and returns their raw returns, as `tandem eval` does.

        Args:
            episodes: how many games, each in an environment of its own; None: 30, or one from each
                of the starts.
            deterministic: as in `act`.
            seed: of the games; the same one gives the same games for any number of threads.
            start: "noop": games start with 1 to 30 no-ops; "fixed": with none; None: as trained.
            threads: that step the environments; None: as in training.
            protocol: "noop": up to 30 no-ops and 30 minutes at most; "sampled_starts": games begin
                in the states of `starts`, 30 minutes at most from their own beginning. Its rules
                come after the changes of `load`. None: as trained.
            starts: the file of `tandem starts`, for "sampled_starts" alone. These states are from a
                policy's play; they are not the human starts of A3C and Ape-X.

        Ctrl-C ends the games. Raises `Error` for a game that has not ended after 250,000 steps,
        unless the environment's options tell when games end.
        """
        if (protocol == "sampled_starts") != (starts is not None):
            raise Error('protocol="sampled_starts" and starts=FILE belong together')
        if protocol is not None and start is not None:
            raise Error(f"protocol {protocol} decides how games start; leave start out")
        return Evaluation(
            *self._native.evaluate(
                0 if episodes is None else as_count("episodes", episodes),
                0 if threads is None else as_count("threads", threads),
                bool(deterministic),
                _as_seed(seed),
                start or "",
                protocol or "",
                "" if starts is None else os.fspath(starts),
            )
        )

    def record(
        self,
        path: str | os.PathLike[str],
        deterministic: bool = False,
        seed: int = 0,
        start: str | None = None,
        seconds: float | None = None,
        scale: int = 0,
    ) -> Recording:
        """Plays a game and writes it as an H.264 video, as `tandem record` does. Needs ffmpeg.

        Args:
            path: the video, such as "pong.mp4". It appears when it is complete.
            deterministic: as in `act`.
            seed: of the game.
            start: as in `evaluate`.
            seconds: the most seconds of play; None: until the game is over.
            scale: enlarges the pictures so many times; 0: to about 640 rows.

        Ctrl-C ends the game, and there is no video.
        """
        if seconds is not None and not seconds > 0:
            raise Error(f"seconds is {seconds}; it must be above 0, or None")
        if not 0 <= scale <= 32:
            raise Error(f"scale is {scale}; it must be 1 to 32, or 0")
        limit = math.inf if seconds is None else float(seconds)
        result = self._native.record(
            os.fspath(path), limit, scale, bool(deterministic), _as_seed(seed), start or ""
        )
        return Recording(Path(path), *result)

    def __repr__(self) -> str:
        return f"<tandem.Agent of {self.env} after {self.step} steps>"

    def _as_observations(self, observations: Any) -> Array:
        array = as_array("the observations", observations)
        wanted = f"[batch, {', '.join(map(str, self._shape))}] {self._dtype}"
        if array.shape == self._shape:
            raise Error(
                f"the observations have the shape {list(array.shape)}; this agent takes {wanted}. "
                "For a single one pass observation[None]"
            )
        if array.shape[1:] != self._shape or array.ndim != len(self._shape) + 1:
            raise Error(
                f"the observations have the shape {list(array.shape)}; this agent takes {wanted}"
            )
        if len(array) == 0:
            raise Error("there are no observations: the batch is empty")
        if array.dtype != self._dtype and not (self._dtype.kind == array.dtype.kind == "f"):
            raise Error(f"the observations are of type {array.dtype}; this agent takes {wanted}")
        return _as_finite("the observations", array, self._dtype)

    def _as_state(self, state: Any) -> Floats | None:
        if state is None:
            return None
        array = as_array("the state", state)
        if array.dtype.kind != "f" or array.ndim != 2:
            raise Error(
                f"the state has the shape {list(array.shape)} and the type {array.dtype}; it must "
                "be the one that act() returned"
            )
        return _as_finite("the state", array, np.dtype(np.float32))


def _as_finite(name: str, array: Array, dtype: np.dtype[Any]) -> Array:
    """The rows in this type, one after another. Raises `Error` unless all are finite numbers.

    A network answers any other row with actions that mean nothing, and without an error.
    """
    with np.errstate(over="ignore"):  # the row is refused in words
        rows = np.ascontiguousarray(array, dtype)
    if rows.dtype.kind == "f" and not np.isfinite(rows).all():
        finite = np.isfinite(rows.reshape(len(rows), -1)).all(axis=1)
        row = int(np.argmin(finite))
        raise Error(f"row {row} of {name} has a number that is not finite (NaN or infinity)")
    return rows


def _as_seed(seed: int) -> int:
    if not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
        raise Error(f"seed is {seed!r}; it must be an integer from 0 to 2^63 - 1")
    return int(seed)

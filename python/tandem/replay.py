"""A replay for a learner of your own: Ape-X's memory over NumPy arrays."""

import atexit
import math
import os
import weakref
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from tandem import _core, replay_arrays
from tandem.arrays import as_array
from tandem.at_exit import wait_while
from tandem.counts import as_count
from tandem.errors import Error, ReplayTimeoutError
from tandem.options import as_texts
from tandem.replay_arrays import Actions, Observations
from tandem.seeds import as_seeds, random_seed
from tandem.vector_env import as_mode

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float32]

_open: "weakref.WeakSet[Replay]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Wakes threads that wait for a replay, which they must not while the interpreter ends."""
    for replay in list(_open):
        replay.close()
        wait_while(partial(getattr, replay._replay, "calls"))


@dataclass(frozen=True, slots=True, eq=False)  # arrays have no single truth
class Batch:
    """Transitions (S_t, A_t, R, gamma^n, S_{t+n}), [size, ...], in arrays that nothing overwrites.

    Attributes:
        observations: S_t, with the shape and type of the observation space.
        actions: A_t, int64 or float32.
        returns: float32, R_{t+1} + gamma R_{t+2} + ..., n rewards, or fewer at an episode's end.
        discounts: float32, the factor of the value of S_{t+n}: gamma^n. 0 if the episode terminated
            by then, so that the target is `returns + discounts * value(next_observations)`.
        next_observations: S_{t+n}, or the last observation of an episode that was cut off. Where
            `discounts` is 0 they repeat `observations`.
        weights: float32, importance weights, divided by the largest of the batch.
        keys: uint64, the names by which `Replay.update` finds the transitions.
        priorities: float32, at the time of sampling.
        ages: int64, how many transitions were added since.
    """

    observations: Array
    actions: Array
    returns: Floats
    discounts: Floats
    next_observations: Array
    weights: Floats
    keys: npt.NDArray[np.uint64]
    priorities: Floats
    ages: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class ReplayState:
    """Counts of a replay.

    Attributes:
        transitions: that it holds.
        inserted: transitions so far.
        sampled: transitions so far.
        stale: new priorities that came after their transitions had been removed.
        bytes: size in memory.
    """

    transitions: int
    inserted: int
    sampled: int
    stale: int
    bytes: int


def _as_timeout(timeout: float | None) -> float | None:
    if timeout is None:
        return None
    if not isinstance(timeout, int | float) or math.isnan(timeout) or timeout < 0:
        raise Error(f"timeout is {timeout!r}; it must be seconds from 0 on, or None to wait")
    return float(timeout)


class Writer:
    """Writes the steps of some environments into a replay; `Replay.writer` makes it.

    One thread at a time may use a writer; several writers may be used at once.
    """

    def __init__(
        self,
        native: _core.ReplayWriter,
        observations: Observations,
        actions: Actions,
        num_envs: int,
        mode: AutoresetMode,
    ) -> None:
        self._native = native
        self._observations = observations
        self._actions = actions
        self._mode = mode
        self.num_envs = num_envs

    def add(
        self,
        observations: Any,
        actions: Any,
        next_observations: Any,
        rewards: Any,
        terminations: Any,
        truncations: Any,
        infos: Any = None,
        *,
        action_values: Any = None,
        state_values: Any = None,
        final_values: Any = None,
        timeout: float | None = None,
    ) -> None:
        """Adds one step of each environment: `add(observations, actions, *envs.step(actions))`.

        Args:
            observations: [num_envs, ...], in which the actions were taken.
            actions: [num_envs, ...].
            next_observations, rewards, terminations, truncations, infos: as the step returned them.
                An episode begins with the `observations` of its first step. With the mode NEXT_STEP
                the step after an episode's end only resets, and is left out; its `observations` are
                the last ones of that episode, and others are an error. With SAME_STEP a
                truncated episode's last observation comes from infos["final_obs"]. In the other
                modes infos with "final_obs" are an error, as they come from environments of
                SAME_STEP; nothing else is read.
            action_values, state_values: [num_envs], the values of `actions` and of `observations`
                by which the actor acted. With them a transition's first priority is the absolute
                n-step TD error, as in Ape-X. Without them it is the largest priority so far.
            final_values: [num_envs], with them, the values of truncated episodes' last
                observations. Without them their transitions get the largest priority so far.
            timeout: seconds to wait for readers, where `samples_per_insert` makes writers wait.

        Raises `Error`, and adds nothing, for arrays of other shapes or types, numbers that are not
        finite, infos of another mode, and observations that do not follow those of the step
        before; and `ReplayTimeoutError` or `ReplayClosedError` for a wait that ended without
        success.
        """
        count = self.num_envs
        terminated = replay_arrays.flags("terminations", terminations, count)
        truncated = replay_arrays.flags("truncations", truncations, count)
        replay_arrays.refuse_final_observations(self._mode, infos)
        if self._mode is AutoresetMode.SAME_STEP and truncated.any():
            ended = truncated & ~terminated
            next_observations = replay_arrays.with_final_observations(
                next_observations, ended, infos
            )
        if (action_values is None) != (state_values is None):
            raise Error("give both action_values and state_values, or neither")
        if final_values is not None and state_values is None:
            raise Error("final_values go with action_values and state_values")
        step = _core.VectorStep(
            self._observations.rows("observations", observations, count),
            self._observations.rows("next_observations", next_observations, count),
            replay_arrays.numbers("rewards", rewards, count),
            terminated,
            truncated,
            replay_arrays.values("action_values", action_values, count),
            replay_arrays.values("state_values", state_values, count),
            replay_arrays.values("final_values", final_values, count),
        )
        seconds = _as_timeout(timeout)
        if self._actions.discrete:
            integers = self._actions.integers(actions, count)
            added = self._native.add_discrete(integers, step, seconds)
        else:
            floats = self._actions.floats(actions, count)
            added = self._native.add_continuous(floats, step, seconds)
        if not added:
            raise ReplayTimeoutError(
                f"readers were behind replay.samples_per_insert for {timeout} seconds; nothing was "
                "added"
            )

    def end_episodes(self) -> None:
        """Cuts all episodes off at their last observations, as after `envs.reset()` of your own."""
        self._native.end_episodes()

    def flush(self) -> None:
        """Hands over the transitions that are complete, though no segment is full."""
        self._native.flush()


class Replay(Writer):
    """Ape-X's replay memory (Horgan et al., 2018) for a learner of your own.

    It makes n-step transitions of the steps that `add` gets, keeps each frame once, and samples by
    priorities, uniformly or in order. Any number of threads may sample and update. One thread may
    add by the replay itself, others by a `writer` each. Waits end with Ctrl-C, with `close` and
    after `timeout` seconds, and Python's lock is free meanwhile. `with` closes it at the block's
    end. A process that was forked must make its own.

    All methods raise `tandem.Error` for bad input, `tandem.ReplayClosedError` after `close`.
    """

    def __init__(
        self,
        capacity: int,
        observation_space: gymnasium.Space[Any],
        action_space: gymnasium.Space[Any],
        num_envs: int = 1,
        *,
        stack: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        n_step: int = 3,
        gamma: float = 0.99,
        min_fill: int = 1,
        sampler: str = "prioritized",
        alpha: float = 0.6,
        beta: float = 0.4,
        remover: str = "fifo",
        alpha_evict: float = -0.4,
        samples_per_insert: float = 0,
        slack: float = 0,
        compression: str = "none",
        segment: int = 50,
        seed: int | None = None,
    ) -> None:
        """Makes an empty replay.

        Args:
            capacity: transitions that it keeps.
            observation_space, action_space: of one environment (`single_observation_space`).
                Observations are arrays of one shape; actions are of a Discrete or a Box of floats.
            num_envs: environments of `Replay.add`.
            stack: how many frames an observation has along its first dimension, the oldest first.
                Each frame is kept once, so S_{t+1} must be S_t without its oldest frame and with a
                new one.
            autoreset_mode: of the environments: who resets them, as `make_vec` says. "disabled" is
                for a loop that calls `reset()` itself when an episode has ended.
            n_step: steps of a transition; at an episode's end they are fewer.
            gamma: the discount of a step.
            min_fill: transitions before the first sample.
            sampler: "prioritized"; "uniform"; or "fifo", each transition once, in order.
            alpha: exponent of priorities.
            beta: exponent of importance weights; 0: all weigh 1.
            remover: "fifo" removes the oldest first; "inverse_priority" draws, mostly the least
                important.
            alpha_evict: inverse_priority: exponent of priorities.
            samples_per_insert: samples for each transition beyond min_fill, at which writers and
                readers wait for each other; 0: nobody waits. If one thread does both, leave it 0.
            slack: samples that either side may be ahead of that; at least a batch.
            compression: of each frame: "none", "lz4" (fast), "zstd" (small) or "png".
            segment: transitions of an environment that come into the replay at a time.
            seed: of the sampler; None: a random one.

        Raises `Error` with the words of the command line's keys replay.* for a value that does not
        fit, and for a capacity that does not fit into the memory. How much compressed frames need
        shows only as they come, so with them `add` and `load` raise it.
        """
        kept = Observations(observation_space, as_count("stack", stack))
        acted = Actions(action_space)
        n = as_count("n_step", n_step, most=1000)
        if not 0 <= gamma <= 1:
            raise Error(f"gamma is {gamma}; it must be from 0 to 1")
        options = {
            "capacity": capacity,
            "min_fill": min_fill,
            "sampler": sampler,
            "alpha": alpha,
            "beta": beta,
            "remover": remover,
            "alpha_evict": alpha_evict,
            "samples_per_insert": samples_per_insert,
            "slack": slack,
            "compression": compression,
            "segment": segment,
        }
        (number,) = as_seeds(random_seed() if seed is None else seed, 1)
        shape = replay_arrays.shape_of(kept, acted, n, float(gamma))
        self._replay = _core.Replay(as_texts(options), shape, number)
        mode, count = as_mode(autoreset_mode), as_count("num_envs", num_envs)
        super().__init__(self._native_writer(count, mode), kept, acted, count, mode)
        _open.add(self)

    def writer(
        self, num_envs: int | None = None, autoreset_mode: AutoresetMode | str | None = None
    ) -> Writer:
        """Another writer, for a thread of its own; None: as those of the replay itself."""
        count = self.num_envs if num_envs is None else as_count("num_envs", num_envs)
        mode = self._mode if autoreset_mode is None else as_mode(autoreset_mode)
        native = self._native_writer(count, mode)
        return Writer(native, self._observations, self._actions, count, mode)

    def _native_writer(self, num_envs: int, mode: AutoresetMode) -> _core.ReplayWriter:
        return _core.ReplayWriter(self._replay, num_envs, _core.Autoreset[mode.name])

    def sample(self, batch_size: int, timeout: float | None = None) -> Batch:
        """Draws a batch; waits until `min_fill` transitions are there.

        Args:
            batch_size: transitions; the sampler may draw one several times, but not "fifo".
            timeout: seconds to wait at most; None: for ever.

        The arrays are this batch's as long as anything refers to one of them, views and tensors
        included; after that their memory is used again. Raises `ReplayTimeoutError` when the time
        is up, and `ReplayClosedError` when the replay is closed meanwhile.
        """
        size = as_count("batch_size", batch_size)
        drawn = self._replay.sample(size, _as_timeout(timeout))
        if drawn is None:
            raise ReplayTimeoutError(
                f"a batch of {size} could not be drawn within {timeout} seconds: the replay holds "
                f"{len(self)} transitions. Writers fill it up to min_fill, a segment at a time"
            )
        observations, next_observations, integers, controls = drawn[:4]
        returns, discounts, weights, keys, priorities, ages = drawn[4:]
        return Batch(
            observations=self._observations.arrays(observations),
            actions=self._actions.given(integers, controls),
            returns=returns,
            discounts=discounts,
            next_observations=self._observations.arrays(next_observations),
            weights=weights,
            keys=keys.view(np.uint64),  # torch refuses the unsigned long long of C++
            priorities=priorities,
            ages=ages,
        )

    def update(self, keys: Any, priorities: Any) -> None:
        """Gives the transitions of these keys [k] new priorities [k], such as absolute TD errors.

        Transitions that were removed are left out, and counted in `ReplayState.stale`. Raises
        `Error`, and changes nothing, for priorities that are negative or not finite.
        """
        names = as_array("keys", keys)
        if names.dtype != np.uint64 or names.ndim != 1:
            raise Error("keys must be those of a batch, uint64 [k]")
        numbers = replay_arrays.numbers("priorities", priorities, len(names))
        self._replay.update(np.ascontiguousarray(names), numbers.astype(np.float32))

    def __len__(self) -> int:
        return self._replay.state().transitions

    def __bool__(self) -> bool:
        return True  # though no transition is there

    def state(self) -> ReplayState:
        """The replay's counts at this moment."""
        state = self._replay.state()
        return ReplayState(
            transitions=state.transitions,
            inserted=state.inserted,
            sampled=state.sampled,
            stale=state.stale,
            bytes=state.bytes,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes transitions, priorities and counts into a file, compressed.

        Others may use the replay meanwhile. Until it is whole, the file has another name. It holds
        only transitions that writers have handed over; `flush` hands over all that are complete.
        """
        self._replay.save(os.fspath(path))

    def load(self, path: str | os.PathLike[str]) -> None:
        """Fills an empty replay from a file of `save`, before anything is added.

        Keys of batches that were drawn before are of no use. Raises `Error`, and changes nothing,
        for a file that is damaged, or of other observations, actions or compression.
        """
        self._replay.load(os.fspath(path))

    def close(self) -> None:
        """Wakes all that wait for the replay, and frees its memory. Batches stay valid."""
        self._replay.close()

    def __enter__(self) -> "Replay":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

"""Many environments behind Gymnasium's interface of vector environments."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from tandem import actions as conversion
from tandem import infos, spaces
from tandem._core import Autoreset
from tandem.at_exit import close_at_exit
from tandem.counts import as_count
from tandem.errors import ClosedEnvironmentError, Error
from tandem.options import EnvId, as_render_mode, open_environments, refuse_options
from tandem.seeds import Seed, as_seeds, random_seed

if TYPE_CHECKING:
    from tandem._core import Step as NativeStep

Array: TypeAlias = npt.NDArray[Any]
Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
Infos: TypeAlias = dict[str, Any]
Step: TypeAlias = tuple[Array, Floats, Bools, Bools, Infos]


def as_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """The mode of a name such as "same_step" or "SameStep"."""
    if isinstance(mode, AutoresetMode):
        return mode
    plain = str(mode).replace("_", "").lower()
    for one in AutoresetMode:
        if one.value.lower() == plain:
            return one
    raise Error(f'autoreset_mode is {mode!r}; it must be "next_step", "same_step" or "disabled"')


class VectorEnv(gymnasium.vector.VectorEnv[Array, Any, Array]):
    """Environments that the threads of tandem step together; `make_vec` makes them.

    Observations have the shape [num_envs, *single_observation_space.shape] and are uint8 or
    float32, as the space says. Rewards [num_envs] are float64 and raw; ends [num_envs] are bool.
    Returned arrays are never overwritten while anything refers to them, views and tensors that
    share their memory included; after that their memory is used again.

    The same seeds and actions give the same trajectories, whatever the number of threads and the
    order of `send`. One thread may use an object at a time. A process that was forked must make its
    own. All methods raise `tandem.Error` for bad input, `ClosedEnvironmentError` after `close`.
    """

    def __init__(
        self,
        env: EnvId,
        num_envs: int = 1,
        num_threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        seed: Seed = None,
        render_mode: str | None = "rgb_array",
        options: Mapping[str, object] | None = None,
    ) -> None:
        num_envs = as_count("num_envs", num_envs)
        self._mode = as_mode(autoreset_mode)
        self.render_mode = as_render_mode(render_mode)
        self._seed = None if seed is None else as_seeds(seed, num_envs)
        native = Autoreset[self._mode.name]
        self._native = open_environments(env, options or {}, num_envs, num_threads, native)
        spec = self._native.spec
        self.num_envs = num_envs
        self.metadata = spaces.metadata(spec) | {"autoreset_mode": self._mode}
        self.single_observation_space = spaces.observation_space(spec)
        self.single_action_space = spaces.action_space(spec)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._discrete = spec.num_actions > 0
        self._action_names = tuple(spec.action_names)
        close_at_exit(self)

    def reset(
        self,
        *,
        seed: Seed = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, Infos]:
        """Starts an episode in every environment: a new game, or the next life of one where a lost
        life ends an episode.

        Args:
            seed: makes all environments anew. An integer s gives environment i the seed s + i; a
                list has a seed for each. None: the random streams go on, and at the first reset
                they get the seed of `make_vec`, or a random one.
            options: {"reset_mask": mask} with a bool array [num_envs] starts only the environments
                in the mask; the observations of the others are the present ones.

        Returns the observations [num_envs, ...] and an empty dict.
        """
        self._require_open()
        seeds = None if seed is None else as_seeds(seed, self.num_envs)
        if isinstance(seed, int):
            super().reset(seed=seed)
        refuse_options(options, ("reset_mask",))
        if options is not None and "reset_mask" in options:
            mask = self._as_mask(options["reset_mask"])
            if not mask.all():
                return self._reset_some(mask, seeds), {}
        if seeds is None and self._native.started:
            return self._native.restart(), {}
        seeds = seeds or self._seed or as_seeds(random_seed(), self.num_envs)
        return self._native.start(seeds), {}

    def step(self, actions: Any) -> Step:
        """Takes one step in each environment.

        Args:
            actions: [num_envs] integers, or [num_envs, numbers] floats, as `action_space` says.

        Returns observations, rewards, terminations, truncations and infos. `infos["game"]` has the
        return `r` and the steps `l` of each game that finished, as `tandem eval` counts them, and
        `infos["_game"]` says of which environments. A lost life may end an episode before its game.
        With the mode SAME_STEP, both are in `infos["final_info"]`, and `infos["final_obs"]` has the
        observations that ended episodes, as in Gymnasium. After an error of one environment the
        rewards and ends of that step are lost, also those of the others: reset all.
        """
        self._require_open()
        if self._discrete:
            step = self._native.step_discrete(conversion.as_integers(actions))
        else:
            step = self._native.step_continuous(conversion.as_floats(actions))
        return self._with_infos(step)

    def send(self, actions: Any, env_ids: Any = None) -> None:
        """Starts a step of environment env_ids[k] with action k, and returns at once.

        Args:
            actions: [k] integers, or [k, numbers] floats.
            env_ids: k ids, counted from 0; None: all.

        None of them may have another step whose result was not received.
        """
        self._require_open()
        ids = range(self.num_envs) if env_ids is None else env_ids
        ids = conversion.as_ids(ids, self.num_envs)
        conversion.send(self._native, self._discrete, actions, ids)

    def recv(self, at_least: int | None = None) -> Step:
        """Waits for environments to which `send` sent actions.

        Args:
            at_least: how many to wait for; None: all.

        Returns what `step` returns, with one row for each environment that is ready, at least so
        many. `infos["env_id"]` has their ids [k], in no order.
        """
        self._require_open()
        least = 0 if at_least is None else as_count("at_least", at_least)
        ids, native = self._native.receive(least)
        step = self._with_infos(native, ids)
        step[4]["env_id"] = np.array(ids, dtype=np.int64)
        return step

    def render(self) -> tuple[Array, ...] | None:  # type: ignore[override]
        """The pictures of all environments, each [height, width, 3] uint8."""
        self._require_open()
        if self.render_mode is None:
            return None
        return tuple(self._native.render(i) for i in range(self.num_envs))

    def get_action_meanings(self) -> list[str]:
        """The names of discrete actions; an empty list if they have none."""
        return list(self._action_names)

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads and processes of the environments. Returned arrays stay valid."""
        if hasattr(self, "_native"):
            self._native.close()

    def _require_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("these environments are closed; make new ones")

    def _as_mask(self, mask: Any) -> Bools:
        if (
            not isinstance(mask, np.ndarray)
            or mask.dtype != np.bool_
            or mask.shape != (self.num_envs,)
        ):
            raise Error(f"reset_mask must be a NumPy array of {self.num_envs} bools")
        if not mask.any():
            raise Error("reset_mask chooses no environment")
        return mask

    def _reset_some(self, mask: Bools, seeds: list[int] | None) -> Array:
        if seeds is not None:
            raise Error(
                "seeds are those of all environments at once: leave out the seed, or the reset_mask"
            )
        return self._native.restart_some([int(i) for i in np.flatnonzero(mask)])

    def _with_infos(self, step: "NativeStep", ids: list[int] | None = None) -> Step:
        """A native step whose events, if there are any, have become infos."""
        observations, rewards, terminations, truncations, games = step
        if games is None:
            return observations, rewards, terminations, truncations, {}
        if self._mode is not AutoresetMode.SAME_STEP:
            found = infos.of_games(games, len(rewards))
        else:
            names = range(len(rewards)) if ids is None else ids
            found = infos.of_ends(
                terminations | truncations,
                games,
                lambda row: self._native.final_observation(names[row]),
            )
        return observations, rewards, terminations, truncations, found


def make_vec(
    env: EnvId,
    num_envs: int = 1,
    num_threads: int | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    seed: Seed = None,
    render_mode: str | None = "rgb_array",
    **options: Any,
) -> VectorEnv:
    """Makes environments that are stepped together.

    Args:
        env: an id, such as "atari:Pong", "cartpole", "mujoco:walker-walk" or "gym:CartPole-v1"
            (`tandem.environments` lists them), or a function that makes a Gymnasium environment,
            which then runs in processes of its own.
        num_envs: how many environments.
        num_threads: how many threads step them; None: one for each core of this process. For
            environments in Python, how many processes.
        autoreset_mode: who resets an environment whose episode has ended: the next step
            ("next_step"), the same step ("same_step"), or the caller ("disabled").
        seed: of the first reset, if that has none.
        render_mode: "rgb_array", or None for no pictures.
        options: of the environment, by the keys of `tandem keys --env ID` without "env.":
            frame_skip=4, sticky=0.25, stack=4. Lists and dicts stand for their texts.

    Raises `tandem.Error`, with the words of the command line, for an unknown id or option and for a
    value that an option does not take.
    """
    return VectorEnv(env, num_envs, num_threads, autoreset_mode, seed, render_mode, options)

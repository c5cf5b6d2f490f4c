"""tandem's environments behind Stable-Baselines3's interface of vector environments.

Needs Stable-Baselines3: `pip install 'tandem-rl[sb3]'`.
"""

import time
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from tandem.actions import as_integers
from tandem.errors import Error
from tandem.options import EnvId
from tandem.seeds import Seed
from tandem.vector_env import make_vec

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(
        f"tandem.sb3 needs Stable-Baselines3 (pip install 'tandem-rl[sb3]'): {error}"
    ) from error

__all__ = ["TandemVecEnv"]

Array: TypeAlias = npt.NDArray[Any]
Indices: TypeAlias = int | Iterable[int] | None
Infos: TypeAlias = list[dict[str, Any]]


class TandemVecEnv(VecEnv):
    """Environments that the threads of tandem step together, for Stable-Baselines3.

    Observations have the shape [num_envs, *observation_space.shape]; they are never overwritten
    while anything refers to them. Rewards [num_envs] are float32 and raw. An environment whose
    episode has ended is reset at once. Its info has the observation that ended the episode as
    `terminal_observation`, and `TimeLimit.truncated`. The info of a finished game has `episode`
    with its return `r`, its steps `l` and the time `t` in seconds, as Monitor writes it; where a
    lost life ends an episode, the game goes on. Discrete actions count from 0, whatever number the
    environment's own begin with: Stable-Baselines3's policies draw no others. One thread may use an
    object at a time.
    """

    def __init__(
        self,
        env: EnvId,
        num_envs: int = 1,
        num_threads: int | None = None,
        seed: Seed = None,
        render_mode: str | None = "rgb_array",
        **options: Any,
    ) -> None:
        """Makes the environments; all arguments are those of `tandem.make_vec`.

        Raises `tandem.Error` for an unknown id or option.
        """
        mode = AutoresetMode.SAME_STEP
        self._envs = make_vec(env, num_envs, num_threads, mode, seed, render_mode, **options)
        shown, taken = self._envs.single_observation_space, self._envs.single_action_space
        self._first, self._count = 0, 0  # of the environment's own discrete actions
        if isinstance(taken, gymnasium.spaces.Discrete):
            self._first, self._count = int(taken.start), int(taken.n)
            taken = gymnasium.spaces.Discrete(taken.n)
        self._attributes = {
            "action_space": taken,
            "get_action_meanings": self._envs.get_action_meanings,
            "metadata": self._envs.metadata,
            "observation_space": shown,
            "render_mode": render_mode,
            "spec": self._envs.spec,
        }
        self._actions: Array | None = None
        self._begin = time.perf_counter()
        super().__init__(num_envs, shown, taken)
        self.metadata = self._envs.metadata  # with the pictures per second, for videos

    def reset(self) -> Array:
        """Starts a new game in every environment, after `seed` with its seeds.

        Returns the observations. Raises `tandem.Error` after `set_options`: there are none.
        """
        if any(self._options):
            self._reset_options()
            raise Error("a reset takes no options: give them when you make the environments")
        seeds = [seed for seed in self._seeds if seed is not None]
        self._actions = None
        observations, _ = self._envs.reset(seed=seeds or None)
        self._reset_seeds()
        return observations

    def step_async(self, actions: Array) -> None:
        """Notes the actions, [num_envs] integers or [num_envs, numbers] floats, of `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, npt.NDArray[np.float32], npt.NDArray[np.bool_], Infos]:
        """Takes a step in each environment. Returns observations, rewards, ends and infos."""
        if self._actions is None:
            raise Error("there are no actions to wait for: call step_async before step_wait")
        actions, self._actions = self._actions, None
        if self._first != 0:
            actions = self._as_own(as_integers(actions))
        observations, rewards, terminations, truncations, events = self._envs.step(actions)
        infos: Infos = [{} for _ in range(self.num_envs)]
        if events:
            self._describe_ends(infos, events, truncations & ~terminations)
        return observations, rewards.astype(np.float32), terminations | truncations, infos

    def _as_own(self, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The environment's own numbers of actions that count from 0."""
        for i, action in enumerate(actions.tolist()):
            if not 0 <= action < self._count:
                raise Error(
                    f"action {action} of environment {i} is out of range: actions are 0 to "
                    f"{self._count - 1}"
                )
        return actions + self._first

    def close(self) -> None:
        """Ends the threads and processes of the environments."""
        self._envs.close()

    def get_images(self) -> Sequence[Array | None]:
        """The pictures of all environments, each [height, width, 3] uint8."""
        return self._envs.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of these environments: a space, `metadata`, `render_mode` or `spec`.

        Raises AttributeError for any other; `has_attr` tells.
        """
        if attr_name not in self._attributes:
            raise AttributeError(
                f"tandem's environments have no {attr_name!r}; they have: "
                f"{', '.join(sorted(self._attributes))}"
            )
        return [self._attributes[attr_name] for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Raises AttributeError: options are given when the environments are made."""
        raise AttributeError(
            f"{attr_name!r} cannot be set: give options when you make the environments"
        )

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls `render` or `get_action_meanings` of these environments.

        Raises AttributeError for any other method.
        """
        chosen = self._get_indices(indices)
        if method_name == "render":
            images = self.get_images()
            return [images[i] for i in chosen]
        methods = self.get_attr(method_name, indices)
        if not all(callable(method) for method in methods):
            raise AttributeError(f"{method_name!r} is no method of tandem's environments")
        return [method(*method_args, **method_kwargs) for method in methods]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        """Whether the environments are wrapped: by Monitor alone, since their infos are its."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def _describe_ends(
        self, infos: Infos, events: dict[str, Any], truncated: npt.NDArray[np.bool_]
    ) -> None:
        """Distributes Gymnasium's infos of ended episodes to the environments."""
        for i in np.flatnonzero(events["_final_obs"]):
            infos[i]["terminal_observation"] = events["final_obs"][i]
            infos[i]["TimeLimit.truncated"] = bool(truncated[i])
        games = events["final_info"]
        if "game" not in games:
            return
        seconds = round(time.perf_counter() - self._begin, 6)
        for i in np.flatnonzero(games["_game"]):
            game_return, steps = games["game"]["r"][i], games["game"]["l"][i]
            infos[i]["episode"] = {"r": float(game_return), "l": int(steps), "t": seconds}

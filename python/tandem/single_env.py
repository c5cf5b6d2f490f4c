"""One environment behind Gymnasium's interface."""

from typing import Any, SupportsFloat

import gymnasium
import numpy as np

from tandem import spaces
from tandem.arrays import as_array
from tandem.errors import Error
from tandem.native_env import Array, NativeEnv
from tandem.options import EnvId, refuse_options
from tandem.registration import spec_of
from tandem.seeds import as_seeds


class Env(NativeEnv, gymnasium.Env[Array, Any]):  # type: ignore[misc]
    """One environment; `make` makes it.

    Observations are arrays of observation_space's shape and type, never overwritten while
    anything refers to them. With the same seed it plays as environment 0 of `make_vec`. One thread
    may use an object at a time. Raises `tandem.Error` for bad input, and for a step after the end
    of an episode.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}

    def __init__(self, env: EnvId, render_mode: str | None = "rgb_array", **options: Any) -> None:
        self._open_native(env, render_mode, options, several_agents=False)
        spec = self._native.spec
        self.metadata = spaces.metadata(spec)
        self.observation_space = spaces.observation_space(spec)
        self.action_space = spaces.action_space(spec)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Starts an episode, and returns its first observation and an empty dict. It is a new game,
        or the next life of one where a lost life ends an episode.

        A seed makes the environment anew. Without one its random stream goes on; the first reset
        then takes a random seed. There are no options.
        """
        self._require_open()
        refuse_options(options)
        if seed is not None:
            seed = as_seeds(seed, 1)[0]  # Gymnasium has other errors, and takes no NumPy integers
        super().reset(seed=seed)
        return self._begin(seed)[0], {}

    def step(self, action: Any) -> tuple[Array, SupportsFloat, bool, bool, dict[str, Any]]:
        """Takes an action: an integer, or an array of floats, as `action_space` says.

        Returns the observation, the raw reward, whether the episode has terminated and whether it
        was truncated, and infos: when a game ends, `info["game"]` has its return `r`, as
        `tandem eval` counts it, and its steps `l`. A lost life may end an episode before its game.
        """
        self._require_open()
        array, shape = as_array("the action", action), self.action_space.shape or ()
        if array.shape != shape:
            hint = "; pass action[0] of a batch of one" if array.shape == (1, *shape) else ""
            raise Error(
                f"the action has the shape {list(array.shape)}; this environment takes "
                f"{list(shape)}{hint}"
            )
        step = self._step(array[np.newaxis])
        observations, rewards, terminations, truncations, games = step
        info: dict[str, Any] = {}
        for _, game_return, length in games or ():
            info["game"] = {"r": game_return, "l": length}
        return observations[0], float(rewards[0]), bool(terminations[0]), bool(truncations[0]), info


def make(env: EnvId, render_mode: str | None = "rgb_array", **options: Any) -> Env:
    """Makes one environment behind Gymnasium's `Env`.

    Args:
        env: an id or a function, as for `make_vec`.
        render_mode: "rgb_array", or None for no pictures.
        options: of the environment, as for `make_vec`.

    Raises `tandem.Error` as `make_vec` does.
    """
    made = Env(env, render_mode, **options)
    if isinstance(env, str):
        made.spec = spec_of(env, {"render_mode": render_mode, **options})
    return made

"""One environment behind Gymnasium's interface."""

import atexit
import weakref
from typing import Any, SupportsFloat, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt

from tandem import actions as conversion
from tandem import spaces
from tandem._core import Autoreset
from tandem.errors import ClosedEnvironmentError, Error
from tandem.options import EnvId, open_environments
from tandem.registration import spec_of
from tandem.seeds import as_seeds, random_seed

Array: TypeAlias = npt.NDArray[Any]

_open: "weakref.WeakSet[Env]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Ends what environments that are still open have started."""
    for environment in list(_open):
        try:
            environment.close()
        except Error:
            continue  # another thread is stepping it, and ends with the process


class Env(gymnasium.Env[Array, Any]):
    """One environment; `make` makes it.

    Observations are arrays of single_observation_space's shape and type, never overwritten while
    anything refers to them. With the same seed it plays as environment 0 of `make_vec`. One thread
    may use an object at a time. Raises `tandem.Error` for bad input, and for a step after the end
    of an episode.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}

    def __init__(self, env: EnvId, render_mode: str | None = "rgb_array", **options: Any) -> None:
        if render_mode not in ("rgb_array", None):
            raise Error(f'render_mode is {render_mode!r}; it must be "rgb_array" or None')
        self._native = open_environments(env, options, 1, 1, Autoreset.DISABLED)
        spec = self._native.spec
        self.render_mode = render_mode
        self.metadata = spaces.metadata(spec)
        self.observation_space = spaces.observation_space(spec)
        self.action_space = spaces.action_space(spec)
        self._discrete = spec.num_actions > 0
        self._action_names = tuple(spec.action_names)
        self._started = False
        self._closed = False
        _open.add(self)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Starts a new game, and returns its first observation and an empty dict.

        A seed makes the environment anew. Without one its random stream goes on; the first reset
        then takes a random seed. There are no options.
        """
        self._require_open()
        super().reset(seed=seed)
        if seed is None and self._started:
            return self._native.restart()[0], {}
        self._started = False  # until all are made
        observations = self._native.start(as_seeds(random_seed() if seed is None else seed, 1))
        self._started = True
        return observations[0], {}

    def step(self, action: Any) -> tuple[Array, SupportsFloat, bool, bool, dict[str, Any]]:
        """Takes an action: an integer, or an array of floats, as `action_space` says.

        Returns the observation, the raw reward, whether the episode has terminated and whether it
        was truncated, and infos: when a game ends, `info["game"]` has the sum of its rewards `r`
        and its steps `l`. A lost life may end an episode before its game.
        """
        self._require_open()
        row = np.asarray(action)[np.newaxis]
        if self._discrete:
            step = self._native.step_discrete(conversion.as_integers(row))
        else:
            step = self._native.step_continuous(conversion.as_floats(row))
        observations, rewards, terminations, truncations, games = step
        info: dict[str, Any] = {}
        for _, game_return, length in games or ():
            info["game"] = {"r": game_return, "l": length}
        return observations[0], float(rewards[0]), bool(terminations[0]), bool(truncations[0]), info

    def render(self) -> npt.NDArray[np.uint8] | None:  # type: ignore[override]
        """A picture of the present state, [height, width, 3] uint8."""
        self._require_open()
        return None if self.render_mode is None else self._native.render(0)

    def get_action_meanings(self) -> list[str]:
        """The names of discrete actions; an empty list if they have none."""
        return list(self._action_names)

    def close(self) -> None:
        """Ends what the environment has started. More calls do nothing."""
        if not self._closed:
            self._native.close()
            self._closed = True

    def _require_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError("this environment is closed; make a new one")


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

"""An environment of several agents behind PettingZoo's parallel interface.

Needs PettingZoo: `pip install 'tandem-rl[pettingzoo]'`.
"""

from typing import Any, TypeAlias

import gymnasium
import numpy as np

from tandem import actions as conversion
from tandem import spaces
from tandem.errors import Error
from tandem.native_env import Array, NativeEnv
from tandem.options import EnvId

try:
    import pettingzoo
except ImportError as error:
    raise ImportError(
        "environments of several agents need PettingZoo (pip install 'tandem-rl[pettingzoo]'): "
        f"{error}"
    ) from error

Infos: TypeAlias = dict[str, dict[str, Any]]
Step: TypeAlias = tuple[dict[str, Array], dict[str, float], dict[str, bool], dict[str, bool], Infos]


class ParallelEnv(NativeEnv, pettingzoo.ParallelEnv[str, Array, Any]):
    """One environment in which several agents act at once; `make_parallel` makes it.

    The agents are "player_0", "player_1" and so on. All of them take part in each step, and their
    episodes end together: `agents` then is empty until the next reset. Observations are arrays of
    an agent's observation space, never overwritten while anything refers to them. One thread may
    use an object at a time. Raises `tandem.Error` for bad input, and for a step after the end of
    an episode; a step that was refused has changed nothing.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "is_parallelizable": True}

    def __init__(self, env: EnvId, render_mode: str | None = "rgb_array", **options: Any) -> None:
        self._open_native(env, render_mode, options, several_agents=True)
        spec = self._native.spec
        self._players = tuple(f"player_{i}" for i in range(spec.agents))
        self._observation_spaces = {name: spaces.observation_space(spec) for name in self._players}
        self._action_spaces = {name: spaces.action_space(spec) for name in self._players}
        self._action_shape = self._action_spaces[self._players[0]].shape or ()
        self._ended = False
        self._returns = np.zeros(spec.agents)  # of the present game, by player
        name = env if isinstance(env, str) else getattr(env, "__name__", "environment")
        self.metadata = spaces.metadata(spec) | {"name": name, "is_parallelizable": True}
        self.possible_agents = list(self._players)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> gymnasium.spaces.Box:
        """The space of an agent's observations; the same object each time."""
        return self._observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete | gymnasium.spaces.Box:
        """The space of an agent's actions; the same object each time."""
        return self._action_spaces[self._known(agent)]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], Infos]:
        """Starts a new game, or the next life of one where lives are episodes, and returns each
        agent's first observation and an empty dict.

        A seed makes the environment anew. Without one its random stream goes on; the first reset
        then takes a random seed. Options do nothing, as PettingZoo asks where there are none.
        """
        self._require_open()
        breaks_off = seed is not None or not self._ended
        rows = self._begin(seed)
        if breaks_off:
            self._returns[:] = 0
        self._ended = False
        self.agents = list(self._players)
        return dict(zip(self._players, rows, strict=True)), {name: {} for name in self._players}

    def step(self, actions: dict[str, Any]) -> Step:
        """Takes an action of each agent: an integer, or an array of floats, as its space says.

        Returns dicts by agent: observations, raw rewards, whether the episode has terminated,
        whether it was truncated, and infos. When a game ends, an agent's `info["game"]` has the
        sum of its rewards `r`, the game's steps `l`, and the `score` of the game, which is that of
        `tandem eval`: goals in football, and elsewhere the mean of the agents' `r`.
        """
        self._require_open()
        if self._ended:
            raise Error("the episode has ended; call reset() before the next step")
        rows = conversion.of_players(actions, self._players, self._discrete, self._action_shape)
        step = self._step(rows)
        observations, rewards, terminations, truncations, games = step
        self._returns += rewards
        infos: Infos = {name: {} for name in self._players}
        for _, score, length in games or ():
            for name, total in zip(self._players, self._returns, strict=True):
                infos[name]["game"] = {"r": float(total), "l": length, "score": score}
            self._returns[:] = 0
        self._ended = bool((terminations | truncations).any())
        if self._ended:
            self.agents = []
        return (
            dict(zip(self._players, observations, strict=True)),
            dict(zip(self._players, rewards.tolist(), strict=True)),
            dict(zip(self._players, terminations.tolist(), strict=True)),
            dict(zip(self._players, truncations.tolist(), strict=True)),
            infos,
        )

    def _known(self, agent: str) -> str:
        if agent not in self._action_spaces:
            raise Error(f"there is no agent {agent!r}; the agents are {', '.join(self._players)}")
        return agent

"""The part that environments of one agent and of several have in common."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tandem import actions as conversion
from tandem._core import Autoreset
from tandem.at_exit import close_at_exit
from tandem.errors import ClosedEnvironmentError
from tandem.options import EnvId, as_render_mode, open_environments
from tandem.seeds import as_seeds, random_seed

Array: TypeAlias = npt.NDArray[Any]


class NativeEnv:
    """One environment that its caller resets; the base of `Env` and `ParallelEnv`."""

    def _open_native(
        self, env: EnvId, render_mode: str | None, options: dict[str, Any], several_agents: bool
    ) -> None:
        self.render_mode = as_render_mode(render_mode)
        self._native = open_environments(
            env, options, 1, 1, Autoreset.DISABLED, several_agents=several_agents
        )
        self._discrete = self._native.spec.num_actions > 0
        self._action_names = tuple(self._native.spec.action_names)
        self._closed = False
        close_at_exit(self)

    def _begin(self, seed: int | None) -> Array:
        """Starts a game and returns the first observations of all agents."""
        if seed is None and self._native.started:
            return self._native.restart()
        return self._native.start(as_seeds(random_seed() if seed is None else seed, 1))

    def _step(self, rows: Array) -> Any:
        """Takes an action of each agent."""
        if self._discrete:
            return self._native.step_discrete(conversion.as_integers(rows))
        return self._native.step_continuous(conversion.as_floats(rows))

    def render(self) -> npt.NDArray[np.uint8] | None:
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

"""Environments of several agents, where PettingZoo is installed."""

from typing import TYPE_CHECKING, Any

from tandem.options import EnvId

if TYPE_CHECKING:
    from tandem.parallel_env import ParallelEnv


def make_parallel(
    env: EnvId, render_mode: str | None = "rgb_array", **options: Any
) -> "ParallelEnv":
    """Makes one environment of several agents behind PettingZoo's `ParallelEnv`.

    Args:
        env: an id or a function, as for `make_vec`.
        render_mode: "rgb_array", or None for no pictures.
        options: of the environment, as for `make_vec`; players=3 for three agents.

    Raises `tandem.Error` as `make_vec` does, and `ImportError` without PettingZoo:
    `pip install 'tandem-rl[pettingzoo]'`.
    """
    from tandem.parallel_env import ParallelEnv

    return ParallelEnv(env, render_mode, **options)

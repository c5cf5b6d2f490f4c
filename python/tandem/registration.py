"""tandem's environments in Gymnasium's registry."""

import contextlib
import copy
from collections.abc import Mapping
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from tandem._core import environment_ids


def environments() -> list[str]:
    """The ids of all environments that are found: the built-in ones, and those of plug-ins.

    Environments of Gymnasium are not among them; their ids are "gym:" and the id in Gymnasium.
    """
    return environment_ids()


def gymnasium_id(env_id: str) -> str:
    """The id in Gymnasium: "tandem/Pong-v0" of "atari:Pong", "tandem/cartpole-v0" of "cartpole",
    "tandem/mujoco.walker-walk-v0" of "mujoco:walker-walk".

    Gymnasium takes a colon for the end of a module's name, so that a dot stands for it.
    """
    return f"tandem/{env_id.removeprefix('atari:').replace(':', '.')}-v0"


def register() -> None:
    """Registers every environment with Gymnasium. The import of tandem does this, too.

    A plug-in that cannot be loaded is left out, and `make` says why. So is an environment whose
    name Gymnasium does not take; `make` takes it.
    """
    for env_id in environments():
        if gymnasium_id(env_id) in gymnasium.registry:
            continue
        with contextlib.suppress(gymnasium.error.Error):
            gymnasium.register(
                id=gymnasium_id(env_id),
                entry_point="tandem.single_env:Env",
                vector_entry_point="tandem.registration:make_registered",
                kwargs={"env": env_id},
            )


def make_registered(env: str, num_envs: int = 1, **keywords: Any) -> Any:
    """Makes environments for `gymnasium.make_vec`, which gives all options as keywords."""
    from tandem.vector_env import make_vec

    return make_vec(env, num_envs, **keywords)


def spec_of(env_id: str, keywords: Mapping[str, Any]) -> EnvSpec | None:
    """Gymnasium's spec of a registered environment with these options; None for others."""
    found = gymnasium.registry.get(gymnasium_id(env_id))
    if found is None:
        return None
    spec = copy.deepcopy(found)
    spec.kwargs.update(keywords)
    return spec

"""Makes an environment as the user's config says."""

from __future__ import annotations

import base64
import importlib
import inspect
import pickle
import zlib
from typing import Any

import gymnasium
from gymnasium.envs import registration
from tandem_worker.faults import Lie

_INLINE = "base64:"  # before a callable that the config holds, compressed by zlib


def make(start: dict[str, Any]) -> Any:
    """One environment, in its wrappers."""
    env = _from_pickle(start) if start["pickle"] else _from_id(start["id"], start["kwargs"])
    for wrapper in start["wrappers"]:
        env = _class_of(wrapper)(env)
    for needed in ("observation_space", "action_space", "reset", "step"):
        if not hasattr(env, needed):
            raise Lie(f"{type(env).__name__} is no environment of Gymnasium: it has no {needed}")
    return env


def _from_pickle(start: dict[str, Any]) -> Any:
    text: str = start["pickle"]
    if text.startswith(_INLINE):
        maker = pickle.loads(zlib.decompress(base64.b64decode(text[len(_INLINE) :])))
    else:
        with open(text, "rb") as file:
            maker = pickle.load(file)
    return maker(**start["kwargs"])


def _from_id(name: str, kwargs: dict[str, Any]) -> Any:
    # Gymnasium's checker would look at each step again.
    options: dict[str, Any] = {"disable_env_checker": True}
    module, colon, rest = name.partition(":")
    if colon:
        importlib.import_module(module)
    if "render_mode" not in kwargs and "rgb_array" in _render_modes(rest if colon else name):
        options |= {"render_mode": "rgb_array"}
    return gymnasium.make(name, **(options | kwargs))


def _render_modes(name: str) -> list[str]:
    """The ways to draw this environment that one can ask for, without making it."""
    try:
        entry: Any = gymnasium.spec(_with_version(name)).entry_point
    except gymnasium.error.Error:  # such a name is unknown, as make() tells
        return []
    if isinstance(entry, str):
        entry = registration.load_env_creator(entry)
    metadata = getattr(entry, "metadata", None)
    if not isinstance(metadata, dict) or not _takes_render_mode(entry):
        return []
    return list(metadata.get("render_modes") or [])


def _takes_render_mode(entry: Any) -> bool:
    """Whether a constructor has this argument, or may have it."""
    try:
        parameters = inspect.signature(entry).parameters.values()
    except (TypeError, ValueError):  # it is not written in Python
        return True
    return any(one.name == "render_mode" or one.kind is one.VAR_KEYWORD for one in parameters)


def _with_version(name: str) -> str:
    """The name with the newest version, which make() takes, if it has none."""
    space, bare, version = registration.parse_env_id(name)
    if version is None:
        version = registration.find_highest_version(space, bare)
    return registration.get_env_id(space, bare, version)


def _class_of(wrapper: str) -> Any:
    module, colon, name = wrapper.partition(":")
    if not colon or not name:
        raise Lie(f"env.wrappers needs names like module:Class, and has '{wrapper}'")
    return getattr(importlib.import_module(module), name)

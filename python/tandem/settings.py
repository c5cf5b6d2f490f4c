"""Settings of a training, as tandem's command line takes them."""

import base64
import os
import zlib
from collections.abc import Mapping
from typing import Any, TypeAlias

from tandem._core import config_tables
from tandem.errors import Error
from tandem.options import EnvId, as_texts

# Keys of the config and the texts of their values.
Texts: TypeAlias = list[tuple[str, str]]

# The config holds the function that makes an environment, and each checkpoint holds the config.
_MOST_BYTES = 1 << 20


def as_settings(settings: Mapping[str, Any]) -> Texts:
    """The settings as texts, in their order. None stands for a key's default.

    A key is that of `tandem keys`, or its last part if that is unique. A dict under the name of a
    table has the table's keys: optimizer={"lr": 1e-3} is {"optimizer.lr": 1e-3}. Raises `Error`
    for a value that is no setting's.
    """
    texts: Texts = []
    for key, value in settings.items():
        if isinstance(value, Mapping) and key in config_tables():
            texts += as_texts({f"{key}.{name}": one for name, one in value.items()})
        else:
            texts += as_texts({key: value})
    return texts


def as_env_settings(env: EnvId | Mapping[str, Any] | None) -> Texts:
    """The settings of an environment: of an id, of a function, or of a dict with the table [env],
    in which a function may stand for the id.

    Raises `Error` if it is none of these, and for a function that holds much data.
    """
    if env is None:
        return []
    if isinstance(env, Mapping):
        make_env = env.get("id")
        if not callable(make_env):
            return as_settings({"env": env})
        options = {key: value for key, value in env.items() if key != "id"}
        return [*as_settings({"env": options}), *as_env_settings(make_env)]
    if isinstance(env, str):
        return [("env.id", env)]
    if not callable(env):
        raise Error(
            f"{env!r} is no environment: give an id such as 'atari:Pong', a function that makes a "
            "Gymnasium environment, or a dict with the keys of the table [env], such as "
            '{"id": make, "workers": 8}'
        )
    from tandem.callables import env_id, pickled

    packed = zlib.compress(pickled(env))
    if len(packed) > _MOST_BYTES:
        raise Error(
            f"the function that makes the environment holds {len(packed) >> 20} MB of data with "
            "it, and the run keeps it in its config. Let the function load large data from a file"
        )
    text = "base64:" + base64.b64encode(packed).decode()
    return [("env.id", env_id(env)), ("env.pickle", text)]


def as_path(path: str | os.PathLike[str] | None) -> str:
    """A path as text; empty for None."""
    return "" if path is None else os.fspath(path)

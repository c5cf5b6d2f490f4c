"""Options of environments, as tandem's command line takes them."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from tandem._core import Autoreset, Environments
from tandem.counts import as_count
from tandem.errors import Error

# The id of an environment, or a function that makes a Gymnasium environment.
EnvId: TypeAlias = str | Callable[..., Any]


def as_text(name: str, value: object) -> str:
    """The text of an option's value on the command line.

    Numbers, texts and paths are themselves. A list becomes its parts: texts and paths with commas
    between them, numbers with spaces. A dict becomes JSON. Raises `Error` for anything else.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, float):
        return repr(float(value))  # a number of NumPy may be one
    if isinstance(value, int):
        return repr(value)
    if isinstance(value, Mapping):
        try:
            return json.dumps(value, default=_plain)
        except TypeError as error:
            raise Error(f"{name}: {error}; a function that makes the environment may") from None
    if isinstance(value, Iterable) and getattr(value, "ndim", None) != 0:
        parts = list(value)
        texts = [as_text(name, part) for part in parts]
        named = any(isinstance(part, str | os.PathLike) for part in parts)
        return ("," if named else " ").join(texts)
    if hasattr(value, "item"):  # a number of NumPy
        return as_text(name, value.item())
    raise Error(
        f"{name}: {type(value).__name__} is no value of an option; give a bool, a number, a text, "
        "a path, a list of these, or a dict"
    )


def _plain(value: Any) -> object:
    """A number or an array of NumPy, or a path, as JSON has it."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    raise TypeError(f"JSON cannot hold a {type(value).__name__}")


def as_texts(options: Mapping[str, object]) -> list[tuple[str, str]]:
    """The options as texts, in their order. None stands for an option's default."""
    return [(name, as_text(name, value)) for name, value in options.items() if value is not None]


def refuse_options(options: Mapping[str, object] | None, known: Iterable[str] = ()) -> None:
    """Raises `Error` for options of a reset that are not known: they would be lost on the way."""
    unknown = sorted(set(options or ()) - set(known))
    if unknown:
        raise Error(
            f"a reset takes no option {', '.join(unknown)}: give the options of an environment "
            "when you make it"
        )


def open_environments(
    env: EnvId,
    options: Mapping[str, object],
    count: int,
    threads: int | None,
    autoreset: Autoreset,
    several_agents: bool = False,
) -> Environments:
    """Makes the native environments of an id or a function. `threads`: None for all cores.

    Raises `Error` for an unknown id or option, for a value that an option does not take, and for
    environments of several agents unless `several_agents` allows them.
    """
    made = _open(env, options, count, threads, autoreset)
    agents = made.spec.agents
    if agents == 1 or several_agents:
        return made
    made.close()
    raise Error(
        f"{env} has {agents} agents; tandem.make and tandem.make_vec serve environments of one "
        "agent. tandem.make_parallel serves several, behind PettingZoo's interface"
    )


def as_render_mode(render_mode: str | None) -> str | None:
    """The render_mode of an environment. Raises Error unless it can be shown so."""
    if render_mode not in ("rgb_array", None):
        raise Error(f'render_mode is {render_mode!r}; it must be "rgb_array" or None')
    return render_mode


def _open(
    env: EnvId,
    options: Mapping[str, object],
    count: int,
    threads: int | None,
    autoreset: Autoreset,
) -> Environments:
    count = as_count("num_envs", count)
    threads = len(os.sched_getaffinity(0)) if threads is None else as_count("num_threads", threads)
    texts = dict(as_texts(options))
    if isinstance(env, str):
        if env.startswith("gym:"):
            texts.setdefault("python", sys.executable)
        return Environments(env, list(texts.items()), count, threads, autoreset, None)
    if not callable(env):
        raise Error(
            f"{env!r} is no environment: give an id such as 'atari:Pong', or a function that makes "
            "a Gymnasium environment"
        )
    from tandem.callables import PickledCallable

    pickled = PickledCallable(env)
    texts = {"python": sys.executable} | texts | {"pickle": pickled.path}
    return Environments(pickled.id, list(texts.items()), count, threads, autoreset, pickled)

"""A worker process: some environments of a group, stepped one after the other when asked.

Requests, actions, frames and results lie in shared memory (slots.h). The trainer writes requests
and rings by one eventfd; the worker answers and rings by another one, after all that it was asked,
or after each environment where the trainer waits for some only. Nobody polls.
"""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from tandem_worker import faults, making, spaces
from tandem_worker.control import Control
from tandem_worker.faults import Lie

# These numbers are those of slots.h and worker_process.h.
MEMORY, REQUESTS, ANSWERS, CONTROL = range(4, 8)
RESET, STEP, STEP_AND_RESET, RENDER = range(1, 5)
DONE, FAILED = 1, 2
TERMINATED, TRUNCATED = 1, 2
WHEN_ALL, WHEN_EACH, CLOSE = range(3)
ONE = (1).to_bytes(8, "little")

Serve = Callable[[], None]


def main(start: dict[str, Any]) -> None:
    control = Control(CONTROL)
    work = control.receive()  # the numbers and seeds of this worker's environments
    try:
        envs: list[Any] = [making.make(start) for _ in work["envs"]]
        description = describe(envs)
    except spaces.Refused as error:
        return control.send({"error": str(error)})
    except gymnasium.error.UnregisteredEnv as error:
        hint = (
            "An id of another package needs the module that registers it: gym:module:ID. One that "
            "your own program registers is unknown in the environment's process: give the class "
            "itself, or a function that registers and makes it"
        )
        return control.send({"error": f"gymnasium: {error} {hint}"})
    except gymnasium.error.Error as error:
        return control.send({"error": f"gymnasium: {error}"})
    except BaseException as error:  # a user's code may raise anything
        return control.send({"error": faults.describe(error)})
    control.send(description)
    layout = control.receive()
    slots = [
        Slot(layout, number, env, seed)
        for number, env, seed in zip(work["envs"], envs, work["seeds"], strict=True)
    ]
    serve(layout, [(slot.number, slot.server(control), slot) for slot in slots])
    for env in envs:
        try:
            close = getattr(env, "close", None)
            if close is not None:
                close()
        except Exception as error:
            faults.say(f"close() failed: {faults.describe(error)}")


def describe(envs: list[Any]) -> dict[str, Any]:
    """The observations and actions of the environments, which must be alike."""
    env = envs[0]
    for other in envs[1:]:
        for name in ("observation_space", "action_space"):
            one, another = getattr(env, name), getattr(other, name)
            if one != another:
                raise Lie(f"environments have different {name}s: {one} and {another}")
    frame = spaces.frame_of(env.observation_space)
    actions = spaces.actions_of(env.action_space)
    metadata = getattr(env, "metadata", None) or {}
    fps = float(metadata.get("render_fps") or 30)
    return {
        "dtype": frame.dtype,
        "frame_shape": frame.shape,
        "num_actions": actions.count,
        "first_action": actions.first,
        "action_low": actions.low,
        "action_high": actions.high,
        "action_names": action_names(env, actions.count),
        "render_fps": fps if math.isfinite(fps) else 30.0,
    }


def action_names(env: Any, count: int) -> list[str]:
    """Empty where the environment gives none."""
    try:
        names = env.unwrapped.get_action_meanings()
        return [str(name) for name in names] if len(names) == count else []
    except Exception:
        return []


def serve(layout: dict[str, Any], served: list[tuple[int, Serve, Slot]]) -> None:
    """Answers requests until the trainer says that it is enough."""
    memory = memoryview(_mapped(layout))
    requests, answers = memory[layout["requests"] :], memory[layout["answers"] :]
    ring = memory[layout["ring"] :]
    read, write = os.read, os.write
    while ring[0] != CLOSE:
        read(REQUESTS, 8)
        for number, answer, slot in served:
            if not requests[number]:
                continue
            try:
                answer()
            except BaseException as error:  # a user's code may raise anything
                slot.fail(error)
                answers[number] = FAILED
            if ring[0]:
                if ring[0] == CLOSE:
                    break
                write(ANSWERS, ONE)
        write(ANSWERS, ONE)


_maps: list[mmap.mmap] = []


def _mapped(layout: dict[str, Any]) -> mmap.mmap:
    """The group's memory, mapped once."""
    if not _maps:
        _maps.append(mmap.mmap(MEMORY, layout["size"]))
    return _maps[0]


class Slot:
    """An environment and its part of the shared memory."""

    def __init__(self, layout: dict[str, Any], number: int, env: Any, seed: int) -> None:
        self.number = number
        self._env = env
        self._seed: int | None = seed
        memory = memoryview(_mapped(layout))

        def part(name: str) -> memoryview:
            size = layout[name + "_bytes"]
            begin = layout[name] + number * size
            return memory[begin : begin + size]

        self._requests = part("requests")
        self._answers = part("answers")
        self._ends = part("ends")
        self._reward = part("rewards").cast("d")
        self._text = part("texts")
        self._spaces = (env.observation_space, env.action_space)
        self._read = spaces.reader_of(env.action_space, part("actions"))
        frame, first_frame = (part(x)[: layout["frame_bytes"]] for x in ("frames", "first_frames"))
        self._write = spaces.writer_of(env.observation_space, frame)
        self._write_first = spaces.writer_of(env.observation_space, first_frame)

    def server(self, control: Control) -> Serve:
        """The function that answers this environment's requests. A step is as short as can be."""
        requests, answers = self._requests, self._answers
        ends, rewards = self._ends, self._reward
        read, write, write_first = self._read, self._write, self._write_first
        step, reset = self._env.step, self._reset

        def answer() -> None:
            request = requests[0]
            requests[0] = 0
            if request == RESET:
                reset(write)
                answers[0] = DONE
                return
            if request == RENDER:  # a message is the answer
                return self._render(control)
            result = step(read())
            try:
                observation, reward, terminated, truncated, _ = result
            except (TypeError, ValueError):
                raise Lie(_wrong_result("step", result, 5)) from None
            write(observation)
            try:
                rewards[0] = reward
            except TypeError:
                raise Lie(f"step() gave the reward {reward!r}, which is no number") from None
            if terminated or truncated:
                ends[0] = (TERMINATED if terminated else 0) | (TRUNCATED if truncated else 0)
                if request == STEP_AND_RESET:
                    reset(write_first)
            else:
                ends[0] = 0
            answers[0] = DONE

        return answer

    def fail(self, error: BaseException) -> None:
        """Leaves the error's words for the trainer."""
        self._requests[0] = 0
        text = faults.cut(faults.describe(error))
        self._text[: len(text) + 1] = text + b"\0"

    def _reset(self, write: spaces.Write) -> None:
        if self._seed is None:
            result = self._env.reset()
        else:  # the first time
            result = self._env.reset(seed=self._seed)
            self._seed = None  # a reset that fails needs it again
        if not isinstance(result, tuple) or len(result) != 2:
            raise Lie(_wrong_result("reset", result, 2))
        now = (self._env.observation_space, self._env.action_space)
        for name, old, new in zip(("observation", "action"), self._spaces, now, strict=True):
            if new is not old and new != old:
                raise Lie(f"the {name} space was {old} at the start and is {new} now")
        write(result[0])

    def _render(self, control: Control) -> None:
        """Sends the picture, an empty one if the environment draws none, or the error."""
        try:
            draws = getattr(self._env, "render_mode", None) == "rgb_array"
            picture = self._env.render() if draws else None
            if picture is None:
                return control.send({"height": 0, "width": 0})
            array = np.asarray(picture)
            if array.ndim != 3 or array.shape[2] != 3 or array.dtype != np.uint8:
                raise Lie(
                    f"render() gave an array of shape {array.shape} and dtype {array.dtype}, not a "
                    "picture of shape (height, width, 3) and dtype uint8"
                )
            height, width, _ = array.shape
            control.send({"height": height, "width": width}, array.tobytes())
        except BaseException as error:  # a user's code may raise anything
            control.send({"error": faults.describe(error)})


def _wrong_result(name: str, result: Any, count: int) -> str:
    values = "an observation and info"
    if count == 5:
        values = "an observation, a reward, terminated, truncated and info"
    given = f"{len(result)} values" if isinstance(result, tuple) else f"a {type(result).__name__}"
    return f"{name}() returned {given}; Gymnasium's {name}() returns {values}"

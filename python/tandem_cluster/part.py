"""One part of a cluster as its driver sees it: its answers, and whether it is lost."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import ray
from tandem.errors import Error

from tandem_cluster.hosts import Introduction, Status

# A part that says nothing for so long is ended and replaced, and so is one whose environments hang.
SILENT_SECONDS = 20.0
HANGING_SECONDS = 60.0
# An actor names an environment that hangs itself, after env.timeout_seconds, and comes first.
_OWN_WORDS_SECONDS = 10.0
# A process may wait long for a node with room, and then needs some time to start.
START_SECONDS = 600.0
NOT_BEGUN = (
    f"it has not answered for {START_SECONDS:.0f} seconds; perhaps no node has room. It is asked "
    "for again until it does"
)


@dataclass
class Part:
    """One part of the cluster in its present incarnation."""

    name: str
    handle: Any = None
    incarnation: int = 0
    status: Status = field(default_factory=dict)
    question: Any = None  # the status that it has been asked for
    heard: float = 0  # when it last answered, or began
    answered: bool = False  # in this incarnation
    restarts: int = 0
    failures: int = 0  # errors of its own
    goes_on: bool = False  # its steps go on from those of its last incarnation
    furthest: int = 0  # the most steps, inserts or sent units that it has told
    barren: int = 0  # losses in a row without more of them
    waits: bool = False  # it has not answered for long, perhaps for lack of room
    forgiven: int = 0  # so many are followed by a restart, the next ends the training
    patience: float = HANGING_SECONDS  # for a step of its environments
    start_patience: float = START_SECONDS  # for all of them to begin

    def begun(self, handle: Any) -> None:
        self.handle = handle
        self.question = None
        self.answered = False
        self.status = {}
        self.heard = time.monotonic()
        if not self.goes_on:
            self.furthest = 0

    def ask(self, introduction: Introduction, stop: bool) -> None:
        """Asks for the status, unless an earlier question is open."""
        if self.question is None:
            knows = self.status.get("introduction") == introduction.number
            self.question = self.handle.status.remote(None if knows else introduction, stop)

    def lost(self) -> str | None:
        """Takes the answer if it is there. Returns why the part is lost, or None."""
        if self.question is not None and ray.wait([self.question], timeout=0)[0]:
            question, self.question = self.question, None
            try:
                self.status = ray.get(question)
                self.heard = time.monotonic()
                self.answered = True
                self.waits = False
                self._note_progress()
            except ray.exceptions.RayTaskError as error:
                return self._failed(getattr(error, "cause", error))
            except ray.exceptions.ActorUnavailableError:
                pass  # for the time being; silence tells whether it is lost
            except ray.exceptions.RayError as error:
                if getattr(error, "actor_init_failed", False):
                    return self._failed(error)
                return first_line(error)
        silent = time.monotonic() - self.heard
        if not self.answered:
            return NOT_BEGUN if silent > START_SECONDS else None
        if silent > SILENT_SECONDS:
            return f"it has said nothing for {SILENT_SECONDS:.0f} seconds"
        if self.status.get("starting_seconds", 0) > self.start_patience:
            return f"it has been starting for {self.start_patience:.0f} seconds"
        if self.status.get("busy_seconds", 0) > self.patience:
            return f"its environments have hung for {self.patience:.0f} seconds"
        return None

    def _note_progress(self) -> None:
        counts = (self.status.get(name) for name in ("steps", "inserted", "sent"))
        told = next((int(count) for count in counts if count), 0)
        if told > self.furthest:
            self.furthest = told
            self.barren = 0

    def _failed(self, error: Any) -> str:
        if self.failures == self.forgiven:
            if isinstance(error, Error) and not self.goes_on:  # on one machine of many
                where = f" on {self.status['node']}" if "node" in self.status else ""
                raise Error(f"{self.name}{where}: {error}") from error
            raise error
        self.failures += 1
        return first_line(error)

    def end(self) -> None:
        """Ends the process, if it still runs."""
        if self.handle is not None:
            ray.kill(self.handle)
        self.handle, self.question, self.answered = None, None, False


def hanging_seconds(tables: Mapping[str, Any]) -> float:
    """The seconds after which a step of all environments of an actor hangs, by the tables of the
    run's config. Environments in Python may take env.timeout_seconds each, and a worker steps its
    own one after another."""
    env, table = tables.get("env", {}), tables[tables["system"]]
    if "timeout_seconds" not in env:
        return HANGING_SECONDS
    envs = int(table.get("envs", 1))
    # The default, as many workers as cores, may be a single one on the actor's machine.
    workers = int(env.get("workers", 0)) or 1
    each = math.ceil(envs / workers)
    return max(HANGING_SECONDS, float(env["timeout_seconds"]) * each + _OWN_WORDS_SECONDS)


def starting_seconds(tables: Mapping[str, Any]) -> float:
    """The seconds after which the start of an actor's environments hangs. A worker of environments
    in Python may take five times env.timeout_seconds to begin; then all of them reset."""
    timeout = float(tables.get("env", {}).get("timeout_seconds", 0))
    return max(START_SECONDS, 5 * timeout + hanging_seconds(tables))


def first_line(error: Any) -> str:
    return str(error).strip().partition("\n")[0]

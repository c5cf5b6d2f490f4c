"""The Ray actors, each of which hosts one part of a cluster.

A message waits until its part is built. No other method waits.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ray
from tandem.errors import Error
from tandem.messages import forward_messages

from tandem import __version__, _core
from tandem_cluster.carrier import Carrier, Message, Publications, when_done
from tandem_cluster.config_file import on_this_machine
from tandem_cluster.gauges import Gauges

Status = dict[str, Any]

# Inserts and draws never share a queue, and status answers while both are full.
GROUPS = {"insert": 2, "draw": 1, "control": 2}


@dataclass(frozen=True)
class Introduction:
    """The parts of the cluster at one time; a later one has a higher number."""

    number: int = 0
    learner: Any = None
    shards: dict[int, Any] = field(default_factory=dict)
    actors: dict[int, Any] = field(default_factory=dict)


def require_version(version: str) -> None:
    """Raises Error where another tandem is installed: it may read a message as something else."""
    if version != __version__:
        raise Error(
            f"tandem {__version__} is installed here, and the training was begun by tandem "
            f"{version}: install one version on all machines"
        )


class Host:
    """Builds its part in a thread, and knows the other parts as the driver introduces them.

    version: of the tandem that asks for the part.
    """

    def __init__(
        self, name: str, rank: int, build: Callable[[], Any], version: str = __version__
    ) -> None:
        self.part: Any = None
        self.known = Introduction()
        self._met = threading.Event()
        self._built = threading.Event()  # or could not be
        self._gauges = Gauges(name, rank)
        self._error: Exception | None = None
        self._born = time.monotonic()
        self._lock = threading.Lock()
        words = (build, version)
        threading.Thread(target=self._build, args=words, name="build", daemon=True).start()

    def _build(self, build: Callable[[], Any], version: str) -> None:
        try:
            require_version(version)
            self.part = build()
        except Exception as error:
            self._error = error
        finally:
            self._built.set()

    def meet(self, introduction: Introduction | None) -> None:
        with self._lock:
            if introduction is not None and introduction.number > self.known.number:
                self.known = introduction
                self._met.set()

    def wait_to_meet(self) -> None:
        """For threads of carriers: a message before the first introduction has no receiver yet."""
        self._met.wait()

    def deliver(self, message: Message) -> Message:
        """The part's answer; empty, which counts as lost, if the part could not be built."""
        self._built.wait()
        if self.part is None:
            return message[:0]
        answer: Message = self.part.deliver(message)
        return answer

    def check(self, raise_error: Callable[[], None]) -> None:
        """Raises the part's error if it has one, and again at each status: an answer may be lost,
        while the part tells its error once."""
        try:
            raise_error()
        except Exception as error:
            self._error = error
            raise

    def status(self, text: str = "{}", **more: Any) -> Status:
        """The part's status. Raises the error of building it, or one that it had before."""
        forward_messages()
        if self._error is not None:
            raise self._error
        status = {"node": ray.util.get_node_ip_address(), "introduction": self.known.number}
        if self.part is None:
            status["starting_seconds"] = time.monotonic() - self._born
        status.update(json.loads(text), built=self.part is not None, **more)
        self._gauges.show(status)
        return status


class Shard:
    """Hosts a shard of the replay."""

    def __init__(self, version: str, order: dict[str, Any]) -> None:
        def build() -> Any:
            return _core.make_cluster_shard(python=sys.executable, **order)

        self._host = Host("shard", order["rank"], build, version)

    @ray.method(concurrency_group="insert")
    def insert(self, message: Message) -> Message:
        return self._host.deliver(message)

    @ray.method(concurrency_group="draw")
    def draw(self, message: Message) -> Message:
        return self._host.deliver(message)

    @ray.method(concurrency_group="control")
    def status(self, introduction: Introduction | None, stop: bool) -> Status:
        self._host.meet(introduction)
        shard = self._host.part
        return self._host.status(shard.status() if shard is not None else "{}")


class Actor:
    """Hosts an actor, which plays in a thread of its own."""

    def __init__(self, version: str, order: dict[str, Any], state: bytes) -> None:
        def build() -> Any:
            actor = _core.ClusterActor(python=sys.executable, state=state, **order)
            self._carrier = Carrier(actor, self._send)
            return actor

        self._host = Host("actor", order["rank"], build, version)

    def _send(self, receiver: str, message: Message, answer: Any) -> None:
        self._host.wait_to_meet()
        if receiver == "learner":
            when_done(self._host.known.learner.report.remote(message), answer)
        else:
            shard = self._host.known.shards[int(receiver.partition(":")[2])]
            when_done(shard.insert.remote(message), answer)

    @ray.method(concurrency_group="insert")
    def parameters(self, message: Message) -> Message:
        return self._host.deliver(message)

    @ray.method(concurrency_group="control")
    def status(self, introduction: Introduction | None, stop: bool) -> Status:
        self._host.meet(introduction)
        actor = self._host.part
        if actor is None:
            return self._host.status()
        if actor.ended():
            self._host.check(actor.raise_error)
        return self._host.status(actor.status())


def take_lines(training: Any) -> None:
    """Takes a training's lines, which its folder has, too. Raises its error after the last."""
    while training.next(0):
        continue


class Learner:
    """Hosts the learner, which trains in a thread of its own.

    words: of the training; its config may be a file of another machine.
    config_files: the contents of that file, by its name.
    """

    def __init__(
        self,
        version: str,
        run: int,
        epoch: int,
        shards: int,
        words: dict[str, Any],
        config_files: dict[str, bytes],
    ) -> None:
        self._link = _core.ClusterLink(run, epoch, shards)
        self._publications = Publications()
        self._asking = threading.Lock()  # an answer that was lost is asked for again
        self._carrier = Carrier(self._link, self._send)

        def build() -> Any:
            with on_this_machine(words["base"], config_files) as base:
                order = {**words, "base": base}
                training = _core.Training(python=sys.executable, link=self._link, **order)
                training.wait_until_built()
                return training

        self._host = Host("learner", 0, build, version)

    def _send(self, receiver: str, message: Message, answer: Any) -> None:
        self._host.wait_to_meet()
        known = self._host.known
        if receiver == "actors":
            self._publications.publish(ray.put(message), known.actors)
            answer(message[:0])
            return
        kind, _, rank = receiver.partition(":")
        if kind == "actor":
            when_done(known.actors[int(rank)].parameters.remote(message), answer)
        else:
            when_done(known.shards[int(rank)].draw.remote(message), answer)

    @ray.method(concurrency_group="insert")
    def report(self, message: Message) -> Message:
        return self._link.deliver(message)

    @ray.method(concurrency_group="control")
    def status(self, introduction: Introduction | None, stop: bool) -> Status:
        """The state of the training. Raises the error that ended it."""
        self._host.meet(introduction)
        with self._asking:
            return self._status(stop)

    def _status(self, stop: bool) -> Status:
        training = self._host.part
        if training is None:
            # Random play in a slow environment, which measures it, may last long.
            return self._host.status(ended=False, starting_seconds=0)
        if stop:
            training.stop()
        self._host.check(lambda: take_lines(training))
        ended = training.ended
        if ended:
            self._host.check(training.raise_error)
        return self._host.status(
            self._link.status(),
            ended=ended,
            budget=training.budget,
            steps=training.steps,
        )


_remote: Any = ray.remote(concurrency_groups=GROUPS)
ShardHost, ActorHost, LearnerHost = map(_remote, (Shard, Actor, Learner))

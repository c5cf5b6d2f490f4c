"""Makes the parts of a cluster, watches them, and replaces those that are lost."""

from __future__ import annotations

import math
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import ray
from ray.util.placement_group import PlacementGroup, placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy
from tandem.errors import Error

from tandem import __version__, _core
from tandem_cluster.hosts import ActorHost, Introduction, LearnerHost, ShardHost, Status
from tandem_cluster.part import (
    HANGING_SECONDS,
    NOT_BEGUN,
    START_SECONDS,
    Part,
    hanging_seconds,
    starting_seconds,
)
from tandem_cluster.plan import Plan, config_tables, has_checkpoint, keep_facts
from tandem_cluster.ray_session import head_answers
from tandem_cluster.storage import learner_resources, nearest_folder

# A part that is lost so often in a row without any progress would be lost for ever.
BARREN_LOSSES = 10
# If a lost learner finds no room for so long, actors make some.
_CROWDED_SECONDS = 10.0
_LOOK_SECONDS = 0.5
_HEAD_SECONDS = 15.0

LEARNER_CPUS = 1.0
SHARD_CPUS = 0.25
ACTOR_CPUS = 1.0


class Driver:
    """One training on a cluster that Ray already carries."""

    def __init__(self, plan: Plan, say: Callable[[str], None]) -> None:
        self._plan = plan
        self._say = say
        self._run = secrets.randbits(63)  # no other run has it
        self._learner = Part("the learner", goes_on=True)
        self._shards = [Part(f"shard {i}") for i in range(plan.shards or 0)]
        self._actors: list[Part] = []
        self._held: set[int] = set()  # ranks of actors that make room for the learner
        self._made_room = 0.0  # when actors last did
        self._roomy = ""  # the node on which they did
        self._config = ""  # of the run, as TOML
        self._states: dict[int, bytes] = {}
        self._stopping = False
        self._lockstep = False
        self._head_heard = time.monotonic()
        self._introduction = Introduction()
        self._group = self._make_group()

    @property
    def _place(self) -> PlacementGroupSchedulingStrategy:
        return PlacementGroupSchedulingStrategy(self._group)

    @property
    def _cpus(self) -> float:
        """Of the learner and the shards, which one node must have."""
        return LEARNER_CPUS + SHARD_CPUS * len(self._shards)

    def _make_group(self) -> PlacementGroup:
        """The learner and the shards on one node, since every batch crosses between them."""
        needs = {"CPU": self._cpus}
        folder = nearest_folder(Path(self._plan.run_dir))
        bound = learner_resources(folder, needs["CPU"], self._say)
        self._bound = next(iter(bound), "").removeprefix("node:")  # to this node, if any
        needs.update(bound)
        group = placement_group([needs], strategy="STRICT_PACK")
        if not self._finds_room(group):
            remove_placement_group(group)
            raise Error(
                "no node has room for the learner and its shards: they need "
                f"{needs['CPU']:g} CPUs of one node"
            )
        return group

    def _finds_room(self, group: PlacementGroup) -> bool:
        """Whether a node has room for the learner and the shards, or gets some in time."""
        # A cluster of others may bring nodes on demand, which takes minutes. On this machine alone
        # nothing comes, but a busy machine starts Ray slowly.
        joined = self._plan.address is not None
        limit = START_SECONDS if joined else HANGING_SECONDS
        begun = time.monotonic()
        told = False
        while not group.wait(1):  # Ctrl-C has no effect within this wait, so it is short
            waited = time.monotonic() - begun
            if waited > limit:
                return False
            if joined and not told and waited > _CROWDED_SECONDS:
                node = f"{self._bound} to have" if self._bound else "a node with"
                self._say(f"the learner waits for {node} {self._cpus:g} free CPUs")
                told = True
            time.sleep(_LOOK_SECONDS)
        return True

    def begin(self) -> None:
        """Starts all parts. Returns when the learner trains."""
        if not self._plan.resume:
            keep_facts(self._plan)  # from the first moment, for a driver that is lost meanwhile
        self._begin_learner()
        while not self._learner.status.get("built"):
            self._look_at_head()
            lost = self._look(self._learner)
            self._end_if_stopped()
            if lost:
                self._begin_learner()
            time.sleep(_LOOK_SECONDS)
        self._config = self.read_when_visible("config.toml")
        tables = config_tables(self._config)
        table = tables[tables["system"]]
        if self._plan.resume:
            keep_facts(self._plan)  # the run of one machine has none
            self._states = _core.saved_actors(str(self.run_dir))
        self._lockstep = bool(table.get("lockstep", False))
        forgiven = int(table.get("restarts", 3))
        for index in range(len(self._shards)):
            self._begin_shard(index)
        # A resumed run has played the games of low seeds. An actor without a state would play them
        # again, and so would the successor of one that goes on from its state. (Lockstep needs the
        # state, and so the seed, and has no successors.)
        fresh = secrets.randbits(31) if self._plan.resume else 0
        patience, start = hanging_seconds(tables), starting_seconds(tables)
        for rank in range(int(table["actors"])):
            before = 0 if self._lockstep and rank in self._states else fresh
            part = Part(
                f"actor {rank}",
                forgiven=forgiven,
                incarnation=before,
                patience=patience,
                start_patience=start,
            )
            self._actors.append(part)
            self._begin_actor(rank)
        self._introduce()

    def read_when_visible(self, name: str) -> str:
        """The text of a file that the learner has written into the run's folder, perhaps on another
        node of shared storage, which shows it late."""
        end = time.monotonic() + HANGING_SECONDS
        while True:
            try:
                return (self.run_dir / name).read_text()
            except FileNotFoundError:
                if time.monotonic() > end:
                    raise
            time.sleep(_LOOK_SECONDS)

    def go_on(self) -> bool:
        """Looks at all parts once and replaces those that are lost. Returns False at the end."""
        time.sleep(_LOOK_SECONDS)
        self._look_at_head()
        replaced = self._look(self._learner)
        if self._learner.status.get("ended"):  # an actor's error cannot undo a finished run
            return False
        self._end_if_stopped()
        if replaced:
            self._begin_learner()
        for index, shard in enumerate(self._shards):
            if self._look(shard):
                self._begin_shard(index)
                replaced = True
        for rank, actor in enumerate(self._actors):
            if rank not in self._held and self._look(actor):
                if not actor.waits:
                    self._states.pop(rank, None)
                self._begin_actor(rank)
                replaced = True
        replaced = self._make_room() or replaced
        if replaced:
            self._introduce()
        return True

    def _end_if_stopped(self) -> None:
        """Raises Error for a stop while no learner trains. A successor may never find room, and it
        could only load the newest checkpoint, which is there already."""
        trains = self._learner.answered and self._learner.status.get("built")
        if not self._stopping or trains:
            return
        if has_checkpoint(self.run_dir):
            raise Error(
                "stopped while no learner trained; go on with: tandem cluster train --resume "
                f"{self.run_dir}"
            )
        if self._config:
            raise Error("stopped before the first checkpoint; the same command begins anew")
        raise Error("stopped before the training began; the same command begins it")

    def stop(self) -> None:
        """Asks the learner to end with a checkpoint."""
        self._stopping = True

    def end(self) -> None:
        """Ends all processes, unless the head is gone, which takes them along."""
        if not head_answers():
            return
        for part in [*self._actors, *self._shards, self._learner]:
            part.end()
        remove_placement_group(self._group)

    @property
    def run_dir(self) -> Path:
        return Path(self._plan.run_dir)

    def status(self) -> Status:
        """The learner's status, with the parts that live and have been replaced."""
        parts = [self._learner, *self._shards, *self._actors]
        playing = [part.status["node"] for part in self._actors if part.answered]
        return {
            **self._learner.status,
            "actors_wanted": len(self._actors),
            "restarts": sum(part.restarts for part in parts),
            "nodes": dict(Counter(playing)),
        }

    def _look_at_head(self) -> None:
        silent = time.monotonic() - self._head_heard
        if silent < 1:
            return
        if head_answers():
            self._head_heard = time.monotonic()
        elif silent > _HEAD_SECONDS:
            raise Error(
                "Ray's head is lost: start Ray again, and then `tandem cluster train --resume "
                f"{self.run_dir}` goes on"
            )

    def _look(self, part: Part) -> bool:
        """Whether a part is lost. Says why; asks for the next status otherwise."""
        why = part.lost()
        if why is None:
            known = self._introduction
            if part is not self._learner:  # it alone writes to actors, of which there may be many
                known = replace(known, actors={})
            part.ask(known, self._stopping)
            return False
        if why == NOT_BEGUN:
            if not part.waits:
                self._say(f"{part.name} waits: {why}")
            part.waits = True
            if self._lockstep:  # another incarnation would draw other numbers
                return False
            part.end()
            return True
        if self._lockstep:
            raise Error(f"{part.name} is lost ({why}), and lockstep needs it; --resume goes on")
        part.end()
        part.restarts += 1
        part.barren += 1
        if part.barren > BARREN_LOSSES:
            raise Error(
                f"{part.name} was lost {part.barren} times in a row without any progress ({why}): "
                "does its machine have the memory, and does the environment survive there?"
            )
        self._say(f"{part.name} is lost ({why}); another takes its place")
        return True

    def _make_room(self) -> bool:
        """Ends actors of one node if the learner's successor finds no node with room."""
        if self._learner.answered:
            held, self._held = self._held, set()
            for rank in held:
                self._begin_actor(rank)
            return bool(held)
        now = time.monotonic()
        since = now - max(self._learner.heard, self._made_room)
        if since < _CROWDED_SECONDS or self._group.wait(1):  # 0 would not wait for the answer
            return False
        self._made_room = now
        for rank, part in enumerate(self._actors):
            if not part.answered:  # it would take the room that others make
                self._hold(rank)
        large = {
            node["NodeManagerAddress"]
            for node in ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= self._cpus
        }
        if self._bound:
            large &= {self._bound}
        nodes = (part.status["node"] for part in self._actors if part.answered)
        playing = Counter(node for node in nodes if node in large)
        if not playing:
            return False
        if self._roomy not in playing:
            self._roomy = playing.most_common(1)[0][0]
        ranks = [r for r, part in enumerate(self._actors) if part.status.get("node") == self._roomy]
        ranks = ranks[: math.ceil(self._cpus)]
        for rank in ranks:
            self._hold(rank)
        self._say(f"{len(ranks)} actors on {self._roomy} make room for the learner")
        return False

    def _hold(self, rank: int) -> None:
        """Ends an actor until the learner is back."""
        part = self._actors[rank]
        if part.answered:  # it has gone on from its state
            self._states.pop(rank, None)
        part.end()
        part.status = {}
        self._held.add(rank)

    def _begin_learner(self) -> None:
        """The first learner begins the run or resumes it, and its successors resume it."""
        part = self._learner
        part.incarnation += 1
        first = part.incarnation == 1  # nothing is there, and shared storage would remember that
        resumes = self._plan.resume or (not first and has_checkpoint(self.run_dir))
        if not resumes and not first:
            shutil.rmtree(self.run_dir, ignore_errors=True)  # lost before its first checkpoint
            keep_facts(self._plan)
        words = self._plan.words()
        if resumes and not first:
            words.update(system="", base="", resume=True)
            # A resume's settings may not have come to the run's config before the loss.
            if not self._plan.resume:
                words["settings"] = []
        part.begun(
            LearnerHost.options(num_cpus=LEARNER_CPUS, scheduling_strategy=self._place).remote(
                __version__,
                self._run,
                part.incarnation,
                len(self._shards),
                words,
                self._plan.config_files,
            )
        )

    def _order(self, part: Part, rank: int) -> dict[str, Any]:
        part.incarnation += 1
        return {
            "config": self._config,
            "run": self._run,
            "epoch": self._learner.incarnation,
            "incarnation": part.incarnation,
            "rank": rank,
            "shards": len(self._shards),
        }

    def _begin_shard(self, index: int) -> None:
        part = self._shards[index]
        order = self._order(part, index)
        options = {"num_cpus": SHARD_CPUS, "scheduling_strategy": self._place}
        part.begun(ShardHost.options(**options).remote(__version__, order))

    def _begin_actor(self, rank: int) -> None:
        part = self._actors[rank]
        order = self._order(part, rank)
        options = {"num_cpus": ACTOR_CPUS, "scheduling_strategy": "SPREAD"}
        state = self._states.get(rank, b"")
        part.begun(ActorHost.options(**options).remote(__version__, order, state))

    def _introduce(self) -> None:
        """All parts learn of each other with the next question for their status."""
        self._introduction = Introduction(
            self._introduction.number + 1,
            self._learner.handle,
            {index: part.handle for index, part in enumerate(self._shards)},
            {rank: part.handle for rank, part in enumerate(self._actors) if part.handle},
        )


def processors_of(plan: Plan) -> float:
    """The CPUs that a cluster of one machine must count."""
    return LEARNER_CPUS + SHARD_CPUS * (plan.shards or 0) + ACTOR_CPUS * (plan.actors or 0)

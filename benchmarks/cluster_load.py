"""A cluster whose replay is put under load: a local Ray cluster with tandem's shards and carriers.

Its actors send play that they recorded once, and its learner draws batches and gives them random
priorities. So nothing but the replay and its messages needs the processors.
"""

import json
import os
import secrets
import sys
import time
from dataclasses import dataclass, fields

os.environ.setdefault("RAY_DEDUP_LOGS", "0")
import ray
from tandem_cluster import hosts, ray_session
from tandem_cluster.carrier import Carrier, Publications

from tandem import __version__, _core

START_SECONDS = 120
ANSWER_SECONDS = 60


class _RecordedActorHost(hosts.Actor):
    """Hosts an actor that sends recorded play."""

    def __init__(self, order, rate):
        def build():
            actor = _core.RecordedActor(python=sys.executable, rate=rate, **order)
            self._carrier = Carrier(actor, self._send)
            return actor

        self._host = hosts.Host("actor", order["rank"], build)

    @ray.method(concurrency_group="control")
    def set_rate(self, per_second):
        self._host.part.set_rate(per_second)


class _DrawingLearnerHost(hosts.Learner):
    """Hosts a learner that draws batches and learns nothing."""

    def __init__(self, run, shards, config, rate):
        self._link = _core.ClusterLink(run, 1, shards)
        self._publications = Publications()
        self._carrier = Carrier(self._link, self._send)
        self._host = hosts.Host(
            "learner",
            0,
            lambda: _core.DrawingLearner(self._link, config, sys.executable, rate),
        )

    @ray.method(concurrency_group="control")
    def status(self, introduction, stop):
        self._host.meet(introduction)
        learner = self._host.part
        if learner is None:
            return self._host.status()
        learner.raise_error()
        return self._host.status(learner.status())

    @ray.method(concurrency_group="control")
    def set_rate(self, per_second):
        self._host.part.set_rate(per_second)


_remote = ray.remote(concurrency_groups=hosts.GROUPS, num_cpus=0)
RecordedActor, DrawingLearner = map(_remote, (_RecordedActorHost, _DrawingLearnerHost))


@dataclass
class Totals:
    """Sums over all parts since they began."""

    inserted: int = 0  # transitions that the shards have received
    sent: int = 0  # transitions that the actors have sent
    sent_bytes: int = 0  # of the actors' messages
    unheard: int = 0  # times that an actor's message got no answer
    repeated: int = 0  # messages that came twice, of which shards take one
    open: int = 0  # messages under way
    batches: int = 0  # that the learner has drawn
    sample_bytes: int = 0  # of the observations in them
    lost_batches: int = 0  # drawn anew because a part did not come
    transitions: int = 0  # in the replay
    bytes: int = 0  # of the replay in memory

    def __sub__(self, other):
        return Totals(
            **{
                name.name: getattr(self, name.name) - getattr(other, name.name)
                for name in fields(Totals)
            }
        )


def config_text(args):
    """The config of all parts, over the preset apex/atari: the paper's, with 360 environments."""
    tables = {
        "env": {"id": args.env},
        "apex": {"actors": args.actors, "envs": args.envs, "batch": args.batch},
        "replay": {
            "capacity": args.capacity,
            "min_fill": min(args.min_fill, args.capacity),
            "compression": args.compression,
        },
    }
    lines = ['system = "apex"']
    for table, keys in tables.items():
        lines += [f"[{table}]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items())]
    return "\n".join(lines) + "\n"


class Load:
    """The cluster. It rests until it gets rates."""

    def __init__(self, args):
        ray_session.begin(None, args.actors + args.shards + 1, {})
        run, config = secrets.randbits(63), config_text(args)
        order = {"config": config, "run": run, "epoch": 1, "incarnation": 1, "shards": args.shards}
        shard_host = hosts.ShardHost.options(num_cpus=0)
        self._shards = [
            shard_host.remote(__version__, {**order, "rank": i}) for i in range(args.shards)
        ]
        self._actors = [RecordedActor.remote({**order, "rank": i}, 0.0) for i in range(args.actors)]
        self._learner = DrawingLearner.remote(run, args.shards, config, 0.0)
        self._introduction = hosts.Introduction(
            1, self._learner, dict(enumerate(self._shards)), dict(enumerate(self._actors))
        )
        self._await_parts()

    def _statuses(self, parts):
        questions = [part.status.remote(self._introduction, False) for part in parts]
        return ray.get(questions, timeout=ANSWER_SECONDS)

    def _await_parts(self):
        end = time.monotonic() + START_SECONDS
        while not all(
            status["built"] and status.get("parameters_version", 1) > 0
            for status in self._statuses([*self._shards, *self._actors, self._learner])
        ):
            if time.monotonic() > end:
                raise RuntimeError("the parts of the cluster do not start")
            time.sleep(0.2)

    def set_rates(self, transitions, batches):
        """So many transitions and batches a second from now on; infinity: as many as it can."""
        each = transitions / len(self._actors)
        calls = [actor.set_rate.remote(each) for actor in self._actors]
        ray.get([*calls, self._learner.set_rate.remote(batches)], timeout=ANSWER_SECONDS)

    def totals(self):
        actors, shards = self._statuses(self._actors), self._statuses(self._shards)
        (learner,) = self._statuses([self._learner])

        def total(statuses, key):
            return sum(status[key] for status in statuses)

        sums = {key: total(shards, key) for key in ("inserted", "transitions", "bytes")}
        for key in ("sent", "sent_bytes", "unheard", "repeated", "open"):
            sums[key] = total(actors, key)
        for key in ("batches", "sample_bytes", "lost_batches"):
            sums[key] = learner[key]
        return Totals(**sums)

    def rest(self):
        """Stops the load; returns the totals when no message is under way."""
        self.set_rates(0, 0)
        end = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < end:
            time.sleep(0.5)
            before, now = self.totals(), self.totals()
            if now.open == 0 and now.sent == before.sent:
                break
        return now

    def end(self):
        ray_session.end()

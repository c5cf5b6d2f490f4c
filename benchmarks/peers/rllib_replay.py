"""RLlib's prioritized replay buffer in Ray actors, loaded as its Ape-X loaded it, in turns.

usage: rllib_replay.py TRANSITIONS --capacity N [--actors 4] [--shards 1]

TRANSITIONS is a folder of .npy files, whose first axis counts transitions. Prints `@@` once
the buffers are full. Then each line of standard input is a turn: 1 or 0 for inserts, 1 or 0 for
draws, and seconds. The answer is a line `@@ INSERTS SAMPLES`, both a second. Between turns all
rests; it ends with its input.

Actors send 100 transitions a call, the fastest of 50, 100, 200 and 500 here, and have two calls
under way. A learner draws batches of 512 and returns their priorities. As in RLlib's Ape-X, an
actor chooses a shard for each call, the learner draws each batch from one shard, and it has some
draws under way. Large arrays go through Ray's object store. The buffer keeps transitions as they
come, both observations whole and not compressed: to compress them takes it more time.
"""

import argparse
import itertools
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import ray
from ray.rllib.policy.sample_batch import SampleBatch
from ray.rllib.utils.replay_buffers import PrioritizedReplayBuffer

BATCH, CALL = 512, 100
ALPHA, BETA = 0.6, 0.4
INSERTS_UNDER_WAY, DRAWS_UNDER_WAY = 2, 4

Buffer = ray.remote(num_cpus=0)(PrioritizedReplayBuffer)


class Worker:
    """Repeats a call in a thread while it is on."""

    def __init__(self):
        self._on = threading.Event()
        self._idle = threading.Event()
        self._done = 0
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            if not self._on.is_set():
                self.finish()
                self._idle.set()
            self._on.wait()
            self._done += self.act()

    def act(self):
        """Works a little; returns how many transitions that has brought."""
        raise NotImplementedError

    def finish(self):
        """Waits for all calls that are under way."""
        raise NotImplementedError

    def begin(self):
        self._idle.clear()
        self._on.set()

    def end(self):
        self._on.clear()

    def rest(self):
        self._idle.wait()

    def done(self):
        return self._done


class _Actor(Worker):
    """Sends recorded transitions."""

    def __init__(self, folder, buffers, rank):
        arrays = {file.stem: np.load(file) for file in sorted(Path(folder).glob("*.npy"))}
        count = len(next(iter(arrays.values())))
        self._calls = itertools.cycle(
            SampleBatch({name: array[first : first + CALL] for name, array in arrays.items()})
            for first in range(0, count - CALL + 1, CALL)
        )
        first = rank % len(buffers)
        self._buffers = itertools.cycle(buffers[first:] + buffers[:first])
        self._open = []
        super().__init__()

    def act(self):
        self._open.append(next(self._buffers).add.remote(next(self._calls)))
        if len(self._open) < INSERTS_UNDER_WAY:
            return 0
        done, self._open = ray.wait(self._open)
        ray.get(done)
        return CALL * len(done)

    def finish(self):
        ray.get(self._open)
        self._done += CALL * len(self._open)
        self._open = []


class _Learner(Worker):
    """Draws batches and returns random priorities."""

    def __init__(self, buffers):
        self._buffers = itertools.cycle(buffers)
        self._random = np.random.default_rng(0)
        self._open = []
        super().__init__()

    def act(self):
        while len(self._open) < DRAWS_UNDER_WAY:
            buffer = next(self._buffers)
            self._open.append((buffer, buffer.sample.remote(BATCH, beta=BETA)))
        return self._take()

    def _take(self):
        buffer, reference = self._open.pop(0)
        batch = ray.get(reference)
        priorities = self._random.random(BATCH) + 1e-3
        buffer.update_priorities.remote(batch["batch_indexes"], priorities)
        return BATCH

    def finish(self):
        while self._open:
            self._done += self._take()


_remote = ray.remote(num_cpus=0, max_concurrency=2)
Actor, Learner = map(_remote, (_Actor, _Learner))


def turn(workers, others, seconds):
    """The rate of each kind of worker over some seconds in which the workers work."""
    ray.get([worker.begin.remote() for worker in workers])
    time.sleep(min(1.0, seconds / 4))
    counts = [ray.get([one.done.remote() for one in kind]) for kind in others]
    begin = time.monotonic()
    time.sleep(seconds)
    ends = [ray.get([one.done.remote() for one in kind]) for kind in others]
    passed = time.monotonic() - begin
    ray.get([worker.end.remote() for worker in workers])
    ray.get([worker.rest.remote() for worker in workers])
    return [(sum(end) - sum(count)) / passed for count, end in zip(counts, ends, strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("transitions")
    parser.add_argument("--capacity", type=int, required=True)
    parser.add_argument("--actors", type=int, default=4)
    parser.add_argument("--shards", type=int, default=1)
    args = parser.parse_args()
    # Each transition has two observations of 28 kB, which stay in the object store.
    store = 60_000 * args.capacity + 2_000_000_000
    ray.init(
        address="local",
        num_cpus=max(os.cpu_count() or 1, args.actors + args.shards + 1),
        include_dashboard=False,
        logging_level="error",
        log_to_driver=False,
        object_store_memory=store,
        _node_ip_address="127.0.0.1",
    )
    each = args.capacity // args.shards
    buffers = [Buffer.remote(capacity=each, alpha=ALPHA) for _ in range(args.shards)]
    actors = [Actor.remote(args.transitions, buffers, rank) for rank in range(args.actors)]
    learner = Learner.remote(buffers)
    while (
        min(ray.get([buffer.stats.remote() for buffer in buffers]), key=entries)["num_entries"]
        < each
    ):
        turn(actors, [actors], 2)
    print("@@", flush=True)
    for line in sys.stdin:
        inserts, draws, seconds = line.split()
        workers = [*(actors if inserts == "1" else []), *([learner] if draws == "1" else [])]
        print("@@", *turn(workers, [actors, [learner]], float(seconds)), flush=True)


def entries(stats):
    return stats["num_entries"]


if __name__ == "__main__":
    main()

"""One contender's prioritized replay as a learner in Python uses it, in turns.

Prints `@@ BYTES`, the memory of a transition, once it is full. Then each line of standard input is
a turn: `insert`, `sample` or `update`, the number of Python threads, and seconds. The answer is a
line `@@ RATE`, transitions per second. Between turns the contender rests; it ends with its input.

All get the same steps of 50 games: observations of 4x84x84 bytes, each a stack of four frames.
`insert` adds 50 transitions at a time, one of each game. `sample` draws batches of 512, and
`update` also gives each batch new priorities. Each class says what it keeps.
"""

import argparse
import os
import sys
import tempfile
import threading
import time

import numpy as np

BATCH, GAMES = 512, 50
ALPHA, BETA = 0.6, 0.4
PERIOD = 16  # steps after which the games' pictures come again


def observations():
    """[PERIOD, GAMES, 4, 84, 84]: stacks that move on by a frame a step."""
    random = np.random.default_rng(0)
    blocks = random.integers(0, 4, (PERIOD, GAMES, 7, 7), dtype=np.uint8) * 60
    frames = np.kron(blocks, np.ones((12, 12), np.uint8))
    steps = [[(t + k) % PERIOD for k in range(4)] for t in range(PERIOD)]
    return [np.ascontiguousarray(frames[step].swapaxes(0, 1)) for step in steps]


def new_priorities():
    return np.random.random(BATCH).astype(np.float32) + np.float32(1e-6)


class Tandem:
    """Keeps each frame once, or with stack=1 each observation once, as it comes."""

    def __init__(self, capacity, stack=4, compression="none"):
        from gymnasium.spaces import Box, Discrete

        import tandem

        self.replay = tandem.Replay(
            capacity,
            Box(0, 255, (4, 84, 84), np.uint8),
            Discrete(6),
            GAMES,
            stack=stack,
            n_step=1,
            alpha=ALPHA,
            beta=BETA,
            compression=compression,
        )
        self.source = observations()

    def client(self):
        writer, source, t = self.replay.writer(), self.source, 0
        actions, rewards = np.zeros(GAMES, np.int64), np.zeros(GAMES)
        no = np.zeros(GAMES, bool)

        def insert():
            nonlocal t
            t += 1
            now, later = source[(t - 1) % PERIOD], source[t % PERIOD]
            writer.add(now, actions, later, rewards, no, no)

        def sample():
            return self.replay.sample(BATCH)

        def update():
            self.replay.update(sample().keys, new_priorities())

        return {"insert": insert, "sample": sample, "update": update}


class Torchrl:
    """Keeps both observations of each transition whole, in memory or in a mapped file."""

    def __init__(self, capacity, mapped):
        import torch
        from tensordict import TensorDict
        from torchrl.data import (
            LazyMemmapStorage,
            LazyTensorStorage,
            TensorDictPrioritizedReplayBuffer,
        )

        torch.set_num_threads(len(os.sched_getaffinity(0)))
        self.torch = torch
        if mapped:
            self.folder = tempfile.TemporaryDirectory()
            storage = LazyMemmapStorage(capacity, scratch_dir=self.folder.name)
        else:
            storage = LazyTensorStorage(capacity)
        self.buffer = TensorDictPrioritizedReplayBuffer(
            alpha=ALPHA, beta=BETA, storage=storage, batch_size=BATCH, priority_key="td_error"
        )
        source = [torch.from_numpy(each) for each in observations()]
        self.steps = [
            TensorDict(
                {
                    "observation": source[t],
                    "next_observation": source[(t + 1) % PERIOD],
                    "action": torch.zeros(GAMES, dtype=torch.int64),
                    "reward": torch.zeros(GAMES),
                    "done": torch.zeros(GAMES, dtype=torch.bool),
                    "td_error": torch.rand(GAMES),
                },
                batch_size=[GAMES],
            )
            for t in range(PERIOD)
        ]

    def client(self):
        t = 0

        def insert():
            nonlocal t
            self.buffer.extend(self.steps[t % PERIOD])
            t += 1

        def sample():
            return self.buffer.sample()

        def update():
            batch = sample()
            batch["td_error"] = self.torch.rand(BATCH)
            self.buffer.update_tensordict_priority(batch)

        return {"insert": insert, "sample": sample, "update": update}


class Reverb:
    """Keeps each observation once: transitions share their chunks, which a server keeps compressed.

    Its server and its dataset have threads of their own, whatever the number of Python's. A writer
    is for one game, so 50 transitions are 50 steps of one game: fewer streams to the server than
    with 50 games.
    """

    def __init__(self, capacity):
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
        import reverb
        import tensorflow as tf

        self.reverb, self.tf = reverb, tf
        table = reverb.Table(
            "replay",
            sampler=reverb.selectors.Prioritized(ALPHA),
            remover=reverb.selectors.Fifo(),
            max_size=capacity,
            rate_limiter=reverb.rate_limiters.MinSize(1),
        )
        self.server = reverb.Server(tables=[table], port=None)
        self.address = f"localhost:{self.server.port}"
        self.source = observations()

    def batches(self):
        tf = self.tf
        data = self.reverb.TrajectoryDataset(
            server_address=self.address,
            table="replay",
            dtypes={"observation": tf.uint8, "action": tf.int32, "reward": tf.float32},
            shapes={
                "observation": tf.TensorShape([2, 4, 84, 84]),
                "action": tf.TensorShape([1]),
                "reward": tf.TensorShape([1]),
            },
            max_in_flight_samples_per_worker=2 * BATCH,
            num_workers_per_iterator=2,
        )
        return iter(data.batch(BATCH).prefetch(1))

    def client(self):
        connection = self.reverb.Client(self.address)
        writer = connection.trajectory_writer(num_keep_alive_refs=2)
        t, drawn = 0, None

        def insert():
            nonlocal t
            for _ in range(GAMES):
                observation = self.source[t % PERIOD][t // PERIOD % GAMES]
                step = {"action": np.int32(1), "reward": np.float32(0)}
                writer.append({"observation": observation, **step})
                t += 1
                if t == 1:
                    continue
                history = writer.history
                trajectory = {
                    "observation": history["observation"][-2:],
                    "action": history["action"][-2:-1],
                    "reward": history["reward"][-2:-1],
                }
                writer.create_item("replay", priority=1.0 + t % 7, trajectory=trajectory)
            writer.flush(block_until_num_items=4 * GAMES)

        def sample():
            nonlocal drawn
            if drawn is None:
                writer.flush()
                drawn = self.batches()
            return next(drawn)

        def update():
            keys = sample().info.key.numpy().tolist()
            updates = dict(zip(keys, new_priorities().tolist(), strict=True))
            connection.mutate_priorities("replay", updates=updates)

        return {"insert": insert, "sample": sample, "update": update}


CONTENDERS = {
    "tandem": Tandem,
    "tandem-lz4": lambda capacity: Tandem(capacity, compression="lz4"),
    "tandem-whole": lambda capacity: Tandem(capacity, stack=1),
    "torchrl": lambda capacity: Torchrl(capacity, mapped=False),
    "torchrl-memmap": lambda capacity: Torchrl(capacity, mapped=True),
    "reverb": Reverb,
}


def resident_bytes():
    """The memory of this process, mapped files included."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def turn(calls, items, seconds):
    """Items per second of all threads, each of which runs one of these calls again and again."""
    done, errors = [0] * len(calls), []
    end = time.monotonic() + seconds

    def run(k):
        try:
            while time.monotonic() < end:
                calls[k]()
                done[k] += items
        except Exception as error:
            errors.append(error)

    begin = time.monotonic()
    threads = [threading.Thread(target=run, args=(k,)) for k in range(1, len(calls))]
    for thread in threads:
        thread.start()
    run(0)
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return sum(done) / (time.monotonic() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contender", choices=CONTENDERS)
    parser.add_argument("--capacity", type=int, default=20_000)
    args = parser.parse_args()
    contender = CONTENDERS[args.contender](args.capacity)
    clients = [contender.client()]
    clients[0]["insert"]()  # storage that is made for the first items is there now
    before = resident_bytes()
    for _ in range(args.capacity // GAMES + 2):
        clients[0]["insert"]()
    print("@@", (resident_bytes() - before) / args.capacity, flush=True)
    for line in sys.stdin:
        what, threads, seconds = line.split()
        while len(clients) < int(threads):
            clients.append(contender.client())
        calls = [client[what] for client in clients[: int(threads)]]
        rate = turn(calls, GAMES if what == "insert" else BATCH, float(seconds))
        print("@@", rate, flush=True)
    os._exit(0)  # Reverb's threads would wait for each other


if __name__ == "__main__":
    main()

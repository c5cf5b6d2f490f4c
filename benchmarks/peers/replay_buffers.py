"""The speed of a peer's prioritized replay: transitions of two observations of 4x84x84 bytes.

Prints `@@ inserts N` and `@@ samples N`, both per second. Transitions are inserted as the peer is
meant to be used. They are sampled in batches of 512, whose priorities are then updated.
"""

import argparse
import importlib.util
import os
import sys
import time
import types
from pathlib import Path

import numpy as np

BATCH = 512
ALPHA, BETA = 0.6, 0.4
WRITE = 50  # transitions that an actor of Ape-X sends at a time


def frames():
    """Observations that can be compressed somewhat, as those of games; they share no frames."""
    random = np.random.default_rng(0)
    blocks = random.integers(0, 4, (256, 4, 7, 7), dtype=np.uint8) * 60
    return np.ascontiguousarray(np.kron(blocks, np.ones((12, 12), np.uint8)))


def rate(call, items, seconds):
    """Items per second, when each call handles `items` of them."""
    call()
    calls, start = 0, time.monotonic()
    while time.monotonic() - start < seconds:
        call()
        calls += 1
    return items * calls / (time.monotonic() - start)


def new_priorities():
    return np.random.random(BATCH) + 1e-6


class Torchrl:
    def __init__(self, capacity):
        import torch
        from tensordict import TensorDict
        from torchrl.data import LazyTensorStorage, TensorDictPrioritizedReplayBuffer

        torch.set_num_threads(len(os.sched_getaffinity(0)))
        self.torch, self.capacity = torch, capacity
        self.buffer = TensorDictPrioritizedReplayBuffer(
            alpha=ALPHA,
            beta=BETA,
            storage=LazyTensorStorage(capacity),
            batch_size=BATCH,
            priority_key="td_error",
        )
        source = torch.from_numpy(frames())
        drawn = torch.randint(0, 256, (WRITE,))
        self.transitions = TensorDict(
            {
                "observation": source[drawn],
                "next_observation": source[(drawn + 1) % 256],
                "action": torch.zeros(WRITE, dtype=torch.int64),
                "reward": torch.zeros(WRITE),
                "done": torch.zeros(WRITE, dtype=torch.bool),
                "td_error": torch.rand(WRITE),
            },
            batch_size=[WRITE],
        )
        self.insert_items = WRITE

    def insert(self):
        self.buffer.extend(self.transitions)

    def sample(self):
        batch = self.buffer.sample()
        batch["td_error"] = self.torch.rand(BATCH)
        self.buffer.update_tensordict_priority(batch)


class Pfrl:
    def __init__(self, capacity):
        from pfrl.replay_buffers import PrioritizedReplayBuffer

        self.capacity = capacity
        self.buffer = PrioritizedReplayBuffer(capacity, alpha=ALPHA, beta0=BETA, betasteps=10**6)
        self.source, self.inserted, self.insert_items = frames(), 0, 1

    def insert(self):
        k = self.inserted
        self.inserted += 1
        self.buffer.append(self.source[k % 256], 1, 0.0, self.source[(k + 1) % 256], None, False)

    def sample(self):
        drawn = self.buffer.sample(BATCH)
        np.stack([each[0]["state"] for each in drawn])
        np.stack([each[0]["next_state"] for each in drawn])
        self.buffer.update_errors(list(new_priorities()))


def baselines_module():
    """OpenAI baselines' replay buffer without the rest of it, which needs TensorFlow 1."""
    folder = Path(importlib.util.find_spec("baselines").submodule_search_locations[0])
    for name in ("baselines", "baselines.common", "baselines.deepq"):
        package = types.ModuleType(name)
        package.__path__ = [str(folder.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    return importlib.import_module("baselines.deepq.replay_buffer")


class Baselines:
    def __init__(self, capacity):
        self.capacity = capacity
        self.buffer = baselines_module().PrioritizedReplayBuffer(capacity, ALPHA)
        self.source, self.inserted, self.insert_items = frames(), 0, 1

    def insert(self):
        k = self.inserted
        self.inserted += 1
        self.buffer.add(self.source[k % 256], 1, 0.0, self.source[(k + 1) % 256], False)

    def sample(self):
        drawn = self.buffer.sample(BATCH, BETA)
        self.buffer.update_priorities(drawn[-1], new_priorities())


class Reverb:
    """Transitions share the chunks of their frames, and pass through a server on this machine."""

    def __init__(self, capacity):
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
        import reverb
        import tensorflow as tf

        self.capacity = capacity
        self.server = reverb.Server(
            tables=[
                reverb.Table(
                    "replay",
                    sampler=reverb.selectors.Prioritized(ALPHA),
                    remover=reverb.selectors.Fifo(),
                    max_size=capacity,
                    rate_limiter=reverb.rate_limiters.MinSize(1000),
                )
            ],
            port=None,
        )
        address = f"localhost:{self.server.port}"
        self.client = reverb.Client(address)
        self.writer = self.client.trajectory_writer(num_keep_alive_refs=2)
        self.source, self.inserted, self.insert_items = frames(), 0, 1
        data = reverb.TrajectoryDataset(
            server_address=address,
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
        self.batches = data.batch(BATCH).prefetch(1)
        self.drawn = None

    def insert(self):
        k = self.inserted
        self.inserted += 1
        step = {"action": np.int32(1), "reward": np.float32(0)}
        self.writer.append({"observation": self.source[k % 256], **step})
        if k > 0:
            history = self.writer.history
            trajectory = {
                "observation": history["observation"][-2:],
                "action": history["action"][-2:-1],
                "reward": history["reward"][-2:-1],
            }
            self.writer.create_item("replay", priority=1.0 + k % 7, trajectory=trajectory)
        if k % WRITE == WRITE - 1:
            self.writer.flush(block_until_num_items=4 * WRITE)

    def sample(self):
        if self.drawn is None:
            self.writer.flush()
            self.drawn = iter(self.batches)
        keys = next(self.drawn).info.key.numpy().tolist()
        updates = dict(zip(keys, new_priorities().tolist(), strict=True))
        self.client.mutate_priorities("replay", updates=updates)


PEERS = {"torchrl": Torchrl, "pfrl": Pfrl, "baselines": Baselines, "reverb": Reverb}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=sorted(PEERS))
    parser.add_argument("--capacity", type=int, default=40_000)
    parser.add_argument("--seconds", type=float, default=5)
    args = parser.parse_args()
    peer = PEERS[args.peer](args.capacity)
    for _ in range(args.capacity // peer.insert_items):
        peer.insert()
    print("@@ inserts", rate(peer.insert, peer.insert_items, args.seconds), flush=True)
    print("@@ samples", rate(peer.sample, BATCH, args.seconds), flush=True)
    os._exit(0)  # Reverb's threads would wait for each other


if __name__ == "__main__":
    main()

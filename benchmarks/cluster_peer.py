"""RLlib's replay buffer beside the replay of a cluster, by turns in one run."""

import os
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from peer_environments import PEERS, Turns, python_with
from python_envs import markdown, versions

import tandem

VENV = ".venv-rllib"
RLLIB = ["ray[rllib]==2.60.*"]  # its buffers need no torch
TRANSITIONS = 2_000  # that each of the peer's actors sends again and again
N_STEP, GAMMA = 3, 0.99
RATES = ("inserts/s", "samples/s")


def record(folder, env_id, count):
    """Writes 3-step transitions of random play: stacks of 84x84x4 bytes, as RLlib has them."""
    env = tandem.make_vec(env_id, num_envs=1)
    observations, _ = env.reset(seed=1)
    random = np.random.default_rng(1)
    stacks, actions, rewards, ends = [observations[0].copy()], [], [], []
    while len(stacks) <= count + N_STEP:
        action = random.integers(env.single_action_space.n, size=1)
        observations, reward, terminated, truncated, _ = env.step(action)
        stacks.append(observations[0].copy())
        actions.append(action[0])
        rewards.append(reward[0])
        ends.append(bool(terminated[0] or truncated[0]))
    env.close()
    channels_last = np.ascontiguousarray(np.stack(stacks).transpose(0, 2, 3, 1))
    returns = sum(GAMMA**k * np.array(rewards[k : k + count]) for k in range(N_STEP))
    arrays = {
        "obs": channels_last[:count],
        "new_obs": channels_last[N_STEP : count + N_STEP],
        "actions": np.array(actions[:count], dtype=np.int64),
        "rewards": returns.astype(np.float32),
        "terminateds": np.array([any(ends[i : i + N_STEP]) for i in range(count)]),
        "truncateds": np.zeros(count, dtype=bool),
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


def start_peer(python, folder, args):
    """The peer's own local Ray cluster."""
    words = [python, PEERS / "rllib_replay.py", folder, "--capacity", args.capacity]
    words += ["--actors", args.actors, "--shards", args.shards]
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    return Turns(words, environment)


def own_turn(load, inserts, draws, seconds, batch):
    load.set_rates(inserts, draws)
    time.sleep(min(1.0, seconds / 4))
    before, begin = load.totals(), time.monotonic()
    time.sleep(seconds)
    after, passed = load.totals(), time.monotonic() - begin
    load.rest()
    done = after - before
    return [done.inserted / passed, done.batches * batch / passed]


def pair_of_turns(load, peer, limits, seconds, args, own_first):
    """One turn of each, in this order; returns ours and the peer's rates."""
    calls = [
        lambda: own_turn(load, *limits, seconds, args.batch),
        lambda: peer.turn(*(int(limit > 0) for limit in limits), seconds),
    ]
    if own_first:
        return [call() for call in calls]
    return [call() for call in reversed(calls)][::-1]


def measure(load, peer, args, ways):
    """The rates of each turn by way: ours and the peer's."""
    seconds = args.seconds / (2 * args.rounds * len(ways))
    turns = {way: [] for way in ways}
    for number in range(args.rounds):
        for way, limits in ways.items():
            pair = pair_of_turns(load, peer, limits, seconds, args, number % 2 == 0)
            turns[way].append(pair)
            words = ", ".join(
                f"{ours:,.0f} beside {theirs:,.0f} {name}"
                for ours, theirs, name in zip(*pair, RATES, strict=True)
                if theirs > 0
            )
            print(f"round {number + 1}: {way}: {words}", flush=True)
    return turns


def table(turns, ways):
    lines = [["", "tandem", "RLlib", "ratio", "least to most"]]
    for way, pairs in turns.items():
        for index, name in enumerate(RATES):
            if ways[way][index] == 0:
                continue
            ours, theirs = zip(*((own[index], peer[index]) for own, peer in pairs), strict=True)
            ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
            lines.append(
                [
                    f"{way}: {name}",
                    f"{statistics.median(ours):,.0f}",
                    f"{statistics.median(theirs):,.0f}",
                    f"{statistics.median(ratios):.1f}x",
                    f"{min(ratios):.1f} to {max(ratios):.1f}",
                ]
            )
    return markdown(lines)


def compare(load, args, ways, setting):
    python = args.peer_python or python_with(VENV, RLLIB)
    with tempfile.TemporaryDirectory(prefix="tandem-peer-") as name:
        record(Path(name), args.env, TRANSITIONS)
        load.set_rates(20_000, 0)
        while load.totals().transitions < args.capacity:
            time.sleep(0.2)
        load.rest()
        peer = start_peer(python, name, args)
        try:
            turns = measure(load, peer, args, ways)
        finally:
            peer.close()
    print(f"\n{setting}; {versions(python, 'ray')}\n\n{table(turns, ways)}")
    return 0

#!/usr/bin/env python3
"""Makes, steps and closes environments for an hour, and shows that nothing grows.

usage: PYTHONPATH=build/python benchmarks/soak_python.py [--minutes M] [--pause S]

A cycle makes native environments with threads, an Atari game if its plug-in is there, and an
environment in a worker process, steps each and closes it. A line every few minutes has the
resident memory, open descriptors, threads and child processes of this process. Exits with 1 if
descriptors, threads or processes are more at the end than after the first tenth, or memory is more
than a twentieth larger.
"""

import argparse
import gc
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tandem

LINES = 12
WARM_UP = 0.1
MOST_GROWTH = 1.05


@dataclass
class Use:
    megabytes: float
    descriptors: int
    threads: int
    children: int


def use():
    gc.collect()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    me = os.getpid()
    children = sum(
        len(task.read_text().split()) for task in Path(f"/proc/{me}/task").glob("*/children")
    )
    return Use(
        megabytes=int(status["VmRSS"].split()[0]) / 1024,
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        threads=int(status["Threads"]),
        children=children,
    )


def play(env, steps, **options):
    envs = tandem.make_vec(env, **options)
    envs.reset(seed=1)
    actions = np.zeros(envs.num_envs, dtype=np.int64)
    for _ in range(steps):
        envs.step(actions)
    envs.send(actions)
    envs.recv()
    envs.close()


def tasks():
    python = {"python": sys.executable, "num_envs": 2, "num_threads": 1}
    yield lambda: play("cartpole", 50, num_envs=8, num_threads=2)
    yield lambda: play("catch", 50, num_envs=4, num_threads=2, autoreset_mode="same_step")
    if any(name.startswith("atari:") for name in tandem.environments()):
        yield lambda: play("atari:Pong", 20, num_envs=4, num_threads=2)
    yield lambda: play("gym:CartPole-v1", 20, **python)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--pause", type=float, default=0, help="seconds between two cycles")
    options = parser.parse_args()
    begin = time.monotonic()
    end = begin + 60 * options.minutes
    next_line = begin
    cycles = 0
    warm = None
    print("| minutes | cycles | resident MB | descriptors | threads | children |")
    print("|---|---|---|---|---|---|")
    while time.monotonic() < end:
        for task in tasks():
            task()
        cycles += 1
        now = time.monotonic()
        if warm is None and now > begin + WARM_UP * 60 * options.minutes:
            warm = use()
        if now >= next_line:
            next_line += 60 * options.minutes / LINES
            show((now - begin) / 60, cycles, use())
        time.sleep(options.pause)
    if warm is None:
        parser.error("--minutes has no time for a cycle after the first tenth")
    last = use()
    show(options.minutes, cycles, last)
    grown = [
        name
        for name in ("descriptors", "threads", "children")
        if getattr(last, name) > getattr(warm, name)
    ]
    if last.megabytes > MOST_GROWTH * warm.megabytes:
        grown.append("memory")
    print("nothing grew" if not grown else f"grew: {', '.join(grown)}")
    return 1 if grown else 0


def show(minutes, cycles, now):
    print(
        f"| {minutes:.0f} | {cycles} | {now.megabytes:.1f} | {now.descriptors} | {now.threads} "
        f"| {now.children} |",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())

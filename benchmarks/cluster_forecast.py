#!/usr/bin/env python3
"""Holds the forecast of `tandem advise --cluster` against trainings over hosts of this machine.

    benchmarks/cluster_forecast.py [CASE...] [--seconds 45] [--out FOLDER]

A case is TASK:HOSTS:ACTORS:SHARDS, as pong:2:4:1. Each is forecast, and then trained; the rates
count from the moment at which the replay is full. If the folder has the training already, the case
is only forecast anew. Prints a row of a table for each number. Needs root, `ip` and Ray.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import cluster_use
from machine import machine_name

ROOT = Path(__file__).parents[1]
PROGRAM = Path(os.environ.setdefault("TANDEM", str(ROOT / "build" / "tandem")))
sys.path[:0] = [str(ROOT / "tests" / "cluster"), str(ROOT / "tools")]

from hosts import Hosts, available  # noqa: E402
from run_files import read_lines  # noqa: E402

# The words of each training, and a replay so small that it fills soon.
TASKS = {
    "pong": (["apex", "--config", "apex/two_cores", "--env", "atari:Pong"], 20_000),
    "pendulum": (["apex", "--config", "apex/control", "--env", "mujoco:pendulum-swingup"], 8_000),
    "catch": (["apex", "--config", "apex/catch", "--env", "catch"], 20_000),
}
CASES = ["pong:1:2:1", "pong:2:2:1", "pong:3:4:2", "pong:4:4:2", "pendulum:2:2:1"]
CASES += ["pendulum:4:4:2", "catch:1:2:1", "catch:3:4:2"]
START_SECONDS = 240
LOG_SECONDS = 1

# The numbers that are compared, with the forecast's keys and units.
NUMBERS = {
    "steps/s": ("steps_per_second", 1, ".0f"),
    "updates/s": ("updates_per_second", 1, ".1f"),
    "MB/s in": ("network_in_bytes_per_second", 1e6, ".3f"),
    "MB/s out": ("network_out_bytes_per_second", 1e6, ".2f"),
    "MB of a shard": ("shard_bytes", 1e6, ".0f"),
    "MB of an actor": ("actor_bytes", 1e6, ".0f"),
    "MB of all machines": ("all_bytes", 1e6, ".0f"),
    "cores of actors": ("actors", 1, ".2f"),
    "cores of the learner": ("learner", 1, ".2f"),
    "cores of shards": ("shards", 1, ".2f"),
    "cores of Ray": ("ray", 1, ".2f"),
}
TITLES = {"actors": "ray::Actor", "learner": "ray::Learner", "shards": "ray::Shard"}


def words_of(task):
    words, capacity = TASKS[task]
    return [
        *words,
        "--set",
        f"replay.capacity={capacity}",
        "--set",
        f"replay.min_fill={capacity // 4}",
    ]


def forecast(task, hosts, actors, shards):
    words = [
        PROGRAM,
        "advise",
        "--cluster",
        *words_of(task),
        "--actors",
        actors,
        "--shards",
        shards,
    ]
    words += ["--machines", hosts, "--shared-cores", "--seconds", 5, "--json"]
    done = subprocess.run([*map(str, words)], check=True, capture_output=True, text=True)
    figures = json.loads(done.stdout)
    figures.update(figures.pop("cores"))
    return figures


def last_line(run_dir):
    file = run_dir / "metrics.jsonl"
    lines = read_lines(file) if file.exists() else []
    return lines[-1] if lines else {"steps": 0}


def has(titles, word):
    return any(one.startswith(word) for one in titles)


def title(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def processor_seconds(pids):
    total = 0.0
    for pid in pids:
        try:
            total += cluster_use.processor_seconds(pid)
        except OSError:
            continue
    return total


class Watch:
    """The cluster's counters at one moment."""

    def __init__(self, hosts, count, run_dir):
        self.time = time.monotonic()
        self.line = last_line(run_dir)
        self.pids = {host: hosts.processes(host) for host in range(count)}
        self.all = [pid for pids in self.pids.values() for pid in pids]
        titles = {host: [title(pid) for pid in pids] for host, pids in self.pids.items()}
        self.learner = next(h for h, all in titles.items() if has(all, TITLES["learner"]))
        done = hosts.run(self.learner, ["cat", "/proc/net/dev"], capture_output=True, text=True)
        self.net = cluster_use.traffic(done.stdout)
        self.cores = {
            role: processor_seconds([pid for pid in self.all if title(pid).startswith(word)])
            for role, word in TITLES.items()
        }
        self.cluster = processor_seconds(self.all)
        self.machine = cluster_use.machine_seconds()
        machines = {host: sum(map(cluster_use.own_bytes, pids)) for host, pids in self.pids.items()}
        others = [machines[host] for host in machines if host != self.learner]
        self.memory = {
            "shard_bytes": self.mean_bytes(TITLES["shards"]),
            "actor_bytes": self.mean_bytes(TITLES["actors"]),
            "learner_bytes": self.mean_bytes(TITLES["learner"]),
            "learners_machine_bytes": machines[self.learner],
            "actors_machine_bytes": sum(others) / max(len(others), 1),
        }

    def mean_bytes(self, word):
        """Of one process with this title, on average."""
        sizes = [cluster_use.own_bytes(pid) for pid in self.all if title(pid).startswith(word)]
        return sum(sizes) / max(len(sizes), 1)


def seen(before, after):
    """The numbers between two moments, under the forecast's keys."""
    logged = after.line["seconds"] - before.line["seconds"]
    seconds = after.time - before.time
    figures = {
        "steps_per_second": (after.line["steps"] - before.line["steps"]) / logged,
        "updates_per_second": (after.line["updates"] - before.line["updates"]) / logged,
        "network_in_bytes_per_second": (after.net["in"] - before.net["in"]) / seconds,
        "network_out_bytes_per_second": (after.net["out"] - before.net["out"]) / seconds,
        **after.memory,
        "others": (after.machine - before.machine - after.cluster + before.cluster) / seconds,
    }
    for role, before_seconds in before.cores.items():
        figures[role] = (after.cores[role] - before_seconds) / seconds
    roles = sum(figures[role] for role in TITLES)
    figures["ray"] = (after.cluster - before.cluster) / seconds - roles
    return figures


def train(case, options):
    task, *numbers = case.split(":")
    count, actors, shards = map(int, numbers)
    run_dir = options.out / case.replace(":", "-")
    shutil.rmtree(run_dir, ignore_errors=True)
    with Hosts(count) as hosts:
        for host in range(count):
            hosts.start_ray(host)
        words = [PROGRAM, "cluster", "train", *words_of(task), "--steps", "1G", "--seed", "1"]
        words += ["--set", f"log_seconds={LOG_SECONDS}", "--actors", actors, "--shards", shards]
        words += [f"--address={hosts.head}", "--run-dir", run_dir]
        process = hosts.begin(0, words, stderr=subprocess.DEVNULL)
        end = time.monotonic() + START_SECONDS
        while last_line(run_dir)["steps"] < 1.1 * TASKS[task][1]:
            if time.monotonic() > end or process.poll() is not None:
                sys.exit(f"{case}: the training does not begin")
            time.sleep(0.5)
        before = Watch(hosts, count, run_dir)
        time.sleep(options.seconds)
        after = Watch(hosts, count, run_dir)
        process.send_signal(signal.SIGTERM)
        process.wait()
    return seen(before, after)


def seen_before(kept):
    """The figures that an earlier call left, or None."""
    if not kept.exists():
        return None
    found = json.loads(kept.read_text())
    if found.get("machine") != machine_name():
        sys.exit(f"cluster_forecast: {kept} is of another machine: name another --out")
    return found["seen"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--seconds", type=float, default=45, help="of each training")
    parser.add_argument("--out", type=Path, default=Path("runs/cluster_forecast"))
    options = parser.parse_args()
    why_not = available()
    if why_not:
        sys.exit(why_not)
    options.out.mkdir(parents=True, exist_ok=True)
    print("| case | number | forecast | seen | error |")
    print("| --- | --- | ---: | ---: | ---: |")
    for case in options.cases:
        task, *numbers = case.split(":")
        kept = options.out / f"{case.replace(':', '-')}.json"
        expected = forecast(task, *numbers)
        real = seen_before(kept) or train(case, options)
        found = {"machine": machine_name(), "forecast": expected, "seen": real}
        kept.write_text(json.dumps(found, indent=2))
        for figures in (expected, real):
            figures["all_bytes"] = figures["learners_machine_bytes"]
            figures["all_bytes"] += (int(numbers[0]) - 1) * figures["actors_machine_bytes"]
        for name, (key, unit, form) in NUMBERS.items():
            if not real.get(key):  # hosts that are one have no network between them
                continue
            error = expected[key] / real[key] - 1
            cells = [f"{expected[key] / unit:{form}}", f"{real[key] / unit:{form}}"]
            print(f"| {case} | {name} | {' | '.join(cells)} | {100 * error:+.0f}% |", flush=True)
        print(f"| {case} | cores of other programs | | {real['others']:.2f} | |", flush=True)
        print(f"{case} saturates first: {expected['saturates_first']}", file=sys.stderr)


if __name__ == "__main__":
    main()

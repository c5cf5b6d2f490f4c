#!/usr/bin/env python3
"""Measures what Ray takes to carry messages between two hosts, which stand on this machine.

    benchmarks/cluster_messages.py [--seconds 10]

One actor of Ray calls another on the other host, at the rates of `tandem cluster train`, with
messages of several sizes. Prints processor time and network bytes of a call, the most calls of one
process, and all that a cluster takes while it rests: src/tandem/study/carrier_costs.h has these
numbers. Needs root, `ip` and Ray.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import cluster_use

ROOT = Path(__file__).parents[1]
os.environ.setdefault("TANDEM", str(ROOT / "build" / "tandem"))
sys.path.insert(0, str(ROOT / "tests" / "cluster"))

# Bytes of a message, and calls a second; the last row has no pause between calls.
LOADS = [(200, 100), (100_000, 50), (500_000, 20), (200, 0)]
UNDER_WAY = 20  # the most calls at a time


def measure(seconds):
    """Measures within the first host; prints JSON."""
    import numpy as np
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    @ray.remote(num_cpus=0, concurrency_groups={"data": 2})
    class Receiver:
        """Answers each message at once."""

        def pid(self):
            return os.getpid()

        @ray.method(concurrency_group="data")
        def take(self, message):
            return message[:100]

    @ray.remote(num_cpus=0, concurrency_groups={"data": 2})
    class Sender:
        """Calls a receiver, and hears of its answers by callbacks."""

        def pid(self):
            return os.getpid()

        @ray.method(concurrency_group="data")
        def send(self, receiver, size, rate, seconds):
            message = np.zeros(size, np.uint8)
            open_calls, calls, begin = [0], 0, time.monotonic()

            def done(future):
                open_calls[0] -= 1
                future.result()

            while time.monotonic() - begin < seconds:
                due = (time.monotonic() - begin) * rate if rate else calls + 1
                if due <= calls or open_calls[0] >= UNDER_WAY:
                    early = (calls + 1 - due) / rate if rate else 0.0
                    time.sleep(min(max(early, 0.0005), 0.05))
                    continue
                open_calls[0] += 1
                receiver.take.remote(message).future().add_done_callback(done)
                calls += 1
            while open_calls[0]:
                time.sleep(0.001)
            return calls

    ray.init(address="auto", logging_level="error")
    nodes = {node["NodeManagerAddress"]: node["NodeID"] for node in ray.nodes()}
    here, there = (nodes[address] for address in sorted(nodes))

    def on(node):
        return NodeAffinitySchedulingStrategy(node, soft=False)

    receiver = Receiver.options(scheduling_strategy=on(here)).remote()
    sender = Sender.options(scheduling_strategy=on(there)).remote()
    pids = ray.get([receiver.pid.remote(), sender.pid.remote()])
    ray.get(sender.send.remote(receiver, 200, 50, 1))
    rows = []
    for size, rate in [(0, 0), *LOADS]:
        before, net, begin = look(pids), traffic(), time.monotonic()
        if size == 0:
            time.sleep(seconds)
            calls = 0
        else:
            calls = ray.get(sender.send.remote(receiver, size, rate, seconds))
        taken = time.monotonic() - begin
        row = {"bytes": size, "rate": rate, "calls": calls, "seconds": taken}
        row.update({key: value - before[key] for key, value in look(pids).items()})
        row.update({key: value - net[key] for key, value in traffic().items()})
        rows.append(row)
    memory = [cluster_use.own_bytes(pid) for pid in pids]
    print(json.dumps({"rows": rows, "memory": memory, "ray": ray_bytes()}))


def look(pids):
    """Processor seconds of receiver and sender, and of Ray's own processes on both hosts."""
    times = [cluster_use.processor_seconds(pid) for pid in pids]
    return {"receiver": times[0], "sender": times[1], "ray": sum(map(seconds_of, ray_pids()))}


def seconds_of(pid):
    try:
        return cluster_use.processor_seconds(pid)
    except OSError:
        return 0.0


def ray_pids():
    """Ray's processes of all hosts, which one machine lists together."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            title = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
        if any(word in title for word in ("raylet/raylet", "gcs_server", "dashboard", "ray/_priv")):
            yield int(folder.name)


def ray_bytes():
    return sum(cluster_use.own_bytes(pid) for pid in ray_pids())


def traffic():
    return cluster_use.traffic(Path("/proc/net/dev").read_text())


def show(result):
    """Prints the numbers by call and by second."""
    print("| bytes | calls/s | receiver ms | sender ms | Ray ms | in bytes | out bytes |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    idle = result["rows"][0]
    for row in result["rows"][1:]:
        seconds, calls = row["seconds"], row["calls"]

        def more(key, row=row, seconds=seconds):
            return row[key] - idle[key] * seconds / idle["seconds"]

        times = [f"{1e3 * more(key) / calls:.3f}" for key in ("receiver", "sender", "ray")]
        sizes = [f"{more(key) / calls:.0f}" for key in ("in", "out")]
        cells = [str(row["bytes"]), f"{calls / seconds:.0f}", *times, *sizes]
        print(f"| {' | '.join(cells)} |")
    per_second = {key: idle[key] / idle["seconds"] for key in ("receiver", "sender", "ray")}
    print(f"\nAt rest, cores: {per_second}")
    print(f"At rest, bytes/s: in {idle['in'] / idle['seconds']:.0f}", end="")
    print(f", out {idle['out'] / idle['seconds']:.0f}")
    print(f"Memory of receiver and sender: {result['memory']}, of Ray's processes: {result['ray']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10, help="of each row")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        measure(options.seconds)
        return
    from hosts import Hosts, available

    why_not = available()
    if why_not:
        sys.exit(why_not)
    with Hosts(2) as hosts:
        for host in range(2):
            hosts.start_ray(host)
        command = [sys.executable, __file__, "--inside", "--seconds", str(options.seconds)]
        environment = hosts.environment()
        environment["PYTHONPATH"] += f":{Path(__file__).parent}"
        done = hosts.run(0, command, stdout=subprocess.PIPE, text=True, env=environment)
        if done.returncode != 0:
            sys.exit("the measurement ended with an error")
        show(json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main()

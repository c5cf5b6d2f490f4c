"""Trains Ape-X on Catch over three hosts of this machine while parts of the cluster fail.

    chaos.py [--minutes 60] [--seed 1] [--out FOLDER] [--kinds KIND=COUNT,...]

Makes each kind of fault so often, in an order that the seed decides, and meanwhile Ray delays and
loses calls of its own. At the end it checks that

- the training never rested for more than 60 seconds;
- no insert was counted twice, in any checkpoint that remains;
- every checkpoint that remains can be read, with its shards;
- no process is left;
- the agent reaches 95% of the score of a run without faults.

Each check was seen failing on a planted bug: docs/results/cluster_faults.md.

Needs $TANDEM and what hosts.py needs. Prints a table; exits with 1 if a check fails.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from hosts import Hosts, available

PROGRAM = os.environ["TANDEM"]
READ_SHARDS = Path(PROGRAM).parent / "tests" / "read_shards"
HOSTS = 3  # the first has Ray's head and the driver alone
MOST_SECONDS = 60
KINDS = {
    "actor": 20,  # killed
    "actor stopped": 10,  # by SIGSTOP, for 5 to 40 seconds
    "shard": 15,
    "shard stopped": 8,
    "learner": 10,
    "learner stopped": 5,
    "host of actors": 8,  # lost; another joins
    "host of the learner": 5,
    "driver": 7,  # killed; the same command goes on
    "head": 3,  # killed; the cluster starts again, and the same command goes on
    "cut": 9,  # a host hears nobody for 5 to 15 seconds
    "writer": 0,  # the learner is killed while it writes a checkpoint
}
# Ray makes these faults itself.
OWN_FAULTS = {
    "RAY_testing_asio_delay_us": "CoreWorkerService.grpc_server.PushTask=0:10000",
    "RAY_testing_rpc_failure": json.dumps(
        {
            "CoreWorkerService.grpc_client.PushTask": {
                "num_failures": -1,
                "req_failure_prob": 1,
                "resp_failure_prob": 1,
                "in_flight_failure_prob": 0,
            }
        }
    ),
}
CATCH = ["apex", "--config", "apex/catch", "--seed", "1", "--actors", "3", "--shards", "2"]
OFTEN = [
    "--set",
    "replay.segment=100",
    "--set",
    "log_seconds=0.5",
    "--set",
    "checkpoint_minutes=0.1",
]


class Training:
    """A training over hosts, which can be begun again."""

    def __init__(self, out, own_faults):
        self.run_dir = out / "run"
        self._log = (out / "driver.log").open("a")
        self._own_faults = OWN_FAULTS if own_faults else {}
        self.hosts = Hosts(HOSTS)
        self.start_ray(range(HOSTS))
        self.process = None

    def start_ray(self, hosts):
        for host in hosts:
            self.hosts.start_ray(host, 0 if host == self.hosts.first else 4, **self._own_faults)

    def begin(self, steps):
        words = [*CATCH, *OFTEN, "--steps", str(steps), "--run-dir", self.run_dir]
        command = [PROGRAM, "cluster", "train", *words, f"--address={self.hosts.head}"]
        more = {"stdout": subprocess.DEVNULL, "stderr": self._log}
        environment = {**self.hosts.environment(), **self._own_faults}
        self.process = self.hosts.begin(self.hosts.first, command, env=environment, **more)

    def progress(self):
        """A value that changes with each line of metrics."""
        file = self.run_dir / "metrics.jsonl"
        try:
            status = file.stat()
            return status.st_size, status.st_mtime_ns
        except FileNotFoundError:
            return None

    def parts(self, name):
        """The host and the process of each such part."""
        found = []
        for host in self.hosts.alive:
            for pid in self.hosts.processes(host):
                try:
                    words = Path(f"/proc/{pid}/cmdline").read_text()
                except OSError:
                    continue
                if f"ray::{name}" in words:
                    found.append((host, pid))
        return found

    def close(self):
        self.hosts.close()
        self._log.close()


class Faults:
    """Makes faults of all kinds."""

    def __init__(self, training, chance, steps):
        self._training = training
        self._chance = chance
        self._steps = steps
        self._stopped = []  # processes, and when they go on

    def make(self, kind):
        """Makes a fault. Returns the problems that it met."""
        part, _, how = kind.partition(" ")
        if part in ("actor", "shard", "learner"):
            self._signal(part.capitalize(), signal.SIGSTOP if how else signal.SIGKILL)
            return []
        makers = {
            "host of actors": lambda: self._lose_host(with_learner=False),
            "host of the learner": lambda: self._lose_host(with_learner=True),
            "driver": self._kill_driver,
            "head": self._kill_head,
            "cut": self._cut,
            "writer": self._kill_writer,
        }
        return makers[kind]() or []

    def look(self):
        """Lets stopped processes go on when their time has come."""
        now = time.monotonic()
        for pid, when in list(self._stopped):
            if now < when:
                continue
            self._stopped.remove((pid, when))
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                continue

    def _signal(self, name, number):
        found = self._training.parts(name)
        if not found:
            return
        _, pid = self._chance.choice(found)
        os.kill(pid, number)
        if number == signal.SIGSTOP:
            self._stopped.append((pid, time.monotonic() + self._chance.uniform(5, 40)))

    def _lose_host(self, with_learner):
        hosts = self._training.hosts
        learner = {host for host, _ in self._training.parts("Learner")}
        others = set(hosts.alive) - {hosts.first}
        choice = sorted(others & learner if with_learner else others - learner)
        if choice:
            hosts.lose(self._chance.choice(choice))
            self._training.start_ray([hosts.add()])

    def _kill_driver(self):
        self._training.process.kill()
        self._training.process.wait()
        self._training.begin(self._steps)

    def _kill_head(self):
        hosts = self._training.hosts
        for pid in hosts.processes(hosts.first):
            if "gcs_server" in Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(pid, signal.SIGKILL)
        problems = []
        try:
            self._training.process.wait(MOST_SECONDS)
        except subprocess.TimeoutExpired:
            problems.append("the driver outlives the head by a minute")
            self._training.process.kill()
        for host in hosts.alive:
            hosts.end_processes(host)
        self._training.start_ray(hosts.alive)
        self._training.begin(self._steps)
        return problems

    def _cut(self):
        hosts = self._training.hosts
        host = self._chance.choice([one for one in hosts.alive if one != hosts.first])
        hosts.cut_off(host)
        time.sleep(self._chance.uniform(5, 15))
        hosts.join(host)

    def _kill_writer(self):
        checkpoints = self._training.run_dir / "checkpoints"
        found = self._training.parts("Learner")
        end = time.monotonic() + MOST_SECONDS
        while time.monotonic() < end and not list(checkpoints.glob(".tmp-*")):
            time.sleep(0.001)
        time.sleep(self._chance.uniform(0, 0.05))
        for _, pid in found:
            os.kill(pid, signal.SIGKILL)


class Watch:
    """Measures how long the training rests."""

    def __init__(self, training):
        self._training = training
        self._last = training.progress()
        self._since = time.monotonic()
        self.changes = 0
        self.longest = 0.0

    def look(self):
        now = time.monotonic()
        value = self._training.progress()
        self.longest = max(self.longest, now - self._since)
        if value != self._last:
            self._last, self._since = value, now
            self.changes += 1

    def begin_fault(self):
        self.changes, self.longest = 0, 0.0
        self._since = time.monotonic()


def evaluate(run_dir):
    words = ["eval", run_dir, "--episodes", "500", "--greedy", "--json"]
    done = subprocess.run([PROGRAM, *words], check=True, capture_output=True)
    return json.loads(done.stdout)["mean"]


def score_without_faults(out, steps):
    """The score of a training on one machine's cluster to which nothing happens."""
    run_dir = out / "without_faults"
    if not (run_dir / "result.json").exists():
        words = [*CATCH, "--steps", str(steps), "--run-dir", run_dir]
        with (out / "without_faults.log").open("w") as log:
            subprocess.run([PROGRAM, "cluster", "train", *words], check=True, stderr=log)
    return evaluate(run_dir)


def wait_for(watch, faults, training, changes, seconds):
    """Waits for so many new lines of metrics, at most so long; whether they came."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        watch.look()
        faults.look()
        if watch.changes >= changes:
            return True
        if training.process.poll() is not None:
            return False
        time.sleep(0.05)
    return False


def draw_order(kinds, chance):
    order = [kind for kind, count in kinds.items() for _ in range(count)]
    chance.shuffle(order)
    return order


def carry_out(training, options, chance):
    """Makes all faults. Returns their rests in seconds, by kind, and the problems."""
    steps = 10**9
    training.begin(steps)
    faults, watch = Faults(training, chance, steps), Watch(training)
    rests, problems = defaultdict(list), []
    if not wait_for(watch, faults, training, 10, 120):
        return rests, ["the training does not begin"]
    order = draw_order(options.kinds, chance)
    between = 60 * options.minutes / len(order)
    begin = time.monotonic()
    for number, kind in enumerate(order):
        watch.begin_fault()
        problems += faults.make(kind)
        goes_on = wait_for(watch, faults, training, 4, 2 * MOST_SECONDS)
        rests[kind].append(watch.longest)
        print(f"{number + 1} of {len(order)}: {kind}, {watch.longest:.1f} s", flush=True)
        if not goes_on:
            return rests, [*problems, f"the training does not go on after: {kind}"]
        if watch.longest > MOST_SECONDS:
            problems.append(f"it rested for {watch.longest:.0f} s after: {kind}")
        while time.monotonic() < begin + between * (number + 1):
            watch.look()
            faults.look()
            time.sleep(0.05)
    for _ in range(1000):  # processes that are still stopped
        faults.look()
        time.sleep(0.05)
    return rests, problems


def end(training):
    training.process.terminate()
    try:
        training.process.wait(120)
    except subprocess.TimeoutExpired:
        training.process.kill()
        return ["SIGTERM did not end the training"]
    time.sleep(2)
    left = [part for name in ("Learner", "Shard", "Actor") for part in training.parts(name)]
    return [f"processes are left: {left}"] if left else []


def check_shards(run_dir):
    done = subprocess.run([READ_SHARDS, run_dir], capture_output=True, text=True)
    print(done.stdout, end="")
    if done.returncode != 0:
        return [f"a checkpoint cannot be read: {done.stderr.strip()}"]
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    twins = [f"{row['twins']} inserts at step {row['step']}" for row in rows if row["twins"]]
    return [f"counted twice: {', '.join(twins)}"] if twins else []


def read_words():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--kinds", help="instead of: " + ",".join(f"{k}={n}" for k, n in KINDS.items())
    )
    parser.add_argument("--no-own-faults", action="store_true", help="Ray makes none itself")
    options = parser.parse_args()
    if options.kinds is not None:
        pairs = [one.split("=") for one in options.kinds.split(",")]
        options.kinds = {kind: int(count) for kind, count in pairs}
        unknown = set(options.kinds) - set(KINDS)
        if unknown:
            parser.error(f"no kinds of faults: {', '.join(sorted(unknown))}")
    else:
        options.kinds = KINDS
    return options


def main():
    options = read_words()
    why_not = available()
    if why_not:
        sys.exit(why_not)
    out = options.out or Path(tempfile.mkdtemp(prefix="tandem-chaos-"))
    out.mkdir(parents=True, exist_ok=True)
    print(f"seed {options.seed}, in {out}", flush=True)
    best = score_without_faults(out, 300_000)
    training = Training(out, not options.no_own_faults)
    try:
        rests, problems = carry_out(training, options, random.Random(options.seed))
        problems += end(training)
    finally:
        training.close()
    problems += check_shards(training.run_dir)
    score = evaluate(training.run_dir)
    if score < 0.95 * best:
        problems.append(f"the agent scores {score:.3f}, and without faults {best:.3f}")
    print("\n| fault | times | median rest, s | longest rest, s |\n|---|---|---|---|")
    for kind, seconds in sorted(rests.items()):
        middle = sorted(seconds)[len(seconds) // 2]
        print(f"| {kind} | {len(seconds)} | {middle:.1f} | {max(seconds):.1f} |")
    print(f"\nscore {score:.3f}; without faults {best:.3f}")
    for problem in problems:
        print(f"PROBLEM: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()

"""Processor time and memory of the processes of a local Ray cluster, by their role."""

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
# Part of a process's title, and its role. Ray names the process of an actor after its class.
ROLES = {
    "RecordedActor": "actors",
    "ray::Shard": "shards",
    "DrawingLearner": "learner",
    "raylet/raylet": "raylet",
    "gcs_server": "gcs",
}
DRIVER, OTHERS = "driver", "Ray's other processes"


@dataclass
class Use:
    """Processor time and memory of the processes of one role."""

    seconds: float = 0  # of processor time since they began
    own: float = 0  # bytes of memory of their own
    shared: float = 0  # bytes of shared memory that they have touched: of Ray's object store


def descendants(pid):
    """The process and all below it."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in task.read_text().split():
                yield from descendants(int(child))


def role_of(pid):
    if pid == os.getpid():
        return DRIVER
    title = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    program = title.split(" ")[0]
    return next((role for part, role in ROLES.items() if part in program), OTHERS)


def processor_seconds(pid):
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / TICK


def own_bytes(pid):
    """Memory of a process's own, without shared pages."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return 0


def traffic(text):
    """Bytes that a host has received and sent by its /proc/net/dev, those to itself left out."""
    words = [line.replace(":", " ").split() for line in text.splitlines()[2:]]
    others = [word for word in words if word[0] != "lo"]
    return {"in": sum(int(word[1]) for word in others), "out": sum(int(word[9]) for word in others)}


def use_by_role():
    """The use of this process and all that it has started, by role."""
    found = {}
    for pid in set(descendants(os.getpid())):
        with contextlib.suppress(OSError, KeyError):  # it may end meanwhile
            status = dict(
                line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
            )
            role = found.setdefault(role_of(pid), Use())
            role.seconds += processor_seconds(pid)
            role.own += 1024 * int(status["RssAnon"].split()[0])
            role.shared = max(role.shared, 1024 * int(status["RssShmem"].split()[0]))
    return found


def machine_seconds():
    """The processor time of all programs of the machine since it began."""
    words = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    user, nice, system, _, _, interrupts, soft_interrupts = map(int, words[:7])  # then stolen time
    return (user + nice + system + interrupts + soft_interrupts) / TICK


class Shares:
    """The cores that each role keeps busy since the last look."""

    def __init__(self):
        self._before = use_by_role()
        self._machine = machine_seconds()
        self._time = time.monotonic()

    def look(self):
        """Cores by role, and of all programs of the machine that are not of this cluster."""
        now, machine, moment = use_by_role(), machine_seconds(), time.monotonic()
        seconds = max(moment - self._time, 1e-9)
        cores = {
            role: (use.seconds - self._before.get(role, Use()).seconds) / seconds
            for role, use in now.items()
        }
        others = (machine - self._machine) / seconds - sum(cores.values())
        self._before, self._machine, self._time = now, machine, moment
        return cores, max(others, 0.0)

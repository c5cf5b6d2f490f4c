"""Ends trainings of gym:CartPole-v1 at random times, by SIGKILL and by SIGINT, and counts what is
left.

usage: gym_ends.py [--tandem build/tandem] [--each 50] [--seed 1]
Counts processes, the memory that they share, and files in /dev/shm, which no other program should
write at that time.
Exits with 1 if anything is left.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MARK = "TANDEM_GYM_ENDS"  # an environment variable by which we know our processes


def ours(mark):
    """The processes that have the mark, zombies left out."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
            state = (folder / "stat").read_text().rpartition(") ")[2][0]
        except OSError:
            continue  # it has ended, or is another user's
        if f"{MARK}={mark}".encode() in variables and state not in "ZX":
            found.append(folder)
    return found


def memory_files(processes):
    """Their memory that is shared with workers, as 'pid: name'."""
    found = set()
    for folder in processes:
        try:
            names = {os.readlink(one) for one in (folder / "fd").iterdir()}
            names |= set((folder / "maps").read_text().splitlines())
        except OSError:
            continue
        found |= {f"{folder.name}: {x}" for x in names if "memfd:tandem" in x}
    return found


def shared_files():
    return set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()


def end_one(tandem, how, wait, mark):
    """Starts a training, ends it, and returns what is left three seconds later."""
    shared = shared_files()
    with tempfile.TemporaryDirectory() as folder:
        words = [tandem, "train", "paac", "--env", "gym:CartPole-v1", "--steps", "100M"]
        words += ["--run-dir", f"{folder}/run", "--set", f"env.python={sys.executable}"]
        with open(f"{folder}/output", "w") as output:
            trainer = subprocess.Popen(
                words, stdout=output, stderr=output, env=os.environ | {MARK: mark}
            )
            time.sleep(wait)
            seen = len(ours(mark)) - 1
            trainer.send_signal(how)
            trainer.wait(timeout=60)
    left = None
    for _ in range(300):
        rest = ours(mark)
        left = [f"process {one.name}" for one in rest]
        left += sorted(memory_files(rest) | (shared_files() - shared))
        if not left:
            break
        time.sleep(0.01)
    return left, seen


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--tandem", default="build/tandem")
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # A shell that starts us in the background has SIGINT ignored, and programs inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    generator = random.Random(options.seed)
    failed = False
    for how in (signal.SIGKILL, signal.SIGINT):
        remains, workers = [], 0
        for k in range(options.each):
            left, seen = end_one(
                options.tandem, how, generator.uniform(0, 5), f"{os.getpid()}-{how.name}-{k}"
            )
            remains += left
            workers += seen
        print(
            f"{how.name}: {options.each} trainings ended, with {workers} workers among them; "
            f"{len(remains)} things left {remains[:5]}",
            flush=True,
        )
        failed |= bool(remains)
    return failed


if __name__ == "__main__":
    sys.exit(main())

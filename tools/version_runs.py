"""Runs one build of tandem and reads its results, for compare_versions.py."""

import ctypes
import hashlib
import itertools
import json
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from run_files import read_lines

SEED = 3
MOST_SECONDS = 600  # of one command
EVAL_WORDS = ("--episodes", "10", "--json")
LINES = 40  # of metrics, while a rate is measured


PR_SET_PDEATHSIG = 1


class Refusal(Exception):
    """A program ended with an error; `mendable` where it said that the user can mend it."""

    def __init__(self, message, mendable=False):
        super().__init__(message)
        self.mendable = mendable


def end_with_parent():
    """Called in a child: it gets SIGTERM when this script ends in whatever way."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def refusal_of(code, stderr):
    lines = [line for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line] or lines or [f"exit code {code}"]
    return Refusal(errors[-1].removeprefix("tandem: error: "), mendable=code == 2)


@dataclass
class Program:
    """A `tandem` program; each of its runs has a folder of its own in `folder`."""

    name: str
    path: Path
    threads: int
    folder: Path
    numbers: itertools.count = field(default_factory=itertools.count)

    def new_run(self):
        return self.folder / f"{self.name}_{next(self.numbers)}"

    def start(self, *words, stdout=subprocess.DEVNULL):
        command = [str(word) for word in (self.path, *words)]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command,
            cwd=self.folder,
            text=True,
            stdout=stdout,
            stderr=pipe,
            preexec_fn=end_with_parent,
        )

    def run(self, *words):
        """Runs a command and returns its stdout."""
        process = self.start(*words, stdout=subprocess.PIPE)
        try:
            out, errors = process.communicate(timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Refusal(f"no end after {MOST_SECONDS} s") from None
        if process.returncode != 0:
            raise refusal_of(process.returncode, errors)
        return out

    def environments(self):
        return set(self.run("envs").split())

    def train(self, case):
        """Trains for the steps of the case, and returns the run's folder."""
        run = self.new_run()
        budget = ("--seed", SEED, "--threads", self.threads, "--steps", case.steps)
        self.run("train", *case.words, *budget, "--run-dir", run)
        return run

    def resume(self, run, *words):
        """Resumes a copy of the run, and returns the copy's folder."""
        copy = self.new_run()
        shutil.copytree(run, copy)
        (copy / "result.json").unlink()
        self.run("train", "--resume", copy, *words)
        return copy

    def evaluate(self, run):
        report = json.loads(self.run("eval", run, *EVAL_WORDS))
        return {key: report[key] for key in ("mean", "returns", "lengths")}

    def verify(self, run):
        """Verifies the run, and returns the first line of the output."""
        return self.run("verify", run, "--threads", self.threads).partition("\n")[0]

    def config(self, case):
        """The config.toml of a run, which is killed as soon as it has written the file."""
        run = self.new_run()
        file, end = run / "config.toml", time.monotonic() + MOST_SECONDS
        process = self.start("train", *case.words, "--seed", SEED, "--run-dir", run)
        while not file.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        process.kill()
        _, errors = process.communicate()
        if not file.exists():
            raise refusal_of(process.returncode, errors)
        return file.read_text()

    def rates(self, case, seconds):
        """The growth per second of each column of the case's metrics, in a run of `seconds`."""
        run = self.new_run()
        words = ("train", *case.words, "--seed", SEED, "--threads", self.threads)
        log = f"run.log_seconds={seconds / LINES}"
        process = self.start(*words, "--set", log, "--run-dir", run)
        try:
            _, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # ends the run with all its files
            try:
                _, errors = process.communicate(timeout=MOST_SECONDS)
            except subprocess.TimeoutExpired:
                raise Refusal(f"it does not end within {MOST_SECONDS} s of SIGINT") from None
            finally:
                process.kill()
        if process.returncode != 0:
            raise refusal_of(process.returncode, errors)
        lines = read_lines(run / "metrics.jsonl")
        shutil.rmtree(run)
        return growth(lines, case.columns)


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else None


def bits_of(run):
    """The results of a finished run that do not depend on timing."""
    result = json.loads((run / "result.json").read_text())
    checkpoint = max((run / "checkpoints").glob("[0-9]*"))
    return {
        "parameters": result["parameters_sha256"],
        "tensors.safetensors": sha256(checkpoint / "tensors.safetensors"),
        "updates.bin": sha256(run / "updates.bin"),
    } | {key: result[key] for key in ("steps", "episodes", "mean_return")}


def growth(lines, columns):
    """The growth per second of columns of metrics, from these lines.

    A run's first fifth is left out, and the time before its first update.
    """
    if not lines:
        raise Refusal("it wrote no metrics; use more --seconds")
    last = lines[-1]
    warm = [x for x in lines if x["updates"] > 0 and x["seconds"] >= last["seconds"] / 5]
    if not warm or warm[0]["seconds"] == last["seconds"]:
        raise Refusal("it learned too little to be measured; use more --seconds")
    seconds = last["seconds"] - warm[0]["seconds"]
    rates = {column: (last[column] - warm[0][column]) / seconds for column in columns}
    for column, rate in rates.items():
        if rate <= 0:
            raise Refusal(f"too few {column} to be measured; use more --seconds")
    return rates

#!/usr/bin/env python3
"""Holds football against EnvPool's, which compiles the same engine without tandem's patches.

usage: envpool_oracle.py FOOTBALL_TRACE FOLDER [SCENARIO...] [--steps N] [--record]

Both play the same random actions with the engine's same seeds. Their mini maps, goals and ends must
be the same in every step. EnvPool has one player, the mini map and the reward for goals alone
(envpool/gfootball of its source), so the other players, pictures and checkpoint rewards have tests
of their own.

Where EnvPool is not installed, its games are those in envpool_games.json beside this file, which
--record writes. The engine's games need a processor with fused multiplication and addition to be
those: the C library's sines round differently without. Exits with 77, "skipped", without both.
"""

import argparse
import hashlib
import json
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np

try:
    import envpool
except ImportError:
    envpool = None

RECORD = Path(__file__).with_name("envpool_games.json")
ACTIONS = 19
SCENARIOS = 18
SHAPE = (72, 96, 4)
CELLS = 72 * 96 * 4
STEP = np.dtype([("frame", "u1", CELLS), ("reward", "<f4"), ("ended", "?"), ("late", "?")])
FIRST_LETTER = ord("a")  # of actions in the record


class Episode:
    """An episode as EnvPool played it: each step has a fingerprint, as has the first frame."""

    def __init__(self, seed: int, number: int, marks: list[str], actions: list[int]) -> None:
        self.seed = seed
        self.number = number
        self.marks = marks
        self.actions = actions

    def encoded(self) -> bytes:
        """The episode as football_trace reads it."""
        head = struct.pack("<3I", self.seed, self.number, len(self.actions))
        return head + np.array(self.actions, "<i4").tobytes()

    def recorded(self) -> dict:
        letters = "".join(chr(FIRST_LETTER + action) for action in self.actions)
        marks = " ".join(self.marks)
        return {"seed": self.seed, "number": self.number, "actions": letters, "marks": marks}


def from_record(entry: dict) -> Episode:
    actions = [ord(letter) - FIRST_LETTER for letter in entry["actions"]]
    return Episode(entry["seed"], entry["number"], entry["marks"].split(), actions)


def mark(frame: np.ndarray, reward: float = 0, over: bool = False) -> str:
    """A short fingerprint of a step, of the frame with its planes first."""
    content = frame.tobytes() + struct.pack("<f?", reward, over)
    return hashlib.sha256(content).hexdigest()[:4]


def planes(frame: np.ndarray) -> np.ndarray:
    """EnvPool's frame with its planes first."""
    return frame.reshape(SHAPE).transpose(2, 0, 1).ravel()


def begun(observation: np.ndarray, info: dict) -> Episode:
    seed, number = int(info["engine_seed"][0]), int(info["episode_number"][0])
    return Episode(seed, number, [mark(planes(observation[0]))], [])


def played(scenario: str, steps: int) -> list[Episode]:
    """Random play with EnvPool. Full games exchange the teams in odd episodes, and in them the
    rules take set pieces that wait for longer than 20 steps. So they have three times as many
    steps, of which the second half is a new episode, and the agent rests for 60 of 120 steps."""
    env = envpool.make(f"gfootball/{scenario}-v1", env_type="gymnasium", num_envs=1, seed=3)
    rng = np.random.default_rng(5)
    full = not scenario.startswith("academy_")
    steps = 3 * steps if full else steps
    episodes = [begun(*env.reset())]
    for step in range(steps):
        if full and step == steps // 2:
            episodes.append(begun(*env.reset()))
        rests = full and step % 120 >= 60
        action = 0 if rests else int(rng.integers(ACTIONS))
        observation, reward, terminated, truncated, _ = env.step(np.array([action], np.int32))
        over = bool(terminated[0] or truncated[0])
        episodes[-1].actions.append(action)
        episodes[-1].marks.append(mark(planes(observation[0]), float(reward[0]), over))
        if over:
            observation, _, _, _, info = env.step(np.array([0], np.int32))
            episodes.append(begun(observation, info))
    env.close()
    return episodes


def compare(episodes: list[Episode], trace: bytes) -> tuple[str, int]:
    """The first difference in words, or an empty text; and the count of goals."""
    at, goals = 0, 0
    for number, episode in enumerate(episodes):
        where = f"episode {number} (seed {episode.seed})"
        first = np.frombuffer(trace, "u1", CELLS, at)
        at += CELLS
        if mark(first) != episode.marks[0]:
            return f"{where}: the first frames differ", goals
        steps = np.frombuffer(trace, STEP, len(episode.actions), at)
        at += steps.nbytes
        for index, (step, theirs) in enumerate(zip(steps, episode.marks[1:], strict=True)):
            goals += abs(int(step["reward"]))
            if mark(step["frame"], step["reward"], step["ended"] or step["late"]) != theirs:
                return f"{where}, step {index}: frames, goals or ends differ", goals
    return "", goals


def wants(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("scenarios", nargs="*")
    return parser.parse_args(words)


def games(args: argparse.Namespace) -> dict[str, list[Episode]]:
    """EnvPool's episodes of each scenario, played now or recorded."""
    if envpool is None:
        record = json.loads(RECORD.read_text())
        chosen = args.scenarios or sorted(record)
        return {name: [from_record(entry) for entry in record[name]] for name in chosen}
    ids = [name for name in envpool.list_all_envs() if name.startswith("gfootball/")]
    known = sorted(name[len("gfootball/") : -len("-v1")] for name in ids)
    if len(known) != SCENARIOS:
        sys.exit(f"envpool_oracle.py: EnvPool has {len(known)} scenarios and not {SCENARIOS}")
    return {name: played(name, args.steps) for name in args.scenarios or known}


def main() -> None:
    """Compares each scenario, or records all."""
    args = wants(sys.argv[1:])
    if envpool is None and " fma " not in Path("/proc/cpuinfo").read_text():
        print("envpool_oracle.py: neither EnvPool nor a processor with fused multiplication")
        sys.exit(77)
    all_games = games(args)
    if args.record:
        record = {name: [one.recorded() for one in own] for name, own in all_games.items()}
        RECORD.write_text(json.dumps(record, indent=0) + "\n")
        return
    failed = False
    for scenario, episodes in all_games.items():
        request = b"".join(episode.encoded() for episode in episodes)
        run = subprocess.run(
            [args.program, args.folder, scenario], input=request, stdout=-1, check=True
        )
        difference, goals = compare(episodes, run.stdout)
        failed |= bool(difference)
        steps = sum(len(episode.actions) for episode in episodes)
        print(
            f"{scenario}: {difference or 'the same'}, {steps} steps, "
            f"{len(episodes)} episodes, {goals} goals",
            flush=True,
        )
    sys.exit(failed)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Holds football against EnvPool's, which compiles the same engine without tandem's patches.

usage: envpool_oracle.py FOOTBALL_TRACE FOLDER [STEPS [SCENARIO...]]

Both play the same random actions with the engine's same seeds. Their mini maps, goals and ends must
be the same in every step. EnvPool has one player, the mini map and the reward for goals alone
(envpool/gfootball of its source), so the other players, pictures and checkpoint rewards have tests
of their own. Exits with 77, "skipped", where EnvPool is not installed.
"""

import struct
import subprocess
import sys

import numpy as np

try:
    import envpool
except ImportError:
    print("envpool_oracle.py: EnvPool is not installed")
    sys.exit(77)

ACTIONS = 19
SHAPE = (72, 96, 4)
CELLS = 72 * 96 * 4
STEP = np.dtype([("frame", "u1", CELLS), ("reward", "<f4"), ("ended", "?"), ("late", "?")])


class Episode:
    """An episode as EnvPool played it."""

    def __init__(self, first: np.ndarray, info: dict) -> None:
        self.seed = int(info["engine_seed"][0])
        self.number = int(info["episode_number"][0])
        self.first = first
        self.actions: list[int] = []
        self.steps: list[tuple[np.ndarray, float, bool]] = []

    def encoded(self) -> bytes:
        """The episode as football_trace reads it."""
        head = struct.pack("<3I", self.seed, self.number, len(self.actions))
        return head + np.array(self.actions, "<i4").tobytes()


def played(scenario: str, steps: int) -> list[Episode]:
    """Random play with EnvPool."""
    env = envpool.make(f"gfootball/{scenario}-v1", env_type="gymnasium", num_envs=1, seed=3)
    rng = np.random.default_rng(5)
    observation, info = env.reset()
    episodes = [Episode(observation[0].copy(), info)]
    for _ in range(steps):
        action = int(rng.integers(ACTIONS))
        observation, reward, terminated, truncated, info = env.step(np.array([action], np.int32))
        over = bool(terminated[0] or truncated[0])
        episodes[-1].actions.append(action)
        episodes[-1].steps.append((observation[0].copy(), float(reward[0]), over))
        if over:
            observation, _, _, _, info = env.step(np.array([0], np.int32))
            episodes.append(Episode(observation[0].copy(), info))
    env.close()
    return episodes


def planes(frame: np.ndarray) -> np.ndarray:
    """EnvPool's frame with its planes first."""
    return frame.reshape(SHAPE).transpose(2, 0, 1).ravel()


def compare(episodes: list[Episode], trace: bytes) -> str:
    """The first difference in words, or an empty text."""
    at = 0
    for number, episode in enumerate(episodes):
        first = np.frombuffer(trace, "u1", CELLS, at)
        at += CELLS
        if not np.array_equal(first, planes(episode.first)):
            return f"episode {number}: the first frames differ"
        steps = np.frombuffer(trace, STEP, len(episode.actions), at)
        at += steps.nbytes
        for index, (mine, (frame, reward, over)) in enumerate(
            zip(steps, episode.steps, strict=True)
        ):
            where = f"episode {number} (seed {episode.seed}), step {index}"
            if not np.array_equal(mine["frame"], planes(frame)):
                return f"{where}: the frames differ"
            if mine["reward"] != reward:
                return f"{where}: rewards {mine['reward']} and {reward}"
            if (mine["ended"] or mine["late"]) != over:
                return f"{where}: one episode ends, the other does not"
    return ""


def main() -> None:
    """Compares each scenario."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, folder = sys.argv[1:3]
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 300
    ids = [name for name in envpool.list_all_envs() if name.startswith("gfootball/")]
    scenarios = sys.argv[4:] or sorted(name[len("gfootball/") : -len("-v1")] for name in ids)
    failed = False
    for scenario in scenarios:
        episodes = played(scenario, steps)
        request = b"".join(episode.encoded() for episode in episodes)
        run = subprocess.run([program, folder, scenario], input=request, stdout=-1, check=True)
        difference = compare(episodes, run.stdout)
        failed |= bool(difference)
        goals = sum(abs(reward) for episode in episodes for _, reward, _ in episode.steps)
        print(
            f"{scenario}: {difference or 'the same'}, {steps} steps, "
            f"{len(episodes)} episodes, {goals:.0f} goals",
            flush=True,
        )
    sys.exit(failed)


if __name__ == "__main__":
    main()

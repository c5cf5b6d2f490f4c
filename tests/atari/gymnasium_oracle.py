"""Compares the Atari plug-in with Gymnasium's AtariPreprocessing, bit for bit.

usage: gymnasium_oracle.py DUMP_ROLLOUT {games,options}

Both play the same random actions; pixels, rewards and ends of every step must be equal.
"""

import os
import subprocess
import sys
from dataclasses import dataclass, field

import ale_py
import numpy as np
from ale_py.env import AtariEnv
from gymnasium.wrappers import AtariPreprocessing

SIDE = 84
SEED = 7
RECORD = np.dtype(
    [
        ("frame", "u1", (SIDE, SIDE)),
        ("reward", "<f4"),
        ("terminated", "?"),
        ("truncated", "?"),
        ("game_over", "?"),
    ]
)


@dataclass
class Case:
    game: str  # as in "atari:SpaceInvaders"
    options: dict = field(default_factory=dict)  # of the plug-in
    steps: int = 1200

    @property
    def rom(self):
        return "".join("_" + c.lower() if c.isupper() else c for c in self.game)[1:]


GAMES = [
    Case(game)
    for game in (
        "Pong",
        "Breakout",
        "BeamRider",
        "Qbert",
        "SpaceInvaders",
        "Seaquest",
        "Enduro",
        "MsPacman",
        "MontezumaRevenge",
        "Gravitar",
    )
]
OPTIONS = [
    Case("Breakout", {"life_loss_terminal": True}),
    Case("Qbert", {"life_loss_terminal": True}, steps=2000),
    Case("Boxing", {"full_action_set": True}),
    Case("Seaquest", {"sticky": 0.25}),
    Case("Pong", {"frame_skip": 1}),
    Case("Asteroids", {"frame_skip": 2}),
    Case("Freeway", {"frame_skip": 3, "max_frames": 1000}),
    Case("Pong", {"max_frames": 1002}),  # cuts a step short
    Case("SpaceInvaders", {"mode": 5, "difficulty": 1}),
    Case("AirRaid"),  # 250 rows
    Case("Carnival"),  # 214 rows
]


def gymnasium_env(case):
    options = case.options
    env = AtariEnv(
        game=case.rom,
        mode=options.get("mode"),
        difficulty=options.get("difficulty"),
        frameskip=1,
        repeat_action_probability=options.get("sticky", 0),
        full_action_space=options.get("full_action_set", False),
        max_num_frames_per_episode=options.get("max_frames", 108000),
    )
    env.ale.setInt("random_seed", SEED)
    env.load_game()
    return AtariPreprocessing(
        env,
        noop_max=0,
        frame_skip=options.get("frame_skip", 4),
        terminal_on_life_loss=options.get("life_loss_terminal", False),
    )


def expected_records(env, actions):
    """The records that dump_rollout should write: one per reset and per step."""
    records = [(env.reset()[0], 0, False, False, False)]
    for action in actions:
        frame, reward, terminated, truncated, _ = env.step(action)
        game_over = env.ale.game_over()
        records.append((frame, reward, terminated, truncated, game_over))
        if game_over:
            records.append((env.reset()[0], 0, False, False, False))
    return np.array(records, RECORD)


def our_records(program, case, actions, cpu):
    options = [f"{key}={str(value).lower()}" for key, value in case.options.items()]
    command = [program, f"atari:{case.game}", str(SEED), "noop_max=0", *options]
    done = subprocess.run(
        command,
        input=actions.tobytes(),
        stdout=subprocess.PIPE,
        env=os.environ | {"TANDEM_CPU": cpu},
        check=True,
    )
    return np.frombuffer(done.stdout, RECORD)


def difference(ours, theirs):
    """The first difference in words; empty when there is none."""
    if len(ours) != len(theirs):
        return f"{len(ours)} records, Gymnasium gives {len(theirs)}"
    for name in RECORD.names:
        unequal = (ours[name] != theirs[name]).reshape(len(ours), -1)
        if unequal.any():
            first = unequal.any(axis=1).argmax()
            return f"{name} differs in {unequal.any(axis=1).sum()} records, first in {first}"
    return ""


def main():
    program, which = sys.argv[1:]
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    failures = 0
    for case in {"games": GAMES, "options": OPTIONS}[which]:
        env = gymnasium_env(case)
        actions = np.random.default_rng(SEED).integers(env.action_space.n, size=case.steps)
        actions = actions.astype("<i4")
        theirs = expected_records(env, actions)
        found = ""
        for cpu in ("", "portable"):  # the best vector instructions, and only x86-64's
            wrong = difference(our_records(program, case, actions, cpu), theirs)
            found += f"{cpu} {wrong}" if wrong else ""
        failures += found != ""
        print(
            f"{case.game} {case.options}: {case.steps} steps, return {theirs['reward'].sum():g}, "
            f"{theirs['terminated'].sum()} terminated, {theirs['truncated'].sum()} truncated: "
            f"{found or 'equal'}",
            flush=True,
        )
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()

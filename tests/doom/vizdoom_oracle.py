#!/usr/bin/env python3
"""Holds doom against Python's ViZDoom, which drives the same engine.

usage: vizdoom_oracle.py DOOM_TRACE FOLDER [--steps N] [--record] [SCENARIO...]

Both play the same random actions from the same seeds. Screens, distances, rewards and ends must be
the same in every step. Where ViZDoom is not installed, its episodes are those in
vizdoom_games.json beside this file, which --record writes.
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
    import vizdoom
except ImportError:
    vizdoom = None

RECORD = Path(__file__).with_name("vizdoom_games.json")
PIXELS = 160 * 120
PICTURES = 4 * PIXELS  # red, green, blue, distance
STEP = np.dtype([("pictures", "u1", PICTURES), ("reward", "<f8"), ("ended", "?"), ("late", "?")])
TICS = 4
EPISODES = 3
MOST_DEGREES = 8
# Network games, and those whose data are sold.
ELSEWHERE = {"cig", "multi", "multi_duel", "doom", "doom2"}


class Episode:
    """An episode as ViZDoom played it: each step has a fingerprint, as have the first pictures."""

    def __init__(self, seed: int, marks: list[str], steps: int) -> None:
        self.seed = seed
        self.marks = marks
        self.steps = steps

    def encoded(self, deltas: list[bool]) -> bytes:
        """The episode as doom_trace reads it."""
        head = struct.pack("<3I", self.seed, TICS, self.steps)
        actions = random_actions(self.seed, deltas, self.steps)
        return head + np.array(actions, "<f8").tobytes()

    def recorded(self) -> dict:
        return {"seed": self.seed, "steps": self.steps, "marks": " ".join(self.marks)}


def random_actions(seed: int, deltas: list[bool], steps: int) -> list[list[float]]:
    """A step holds each button with probability a half; an amount is a number of degrees."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(steps):
        pressed = rng.integers(2, size=len(deltas))
        amounts = rng.integers(-MOST_DEGREES, MOST_DEGREES + 1, size=len(deltas))
        rows.append(
            [float(a if d else p) for p, a, d in zip(pressed, amounts, deltas, strict=True)]
        )
    return rows


def mark(pictures: bytes, reward: float = 0, ended: bool = False, late: bool = False) -> str:
    """A short fingerprint of a step."""
    return hashlib.sha256(pictures + struct.pack("<d??", reward, ended, late)).hexdigest()[:6]


def made(scenario: str) -> "vizdoom.DoomGame":
    game = vizdoom.DoomGame()
    game.load_config(str(Path(vizdoom.scenarios_path) / f"{scenario}.cfg"))
    if scenario == "freedoom1":
        game.set_doom_map("e1m1")
    game.set_mode(vizdoom.Mode.PLAYER)
    game.set_window_visible(False)
    game.set_sound_enabled(False)
    game.set_audio_buffer_enabled(False)
    game.set_notifications_buffer_enabled(False)
    game.set_automap_buffer_enabled(False)
    game.set_screen_format(vizdoom.ScreenFormat.RGB24)
    game.set_screen_resolution(vizdoom.ScreenResolution.RES_160X120)
    game.set_depth_buffer_enabled(True)
    return game


def played(scenario: str, steps: int) -> tuple[list[bool], list[Episode]]:
    """Random play with ViZDoom: which buttons have amounts, and the episodes."""
    game = made(scenario)
    game.init()
    deltas = [vizdoom.is_delta_button(button) for button in game.get_available_buttons()]
    episodes = []
    for number in range(EPISODES):
        seed = 1000 + number
        game.set_seed(seed)
        game.new_episode()
        pictures = pictures_of(game, b"")
        marks = [mark(pictures)]
        for action in random_actions(seed, deltas, steps):
            reward = game.make_action(action, TICS)
            late = game.is_episode_timeout_reached()
            ended = game.is_episode_finished() and (game.is_player_dead() or not late)
            pictures = pictures_of(game, pictures)
            marks.append(mark(pictures, reward, ended, late))
            if game.is_episode_finished():
                break
        episodes.append(Episode(seed, marks, len(marks) - 1))
    game.close()
    return deltas, episodes


def pictures_of(game: "vizdoom.DoomGame", before: bytes) -> bytes:
    """The screen and the distances; at the end of an episode, those before it."""
    state = game.get_state()
    if state is None:
        return before
    return state.screen_buffer.tobytes() + state.depth_buffer.tobytes()


def compare(episodes: list[Episode], trace: bytes) -> tuple[str, float]:
    """The first difference in words, or an empty text; and the sum of rewards."""
    at, total = 0, 0.0
    for episode in episodes:
        first = trace[at : at + PICTURES]
        at += PICTURES
        if mark(first) != episode.marks[0]:
            return f"seed {episode.seed}: the first pictures differ", total
        steps = np.frombuffer(trace, STEP, episode.steps, at)
        at += steps.nbytes
        for index, (step, theirs) in enumerate(zip(steps, episode.marks[1:], strict=True)):
            total += float(step["reward"])
            ours = mark(step["pictures"].tobytes(), step["reward"], step["ended"], step["late"])
            if ours != theirs:
                return f"seed {episode.seed}, step {index}: pictures, rewards or ends differ", total
    return "", total


def wants(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("scenarios", nargs="*")
    return parser.parse_args(words)


def games(args: argparse.Namespace) -> dict[str, tuple[list[bool], list[Episode]]]:
    """ViZDoom's episodes of each scenario, played now or recorded."""
    if vizdoom is None:
        record = json.loads(RECORD.read_text())
        return {
            name: (
                record[name]["deltas"],
                [
                    Episode(one["seed"], one["marks"].split(), one["steps"])
                    for one in record[name]["episodes"]
                ],
            )
            for name in args.scenarios or sorted(record)
        }
    files = Path(vizdoom.scenarios_path).glob("*.cfg")
    there = sorted({file.stem for file in files} - ELSEWHERE)
    return {name: played(name, args.steps) for name in args.scenarios or there}


def main() -> None:
    """Compares each scenario, or records all."""
    args = wants(sys.argv[1:])
    all_games = games(args)
    if args.record:
        record = {
            name: {"deltas": deltas, "episodes": [one.recorded() for one in own]}
            for name, (deltas, own) in all_games.items()
        }
        RECORD.write_text(json.dumps(record, indent=0) + "\n")
        return
    failed = False
    for scenario, (deltas, episodes) in all_games.items():
        request = b"".join(episode.encoded(deltas) for episode in episodes)
        run = subprocess.run(
            [args.program, args.folder, scenario], input=request, stdout=-1, check=True
        )
        difference, total = compare(episodes, run.stdout)
        failed |= bool(difference)
        steps = sum(episode.steps for episode in episodes)
        print(
            f"{scenario}: {difference or 'the same'}, {steps} steps, {len(episodes)} episodes, "
            f"rewards {total:g}",
            flush=True,
        )
    sys.exit(failed)


if __name__ == "__main__":
    main()

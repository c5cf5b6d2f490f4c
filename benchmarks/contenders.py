"""The trainers of time_to_score.py: their commands, and how their scores are read."""

import collections
import contextlib
import dataclasses
import datetime
import functools
import hashlib
import json
import statistics
import subprocess
from pathlib import Path

from peer_environments import PEERS, python_for

PEER_SCRIPTS = {
    "CleanRL PPO": ("score_ppo_envpool.py",),
    "Stable-Baselines3 A2C": ("score_sb3.py", "a2c"),
    "Stable-Baselines3 PPO": ("score_sb3.py", "ppo"),
    "Sample Factory APPO": ("score_sf.py",),
}
SAMPLE_FACTORY = "requirements_sf.txt"
GAMES = 100  # in a mean score
# Their actors explore, so that training games tell little.
EXPLORING = ("dqn", "n_step_q", "one_step_q", "one_step_sarsa")
EVALUATIONS = [
    # The last hundred training games of others look back over about as many steps.
    *["run.evaluate_steps=50k", "run.evaluate_episodes=10", "run.until_evaluations=3"],
    "run.evaluate_protocol=sampled",  # without chance at most four games of Atari differ
]
CHANCE = 0.05  # as in Mnih et al. 2015


@dataclasses.dataclass
class Case:
    """One training."""

    contender: str
    game: str
    goal: float
    seed: int

    @property
    def name(self):
        words = f"{self.contender}-{self.game}-{self.goal:g}-{self.seed}"
        return "".join(c if c.isalnum() or c in ".-" else "-" for c in words.lower())


def fingerprint(parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()


class Tandem:
    """A training by tandem, whose preset's numbers the contender's words may change."""

    def __init__(self, program, case):
        self.program, self.words = program, case.contender.split()
        self.env = f"atari:{case.game}"

    @functools.cached_property
    def numbers(self):
        """The values of all config keys."""
        words = [self.program, "keys", *self.words, "--env", self.env, "--json"]
        listed = subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
        return {key["key"]: key["default"] for key in json.loads(listed)}

    @property
    def evaluates(self):
        """Whether its score is that of evaluations."""
        return self.numbers["algo"] in EXPLORING

    @property
    def evaluations(self):
        """The settings of its evaluations."""
        if not self.evaluates:
            return []
        part = "dqn" if self.numbers["algo"] == "dqn" else "q"
        return [*EVALUATIONS, f"{part}.epsilon_eval={CHANCE}"]

    def command(self, case, folder):
        return [
            *[self.program, "train", *self.words, "--env", self.env],
            *["--seed", str(case.seed), "--steps", "1G", "--run-dir", folder / "run"],
            *["--set", f"run.until_return={case.goal}", "--set", "run.log_seconds=1"],
            *[word for setting in self.evaluations for word in ("--set", setting)],
        ]

    def build(self):
        """The program's version, and when it was built."""
        words = [self.program, "--version"]
        told = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
        built = datetime.datetime.fromtimestamp(Path(self.program).stat().st_mtime)
        return f"{told.partition(chr(10))[0]} of {built:%Y-%m-%d %H:%M:%S}"

    def made_of(self):
        """A fingerprint of the numbers that it trains with."""
        told = [json.dumps(self.numbers, sort_keys=True), *self.evaluations]
        return fingerprint([text.encode() for text in told])

    def points(self, folder):
        """Seconds, steps and scores so far; of evaluations the means of three."""
        if self.evaluates:
            file, keys = "evaluations.jsonl", ("training_seconds", "step", "mean")
        else:
            file, keys = "metrics.jsonl", ("seconds", "steps", "episode/return_mean_100")
        means = collections.deque(maxlen=3 if self.evaluates else 1)
        with contextlib.suppress(FileNotFoundError):
            for line in (folder / "run" / file).read_text().splitlines():
                with contextlib.suppress(json.JSONDecodeError, KeyError):  # being written; no game
                    row = json.loads(line)
                    seconds, steps, mean = (row[key] for key in keys)
                    means.append(mean)
                    yield seconds, steps, statistics.fmean(means)

    def clock(self, folder):
        """The seconds that it has trained."""
        metrics = (folder / "run/metrics.jsonl").read_text().splitlines()
        for line in reversed(metrics):
            with contextlib.suppress(json.JSONDecodeError, KeyError):  # being written
                return json.loads(line)["seconds"]
        return 0

    def reached(self, folder, case):
        """The seconds until the score; None if it was not reached."""
        with contextlib.suppress(FileNotFoundError):
            result = json.loads((folder / "run/result.json").read_text())
            if result["reached_return"]:
                return result["reached_return"]["seconds"]
        return None


class Peer:
    """A training by a script of peers, whose lines tell the score."""

    evaluates = False

    def __init__(self, find_python, requirements, words):
        self.find_python, self.requirements, self.words = find_python, requirements, words

    def build(self):
        """Its fingerprint says it."""
        return ""

    def command(self, case, folder):
        script, *words = self.words
        options = ["--game", case.game, "--goal", str(case.goal), "--seed", str(case.seed)]
        return [self.find_python(), PEERS / script, *words, *options]

    def made_of(self):
        files = [self.words[0], "score.py", "slot.py", self.requirements]
        files += ["sb3_a2c.py"] * (self.words[0] == "score_sb3.py")  # its import
        return fingerprint([(PEERS / file).read_bytes() for file in files])

    def points(self, folder, least_games=1):
        for line in (folder / "output.txt").read_text(errors="replace").splitlines():
            words = line.split()
            if words[:1] == ["@@"] and len(words) == 5 and int(words[3]) >= least_games:
                yield float(words[1]), int(words[2]), float(words[4])

    def clock(self, folder):
        return max((seconds for seconds, _, _ in self.points(folder)), default=0)

    def reached(self, folder, case):
        last = list(self.points(folder, GAMES))[-1:]
        return last[0][0] if last and last[0][2] >= case.goal else None


def contender(case, args):
    name = case.contender
    if "Sample Factory" in name:  # it needs an older numpy
        find = functools.partial(python_for, SAMPLE_FACTORY, ".venv-peers-sf")
        return Peer(find, SAMPLE_FACTORY, PEER_SCRIPTS[name])
    if name in PEER_SCRIPTS:
        given = args.peers_python
        return Peer(lambda: given or python_for(), "requirements.txt", PEER_SCRIPTS[name])
    return Tandem(args.tandem, case)

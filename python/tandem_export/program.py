"""The program tandem, which reads runs, plays games and records them."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class ProgramError(Exception):
    """The program has failed and has printed its error."""

    def __init__(self, code: int) -> None:
        super().__init__(f"tandem ended with {code}")
        self.code = code


@dataclass(frozen=True)
class Program:
    """The program, and the words that choose an agent: RUN and options."""

    file: str
    agent: tuple[str, ...]

    @property
    def run(self) -> Path:
        """The folder of the run."""
        return Path(self.agent[0])

    @property
    def greedy(self) -> bool:
        """Whether the agent acts without randomness."""
        return "--greedy" in self.agent

    def at(self, steps: int) -> "Program":
        """The same with the checkpoint of these steps, whichever is the newest by now."""
        if "--checkpoint" in self.agent or "--best" in self.agent:
            return self
        return Program(self.file, (*self.agent, "--checkpoint", str(steps)))

    def write_parts(self, folder: Path) -> None:
        """Writes the agent's network.json and model.safetensors into a new folder."""
        self._call("export", ["--parts", str(folder)])

    def evaluate(self, episodes: int) -> dict[str, Any]:
        """The result of games, as `tandem eval --json` prints it."""
        text = self._call("eval", ["--episodes", str(episodes), "--json"])
        result: dict[str, Any] = json.loads(text)
        return result

    def record(self, video: Path) -> str:
        """Records a game. Returns why that is impossible, or an empty text."""
        words = [self.file, "record", *self.agent, "--out", str(video)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode == 0:
            return ""
        if done.returncode < 0:
            raise ProgramError(128 - done.returncode)
        return done.stderr.strip().removeprefix("tandem: error: ") or f"code {done.returncode}"

    def _call(self, command: str, words: Sequence[str]) -> str:
        done = subprocess.run(
            [self.file, command, *self.agent, *words], stdout=subprocess.PIPE, text=True
        )
        if done.returncode != 0:
            raise ProgramError(done.returncode if done.returncode > 0 else 128 - done.returncode)
        return done.stdout

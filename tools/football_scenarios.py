#!/usr/bin/env python3
"""Turns the Python definitions of Google Research Football's scenarios into a table of plain text.

usage: football_scenarios.py FOLDER >scenarios.txt

FOLDER is gfootball/scenarios of the package's source. Each definition is a function that calls a
builder. Here it runs once for an even and once for an odd episode, with a builder that writes its
calls down, so no part of the package needs to be installed.
"""

import sys
import types
from dataclasses import dataclass, field
from pathlib import Path

ROLES = ("GK", "CB", "LB", "RB", "DM", "CM", "LM", "RM", "AM", "CF")
LEFT, RIGHT = "left", "right"
PREFIXES = ("academy_", "11_vs_11_", "5_vs_5", "1_vs_1_easy")


class Rules:
    """Collects the attributes that a definition sets, in their order."""

    def lines(self) -> list[str]:
        """One line for each rule."""
        return [f"{name} {float(value):g}" for name, value in vars(self).items()]


@dataclass
class Builder:
    """Writes down one definition's calls, whose names are those of the package's own builder."""

    episode: int
    rules: Rules = field(default_factory=Rules)
    ball: tuple[float, float] = (0.0, 0.0)
    teams: dict[str, list[str]] = field(default_factory=lambda: {LEFT: [], RIGHT: []})
    team: str = LEFT

    def config(self) -> Rules:
        """The scenario's rules."""
        return self.rules

    def EpisodeNumber(self) -> int:  # noqa: N802
        """The number of the episode, by whose parity full games swap the teams."""
        return self.episode

    def SetBallPosition(self, x: float, y: float) -> None:  # noqa: N802
        """Places the ball."""
        self.ball = (x, y)

    def SetTeam(self, team: str) -> None:  # noqa: N802
        """Chooses the team of the players to come."""
        self.team = team

    def AddPlayer(  # noqa: N802
        self, x: float, y: float, role: str, lazy: bool = False, controllable: bool = True
    ) -> None:
        """Adds a player to the chosen team."""
        words = [self.team, f"{x}", f"{y}", role]
        words += ["lazy"] * lazy + ["uncontrolled"] * (not controllable)
        self.teams[self.team].append(" ".join(words))

    def lines(self) -> list[str]:
        """The definition as text. As in the package, an empty team gets a keeper that stands."""
        for team, players in self.teams.items():
            if not players:
                self.SetTeam(team)
                self.AddPlayer(-1.0, 0.42, "GK", lazy=True)
        ball = f"ball {self.ball[0]} {self.ball[1]}"
        return [*self.rules.lines(), ball, *self.teams[LEFT], *self.teams[RIGHT]]


def built(source: str, name: str, episode: int) -> list[str]:
    """The lines of one definition for one episode."""
    builder = Builder(episode)
    names: dict[str, object] = {"__name__": f"scenarios.{name}", "__package__": "scenarios"}
    exec(compile(source, name, "exec"), names)  # noqa: S102
    names["build_scenario"](builder)  # type: ignore[operator]
    return builder.lines()


def stand_in() -> types.ModuleType:
    """The module from which each definition imports the names of teams and roles."""
    module = types.ModuleType("scenarios")
    module.__path__ = []
    vars(module)["Team"] = types.SimpleNamespace(e_Left=LEFT, e_Right=RIGHT)
    vars(module).update({f"e_PlayerRole_{role}": role for role in ROLES})
    return module


def main() -> None:
    """Writes the table of all academy scenarios and full games."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.modules["scenarios"] = stand_in()
    files = [path for path in Path(sys.argv[1]).glob("*.py") if path.stem.startswith(PREFIXES)]
    if not files:
        sys.exit(f"football_scenarios.py: {sys.argv[1]} holds no scenarios")
    for path in sorted(files):
        source = path.read_text(encoding="utf-8")
        even, odd = (built(source, path.stem, episode) for episode in (0, 1))
        print(f"scenario {path.stem}")
        print(*even, sep="\n")
        if odd != even:
            print("odd_episodes")
            print(*odd, sep="\n")
        print()


if __name__ == "__main__":
    main()

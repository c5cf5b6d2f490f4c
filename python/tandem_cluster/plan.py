"""The cluster that a user asks for."""

from __future__ import annotations

import fcntl
import importlib
import json
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tandem.errors import Error

from tandem import _core
from tandem_cluster.config_file import read_files

Settings = list[tuple[str, str]]

FACTS = "cluster.json"  # in the run's folder


@dataclass
class Plan:
    """A training, and the parts that it is to have. complete() fills what the words leave open.

    Attributes:
        system: "apex" or "impala"; empty for a run that is resumed.
        config: a preset or a TOML file; empty: the default preset.
        settings: keys and the texts of their values.
        run_dir: the run's folder; empty: runs/SYSTEM-ENV-sSEED-DATE.
        resume: goes on with the run in run_dir.
        actors: processes that play; None: as the config says.
        shards: processes that hold the replay; None: one, or 0 where there is no replay.
        address: of a Ray cluster; None: a local one is started.
        working_dir: a folder whose modules all processes can import, for environments in Python.
        first_words: those that began the run, which cluster.json keeps; complete() fills them.
        config_files: the contents of the TOML file that config names; complete() fills them.
    """

    system: str
    config: str = ""
    settings: Settings = field(default_factory=list)
    run_dir: str = ""
    resume: bool = False
    actors: int | None = None
    shards: int | None = None
    address: str | None = None
    working_dir: str | None = None
    first_words: dict[str, Any] = field(default_factory=dict)
    config_files: dict[str, bytes] = field(default_factory=dict)

    def words(self) -> dict[str, Any]:
        """The words for a training in C++."""
        settings = list(self.settings)
        if self.actors is not None and not self.resume:
            settings.append((_core.cluster_actors_key(self.system), str(self.actors)))
        return {
            "system": self.system,
            "base": self.config,
            "settings": settings,
            "folder": self.run_dir,
            "resume": self.resume,
        }

    def complete(self) -> None:
        """Fills the folder and the numbers of parts. Raises Error for words that make no sense."""
        if self.working_dir is not None:
            if not Path(self.working_dir).is_dir():
                raise Error(f"working_dir: {self.working_dir} is no folder")
            self.working_dir = str(Path(self.working_dir).absolute())
        if self.config and Path(self.config).is_file():
            self.config = str(Path(self.config).absolute())  # other processes have other folders
        names_shards = self.shards is not None
        words = self._words_now()
        if not self.resume and self.run_dir:
            folder = Path(self.run_dir)
            if (folder / FACTS).exists() and (folder / "config.toml").exists():
                self._go_on_with_what_is_there(words)
            else:
                require_empty(folder)
        facts = _core.cluster_facts(python=sys.executable, **self.words())
        system, self.run_dir, self.actors, has_shards = facts
        if self.config and Path(self.config).is_file():  # the learner may be on another machine
            self.config_files = read_files(Path(self.config))
        if names_shards and not has_shards:
            raise Error(f"shards: {system} has no replay; leave it out")
        if self.resume:
            kept = read_facts(Path(self.run_dir))
            self.shards = kept["shards"] if has_shards else 0
            words = kept.get("words", {})
        elif not has_shards:
            self.shards = 0
        elif self.shards is None:
            self.shards = 1
        self.first_words = words

    def _go_on_with_what_is_there(self, words: dict[str, Any]) -> None:
        """The words that began a run go on with it when its driver was lost. Raises Error for
        others."""
        folder = Path(self.run_dir)
        if not has_checkpoint(folder):
            return clear(folder)  # nothing is lost, so other words may begin anew
        system = config_tables((folder / "config.toml").read_text())["system"]
        # A cluster that went on with the run of one machine does not know its other words.
        before = read_facts(folder).get("words") or {"system": system}
        for name, begun in before.items():
            if words[name] != begun:
                raise Error(
                    f"{self.run_dir} holds a run that began with {name} {in_words(begun)}, and not "
                    f"with {in_words(words[name])}: choose another --run-dir, or --resume that run"
                )
        self.resume, self.system, self.config = True, "", ""
        self.settings = [one for one in self.settings if one[0] == "run.steps"]

    def _words_now(self) -> dict[str, Any]:
        """The words that must be the same for a run to go on. Its steps may be more, and a function
        that makes environments is another text in each notebook."""
        free = ("run.steps", "env.pickle")
        settings = sorted([key, text] for key, text in self.settings if key not in free)
        return {
            "system": self.system,
            "config": self.config,
            "settings": settings,
            "actors": self.actors,
            "shards": 1 if self.shards is None else self.shards,  # also where there is no replay
        }


def in_words(words: Any) -> str:
    """The value of one word of a command as a message shows it."""
    if isinstance(words, list):
        words = " ".join("=".join(setting) for setting in words)
    return str(words or "none")


def has_checkpoint(run_dir: Path) -> bool:
    """Whether a run has anything to go on from."""
    return any(run_dir.glob("checkpoints/[0-9]*"))


def clear(run_dir: Path) -> None:
    """Empties the folder of a run unless a process trains there, for which it raises Error."""
    with (run_dir / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Error(f"another process is training into {run_dir}: wait until it ends") from None
        for file in run_dir.iterdir():
            if file.is_dir():
                shutil.rmtree(file)
            elif file.name != ".lock":
                file.unlink()


def require_empty(run_dir: Path) -> None:
    """Raises Error for a folder with files, which a new run must leave alone. The facts of a driver
    that was lost before its run began count as nothing."""
    own = {FACTS, f"{FACTS}.new", ".lock"}
    if run_dir.exists() and not (run_dir.is_dir() and {f.name for f in run_dir.iterdir()} <= own):
        raise Error(
            f"{run_dir} is not empty and holds no run of a cluster: choose another --run-dir, or "
            "--resume the run there"
        )


def config_tables(text: str) -> dict[str, Any]:
    """The tables of a run's config."""
    reader = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    tables: dict[str, Any] = reader.loads(text)
    return tables


def read_facts(run_dir: Path) -> dict[str, Any]:
    """The facts that an earlier cluster of this run has kept; one machine's run gets one shard."""
    file = run_dir / FACTS
    try:
        facts: dict[str, Any] = json.loads(file.read_text())
        return facts
    except FileNotFoundError:
        return {"shards": 1}
    except ValueError:
        raise Error(
            f'{file} is damaged: it holds {{"shards": N}} with the number of shards that the run '
            "had; write it anew"
        ) from None


def keep_facts(plan: Plan) -> None:
    """Writes what a resumed cluster must have as before."""
    facts = {"shards": plan.shards, "words": plan.first_words}
    file = Path(plan.run_dir) / FACTS
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f"{FACTS}.new")
    new.write_text(json.dumps(facts) + "\n")
    new.replace(file)  # whole at any moment

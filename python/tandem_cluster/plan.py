"""The cluster that a user asks for."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tandem.errors import Error

from tandem import _core

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
        shards: processes that hold the replay; 0 where there is none.
        address: of a Ray cluster; None: a local one is started.
        working_dir: a folder whose modules all processes can import, for environments in Python.
    """

    system: str
    config: str = ""
    settings: Settings = field(default_factory=list)
    run_dir: str = ""
    resume: bool = False
    actors: int | None = None
    shards: int = 1
    address: str | None = None
    working_dir: str | None = None

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
        self._resume_what_is_there()
        if not self.resume and self.run_dir:
            require_empty(Path(self.run_dir))
        if self.config and Path(self.config).is_file():
            self.config = str(Path(self.config).absolute())  # other processes have other folders
        facts = _core.cluster_facts(python=sys.executable, **self.words())
        _, self.run_dir, self.actors, has_shards = facts
        if self.resume:
            self.shards = read_shards(Path(self.run_dir))
        elif not has_shards:
            self.shards = 0

    def _resume_what_is_there(self) -> None:
        """The words that began a run go on with it when its driver was lost."""
        if self.resume or not self.run_dir or not (Path(self.run_dir) / FACTS).exists():
            return
        before = config_tables((Path(self.run_dir) / "config.toml").read_text())["system"]
        if self.system != before:
            raise Error(f"{self.run_dir} holds a run of {before}: choose another --run-dir")
        self.resume, self.system, self.config = True, "", ""
        self.settings = [one for one in self.settings if one[0] == "run.steps"]


def require_empty(run_dir: Path) -> None:
    """Raises Error for a folder with files, which a new run must leave alone."""
    if run_dir.exists() and not (run_dir.is_dir() and not any(run_dir.iterdir())):
        raise Error(
            f"{run_dir} is not empty and holds no run of a cluster: choose another --run-dir, or "
            "--resume the run there"
        )


def config_tables(text: str) -> dict[str, Any]:
    """The tables of a run's config."""
    reader = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    tables: dict[str, Any] = reader.loads(text)
    return tables


def read_shards(run_dir: Path) -> int:
    """The shards of an earlier cluster of this run; the run of one machine becomes one shard."""
    try:
        return int(json.loads((run_dir / FACTS).read_text())["shards"])
    except FileNotFoundError:
        return 1


def keep_facts(run_dir: Path, shards: int) -> None:
    """Writes what a resumed cluster must have as before."""
    (run_dir / FACTS).write_text(json.dumps({"shards": shards}) + "\n")

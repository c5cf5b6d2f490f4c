"""A config file of the user on its way to the learner's machine, which may not have it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

_OF_A_RUN = "config.toml"
# Beside the config of a run: the keys whose values random play has measured.
_MEASURED = "measured.txt"


def read_files(config: Path) -> dict[str, bytes]:
    """The contents of a config file and of the file that belongs to that of a run, by their
    names."""
    names = [config.name, _MEASURED] if config.name == _OF_A_RUN else [config.name]
    files = (config.with_name(name) for name in names)
    return {file.name: file.read_bytes() for file in files if file.is_file()}


@contextlib.contextmanager
def on_this_machine(config: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """The config by a path on this machine, as long as the block lasts. Without files it is a
    preset's name or empty, and stays so."""
    if not config or not files:
        yield config
        return
    with tempfile.TemporaryDirectory(prefix="tandem-config-") as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        yield str(Path(folder) / Path(config).name)

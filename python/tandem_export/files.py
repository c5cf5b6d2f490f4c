"""Files and folders that appear whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class ExportError(Exception):
    """The export cannot go on; the message says what to do."""


@contextmanager
def unfinished(file: Path) -> Iterator[Path]:
    """A name beside `file` to write to; it becomes `file` at the end, or is removed."""
    name = file.with_name(f".{file.name}.unfinished-{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        yield name
        os.replace(name, file)
    finally:
        if name.is_dir():
            shutil.rmtree(name, ignore_errors=True)
        else:
            name.unlink(missing_ok=True)


def require_new_folder(folder: Path) -> None:
    """Raises ExportError if there is something that a new folder would replace."""
    if not folder.exists():
        return
    if folder.samefile(Path.cwd()):
        raise ExportError(f"{folder} is the folder in which this command runs; name a new folder")
    if not folder.is_dir():
        raise ExportError(f"{folder} is a file; name a new folder")
    if any(folder.iterdir()):
        raise ExportError(f"{folder} is there and not empty; name a new folder, or delete this one")


def require_file_name(file: Path, suffix: str) -> None:
    """Raises ExportError unless the name ends with the suffix and no folder has it."""
    if file.suffix != suffix:
        raise ExportError(f"{file}: the file's name must end in {suffix}")
    if file.is_dir():
        raise ExportError(f"{file} is a folder; name a file")


def size(file: Path) -> str:
    """The size of a file in words."""
    count = file.stat().st_size
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"

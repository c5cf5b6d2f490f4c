"""The folder that an installed plug-in goes to, and whether a plug-in there works."""

import fcntl
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tandem_program.plugins import Plugin
from tandem_program.steps import InstallError, say


def writable_folder(folders: Sequence[str]) -> Path:
    """The first folder that this user may write to; it is made if need be."""
    reasons = []
    for folder in folders:
        try:
            os.makedirs(folder, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return Path(folder)
        except OSError as error:
            reasons.append(f"{folder}: {error.strerror}")
    raise InstallError(
        f"no folder for plug-ins is writable ({'; '.join(reasons)}). Run this as a user who may "
        "write there, or name a folder by the environment variable TANDEM_PLUGIN_PATH"
    )


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Waits for another installation into the same folder to end."""
    with open(folder / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another installation to end ...")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def version_file(folder: Path, plugin: Plugin) -> Path:
    return folder / plugin.name / "tandem-version"


def found(plugin: Plugin, folders: Sequence[str]) -> Path | None:
    """The plug-in's file that the program would load."""
    files = (Path(folder) / plugin.file for folder in folders)
    return next((file for file in files if file.exists()), None)


def require_first(file: Path | None, folder: Path, folders: Sequence[str]) -> None:
    """Raises InstallError if the program would load this file instead of one in the folder."""
    places = [Path(place) for place in folders]
    if file is not None and file.parent in places[: places.index(folder)]:
        raise InstallError(
            f"the program takes {file} first, and you may not replace it: let a user who may write "
            "there run this, or name a folder by the environment variable TANDEM_PLUGIN_PATH"
        )


def installed_version(file: Path, plugin: Plugin) -> str:
    """The version of a plug-in that was installed; empty if nothing says so."""
    try:
        return version_file(file.parent, plugin).read_text().strip()
    except OSError:
        return ""


def complaint(plugin: Plugin, program: Path) -> str:
    """The program's error with an environment of the plug-in; empty if it works."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["--env", plugin.environment, "--random", "--steps", "20", "--out", folder + "/out"]
        result = subprocess.run(
            [program, "rollout", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
    return "" if result.returncode == 0 else result.stderr.strip() or f"code {result.returncode}"

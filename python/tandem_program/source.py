"""The source of a plug-in and the programs that build it."""

import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from tandem_program.plugins import Plugin
from tandem_program.steps import UNKNOWN_CAUSE, InstallError, cause, run, step

LEAST_CMAKE = (3, 25)

# Debian's packages, where they have other names than their programs.
PACKAGE_OF = {"c++": "g++", "xz": "xz-utils", "apt-get": "apt"}


def fetch_source(
    plugin: Plugin, version: str, places: Sequence[str], work: Path, environment: dict[str, str]
) -> Path:
    """Unpacks the plug-in's source of this version, from a folder or the package index."""
    archive = find_archive(plugin, version, places)
    if archive is None:
        with step(f"downloading {plugin.distribution} {version} (some seconds)"):
            archive = download(plugin, version, places, work, environment)
    try:
        with tarfile.open(archive) as files:
            if hasattr(tarfile, "data_filter"):
                files.extraction_filter = tarfile.data_filter
            files.extractall(work / "source")
    except (OSError, EOFError, tarfile.TarError) as error:
        raise InstallError(f"{archive} cannot be unpacked: {error}") from error
    (source,) = (work / "source").iterdir()
    return source


def find_archive(plugin: Plugin, version: str, places: Sequence[str]) -> Path | None:
    """The file in one of the folders, so that pip need not be asked."""
    for place in places:
        file = Path(place) / plugin.archive(version)
        if file.exists():
            return file
    return None


def download(
    plugin: Plugin, version: str, places: Sequence[str], work: Path, environment: dict[str, str]
) -> Path:
    words = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps"]
    words += ["--no-binary", plugin.distribution, "--dest", str(work / "archive")]
    for place in places:
        words += ["--find-links", place]
    try:
        run([*words, f"{plugin.distribution}=={version}"], work / "download.log", environment)
    except InstallError as error:
        # pip says the same without a network, after other lines.
        output = (work / "download.log").read_text(errors="replace")
        if "No matching distribution" not in output or cause(output) != UNKNOWN_CAUSE:
            raise
        raise InstallError(
            f"there is no {plugin.distribution} {version} in the package index"
            + (f" or in {', '.join(places)}" if places else "")
            + f". Name a folder that holds {plugin.archive(version)}: "
            f"tandem install {plugin.name} --find-links FOLDER"
        ) from error
    return work / "archive" / plugin.archive(version)


def check_programs(plugin: Plugin) -> None:
    missing = [program for program in plugin.programs if shutil.which(program) is None]
    if missing:
        packages = [PACKAGE_OF.get(program, program) for program in missing]
        raise InstallError(
            f"{' and '.join(missing)} not found. Install first: "
            f"apt-get install {' '.join(packages)}"
        )


def cmake_is_there() -> bool:
    if shutil.which("cmake") is None or not (shutil.which("ninja") or shutil.which("make")):
        return False
    words = subprocess.run(["cmake", "--version"], capture_output=True, text=True).stdout
    found = re.search(r"version (\d+)\.(\d+)", words)
    return found is not None and (int(found[1]), int(found[2])) >= LEAST_CMAKE


def bring_cmake(work: Path, environment: dict[str, str]) -> None:
    """Puts CMake and Ninja from the package index into `work` and on the PATH of `environment`, if
    they are missing or too old."""
    if cmake_is_there():
        return
    folder = work / "programs"
    with step("downloading CMake and Ninja (some seconds; they are not kept)"):
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
        run([*pip, "--target", folder, "cmake", "ninja"], work / "cmake.log", environment)
    # The files of the same names in bin are Python programs that need the folder on their path.
    places = [folder / package / "data/bin" for package in ("cmake", "ninja")] + [folder / "bin"]
    environment["PATH"] = ":".join([*map(str, places), environment["PATH"]])

"""Builds a plug-in of tandem on this machine, for the Python package that holds this file.

`tandem install` calls it and passes the folders, so that both agree on them. It needs nothing but
Python itself, pip and a C++ compiler.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from tandem_program.place import (
    alone_in,
    complaint,
    found,
    installed_version,
    require_first,
    version_file,
    writable_folder,
)
from tandem_program.plugins import PLUGINS, Plugin
from tandem_program.source import bring_cmake, check_programs, fetch_source
from tandem_program.steps import ENDS, InstallError, run, say, step


def read_words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tandem install")
    parser.add_argument("plugin", choices=sorted(PLUGINS))
    parser.add_argument("--find-links", action="append", default=[])
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--version", required=True)
    parser.add_argument("--package", type=Path, required=True)
    parser.add_argument("--folders", required=True)
    return parser.parse_args()


def is_there(plugin: Plugin, options: argparse.Namespace, folders: list[str]) -> bool:
    """Whether the plug-in of this version works; says so, or why it does not."""
    file = found(plugin, folders)
    if file is None:
        return False
    version = installed_version(file, plugin)
    if version != options.version:
        say(f"{file} is of version {version or 'unknown'}; building {options.version}")
        return False
    trouble = complaint(plugin, options.package / "tandem")
    if trouble:
        say(f"{file} does not work, so it is built anew ({trouble})")
        return False
    say(f"{plugin.name} {version} is already installed: {file}")
    return True


def compile_plugin(
    plugin: Plugin, options: argparse.Namespace, source: Path, library: Path, work: Path
) -> Path:
    build = work / "build"
    environment = options.environment
    words = ["cmake", "-S", str(source), "-B", str(build)]
    words += [f"-Dtandem_DIR={options.package}/lib/cmake/tandem", f"-D{plugin.variable}={library}"]
    run(words, work / "configure.log", environment)
    jobs = str(len(os.sched_getaffinity(0)))
    run(["cmake", "--build", build, "--parallel", jobs], work / "compile.log", environment)
    return build / plugin.file


def install(plugin: Plugin, options: argparse.Namespace, folder: Path, work: Path) -> None:
    # The scripts' stamps depend on the order of files, and so on the locale.
    options.environment = {**os.environ, "PYTHON": sys.executable, "LC_ALL": "C.UTF-8"}
    check_programs(plugin)
    source = fetch_source(plugin, options.version, options.find_links, work, options.environment)
    bring_cmake(work, options.environment)
    if shutil.which("ninja", path=options.environment["PATH"]):
        options.environment["CMAKE_GENERATOR"] = "Ninja"  # make may be missing
    library = folder / plugin.name
    if options.force or installed_version(folder / plugin.file, plugin) == options.version:
        (library / "stamp").unlink(missing_ok=True)  # it may be the cause why nothing works
    with step(f"{plugin.library} ({plugin.duration})"):
        run(["bash", source / plugin.script, library], work / "library.log", options.environment)
    with step("compiling the plug-in (half a minute)"):
        built = compile_plugin(plugin, options, source, library, work)
    # The file appears as a whole; a program that has loaded the old one keeps it.
    fresh = folder / f".{plugin.file}.new"
    shutil.copy(built, fresh)
    os.replace(fresh, folder / plugin.file)
    trouble = complaint(plugin, options.package / "tandem")
    if trouble:
        raise InstallError(f"{folder / plugin.file} was built, but does not work: {trouble}")
    version_file(folder, plugin).write_text(options.version + "\n")


def main() -> int:
    """Installs what the command line names. Returns the exit code: 2 for what a user can mend."""
    for number in ENDS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup leaves SIGHUP
            signal.signal(number, end)
    options = read_words()
    plugin = PLUGINS[options.plugin]
    folders = options.folders.split(":")
    begin = time.monotonic()
    try:
        if not options.force and is_there(plugin, options, folders):
            return 0
        folder = writable_folder(folders)
        require_first(found(plugin, folders), folder, folders)
        with alone_in(folder), tempfile.TemporaryDirectory(prefix="tandem-install-") as work:
            # Another installation may have ended meanwhile.
            if not options.force and is_there(plugin, options, folders):
                return 0
            say(f"{plugin.name} {options.version} goes to {folder}")
            install(plugin, options, folder, Path(work))
    except (InstallError, OSError) as error:
        print(f"tandem: error: cannot install {plugin.name}: {error}", file=sys.stderr)
        return 2
    seconds = time.monotonic() - begin
    say(f"all done in {seconds:.0f} s; try: tandem train paac --env {plugin.environment}")
    return 0


def end(number: int, _frame: object) -> None:
    sys.exit(128 + number)

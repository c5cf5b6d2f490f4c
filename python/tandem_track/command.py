"""The command line: `tandem track RUN --to TRACKER`, as the program hands it over."""

import argparse
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from tandem_track.errors import TrackError, say
from tandem_track.follower import Follower
from tandem_track.record import Record, RecordFile
from tandem_track.run_folder import RunFolder, Value
from tandem_track.tracker import PACKAGES, Description, OpenRun, Place, Tracker, opener

DEFAULT_PROJECT = "tandem"
NICENESS = 10  # the training goes first
SLICE_SECONDS = 0.1  # a signal ends a pause after this time


class Stop:
    """Whether SIGINT or SIGTERM came: the first ends the command in order, the second at once."""

    def __init__(self) -> None:
        self.signal = 0
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)

    def pause(self, seconds: float) -> bool:
        """Waits, and returns whether the command may go on."""
        end = time.monotonic() + seconds
        while not self.signal and time.monotonic() < end:
            time.sleep(SLICE_SECONDS)
        return not self.signal

    def _note(self, number: int, _frame: object) -> None:
        self.signal = number
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def read_words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tandem track")
    parser.add_argument("run", type=Path)
    parser.add_argument("--to", choices=sorted(PACKAGES), required=True)
    parser.add_argument("--project")
    parser.add_argument("--name")
    parser.add_argument("--uri")
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--wait", action="store_true")
    parser.add_argument("--new", action="store_true")
    return parser.parse_args()


def wait_for_run(run: RunFolder, options: argparse.Namespace, stop: Stop) -> bool:
    """Waits for a run to begin. Returns False if a signal came before."""
    if not run.begun() and not options.wait:
        raise TrackError(
            f"{run.path} is not the folder of a run: there is no config.toml in it; name the "
            "folder that `tandem train` made, or wait for a run to begin with --wait"
        )
    if not run.begun():
        say(f"waiting for a run to begin in {run.path} (Ctrl-C ends this)")
    while not run.begun():
        if not stop.pause(1):
            return False
    return True


def chosen(record: Record | None, run: RunFolder, options: argparse.Namespace) -> Record:
    """The record to go on with: the one of the folder, or a new one."""
    asked = {name: getattr(options, name) for name in ("project", "name", "uri", "offline")}
    asked = {name: value for name, value in asked.items() if value}
    if options.uri:
        asked["uri"] = absolute(options.uri)
    if record is None or options.new:
        place = Place(DEFAULT_PROJECT, run.path.resolve().name, uri="", offline=False)
        return Record(replace(place, **asked))
    for name, value in asked.items():
        before = getattr(record.place, name)
        if value != before:
            option = f"--{name} {before}" if before else f"no --{name}"
            raise TrackError(
                f"this run went to {options.to} with {option} before: leave --{name} out to go "
                "on, or begin another run there with --new"
            )
    return record


def absolute(uri: str) -> str:
    """A store's URI that means the same in any working directory."""
    scheme, colon, path = uri.partition(":///")
    if colon and scheme == "sqlite" and path:
        return f"{scheme}:///{Path(path).resolve()}"
    names = ("", "databricks", "databricks-uc", "uc")  # words of MLflow's own
    return uri if ":" in uri or uri in names else str(Path(uri).resolve())


def describe(run: RunFolder) -> Description:
    config = run.config()
    names: dict[str, Value | None] = {
        "system": config.get("system"),
        "env": config.get("env.id"),
        "algo": config.get("algo"),
    }
    tags = {name: str(value) for name, value in names.items() if value}
    return Description(run.path.resolve(), config, tags)


def is_complete(run: RunFolder, record: Record) -> bool:
    """Whether the tracker has all of a run that has ended."""
    if run.is_training() or not record.result:
        return False
    result = run.result()
    return result is not None and result.text == record.result


def open_tracker(open_run: OpenRun, run: RunFolder, record: Record, tracker: str) -> Tracker:
    description = describe(run)
    try:
        return open_run(description, record.place, record.run_id)
    except TrackError:
        raise
    except Exception as error:  # each tracker, and what it builds on, has its own
        raise TrackError(
            f"{tracker} does not open a run: {type(error).__name__}: {error}"
        ) from error


def leave(tracker: Tracker) -> None:
    """Leaves the tracker's run. A failure must not hide the error that led here."""
    try:
        tracker.close()
    except Exception as error:
        say(f"the tracker could not be left in order: {type(error).__name__}: {error}")


def track(options: argparse.Namespace, stop: Stop) -> int:
    run = RunFolder(options.run)
    open_run = opener(options.to)
    if not wait_for_run(run, options, stop):
        return 128 + stop.signal
    file = RecordFile(run.path, options.to)
    with file.alone():
        record = chosen(None if options.new else file.read(), run, options)
        if is_complete(run, record):
            say(f"{options.to} has all of {run.path} already")
            return 0
        going_on = record.run_id is not None
        tracker = open_tracker(open_run, run, record, options.to)
        record.run_id = tracker.run_id
        record.place = replace(record.place, uri=absolute(tracker.uri))
        file.write(record)
        say(
            f"{'going on with' if going_on else 'beginning'} {options.to}'s run {tracker.run_id} "
            f"of the project {record.place.project}"
        )
        follower = Follower(run, tracker, file, record, stop.pause)
        try:
            whole = follower.follow(options.wait)
        except BaseException:
            leave(tracker)
            raise
        if whole:
            say(f"{options.to} has all of {run.path}")
            return 0
        leave(tracker)
        say("ended before the run; the same command goes on from here")
        return 128 + stop.signal


def main() -> int:
    """Runs the command. Returns the exit code: 2 for an error that the user can mend."""
    options = read_words()
    os.nice(NICENESS)
    stop = Stop()
    try:
        return track(options, stop)
    except (TrackError, OSError) as error:
        print(f"tandem: error: cannot track {options.run}: {error}", file=sys.stderr)
        return 2

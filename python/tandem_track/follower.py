"""Passes a run's measurements on while it trains, or after it has ended."""

from collections.abc import Callable, Sequence
from pathlib import Path

from tandem_track.errors import TrackError, say
from tandem_track.lines import SOURCES, LineReader, Point, Source
from tandem_track.record import Record, RecordFile
from tandem_track.run_folder import Result, RunFolder
from tandem_track.tracker import Tracker

POLL_SECONDS = 1.0
BATCH = 500  # points that a tracker gets at once; the record is written after each batch
LONGEST_DELAY = 60.0  # seconds between two attempts to reach a tracker
PATIENCE = 120.0  # seconds of attempts after the run has ended
NEVER = -1  # a step before all others

# Waits for so many seconds; whether it may go on.
Pause = Callable[[float], bool]


class Feed:
    """One file of a run, and the part of it that is still to be passed on. Not thread-safe.

    A step that was passed on once is never passed on again. A run that was killed takes the steps
    since its last checkpoint anew when it is resumed; the tracker keeps its first numbers of them.
    """

    def __init__(self, folder: Path, source: Source, reached: int) -> None:
        self.source = source
        self.reached = reached  # the last step that was passed on
        self.waiting: list[Point] = []  # by increasing steps
        self._file = folder / source.file
        self._reader = LineReader(self._file)
        self._complained = False

    def read(self) -> bool:
        """Reads the new lines of the file. Returns whether points wait."""
        last = self.waiting[-1].step if self.waiting else self.reached
        for line in self._reader.read():
            point = self.source.point(line)
            if point is None:
                self._complain(line)
            elif point.step > last:
                self.waiting.append(point)
                last = point.step
        return bool(self.waiting)

    def passed_on(self, points: Sequence[Point]) -> None:
        """Takes away the first points that waited."""
        del self.waiting[: len(points)]
        self.reached = points[-1].step

    def go_on_after(self, step: int) -> None:
        """Takes the word of the tracker that this is the last step it has."""
        if step == self.reached:
            return
        self.reached = step
        self.waiting.clear()
        self._reader = LineReader(self._file)

    def _complain(self, line: bytes) -> None:
        if not self._complained:
            say(f"{self._file} has a damaged line, which is left out: {line[:60]!r}")
        self._complained = True


class Follower:
    """Follows one run into one tracker. Not thread-safe.

    `pause` is the only way in which it waits, so that a signal, or a test, can end it.
    """

    def __init__(
        self, run: RunFolder, tracker: Tracker, file: RecordFile, record: Record, pause: Pause
    ) -> None:
        self._run = run
        self._tracker = tracker
        self._file = file
        self._record = record
        self._pause = pause
        self._folder = run.identity()
        self._feeds = [Feed(run.path, s, record.reached.get(s.file, NEVER)) for s in SOURCES]

    def follow(self, wait: bool) -> bool:
        """Passes on all lines until the run has ended. Returns False if a pause was refused.

        With `wait` it stays with a run that was killed, until that is resumed and ends. Raises
        TrackError if the tracker cannot be reached for PATIENCE seconds after the end, or if the
        folder is removed.
        """
        if not self._insist(lambda again: self._ask_all()):
            return False
        announced = False
        while True:
            self._require_folder()
            training = self._run.is_training()  # asked before its last lines are read
            if not all(self._pass_on(feed) for feed in self._feeds):
                return False
            if not training:
                result = self._run.result()
                if result is not None or not wait:
                    return self._finish(result)
                if not announced:
                    say("no process trains this run, and it has no result: waiting for its resume")
                announced = True
            if not self._pause(POLL_SECONDS):
                return False

    def _require_folder(self) -> None:
        if self._run.identity() != self._folder:
            raise TrackError(f"{self._run.path} was removed, or replaced by another folder")

    def _ask_all(self) -> None:
        for feed in self._feeds:
            self._ask(feed)

    def _ask(self, feed: Feed) -> None:
        step = self._tracker.reached(feed.source.step_name)
        if step is not None:
            feed.go_on_after(step)

    def _pass_on(self, feed: Feed) -> bool:
        """Passes the new points of a file on. Returns False if a pause was refused."""

        def log(again: bool) -> None:
            if again:  # the points may have arrived, although the call failed
                self._ask(feed)
            points = feed.waiting[:BATCH]
            if points:
                self._tracker.log(points)
                feed.passed_on(points)

        while feed.read():
            if not self._insist(log):
                return False
            self._record.reached[feed.source.file] = feed.reached
            self._record.result = ""
            self._file.write(self._record)
        return True

    def _finish(self, result: Result | None) -> bool:
        last = max(0, *(feed.reached for feed in self._feeds))
        if not self._insist(lambda again: self._tracker.finish(result, last)):
            return False
        self._record.result = result.text if result else ""
        self._file.write(self._record)
        return True

    def _insist(self, attempt: Callable[[bool], None]) -> bool:
        """Repeats an attempt until it succeeds. Returns False if a pause was refused.

        The attempt is told whether it is a repetition.
        """
        delay, waited, waited_after_end = 1.0, 0.0, 0.0
        while True:
            try:
                attempt(waited > 0)
            except TrackError:
                raise
            except Exception as error:  # each tracker, and what it builds on, has its own
                words = f"{type(error).__name__}: {error}"
            else:
                if waited > 0:
                    say("the tracker answers again")
                return True
            if waited == 0:
                say(f"the tracker refuses, and is tried again until it answers ({words})")
            ended = not self._run.is_training()
            if ended and waited_after_end >= PATIENCE:
                raise TrackError(
                    f"the tracker cannot be reached: {words}. The same command goes on from here"
                )
            if not self._pause(delay):
                return False
            waited += delay
            waited_after_end += delay if ended else 0.0
            delay = min(2 * delay, LONGEST_DELAY)

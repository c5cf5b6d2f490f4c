"""The measurements in a run's files, one JSON object a line."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Point:
    """The numbers that were measured at one training step."""

    step: int
    step_name: str  # under which the values have the step
    values: Mapping[str, float]


@dataclass(frozen=True)
class Source:
    """A file of a run, and the names under which a tracker gets its numbers.

    A tracker gets the step as a number, too: as the axis of the others, and to find it again.
    """

    file: str
    step_key: str  # in the file
    prefix: str  # before the names that have no group, as "loss/policy" has

    @property
    def step_name(self) -> str:
        return self.prefix + "steps"

    def point(self, line: bytes) -> Point | None:
        """The numbers of a line; None if the line is damaged."""
        try:
            entry = json.loads(line)
            step = entry[self.step_key]
        except (ValueError, KeyError, TypeError):
            return None
        if not isinstance(step, int):
            return None
        values: dict[str, float] = {self.step_name: step}
        for key, value in entry.items():
            if key != self.step_key and is_number(value):
                values[key if "/" in key else self.prefix + key] = value
        return Point(step, self.step_name, values)


SOURCES = (
    Source("metrics.jsonl", step_key="steps", prefix=""),
    Source("evaluations.jsonl", step_key="step", prefix="eval/"),
)


def is_number(value: object) -> bool:
    """Whether a value is a number that a tracker can draw."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


class LineReader:
    """Reads a file that grows by whole lines, and that a resumed run cuts. Not thread-safe."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._last = b""  # the last line that was read
        self._end = 0  # its end in the file

    def read(self) -> Sequence[bytes]:
        """The whole lines since the last call; all lines anew if the file was cut since then.

        A file that is not there yet has no lines. Raises OSError if it cannot be read.
        """
        try:
            with self._file.open("rb") as stream:
                # A file that was cut may have grown again, so its length alone tells nothing.
                stream.seek(self._end - len(self._last))
                if stream.read(len(self._last)) != self._last:
                    self._restart()
                    stream.seek(0)
                text = stream.read()
        except FileNotFoundError:
            self._restart()
            return []
        lines = text[: text.rfind(b"\n") + 1].splitlines(keepends=True)
        if lines:
            self._last = lines[-1]
            self._end += sum(map(len, lines))
        return lines

    def _restart(self) -> None:
        self._last = b""
        self._end = 0

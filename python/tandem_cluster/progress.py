"""The line that shows how a training on a cluster goes."""

from __future__ import annotations

import contextlib
import time
from datetime import timedelta
from typing import Any, TextIO

_REDRAW_SECONDS = 1.0
_LINE_SECONDS = 10.0
_MOST_NODES = 4  # with their actors in the line


def amount(value: float) -> str:
    """A number in at most four digits: 12.3k."""
    for unit in ("", "k", "M", "G"):
        if abs(value) < 999.5:  # three digits would make it 1e+03
            return f"{value:.3g}{unit}"
        value /= 1000
    return f"{value:.3g}T"


def write(out: TextIO, text: str) -> None:
    """Writes a text at once. A terminal that has ended takes none, and the training goes on."""
    with contextlib.suppress(OSError):
        out.write(text)
        out.flush()


class Progress:
    """Rewrites one line on a terminal, and writes some lines elsewhere."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._terminal = out.isatty()
        self._shown = 0.0
        self._before: tuple[float, int, int] | None = None
        self._open = False

    def show(self, status: dict[str, Any]) -> None:
        now = time.monotonic()
        if "steps" not in status:  # a learner is on its way
            self._before = None
            return
        if now - self._shown < (_REDRAW_SECONDS if self._terminal else _LINE_SECONDS):
            return
        text = self._text(now, status)
        self._shown = now
        if self._terminal:
            write(self._out, "\r\x1b[K" + text)
            self._open = True
        else:
            write(self._out, text + "\n")

    def end(self) -> None:
        if self._open:
            write(self._out, "\n")
        self._open = False

    def _text(self, now: float, status: dict[str, Any]) -> str:
        steps, updates = status.get("steps", 0), status.get("updates", 0)
        budget = status.get("budget", 0)
        rates = ""
        same = self._before is not None and steps >= self._before[1] and updates >= self._before[2]
        if self._before is not None and same:  # else by another learner
            seconds = max(now - self._before[0], 1e-9)
            rate = (steps - self._before[1]) / seconds
            rates = f"  {rate:.0f} steps/s  {(updates - self._before[2]) / seconds:.0f} updates/s"
            if rate > 0:
                rates += f"  {timedelta(seconds=int((budget - steps) / rate))} left"
        self._before = (now, steps, updates)
        text = f"{100 * steps / budget:.1f}%  " if budget else ""
        text += f"{amount(steps)} steps{rates}"
        text += f"  {status.get('actors', 0)} of {status['actors_wanted']} actors"
        if "transitions" in status:
            text += f"  {amount(status['transitions'])} transitions"
        text += f"  lag {status.get('lag_updates', 0)}"
        if status["restarts"]:
            text += f"  {status['restarts']} restarts"
        nodes = status["nodes"]
        if 1 < len(nodes) <= _MOST_NODES:
            text += "  " + ", ".join(f"{node}: {count}" for node, count in nodes.items())
        elif nodes:
            text += f"  on {len(nodes)} nodes" if len(nodes) > 1 else ""
        return text

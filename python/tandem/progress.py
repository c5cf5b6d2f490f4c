"""The progress of a training on the screen."""

import contextlib
import sys
from collections.abc import Mapping
from typing import Any, Protocol


class Progress(Protocol):
    """Shows how far a training is. A terminal that has ended shows nothing, and the training goes
    on. Not thread-safe."""

    def show(self, steps: int, metrics: Mapping[str, Any] | None) -> None:
        """Shows the steps so far, and metrics if new ones have come."""

    def close(self) -> None:
        """Leaves the last state on the screen."""


class Silence:
    """Shows nothing."""

    def show(self, steps: int, metrics: Mapping[str, Any] | None) -> None:
        pass

    def close(self) -> None:
        pass


class Lines:
    """Prints a line on stderr for each report of metrics."""

    def __init__(self, budget: int) -> None:
        self._budget = budget

    def show(self, steps: int, metrics: Mapping[str, Any] | None) -> None:
        if metrics is None:
            return
        words = ", ".join(f"{name} {text}" for name, text in _summary(metrics).items())
        line = f"tandem: {metrics['steps']:,} of {self._budget:,} steps, {words}"
        with contextlib.suppress(OSError):
            print(line, file=sys.stderr)

    def close(self) -> None:
        pass


class Bar:
    """A bar of tqdm, on a terminal or in a notebook."""

    def __init__(self, tqdm: Any, steps: int, budget: int) -> None:
        self._bar = tqdm(total=budget, initial=steps, unit=" steps", unit_scale=True)

    def show(self, steps: int, metrics: Mapping[str, Any] | None) -> None:
        if metrics is not None:
            self._bar.set_postfix(_summary(metrics), refresh=False)
        self._bar.update(steps - self._bar.n)  # tqdm itself passes over a terminal that has ended

    def close(self) -> None:
        self._bar.close()


def make_progress(wanted: bool, steps: int, budget: int) -> Progress:
    """A bar in a terminal or a notebook, if tqdm is installed, else lines."""
    if not wanted:
        return Silence()
    if not sys.stderr.isatty() and "ipykernel" not in sys.modules:
        return Lines(budget)
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Lines(budget)
    return Bar(tqdm, steps, budget)


def _summary(metrics: Mapping[str, Any]) -> dict[str, str]:
    """The metrics that say most, as texts."""
    summary = {"steps/s": f"{metrics.get('rate/steps_per_second') or 0:,.0f}"}
    mean = metrics.get("episode/return_mean_100")
    if mean is not None:
        summary |= {"mean return": f"{mean:.1f}"}
    return summary

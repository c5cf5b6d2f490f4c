"""How fast this machine trains the runs of each cell."""

import json
import os
import statistics
from collections.abc import Iterable
from pathlib import Path

from tandem_reproduce.cells import Cell, may_change_speed
from tandem_reproduce.errors import ReproduceError, say
from tandem_reproduce.machine import gpu_name, machine_name
from tandem_reproduce.programs import Tandem, replace

SECONDS = 12.0  # of each measurement; shorter ones differ by a third
IDLE_LOAD = 0.5  # processes that run or wait for a core, at most, on an idle machine


class Rates:
    """Steps a second of training by the command that measures them. A file keeps them for the same
    build of the program on the same machine, and no longer."""

    def __init__(self, file: Path, tandem: Tandem) -> None:
        self._file = file
        self._tandem = tandem
        self._made_with: dict[str, str] = {}  # empty: not read yet
        self._known: dict[str, float] = {}
        self._warned = False

    def of(self, cell: Cell) -> float:
        """Measures the missing rates. All runs of a cell have equal steps, so that their times are
        added: the mean is the harmonic one. Raises ReproduceError when the arm cannot train here,
        for which the command has said why."""
        return statistics.harmonic_mean([self._rate(cell, pace) for pace in cell.paces])

    def of_all(self, cells: list[Cell]) -> dict[str, float]:
        """By the cells' folders."""
        return {cell.folder: self.of(cell) for cell in cells}

    def find(self, cell: Cell, measure: bool) -> tuple[float | None, str]:
        """The rate, or the reason why there is none. Without `measure` only a known rate."""
        if not measure:
            self._read()
            if not all(" ".join(bench_words(cell, pace)) in self._known for pace in cell.paces):
                return None, ""
        try:
            return self.of(cell), ""
        except ReproduceError as error:
            return None, str(error)

    def _rate(self, cell: Cell, pace: tuple[str, ...]) -> float:
        self._read()
        words = bench_words(cell, pace)
        key = " ".join(words)
        if key not in self._known:
            self._warn_of_load()
            which = " ".join(["", "with", *pace]) if pace else ""
            say(
                f"measuring how fast {cell.arm.label} trains on {cell.env}{which} ({SECONDS:.0f} s)"
            )
            found = self._tandem.ask([*words, "--seconds", str(SECONDS), "--json"])
            rate = float(found["steps_per_second"] or 0)
            if not rate > 0:
                raise ReproduceError(
                    f"{cell.arm.label} on {cell.env} made no step in {SECONDS:.0f} s: try again "
                    "when the machine is idle"
                )
            self._known[key] = rate
            self._file.parent.mkdir(parents=True, exist_ok=True)
            replace(
                self._file,
                json.dumps({"made_with": self._made_with, "rates": self._known}, indent=2) + "\n",
            )
        return self._known[key]

    def _warn_of_load(self) -> None:
        """Before the first measurement, since each one is a load itself."""
        busy = not self._warned and os.getloadavg()[0] > IDLE_LOAD
        self._warned = True
        if busy:
            say(
                "other work runs on this machine, so the rates come out too low; they are kept, "
                f"and decide the steps of all runs: delete {self._file} to measure anew"
            )

    def _read(self) -> None:
        if self._made_with:
            return
        self._made_with = {
            "program": self._tandem.build(),
            "machine": machine_name(),
            "gpu": gpu_name() or "none",
        }
        try:
            kept = json.loads(self._file.read_text())
        except (OSError, json.JSONDecodeError):
            return
        if isinstance(kept, dict) and kept.get("made_with") == self._made_with:
            self._known = dict(kept["rates"])


def config_words(cell: Cell) -> list[str]:
    return [*preset_words(cell), *setting_words(cell.arm.settings)]


def bench_words(cell: Cell, pace: tuple[str, ...]) -> list[str]:
    """The command of a measurement, which is also its name in the file. Settings that leave the
    speed alone are left out, so that arms that differ in these alone share a measurement: two would
    differ by chance, and with them the steps of the runs that are compared."""
    settings = filter(may_change_speed, [*cell.arm.settings, *pace])
    return ["bench", *preset_words(cell), *setting_words(settings)]


def preset_words(cell: Cell) -> list[str]:
    return [cell.arm.system, "--config", cell.arm.preset, "--env", cell.env]


def setting_words(settings: Iterable[str]) -> list[str]:
    return [word for setting in settings for word in ("--set", setting)]

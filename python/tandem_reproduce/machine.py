"""This machine, and how fast it trains each arm."""

import json
import os
from pathlib import Path

from tandem_reproduce.cells import Cell
from tandem_reproduce.errors import ReproduceError, say
from tandem_reproduce.programs import Tandem, replace

SECONDS = 4.0  # of each measurement


def cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "an unknown CPU"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "an unknown CPU"


def cores() -> int:
    return len(os.sched_getaffinity(0))


def machine_name() -> str:
    return f"{cores()} cores of {cpu_name()}"


class Rates:
    """Steps a second of training by system, preset and environment, measured once on each machine
    and kept in a file."""

    def __init__(self, file: Path, tandem: Tandem) -> None:
        self._file = file
        self._tandem = tandem
        try:
            all_rates = json.loads(file.read_text())
        except (OSError, json.JSONDecodeError):
            all_rates = {}
        self._all: dict[str, dict[str, float]] = all_rates if isinstance(all_rates, dict) else {}
        self._known = self._all.setdefault(machine_name(), {})

    def of(self, cell: Cell) -> float:
        """Measures the rate unless it is known. Raises ReproduceError when the arm cannot train
        here, for which the command has said why."""
        words = bench_words(cell)
        key = " ".join(words)
        if key not in self._known:
            say(f"measuring how fast {cell.arm.label} trains on {cell.env} ({SECONDS:.0f} s)")
            found = self._tandem.ask([*words, "--seconds", str(SECONDS), "--json"])
            rate = float(found["steps_per_second"] or 0)
            if not rate > 0:
                raise ReproduceError(
                    f"{cell.arm.label} on {cell.env} made no step in {SECONDS:.0f} s: try again "
                    "when the machine is idle"
                )
            self._known[key] = rate
            self._file.parent.mkdir(parents=True, exist_ok=True)
            replace(self._file, json.dumps(self._all, indent=2))
        return self._known[key]

    def of_all(self, cells: list[Cell]) -> dict[str, float]:
        """By the cells' folders."""
        return {cell.folder: self.of(cell) for cell in cells}

    def find(self, cell: Cell, measure: bool) -> tuple[float | None, str]:
        """The rate, or the reason why there is none. Without `measure` only a known rate."""
        if not measure:
            return self._known.get(" ".join(bench_words(cell))), ""
        try:
            return self.of(cell), ""
        except ReproduceError as error:
            return None, str(error)


def config_words(cell: Cell) -> list[str]:
    words = [cell.arm.system, "--config", cell.arm.preset, "--env", cell.env]
    for setting in cell.arm.settings:
        words += ["--set", setting]
    return words


def bench_words(cell: Cell) -> list[str]:
    return ["bench", *config_words(cell)]

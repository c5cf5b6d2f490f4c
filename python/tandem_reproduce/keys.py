"""Reads the keys of a table of a plan file, and refuses those that it does not know."""

import math
import re
from typing import Any

from tandem_reproduce.errors import ReproduceError

COUNT = re.compile(r"^(\d+(?:\.\d+)?)([kMG]?)$")
FACTORS = {"": 1, "k": 1_000, "M": 1_000_000, "G": 1_000_000_000}
NOTHING = object()


def count_of(text: str) -> int | None:
    """20M, 5k and 300 as numbers; None for anything else."""
    found = COUNT.match(text)
    return round(float(found[1]) * FACTORS[found[2]]) if found else None


class Keys:
    """A table. Each method takes a key out of it; finish() refuses what is left."""

    def __init__(self, table: dict[str, Any], where: str) -> None:
        self.where = where
        self._left = dict(table)

    def text(self, key: str, default: str | None = None) -> str:
        return str(self._take(key, str, "a text", default))

    def choice(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        value = self.text(key, default)
        if value not in choices:
            raise ReproduceError(f"{self.where}: {key} is {value}, not one of {', '.join(choices)}")
        return value

    def whole(self, key: str, default: int | None = None) -> int:
        return int(self._take(key, int, "a whole number", default))

    def number(self, key: str) -> float:
        return float(self._take(key, (int, float), "a number", None))

    def count(self, key: str) -> int:
        value = count_of(self.text(key))
        if not value:
            raise ReproduceError(f'{self.where}: {key} needs a number of steps, such as "20M"')
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        return self._all(key, str, "texts")

    def wholes(self, key: str) -> tuple[int, ...] | None:
        return self._all(key, int, "whole numbers")

    def numbers(self, key: str) -> dict[str, float]:
        table = self._table(key)
        return {name: table.number(name) for name in list(table._left)}

    def texts_by_key(self, key: str) -> dict[str, str]:
        table = self._table(key)
        return {name: table.text(name) for name in list(table._left)}

    def tables(self, key: str) -> list["Keys"]:
        tables = self._take(key, list, "tables", [])
        return [Keys(t, f"{self.where}, {key} {i}") for i, t in enumerate(tables, 1)]

    def named(self, key: str) -> dict[str, "Keys"]:
        tables = self._take(key, dict, "tables with names", {})
        return {name: Keys(t, f"{self.where}, {key}.{name}") for name, t in tables.items()}

    def cells(self) -> dict[str, float | str]:
        """All that is left, as numbers or texts."""
        cells: dict[str, float | str] = {}
        for key in list(self._left):
            value = self._take(key, (int, float, str), "a number or a text", None)
            cells[key] = value if isinstance(value, str) else float(value)
        return cells

    def refuse(self, keys: tuple[str, ...], why: str) -> None:
        for key in keys:
            if key in self._left:
                raise ReproduceError(f"{self.where}: {why}, and so no {key}")

    def finish(self) -> None:
        if self._left:
            raise ReproduceError(f"{self.where}: there is no key {next(iter(self._left))}")

    def _table(self, key: str) -> "Keys":
        return Keys(self._take(key, dict, "a table", {}), f"{self.where}, {key}")

    def _all(self, key: str, kind: type, what: str) -> tuple[Any, ...] | None:
        if key not in self._left:
            return None
        values = self._take(key, list, what, None)
        if not all(isinstance(value, kind) for value in values):
            raise ReproduceError(f"{self.where}: {key} needs {what}")
        return tuple(values)

    def _take(self, key: str, kind: Any, what: str, default: Any) -> Any:
        value = self._left.pop(key, NOTHING)
        if value is NOTHING:
            value = default
            if default is None:
                raise ReproduceError(f"{self.where}: needs the key {key}")
        wrong = not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)
        if wrong or (isinstance(value, float) and not math.isfinite(value)):
            raise ReproduceError(f"{self.where}: {key} needs {what}")
        return value

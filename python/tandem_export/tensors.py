"""Reads safetensors files without their package."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt


def shapes(file: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of all tensors by their names. Reads no data."""
    with file.open("rb") as content:
        length = int.from_bytes(content.read(8), "little")
        header = json.loads(content.read(length))
    return {name: tuple(entry["shape"]) for name, entry in header.items() if name[0] != "_"}


def read(file: Path) -> "dict[str, npt.NDArray[Any]]":
    """All tensors, float32, by their names."""
    import numpy as np

    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name == "__metadata__":
            continue
        if entry["dtype"] != "F32":
            raise ValueError(f"{file}: the tensor {name} is {entry['dtype']}, not F32")
        begin, end = (8 + length + place for place in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    return tensors

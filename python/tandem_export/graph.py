"""A graph of ONNX nodes that grows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

# ONNX's numbers of types.
TYPES = {"float32": 1, "uint8": 2, "int64": 7, "float64": 11}


class Graph:
    """Nodes and constants, each added once. Names of values are unique."""

    def __init__(self, tensors: "Mapping[str, npt.NDArray[Any]]") -> None:
        """`tensors` are the parameters by their names."""
        self._tensors = tensors
        self._used: dict[str, npt.NDArray[Any]] = {}
        self._count = 0
        self.nodes: list[Any] = []

    def add(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Adds a node with one output; returns its output's name, which may be chosen."""
        output = name or self._fresh(kind.lower())
        self.add_many(kind, inputs, [output], **attributes)
        return output

    def add_many(
        self, kind: str, inputs: "tuple[str, ...]", outputs: list[str], **attributes: Any
    ) -> list[str]:
        """Adds a node with several outputs."""
        from onnx import helper

        node = helper.make_node(kind, list(inputs), outputs, f"node_{outputs[0]}", **attributes)
        self.nodes.append(node)
        return outputs

    def split(self, x: str, parts: int) -> list[str]:
        """Cuts the second axis into equal parts."""
        outputs = [self._fresh("part") for _ in range(parts)]
        return self.add_many("Split", (x,), outputs, axis=1)

    def slice(self, x: str, first: int, end: int) -> str:
        """Columns from first to end of the second axis."""
        ends = [self.constant("index", [one], "int64") for one in (first, end, 1)]
        return self.add("Slice", x, *ends)

    def cast(self, x: str, dtype: str) -> str:
        """Converts to another type of number."""
        return self.add("Cast", x, to=TYPES[dtype])

    def parameter(self, name: str) -> str:
        """A tensor of the agent, under its own name."""
        if name not in self._tensors:
            raise ValueError(f"model.safetensors has no tensor {name}, which network.json names")
        self._used[name] = self._tensors[name]
        return name

    def rows(self, name: str) -> int:
        """The first size of a parameter."""
        return int(self._tensors[self.parameter(name)].shape[0])

    def constant(self, name: str, value: Any, dtype: str = "float32") -> str:
        """A constant that is no parameter."""
        import numpy as np

        unique = self._fresh(name)
        self._used[unique] = np.array(value, dtype)
        return unique

    def initializers(self) -> list[Any]:
        """The constants and parameters that nodes use."""
        from onnx import numpy_helper

        return [numpy_helper.from_array(array, name) for name, array in self._used.items()]

    def _fresh(self, name: str) -> str:
        self._count += 1
        return f"{name}_{self._count}"

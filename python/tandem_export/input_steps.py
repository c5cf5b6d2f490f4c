"""The steps that turn an environment's observation into the first layer's input.

Each kind of step is a class, which writes itself as ONNX and as lines of PyTorch. A new kind is one
more class in KINDS.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tandem_export.graph import Graph
from tandem_export.source import buffer


class InputStep(Protocol):
    """One step. Its numbers are float32 before and after it."""

    def onnx(self, graph: Graph, x: str) -> str:
        """Adds the step to a graph; returns the name of its output."""

    def buffers(self) -> list[str]:
        """The lines of a PyTorch module's constructor that hold its constants."""

    def lines(self) -> list[str]:
        """The lines of PyTorch that change `x`."""


@dataclass(frozen=True)
class Divide:
    """Divides by a number: pixels by 255."""

    by: float

    def onnx(self, graph: Graph, x: str) -> str:
        return graph.add("Div", x, graph.constant("divisor", self.by))

    def buffers(self) -> list[str]:
        return []

    def lines(self) -> list[str]:
        return [f"x = x / {self.by!r}"]


@dataclass(frozen=True)
class Subtract:
    """Subtracts a number: the mean of pixels."""

    number: float

    def onnx(self, graph: Graph, x: str) -> str:
        return graph.add("Sub", x, graph.constant("pixel_mean", self.number))

    def buffers(self) -> list[str]:
        return []

    def lines(self) -> list[str]:
        return [f"x = x - {self.number!r}"]


@dataclass(frozen=True)
class Normalise:
    """Subtracts the mean of each number, divides by its deviation and clips, in float64."""

    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    limit: float

    def onnx(self, graph: Graph, x: str) -> str:
        x = graph.cast(x, "float64")
        x = graph.add("Sub", x, graph.constant("observation_mean", self.mean, "float64"))
        x = graph.add("Div", x, graph.constant("observation_deviation", self.deviation, "float64"))
        low = graph.constant("observation_low", -self.limit, "float64")
        high = graph.constant("observation_high", self.limit, "float64")
        return graph.cast(graph.add("Clip", x, low, high), "float32")

    def buffers(self) -> list[str]:
        return buffer("observation_mean", self.mean, "float64") + buffer(
            "observation_deviation", self.deviation, "float64"
        )

    def lines(self) -> list[str]:
        return [
            "x = (x.double() - self.observation_mean) / self.observation_deviation",
            f"x = x.clamp({-self.limit!r}, {self.limit!r}).float()",
        ]


def as_step(data: Mapping[str, Any]) -> InputStep:
    """The step that an entry of input_steps describes."""
    kind = data["kind"]
    if kind == "divide":
        return Divide(data["by"])
    if kind == "subtract":
        return Subtract(data["number"])
    if kind == "normalise":
        return Normalise(tuple(data["mean"]), tuple(data["deviation"]), data["limit"])
    raise ValueError(f"network.json has an input step {kind!r}, which this version does not know")

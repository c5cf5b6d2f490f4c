"""Pieces of Python source text."""

import math
from collections.abc import Sequence

WIDTH = 96  # of a line in a method


def number(value: float) -> str:
    """A number as Python source."""
    if math.isinf(value):
        return "-torch.inf" if value < 0 else "torch.inf"
    return repr(float(value))


def buffer(name: str, numbers: Sequence[float], dtype: str = "float32") -> list[str]:
    """The lines that give a PyTorch module a constant that is no parameter."""
    head = f"{name} = torch.tensor("
    words = [number(one) for one in numbers]
    flat = f"{head}[{', '.join(words)}], dtype=torch.{dtype})"
    lines = [flat]
    if len(flat) > WIDTH - 4:
        body = [f"        {word}," for word in words]
        lines = [head, "    [", *body, "    ],", f"    dtype=torch.{dtype},", ")"]
    return [*lines, f'self.register_buffer("{name}", {name}, persistent=False)']

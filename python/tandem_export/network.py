"""A trained agent's network as data, read from network.json."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem_export.input_steps import InputStep, as_step


@dataclass(frozen=True)
class Layer:
    """A layer of a torso. Its tensors are NAME.weight and NAME.bias.

    A residual section has several convolutions, NAME.conv, NAME.block1.conv1, NAME.block1.conv2 and
    so on.
    """

    name: str
    kind: str  # "conv", square and without padding, "dense" or "section"
    activation: str  # "relu", "tanh" or "none"
    stride: int = 1  # of a convolution
    blocks: int = 0  # of a section


@dataclass(frozen=True)
class Lstm:
    """LSTM cells. Their tensors are NAME.weight_ih, NAME.bias and NAME.weight_hh.

    The gates lie in PyTorch's order.
    """

    name: str
    cells: int


@dataclass(frozen=True)
class Head:
    """A linear head."""

    name: str  # "policy" or "value"
    features: tuple[int, int]  # first and end of the features that it takes


@dataclass(frozen=True)
class Network:
    """A torso, perhaps an LSTM, and heads."""

    torso: tuple[Layer, ...]
    lstm: Lstm | None
    heads: tuple[Head, ...]

    @property
    def split(self) -> bool:
        """Whether the heads take different features."""
        return len({head.features for head in self.heads}) > 1


@dataclass(frozen=True)
class Actions:
    """The actions of an environment."""

    count: int  # discrete ones; 0: an action is a list of numbers
    start: int  # the number of the first discrete one
    names: tuple[str, ...]
    low: tuple[float, ...]  # bounds of each number
    high: tuple[float, ...]


@dataclass(frozen=True)
class Agent:
    """A trained agent: its network and its actions."""

    version: str  # of tandem
    system: str
    algorithm: str
    env: str
    steps: int  # of training
    actions: Actions
    policy_head: str  # the meaning of its outputs
    dtype: str  # "uint8" or "float32"
    shape: tuple[int, ...]  # of an observation
    input_steps: tuple[InputStep, ...]
    networks: tuple[Network, ...]  # one, or the policy's and the value's
    state_size: int
    deterministic: bool  # the policy head is a tanh that is scaled to the actions' bounds

    @property
    def heads(self) -> tuple[str, ...]:
        """The names of all heads."""
        return tuple(head.name for network in self.networks for head in network.heads)


def _layer(data: Mapping[str, Any]) -> Layer:
    stride, blocks = data.get("stride", 1), data.get("blocks", 0)
    return Layer(data["name"], data["kind"], data["activation"], stride, blocks)


def _network(data: Mapping[str, Any]) -> Network:
    lstm = data["lstm"]
    return Network(
        torso=tuple(_layer(layer) for layer in data["torso"]),
        lstm=Lstm(lstm["name"], lstm["cells"]) if lstm else None,
        heads=tuple(Head(head["name"], tuple(head["features"])) for head in data["heads"]),
    )


def _bounds(numbers: list[float | None], absent: float) -> tuple[float, ...]:
    return tuple(absent if number is None else number for number in numbers)


def _actions(data: Mapping[str, Any]) -> Actions:
    return Actions(
        count=data.get("count", 0),
        start=data.get("start", 0),
        names=tuple(data.get("names", ())),
        low=_bounds(data.get("low", []), -math.inf),
        high=_bounds(data.get("high", []), math.inf),
    )


def read_agent(file: Path) -> Agent:
    """The agent that network.json describes."""
    data = json.loads(file.read_text())
    network = data["network"]
    return Agent(
        version=data["tandem"],
        system=data["system"],
        algorithm=data["algorithm"],
        env=data["env"],
        steps=data["steps"],
        actions=_actions(data["actions"]),
        policy_head=data["policy_head"],
        dtype=network["input"]["dtype"],
        shape=tuple(network["input"]["shape"]),
        input_steps=tuple(as_step(step) for step in network["input_steps"]),
        networks=tuple(_network(one) for one in network["networks"]),
        state_size=network["state_size"],
        deterministic=network["bounds"] is not None,
    )

"""Writes an agent's network as ONNX, opset 17."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem_export.graph import TYPES, Graph
from tandem_export.network import Agent, Head, Layer, Lstm, Network

if TYPE_CHECKING:
    import numpy.typing as npt

OPSET = 17
IR_VERSION = 8  # of the release that brought the opset


class _State:
    """The recurrent state: columns of the input that are read one after another, and new ones."""

    def __init__(self) -> None:
        self._read = 0
        self.new: list[str] = []

    def next(self, graph: Graph, columns: int) -> str:
        first = self._read
        self._read += columns
        return graph.slice("state", first, self._read)


def _flat(graph: Graph, x: str, rank: int) -> str:
    return graph.add("Flatten", x, axis=1) if rank > 1 else x


def _activated(graph: Graph, x: str, activation: str) -> str:
    kinds = {"relu": "Relu", "tanh": "Tanh"}
    return graph.add(kinds[activation], x) if activation in kinds else x


def _dense(graph: Graph, x: str, name: str) -> str:
    weight, bias = graph.parameter(f"{name}.weight"), graph.parameter(f"{name}.bias")
    return graph.add("Gemm", x, weight, bias, transB=1)


def _conv(graph: Graph, x: str, name: str, **attributes: Any) -> str:
    weight, bias = graph.parameter(f"{name}.weight"), graph.parameter(f"{name}.bias")
    return graph.add("Conv", x, weight, bias, **attributes)


def _section(graph: Graph, x: str, layer: Layer) -> str:
    """A residual section: a convolution, a pool and blocks, all with SAME padding."""
    around = [1, 1, 1, 1]
    x = _conv(graph, x, f"{layer.name}.conv", pads=around)
    x = graph.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER")
    for block in range(1, layer.blocks + 1):
        inner = x
        for conv in ("conv1", "conv2"):
            name = f"{layer.name}.block{block}.{conv}"
            inner = _conv(graph, graph.add("Relu", inner), name, pads=around)
        x = graph.add("Add", x, inner)
    return x


def _layer(graph: Graph, x: str, layer: Layer) -> str:
    if layer.kind == "dense":
        x = _dense(graph, x, layer.name)
    elif layer.kind == "section":
        x = _section(graph, x, layer)
    else:
        x = _conv(graph, x, layer.name, strides=[layer.stride, layer.stride])
    return _activated(graph, x, layer.activation)


def _lstm(graph: Graph, x: str, lstm: Lstm, state: _State) -> str:
    h, c = state.next(graph, lstm.cells), state.next(graph, lstm.cells)
    ih, bias = graph.parameter(f"{lstm.name}.weight_ih"), graph.parameter(f"{lstm.name}.bias")
    gates = graph.add("Gemm", x, ih, bias, transB=1)
    gates = graph.add("Gemm", h, graph.parameter(f"{lstm.name}.weight_hh"), gates, transB=1)
    i, f, g, o = graph.split(gates, 4)
    i, f, o = (graph.add("Sigmoid", gate) for gate in (i, f, o))
    kept = graph.add("Mul", f, c)
    added = graph.add("Mul", i, graph.add("Tanh", g))
    c = graph.add("Add", kept, added)
    h = graph.add("Mul", o, graph.add("Tanh", c))
    state.new += [h, c]
    return h


def _features(graph: Graph, x: str, rank: int, network: Network, state: _State) -> str:
    for layer in network.torso:
        if layer.kind == "dense":
            x, rank = _flat(graph, x, rank), 1
        x = _layer(graph, x, layer)
    x = _flat(graph, x, rank)
    return _lstm(graph, x, network.lstm, state) if network.lstm else x


def _head(graph: Graph, x: str, network: Network, head: Head) -> str:
    return _dense(graph, graph.slice(x, *head.features) if network.split else x, head.name)


def _named(graph: Graph, head: Head, x: str) -> None:
    """Gives a head's output its name. The value loses its second axis."""
    if head.name == "value":
        graph.add("Squeeze", x, graph.constant("axis", [1], "int64"), name=head.name)
    else:
        graph.add("Identity", x, name=head.name)


def _networks(graph: Graph, x: str, agent: Agent, state: _State) -> None:
    for network in agent.networks:
        features = _features(graph, x, len(agent.shape), network, state)
        for head in network.heads:
            _named(graph, head, _head(graph, features, network, head))


def _actor_and_critic(graph: Graph, x: str, agent: Agent) -> None:
    """A deterministic policy, and the critic of its action."""
    low, high = agent.actions.low, agent.actions.high
    centre = graph.constant("centre", [(a + b) / 2 for a, b in zip(low, high, strict=True)])
    half = graph.constant("half_range", [(b - a) / 2 for a, b in zip(low, high, strict=True)])
    actor, critic = agent.networks
    rank = len(agent.shape)
    policy = _head(graph, _features(graph, x, rank, actor, _State()), actor, actor.heads[0])
    scaled = graph.add("Mul", graph.add("Tanh", policy), half)
    graph.add("Add", scaled, centre, name="policy")
    back = graph.add("Div", graph.add("Sub", "policy", centre), half)
    x = graph.add("Concat", _flat(graph, x, rank), back, axis=1)
    features = _features(graph, x, 1, critic, _State())
    _named(graph, critic.heads[0], _head(graph, features, critic, critic.heads[0]))


def _action(graph: Graph, agent: Agent) -> None:
    """The action without randomness."""
    actions = agent.actions
    if actions.count and actions.start:
        best = graph.add("ArgMax", "policy", axis=1, keepdims=0)
        graph.add("Add", best, graph.constant("start", actions.start, "int64"), name="action")
        return
    if actions.count:
        graph.add("ArgMax", "policy", name="action", axis=1, keepdims=0)
        return
    mean = "policy" if agent.deterministic else graph.slice("policy", 0, len(actions.low))
    at_least = graph.add("Max", mean, graph.constant("low", actions.low))
    graph.add("Min", at_least, graph.constant("high", actions.high), name="action")


def _nodes(graph: Graph, agent: Agent) -> None:
    x = "observations" if agent.dtype == "float32" else graph.cast("observations", "float32")
    for step in agent.input_steps:
        x = step.onnx(graph, x)
    state = _State()
    if agent.deterministic:
        _actor_and_critic(graph, x, agent)
    else:
        _networks(graph, x, agent, state)
    _action(graph, agent)
    if state.new:
        graph.add("Concat", *state.new, name="new_state", axis=1)


def _value(name: str, dtype: str, *shape: int) -> Any:
    from onnx import helper

    return helper.make_tensor_value_info(name, TYPES[dtype], ["batch", *shape])


def as_onnx(agent: Agent, tensors: "Mapping[str, npt.NDArray[Any]]") -> Any:
    """The agent as an onnx.ModelProto."""
    from onnx import helper

    graph = Graph(tensors)
    _nodes(graph, agent)
    inputs = [_value("observations", agent.dtype, *agent.shape)]
    outputs = [_value("policy", "float32", graph.rows("policy.bias"))]
    if "value" in agent.heads:
        outputs.append(_value("value", "float32"))
    if agent.actions.count:
        outputs.append(_value("action", "int64"))
    else:
        outputs.append(_value("action", "float32", len(agent.actions.low)))
    if agent.state_size:
        inputs.append(_value("state", "float32", agent.state_size))
        outputs.append(_value("new_state", "float32", agent.state_size))
    model = helper.make_model(
        helper.make_graph(graph.nodes, "agent", inputs, outputs, graph.initializers()),
        producer_name="tandem",
        producer_version=agent.version,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    facts = {"env": agent.env, "steps": str(agent.steps), "policy_head": agent.policy_head}
    helper.set_model_props(model, facts)
    return model


def write_onnx(agent: Agent, tensors: "Mapping[str, npt.NDArray[Any]]", file: Path) -> None:
    """Writes the agent as ONNX, after onnx's own check of the graph."""
    import onnx

    model = as_onnx(agent, tensors)
    onnx.checker.check_model(model, full_check=True)
    file.write_bytes(model.SerializeToString())

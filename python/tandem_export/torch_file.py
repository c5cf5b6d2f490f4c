"""Writes an agent's network as the source of a PyTorch module."""

import textwrap
from collections.abc import Iterable, Mapping

from tandem_export.network import Agent, Layer, Network
from tandem_export.source import buffer

Shapes = Mapping[str, tuple[int, ...]]  # of the parameters

LSTM = '''

class Lstm(nn.Module):
    """LSTM cells whose state is [batch, 2 * cells]: the cells' outputs, then their memories."""

    def __init__(self, inputs: int, cells: int) -> None:
        super().__init__()
        self.weight_ih = nn.Parameter(torch.zeros(4 * cells, inputs))
        self.bias = nn.Parameter(torch.zeros(4 * cells))
        self.weight_hh = nn.Parameter(torch.zeros(4 * cells, cells))

    def forward(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """The cells' outputs, and the new state."""
        h, c = state.chunk(2, dim=1)
        gates = F.linear(x, self.weight_ih, self.bias) + F.linear(h, self.weight_hh)
        i, f, g, o = gates.chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, torch.cat([h, c], dim=1)
'''

SECTION = '''

class Block(nn.Module):
    """A residual block."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        """The sum of the input and what two convolutions make of it."""
        return x + self.conv2(torch.relu(self.conv1(torch.relu(x))))


class Section(nn.Module):
    """A section of a residual network: a convolution, a pool and blocks."""

    def __init__(self, inputs: int, channels: int, blocks: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, channels, 3, padding=1)
        self.blocks = blocks
        for block in range(1, blocks + 1):
            self.add_module(f"block{block}", Block(channels))

    def forward(self, x: Tensor) -> Tensor:
        """The output before the activation."""
        x = self.conv(x)
        # TensorFlow's SAME padding: an even size is padded behind its end alone.
        padding = (x.shape[2] % 2, x.shape[3] % 2)
        x = F.max_pool2d(x, 3, 2, padding, ceil_mode=True)
        for block in range(1, self.blocks + 1):
            x = self.get_submodule(f"block{block}")(x)
        return x
'''

MEANINGS = {
    "logits": "the logits of the actions",
    "action values": "the actions' values",
    "advantages": "the actions' advantages over the state's value, up to a constant",
    "mean and variance": "the action's mean, and a number whose softplus is its variance",
    "action": "the action",
}


def _indented(lines: Iterable[str], columns: int) -> str:
    return "".join(" " * columns + line + "\n" if line else "\n" for line in lines)


def _place(name: str) -> str:
    """A layer as an expression: actor.conv1 is self.actor["conv1"]."""
    group, _, layer = name.rpartition(".")
    return f'self.{group}["{layer}"]' if group else f"self.{layer}"


def _constructed(layer: Layer, shapes: Shapes) -> str:
    if layer.kind == "section":
        channels, inputs = shapes[f"{layer.name}.conv.weight"][:2]
        return f"Section({inputs}, {channels}, {layer.blocks})"
    weight = shapes[f"{layer.name}.weight"]
    if layer.kind == "dense":
        return f"nn.Linear({weight[1]}, {weight[0]})"
    return f"nn.Conv2d({weight[1]}, {weight[0]}, {weight[2]}, stride={layer.stride})"


def _modules(agent: Agent, shapes: Shapes) -> list[str]:
    """The lines of the constructor that make all layers, groups of layers as a ModuleDict."""
    made: dict[str, str] = {}
    for network in agent.networks:
        for layer in network.torso:
            made[layer.name] = _constructed(layer, shapes)
        if network.lstm:
            inputs = shapes[f"{network.lstm.name}.weight_ih"][1]
            made[network.lstm.name] = f"Lstm({inputs}, {network.lstm.cells})"
    for name in agent.heads:
        outputs, inputs = shapes[f"{name}.weight"]
        made[name] = f"nn.Linear({inputs}, {outputs})"
    lines = []
    for group in dict.fromkeys(name.rpartition(".")[0] for name in made):
        members = {name: code for name, code in made.items() if name.rpartition(".")[0] == group}
        if not group:
            lines += [f"self.{name} = {code}" for name, code in members.items()]
            continue
        lines.append(f"self.{group} = nn.ModuleDict(")
        lines.append("    {")
        for name, code in members.items():
            lines.append(f'        "{name.rpartition(".")[2]}": {code},')
        lines += ["    }", ")"]
    return lines


def _activated(activation: str, x: str) -> str:
    return x if activation == "none" else f"torch.{activation}({x})"


def _features(network: Network, rank: int, state: str) -> list[str]:
    """The lines that turn x into the features of the heads; an LSTM changes the state, too."""
    lines = []
    for layer in network.torso:
        if layer.kind == "dense" and rank > 1:
            lines.append("x = x.flatten(1)")
            rank = 1
        lines.append(f"x = {_activated(layer.activation, f'{_place(layer.name)}(x)')}")
    if rank > 1:
        lines.append("x = x.flatten(1)")
    if network.lstm:
        lines.append(f"x, {state} = {_place(network.lstm.name)}(x, {state})")
    return lines


def _head_lines(network: Network) -> list[str]:
    lines = []
    for head in network.heads:
        first, end = head.features
        x = f"x[:, {first}:{end}]" if network.split else "x"
        squeezed = ".squeeze(1)" if head.name == "value" else ""
        lines.append(f"{head.name} = self.{head.name}({x}){squeezed}")
    return lines


def _together(agent: Agent) -> list[str]:
    """The lines of forward() for one network, or for two that share nothing."""
    rank = len(agent.shape)
    if len(agent.networks) == 1:
        return [*_features(agent.networks[0], rank, "state"), *_head_lines(agent.networks[0])]
    parts = [f"{name}_state" for name in agent.heads]
    lines = []
    if agent.state_size:
        lines.append(f"{', '.join(parts)} = state.chunk(2, dim=1)")
    lines.append("inputs = x")
    for network, part in zip(agent.networks, parts, strict=True):
        if network is not agent.networks[0]:
            lines.append("x = inputs")
        lines += [*_features(network, rank, part), *_head_lines(network)]
    if agent.state_size:
        lines.append(f"state = torch.cat([{', '.join(parts)}], dim=1)")
    return lines


def _critic(agent: Agent) -> list[str]:
    """The method judge() of an agent with a critic of actions."""
    actor, critic = agent.networks
    flat = ".flatten(1)" if len(agent.shape) > 1 else ""
    return [
        "",
        "def judge(self, observations: Tensor, actions: Tensor) -> Tensor:",
        '    """The values of actions within the environment\'s bounds, [batch]."""',
        "    scaled = (actions - self.centre) / self.half_range",
        f"    x = torch.cat([self.inputs(observations){flat}, scaled], dim=1)",
        *("    " + line for line in _features(critic, 1, "")),
        "    return self.value(x).squeeze(1)",
    ]


def _inputs(agent: Agent) -> list[str]:
    """The method inputs()."""
    lines = [line for step in agent.input_steps for line in step.lines()]
    body = ["x = observations.float()", *lines, "return x"] if lines else []
    return [
        "",
        "def inputs(self, observations: Tensor) -> Tensor:",
        '    """The inputs of the first layer."""',
        *("    " + line for line in body or ["return observations.float()"]),
    ]


def _forward(agent: Agent, outputs: int) -> list[str]:
    """The method forward()."""
    recurrent = agent.state_size > 0
    value = "value" in agent.heads
    results = ["policy", "value" if value else "None", *(["state"] if recurrent else [])]
    types = ["Tensor", "Tensor" if value else "None", *(["Tensor"] if recurrent else [])]
    state = ", state: Tensor" if recurrent else ""
    judged = "action" if agent.deterministic else "state"
    said = [
        f'"""The heads: policy [batch, {outputs}], {MEANINGS[agent.policy_head]};',
        f"value [batch], that of the {judged}." if value else "no value.",
    ]
    if recurrent:
        said.append(f"The state is [batch, {agent.state_size}], and the new one is returned.")
    lines = []
    if agent.deterministic:
        actor = agent.networks[0]
        lines += _features(actor, len(agent.shape), "")
        lines.append("policy = self.centre + self.half_range * torch.tanh(self.policy(x))")
        lines.append("value = self.judge(observations, policy)")
    else:
        lines += _together(agent)
    doc = textwrap.wrap(" ".join(said), 88)
    closing = [*doc, '"""'] if len(doc) > 1 else [doc[0] + '"""']
    body = [*closing, "x = self.inputs(observations)", *lines, f"return {', '.join(results)}"]
    return [
        "",
        f"def forward(self, observations: Tensor{state}) -> tuple[{', '.join(types)}]:",
        *("    " + line for line in body),
    ]


def _act(agent: Agent) -> list[str]:
    """The method act()."""
    recurrent = agent.state_size > 0
    if agent.actions.count:
        start = agent.actions.start
        action = "policy.argmax(1)"
        if start:
            action += f" {'-' if start < 0 else '+'} {abs(start)}"
        said = "the most probable action" if agent.policy_head == "logits" else "the best action"
    else:
        dims = len(agent.actions.low)
        mean = "policy" if agent.deterministic else f"policy[:, :{dims}]"
        action = f"torch.minimum(torch.maximum({mean}, self.low), self.high)"
        said = "the action without noise"
    if not recurrent:
        return [
            "",
            "@torch.no_grad()",
            "def act(self, observations: Tensor) -> Tensor:",
            f'    """For each observation {said}."""',
            "    policy, _ = self(observations)",
            f"    return {action}",
        ]
    size = agent.state_size
    return [
        "",
        "@torch.no_grad()",
        "def act(self, observations: Tensor, state: Tensor | None = None) "
        "-> tuple[Tensor, Tensor]:",
        f'    """For each observation {said}, and the new state.',
        "",
        "    Set rows of the state to 0 where a new game begins. None: all games begin.",
        '    """',
        "    if state is None:",
        f"        state = torch.zeros(len(observations), {size}, device=observations.device)",
        "    policy, _, state = self(observations, state)",
        f"    return {action}, state",
    ]


def _buffers(agent: Agent) -> list[str]:
    """The lines of the constructor that hold constants."""
    lines = [line for step in agent.input_steps for line in step.buffers()]
    low, high = agent.actions.low, agent.actions.high
    if low:
        lines += buffer("low", low) + buffer("high", high)
    if agent.deterministic:
        pairs = list(zip(low, high, strict=True))
        lines += buffer("centre", [(a + b) / 2 for a, b in pairs])
        lines += buffer("half_range", [(b - a) / 2 for a, b in pairs])
    return lines


def _usage(agent: Agent, name: str) -> str:
    shape = ", ".join(str(size) for size in ("batch", *agent.shape))
    recurrent = agent.state_size > 0
    results = "actions, state" if recurrent else "actions"
    words = "observations, state" if recurrent else "observations"
    before = "    state = None  # games begin\n" if recurrent else ""
    training = f"{agent.steps:,} steps of training by tandem {agent.version}"
    return f'''"""The network of {agent.env} after {training}.

    from {name} import Network

    network = Network.load()  # reads {name}.safetensors beside this file
{before}    {results} = network.act({words})

Observations are a {agent.dtype} tensor [{shape}], as tandem shows the environment.
The module needs torch and safetensors, and no tandem.
"""
'''


def torch_source(agent: Agent, shapes: Shapes, name: str) -> str:
    """The source of a module whose file is NAME.py and whose weights are NAME.safetensors."""
    recurrent = agent.state_size > 0
    sections = any(layer.kind == "section" for part in agent.networks for layer in part.torso)
    functional = "import torch.nn.functional as F\n" if recurrent or sections else ""
    constructor = [*_modules(agent, shapes), *_buffers(agent)]
    outputs = shapes["policy.bias"][0]
    load = [
        "",
        "@classmethod",
        'def load(cls, weights: str | Path | None = None) -> "Network":',
        f'    """The network, ready to act, with its parameters, those of {name}.safetensors."""',
        "    network = cls()",
        '    file = weights or Path(__file__).with_suffix(".safetensors")',
        "    network.load_state_dict(load_file(file))",
        "    return network.eval()",
    ]
    methods = [*load, *_inputs(agent), *_forward(agent, outputs)]
    if agent.deterministic:
        methods += _critic(agent)
    methods += _act(agent)
    return (
        _usage(agent, name)
        + "\nfrom pathlib import Path\n\nimport torch\n"
        + functional
        + "from safetensors.torch import load_file\nfrom torch import Tensor, nn\n"
        + (LSTM if recurrent else "")
        + (SECTION if sections else "")
        + '\n\nclass Network(nn.Module):\n    """The agent\'s network."""\n\n'
        + "    def __init__(self) -> None:\n        super().__init__()\n"
        + _indented(constructor, 8)
        + _indented(methods, 4)
    )

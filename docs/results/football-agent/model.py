"""The network of football:academy_empty_goal_close after 108,544 steps of training by tandem 0.1.0.

    from model import Network

    network = Network.load()  # reads model.safetensors beside this file
    actions = network.act(observations)

Observations are a uint8 tensor [batch, 16, 72, 96], as the environment gives them.
The module needs torch and safetensors, and no tandem.
"""

from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor, nn


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


class Network(nn.Module):
    """The agent's network."""

    def __init__(self) -> None:
        super().__init__()
        self.section1 = Section(16, 16, 2)
        self.section2 = Section(16, 32, 2)
        self.section3 = Section(32, 32, 2)
        self.section4 = Section(32, 32, 2)
        self.dense1 = nn.Linear(960, 256)
        self.policy = nn.Linear(256, 19)
        self.value = nn.Linear(256, 1)

    @classmethod
    def load(cls, weights: str | Path | None = None) -> "Network":
        """The network, ready to act, with its parameters, those of model.safetensors."""
        network = cls()
        file = weights or Path(__file__).with_suffix(".safetensors")
        network.load_state_dict(load_file(file))
        return network.eval()

    def inputs(self, observations: Tensor) -> Tensor:
        """The inputs of the first layer."""
        x = observations.float()
        x = x / 255
        return x

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """The heads: policy [batch, 19], the logits of the actions; value [batch], that of the
        state.
        """
        x = self.inputs(observations)
        x = self.section1(x)
        x = self.section2(x)
        x = self.section3(x)
        x = torch.relu(self.section4(x))
        x = x.flatten(1)
        x = torch.relu(self.dense1(x))
        policy = self.policy(x)
        value = self.value(x).squeeze(1)
        return policy, value

    @torch.no_grad()
    def act(self, observations: Tensor) -> Tensor:
        """For each observation the most probable action."""
        policy, _ = self(observations)
        return policy.argmax(1)

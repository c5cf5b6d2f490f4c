"""The cost of the deep residual networks in PyTorch: microseconds of one core for one sample.

usage: residual.py [SECONDS]

The networks are those of `net.arch=impala` over four frames of 84x84 and of `football` over 16
planes of 72x96, channels last, in one thread, with autograd and without an optimizer. Each number
is the least of the passes made in SECONDS (default 10) for each.
"""

import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

NETWORKS = {
    "impala": ((4, 84, 84), (16, 32, 32), 6),
    "football": ((16, 72, 96), (16, 32, 32, 32), 19),
}


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return x + self.conv2(F.relu(self.conv1(F.relu(x))))


class Network(nn.Module):
    def __init__(self, shape, sections, actions):
        super().__init__()
        inputs, height, width = shape
        self.convs = nn.ModuleList()
        self.blocks = nn.ModuleList()
        for channels in sections:
            self.convs.append(nn.Conv2d(inputs, channels, 3, padding=1))
            self.blocks.append(nn.Sequential(Block(channels), Block(channels)))
            inputs, height, width = channels, -(-height // 2), -(-width // 2)
        self.dense = nn.Linear(inputs * height * width, 256)
        self.heads = nn.Linear(256, actions + 1)

    def forward(self, x):
        x = x.to(memory_format=torch.channels_last).float() / 255
        for conv, blocks in zip(self.convs, self.blocks, strict=True):
            x = conv(x)
            # TensorFlow's SAME padding.
            x = F.max_pool2d(x, 3, 2, (x.shape[2] % 2, x.shape[3] % 2), ceil_mode=True)
            x = blocks(x)
        return self.heads(F.relu(self.dense(F.relu(x).flatten(1))))


def least(seconds, samples, run):
    """Microseconds for a sample, the least of all passes."""
    run()
    best = float("inf")
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return 1e6 * best / samples


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    torch.set_num_threads(1)
    for name, (shape, sections, actions) in NETWORKS.items():
        network = Network(shape, sections, actions).to(memory_format=torch.channels_last)
        few = torch.randint(256, (16, *shape), dtype=torch.uint8)
        many = torch.randint(256, (256, *shape), dtype=torch.uint8)

        def forward(network=network, few=few):
            with torch.no_grad():
                network(few)

        def train(network=network, many=many):
            network.zero_grad()
            network(many).square().mean().backward()

        print(f"{name} forward 16: {least(seconds, 16, forward):.1f}")
        print(f"{name} training 256: {least(seconds, 256, train):.1f}", flush=True)


if __name__ == "__main__":
    main()

"""Networks, with and without an LSTM: heads, gradients and initial parameters."""

import math

import numpy as np
import torch
from golden_inputs import bits, numbers, pixels, summary
from torch.nn import functional as F

CONVOLUTIONS = {  # filters, kernel, stride
    "nips": [(16, 8, 4), (32, 4, 2)],
    "linear_conv": [(16, 8, 4), (32, 4, 2)],
    "nature": [(32, 8, 4), (64, 4, 2), (64, 3, 1)],
    **{f"large{stride}": [(32, 8, stride), (32, 4, 2), (64, 4, 2)] for stride in (4, 3, 2, 1)},
    "mlp": [],
}
DENSE = {"nips": [256], "linear_conv": [], "nature": [512], "mlp": [32, 32]}
DENSE.update({f"large{stride}": [256] for stride in (4, 3, 2, 1)})
RESIDUAL = {  # in the format of net.layers
    "impala": "section 16 2, section 32 2, section 32 2, dense 256",
    "football": "section 16 2, section 32 2, section 32 2, section 32 2, dense 256",
}
ODD = "conv 20 5 3 tanh, conv 17 3 1 none, dense 33 tanh, dense 24"  # in the format of net.layers
ACTIVATIONS = {"relu": F.relu, "tanh": torch.tanh, "none": lambda x: x}


def layers_of(arch, text):
    """(kind, sizes, activation) of each layer of `text`, as net.layers has it, or of arch."""
    text = text or RESIDUAL.get(arch, "")
    if text:
        words = [part.split() for part in text.split(",")]
        for each, next_one in zip(words, [*words[1:], [""]], strict=True):
            if each[-1] not in ACTIVATIONS:
                each.append("none" if each[0] == next_one[0] == "section" else "relu")
        return [(each[0], [int(word) for word in each[1:-1]], each[-1]) for each in words]
    activation = "none" if arch.startswith("linear") else "relu"
    convolutions = [("conv", list(sizes), activation) for sizes in CONVOLUTIONS[arch]]
    return convolutions + [("dense", [units], "relu") for units in DENSE[arch]]


def same_padding(size):
    """TensorFlow's SAME padding, before and after, of a window of 3 with stride 2."""
    total = max((-(-size // 2) - 1) * 2 + 3 - size, 0)
    return total // 2, total - total // 2


class Block(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = torch.nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return x + self.conv2(F.relu(self.conv1(F.relu(x))))


class Section(torch.nn.Module):
    """A section of IMPALA's residual network: Espeholt et al. 2018, Figure 3."""

    def __init__(self, inputs, channels, blocks):
        super().__init__()
        self.conv = torch.nn.Conv2d(inputs, channels, 3, padding=1)
        self.blocks = torch.nn.Sequential(*(Block(channels) for _ in range(blocks)))

    def forward(self, x):
        x = self.conv(x)
        height, width = x.shape[2:]
        x = F.pad(x, (*same_padding(width), *same_padding(height)), value=-math.inf)
        return self.blocks(F.max_pool2d(x, 3, 2))


class Network(torch.nn.Module):
    def __init__(self, layers, shape, actions, value_head, dueling=False, dueling_scale=1):
        super().__init__()
        self.dueling = dueling
        self.dueling_scale = dueling_scale
        self.convs = torch.nn.ModuleList()
        self.dense = torch.nn.ModuleList()
        self.activations = [ACTIVATIONS[activation] for _, _, activation in layers]
        for i, (kind, sizes, _) in enumerate(layers):
            if kind == "conv":
                filters, kernel, stride = sizes
                self.convs.append(torch.nn.Conv2d(shape[0], filters, kernel, stride))
                shape = (filters, *((size - kernel) // stride + 1 for size in shape[1:]))
                continue
            if kind == "section":
                self.convs.append(Section(shape[0], *sizes))
                shape = (sizes[0], *(-(-size // 2) for size in shape[1:]))
                continue
            streams = 2 if dueling and i == len(layers) - 1 else 1
            self.dense.append(torch.nn.Linear(math.prod(shape), streams * sizes[0]))
            shape = (sizes[0],)
        width = math.prod(shape)
        self.policy = torch.nn.Linear(width, actions)
        self.value = torch.nn.Linear(width, 1) if value_head else None

    def forward(self, x):
        return self.heads(self.features(x))

    def features(self, x):
        layers = [*self.convs, *self.dense]
        for layer, activation in zip(layers, self.activations, strict=True):
            x = x.flatten(1) if isinstance(layer, torch.nn.Linear) else x
            if layer is layers[-1] and self.dueling_scale != 1:
                x.register_hook(lambda gradient: gradient * self.dueling_scale)
            x = activation(layer(x))
        return x.flatten(1)

    def heads(self, x):
        if self.dueling:  # a stream for the advantages, then one for the value
            advantage, value = x.chunk(2, dim=1)
            return self.policy(advantage), self.value(value)[:, 0]
        return self.policy(x), self.value(x)[:, 0] if self.value else x.new_zeros(0)


def with_fan_in(network):
    """(parameter, inputs of one unit of its layer) for all parameters, in order."""
    return [
        (parameter, module.weight[0].numel())
        for module in network.modules()
        for parameter in module.parameters(recurse=False)
    ]


def fill(parameters, salt=1):
    """Fills parameters uniformly in +-1/sqrt(fan_in), in float32 precision as the C++ buffer."""
    flat = numbers(sum(parameter.numel() for parameter, _ in parameters), salt)
    at = 0
    for parameter, fan_in in parameters:
        bound = np.float32(1 / math.sqrt(fan_in))
        part = flat[at : at + parameter.numel()].float() * float(bound)
        parameter.data = part.double().view(parameter.shape)
        at += parameter.numel()


class Statistics:
    """Running statistics of inputs, in float32 precision as the C++ buffer."""

    def __init__(self, count, salt=1):
        self.mean = numbers(count, 10 + salt)
        self.variance = numbers(count, 20 + salt).abs() / 64  # some inputs are then clipped
        self.numbers = 4 * count + 2  # all of them in the buffer
        parts = [count, count, count, count, 2]
        self.gradients = [summary(torch.zeros(part)) for part in parts]

    def normalised(self, x):
        deviation = (self.variance + 1e-8).sqrt()
        return ((x - self.mean) / deviation).clamp(-10, 10)


def network_case(
    name,
    arch,
    dtype,
    shape,
    actions,
    batch,
    value_head=True,
    pixel_mean=0,
    dueling=False,
    dueling_scale=1,
    layers="",
    normalised=False,
    gradient_tolerance=0,
):
    parts = layers_of(arch, layers)
    network = Network(parts, shape, actions, value_head, dueling, dueling_scale).double()
    fill(with_fan_in(network))
    size = batch * math.prod(shape)
    x = pixels(size, 2) / 255 - pixel_mean if dtype == "u8" else numbers(size, 2)
    x = x.view(batch, *shape)
    statistics = Statistics(math.prod(shape)) if normalised else None
    logits, value = network(statistics.normalised(x) if normalised else x)
    # Any gradient at the heads will do: it is the input of the backward pass.
    d_logits = numbers(logits.numel(), 3).view(logits.shape)
    d_value = numbers(len(value), 4)
    ((logits * d_logits).sum() + (value * d_value).sum()).backward()
    return {
        "name": name,
        "arch": arch,
        "hidden": (DENSE.get(arch) or [1])[0],
        **({"layers": layers} if layers else {}),
        "dtype": dtype,
        "shape": shape,
        "actions": actions,
        "value_head": value_head,
        "pixel_mean": pixel_mean,
        "dueling": dueling,
        **({"dueling_gradient_scale": dueling_scale} if dueling_scale != 1 else {}),
        **({"normalised": True} if normalised else {}),
        **({"gradient_tolerance": gradient_tolerance} if gradient_tolerance else {}),
        "batch": batch,
        "parameters": sum(p.numel() for p in network.parameters())
        + (statistics.numbers if normalised else 0),
        "logits": logits.flatten().tolist(),
        "value": value.tolist(),
        "gradients": [summary(p.grad) for p in network.parameters()]
        + (statistics.gradients if normalised else []),
    }


def layers_case(name, layers, dtype, shape, **options):
    return network_case(name, "layers", dtype, shape, 4, 3, layers=layers, **options)


def networks():
    return [
        network_case("nips", "nips", "u8", [4, 84, 84], 6, 3),
        network_case("nips_small_images", "nips", "u8", [1, 44, 36], 3, 2),
        network_case("nips_float_images", "nips", "f32", [3, 40, 40], 4, 2),
        network_case("nature", "nature", "u8", [4, 84, 84], 18, 3),
        network_case("nature_one_sample", "nature", "u8", [4, 84, 84], 4, 1),
        network_case("large4", "large4", "u8", [4, 84, 84], 6, 2),
        network_case("large3", "large3", "u8", [4, 60, 60], 6, 2),
        network_case("large2", "large2", "u8", [4, 50, 46], 6, 2),
        network_case("large1", "large1", "u8", [4, 32, 30], 6, 2),
        network_case("nips_pixel_mean", "nips", "u8", [4, 84, 84], 6, 3, pixel_mean=0.375),
        network_case("mlp_vector", "mlp", "f32", [5], 2, 7),
        network_case("mlp_images", "mlp", "u8", [2, 6, 5], 3, 4),
        network_case("linear_convolutions", "linear_conv", "u8", [3, 40, 40], 4, 3),
        network_case("nips_without_value", "nips", "u8", [4, 84, 84], 6, 3, value_head=False),
        network_case("mlp_without_value", "mlp", "f32", [5], 2, 7, value_head=False),
        network_case("nature_dueling", "nature", "u8", [4, 84, 84], 6, 3, dueling=True),
        network_case("nips_float_dueling", "nips", "f32", [3, 40, 40], 4, 2, dueling=True),
        network_case("mlp_dueling", "mlp", "f32", [5], 2, 7, dueling=True),
        network_case("mlp_pixel_mean", "mlp", "u8", [2, 6, 5], 3, 4, pixel_mean=0.375),
        network_case("mlp_normalised", "mlp", "f32", [5], 2, 7, normalised=True),
        network_case(
            "mlp_normalised_dueling", "mlp", "f32", [6], 3, 9, dueling=True, normalised=True
        ),
        layers_case("odd_layers", ODD, "u8", [4, 44, 36]),
        layers_case("odd_layers_of_floats", ODD, "f32", [3, 25, 21]),
        # Wang et al. 2016, section 4.2. Seen failing when oneDNN's network scaled nothing, and when
        # it scaled the gradient of the streams themselves.
        network_case(
            "nature_dueling_scaled",
            "nature",
            "u8",
            [4, 84, 84],
            6,
            3,
            dueling=True,
            dueling_scale=math.sqrt(0.5),
        ),
        network_case(
            "mlp_dueling_scaled", "mlp", "f32", [5], 2, 7, dueling=True, dueling_scale=0.5
        ),
        layers_case("odd_dueling", ODD, "u8", [1, 30, 30], dueling=True, pixel_mean=0.5),
        layers_case("tanh_over_cells", "conv 16 8 4 tanh, conv 20 3 2 none", "u8", [2, 36, 36]),
        layers_case("two_channels_over_cells", "conv 16 4 2, dense 24", "u8", [2, 20, 20]),
        layers_case("six_channels_over_cells", "conv 16 4 2, dense 24", "u8", [6, 20, 20]),
        layers_case("linear", "dense 7 none, dense 9 none, dense 6 none", "f32", [5]),
        layers_case(
            "linear_convolutions_alone",
            "conv 16 4 2 none, conv 16 3 1 none, conv 8 3 1 none",
            "u8",
            [1, 20, 20],
            pixel_mean=0.25,
        ),
        # Among tens of thousands of maxima some are of two numbers that differ by less than fp32's
        # rounding; their gradients then go to another place.
        network_case("impala", "impala", "u8", [4, 84, 84], 6, 2, gradient_tolerance=0.05),
        network_case("football", "football", "u8", [16, 72, 96], 19, 1, gradient_tolerance=0.05),
        network_case("impala_pixel_mean", "impala", "u8", [3, 13, 10], 6, 2, pixel_mean=0.375),
        network_case("impala_dueling", "impala", "f32", [3, 8, 5], 4, 2, dueling=True),
        layers_case("odd_sections", "section 7 1, section 20 3 tanh, dense 9", "u8", [2, 15, 10]),
        layers_case("sections_alone", "section 16 1, section 16 1 none", "f32", [1, 7, 5]),
        layers_case("wide_sections", "section 32 1, section 48 1", "f32", [16, 9, 12]),
        layers_case("section_over_cells", "conv 16 4 2, section 16 1 relu", "u8", [4, 24, 30]),
        layers_case("section_between", "section 8 1, conv 16 3 2, section 16 1", "u8", [4, 20, 23]),
    ]


class LstmNetwork(torch.nn.Module):
    """A torso, an LSTM and heads of the given widths."""

    def __init__(self, layers, shape, cells, heads):
        super().__init__()
        self.torso = Network(layers, shape, 1, value_head=False)
        self.lstm = torch.nn.LSTMCell(self.torso.policy.in_features, cells)
        self.heads = torch.nn.ModuleList(torch.nn.Linear(cells, width) for width in heads)

    def in_order(self):
        """Like with_fan_in, but without the second bias of the LSTM, which it sets to zero."""
        torch.nn.init.zeros_(self.lstm.bias_hh)
        width, cells = self.lstm.input_size, self.lstm.hidden_size
        lstm = [
            (self.lstm.weight_ih, width),
            (self.lstm.bias_ih, width),
            (self.lstm.weight_hh, cells),
        ]
        torso = [*with_fan_in(self.torso.convs), *with_fan_in(self.torso.dense)]
        return [*torso, *lstm, *with_fan_in(self.heads)]

    def forward(self, x, begins, state):
        """The heads of all samples, step after step, and the last state."""
        h, c = state.unbind(1)
        heads = []
        for t in range(len(x)):
            before = (h.masked_fill(begins[t], 0), c.masked_fill(begins[t], 0))
            h, c = self.lstm(self.torso.features(x[t]), before)
            heads.append([head(h) for head in self.heads])
        return [torch.cat(head) for head in zip(*heads, strict=True)], torch.stack((h, c), 1)


def lstm_case(
    name, arch, dtype, shape, cells, steps, envs, separate=False, layers="", normalised=False
):
    """A rollout of several environments from some state; episodes begin within it."""
    actions, samples = 3, steps * envs
    widths = [[actions], [1]] if separate else [[actions, 1]]
    torso = layers_of(arch, layers)
    networks = [LstmNetwork(torso, shape, cells, heads).double() for heads in widths]
    parameters = [pair for network in networks for pair in network.in_order()]
    fill(parameters)
    size = samples * math.prod(shape)
    x = (pixels(size, 2) / 255 if dtype == "u8" else numbers(size, 2)).view(steps, envs, *shape)
    statistics = Statistics(math.prod(shape)) if normalised else None
    x = statistics.normalised(x) if normalised else x
    begins = torch.from_numpy(bits(samples, 5) % np.uint64(5) == 0).view(steps, envs, 1)
    states = numbers(envs * len(networks) * 2 * cells, 6).view(envs, len(networks), 2, cells)
    results = [
        network(x, begins, state) for network, state in zip(networks, states.unbind(1), strict=True)
    ]
    logits, value = [head for heads, _ in results for head in heads]
    value = value[:, 0]
    d_logits = numbers(logits.numel(), 3).view(logits.shape)
    d_value = numbers(samples, 4)
    ((logits * d_logits).sum() + (value * d_value).sum()).backward()
    return {
        "name": name,
        "arch": arch,
        "hidden": (DENSE.get(arch) or [1])[0],
        **({"layers": layers} if layers else {}),
        "lstm": cells,
        "separate": separate,
        "dtype": dtype,
        "shape": shape,
        "actions": actions,
        "value_head": True,
        **({"normalised": True} if normalised else {}),
        "steps": steps,
        "batch": envs,
        "begins": int(begins[1:].sum()),
        "parameters": sum(p.numel() for p, _ in parameters)
        + (statistics.numbers if normalised else 0),
        "logits": logits.flatten().tolist(),
        "value": value.tolist(),
        "state": torch.stack([state for _, state in results], 1).flatten().tolist(),
        "gradients": [summary(p.grad) for p, _ in parameters]
        + (statistics.gradients if normalised else []),
    }


def lstm():
    return [
        lstm_case("vector", "mlp", "f32", [5], 16, 7, 3),
        lstm_case("cells_that_fill_no_register", "mlp", "f32", [5], 21, 4, 5),
        lstm_case("one_environment", "mlp", "f32", [5], 64, 20, 1),
        lstm_case("images", "nips", "u8", [4, 84, 84], 24, 3, 2),
        lstm_case("separate", "mlp", "f32", [5], 16, 5, 3, separate=True),
        lstm_case("separate_linear", "linear_conv", "u8", [3, 40, 40], 8, 4, 2, separate=True),
        lstm_case("normalised_separate", "mlp", "f32", [5], 16, 5, 3, True, normalised=True),
        lstm_case("odd_layers", "layers", "u8", [3, 20, 20], 9, 4, 2, layers=ODD),
        lstm_case("sections", "impala", "u8", [3, 20, 21], 9, 4, 2),
        lstm_case("separate_sections", "impala", "u8", [3, 12, 10], 8, 3, 2, separate=True),
    ]

#!/usr/bin/env python3
"""Writes the golden files: what PyTorch computes, for the C++ tests beside this script.

Everything is computed in float64 from inputs that both sides make by the formula of `numbers`, so
that the files hold results alone. With --check FOLDER it compares the files there with what this
PyTorch computes instead, and exits with 1 when they differ.

    python tests/golden/make_golden.py [FOLDER]
    python tests/golden/make_golden.py --check [FOLDER]
"""

import argparse
import json
import math
import pathlib
import sys
from functools import partial

try:
    import numpy as np
    import torch
    from torch.nn import functional as F
except ImportError as error:
    print(f"needs numpy and torch: {error}")
    sys.exit(77)  # ctest: skipped

HERE = pathlib.Path(__file__).parent
KEPT = 24  # elements kept of each large tensor


def bits(count, salt):
    """`count` 32-bit words of the stream `salt`: a multiplicative hash, the same in golden.h."""
    words = np.arange(count, dtype=np.uint64) + np.uint64(salt) * np.uint64(0x9E3779B9)
    words = (words * np.uint64(2654435761)) & np.uint64(0xFFFFFFFF)
    words ^= words >> np.uint64(15)
    words = (words * np.uint64(2246822519)) & np.uint64(0xFFFFFFFF)
    return words ^ (words >> np.uint64(13))


def numbers(count, salt):
    """`count` numbers in [-1, 1), exact in float32."""
    return torch.from_numpy((bits(count, salt) >> np.uint64(8)).astype(np.float64) / 2**23 - 1)


def pixels(count, salt):
    return torch.from_numpy((bits(count, salt) >> np.uint64(24)).astype(np.float64))


def summary(tensor):
    """The norm and evenly spaced elements, the first and the last among them."""
    flat = tensor.detach().flatten()
    kept = np.unique(np.linspace(0, len(flat) - 1, KEPT).round().astype(int))
    return {
        "norm": flat.norm().item(),
        "at": kept.tolist(),
        "values": flat[kept].tolist(),
    }


# --- networks ------------------------------------------------------------------------------------

CONVOLUTIONS = {  # filters, kernel, stride
    "nips": [(16, 8, 4), (32, 4, 2)],
    "linear_conv": [(16, 8, 4), (32, 4, 2)],
    "nature": [(32, 8, 4), (64, 4, 2), (64, 3, 1)],
    "mlp": [],
}
DENSE = {"nips": [256], "linear_conv": [], "nature": [512], "mlp": [32, 32]}


class Network(torch.nn.Module):
    def __init__(self, arch, shape, actions, value_head):
        super().__init__()
        self.linear = arch.startswith("linear")
        self.convs = torch.nn.ModuleList()
        for filters, kernel, stride in CONVOLUTIONS[arch]:
            self.convs.append(torch.nn.Conv2d(shape[0], filters, kernel, stride))
            shape = (filters, *((size - kernel) // stride + 1 for size in shape[1:]))
        width = math.prod(shape)
        self.dense = torch.nn.ModuleList()
        for units in DENSE[arch]:
            self.dense.append(torch.nn.Linear(width, units))
            width = units
        self.policy = torch.nn.Linear(width, actions)
        self.value = torch.nn.Linear(width, 1) if value_head else None

    def forward(self, x):
        return self.heads(self.features(x))

    def features(self, x):
        for conv in self.convs:
            x = conv(x) if self.linear else F.relu(conv(x))
        x = x.flatten(1)
        for dense in self.dense:
            x = F.relu(dense(x))
        return x

    def heads(self, x):
        return self.policy(x), self.value(x)[:, 0] if self.value else x.new_zeros(0)


def with_fan_in(network):
    """(parameter, inputs of one unit of its layer) for all of them, in order."""
    return [
        (parameter, module.weight[0].numel())
        for module in network.modules()
        for parameter in module.parameters(recurse=False)
    ]


def fill(parameters):
    """Every parameter uniform in +-1/sqrt(fan_in), rounded to float32 as in the C++ buffer."""
    flat = numbers(sum(parameter.numel() for parameter, _ in parameters), 1)
    at = 0
    for parameter, fan_in in parameters:
        bound = np.float32(1 / math.sqrt(fan_in))
        part = flat[at : at + parameter.numel()].float() * float(bound)
        parameter.data = part.double().view(parameter.shape)
        at += parameter.numel()


def network_case(name, arch, dtype, shape, actions, batch, value_head=True):
    network = Network(arch, shape, actions, value_head).double()
    fill(with_fan_in(network))
    size = batch * math.prod(shape)
    x = pixels(size, 2) / 255 if dtype == "u8" else numbers(size, 2)
    logits, value = network(x.view(batch, *shape))
    # Any gradient at the heads will do: it is the input of the backward pass.
    d_logits = numbers(logits.numel(), 3).view(logits.shape)
    d_value = numbers(len(value), 4)
    ((logits * d_logits).sum() + (value * d_value).sum()).backward()
    return {
        "name": name,
        "arch": arch,
        "hidden": (DENSE[arch] or [1])[0],
        "dtype": dtype,
        "shape": shape,
        "actions": actions,
        "value_head": value_head,
        "batch": batch,
        "parameters": sum(p.numel() for p in network.parameters()),
        "logits": logits.flatten().tolist(),
        "value": value.tolist(),
        "gradients": [summary(p.grad) for p in network.parameters()],
    }


def networks():
    return [
        network_case("nips", "nips", "u8", [4, 84, 84], 6, 3),
        network_case("nips_small_images", "nips", "u8", [1, 44, 36], 3, 2),
        network_case("nips_float_images", "nips", "f32", [3, 40, 40], 4, 2),
        network_case("nature", "nature", "u8", [4, 84, 84], 18, 3),
        network_case("nature_one_sample", "nature", "u8", [4, 84, 84], 4, 1),
        network_case("mlp_vector", "mlp", "f32", [5], 2, 7),
        network_case("mlp_images", "mlp", "u8", [2, 6, 5], 3, 4),
        network_case("linear_convolutions", "linear_conv", "u8", [3, 40, 40], 4, 3),
        network_case("nips_without_value", "nips", "u8", [4, 84, 84], 6, 3, value_head=False),
        network_case("mlp_without_value", "mlp", "f32", [5], 2, 7, value_head=False),
    ]


# --- LSTM ----------------------------------------------------------------------------------------


class LstmNetwork(torch.nn.Module):
    """A torso, an LSTM and the heads for these widths."""

    def __init__(self, arch, shape, cells, heads):
        super().__init__()
        self.torso = Network(arch, shape, 1, value_head=False)
        self.lstm = torch.nn.LSTMCell(self.torso.policy.in_features, cells)
        self.heads = torch.nn.ModuleList(torch.nn.Linear(cells, width) for width in heads)

    def in_order(self):
        """with_fan_in, but for the second bias of the LSTM, which is zero."""
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


def lstm_case(name, arch, dtype, shape, cells, steps, envs, separate=False):
    """A rollout of several environments from some state; episodes begin within it."""
    actions, samples = 3, steps * envs
    widths = [[actions], [1]] if separate else [[actions, 1]]
    networks = [LstmNetwork(arch, shape, cells, heads).double() for heads in widths]
    parameters = [pair for network in networks for pair in network.in_order()]
    fill(parameters)
    size = samples * math.prod(shape)
    x = (pixels(size, 2) / 255 if dtype == "u8" else numbers(size, 2)).view(steps, envs, *shape)
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
        "hidden": (DENSE[arch] or [1])[0],
        "lstm": cells,
        "separate": separate,
        "dtype": dtype,
        "shape": shape,
        "actions": actions,
        "value_head": True,
        "steps": steps,
        "batch": envs,
        "begins": int(begins[1:].sum()),
        "parameters": sum(p.numel() for p, _ in parameters),
        "logits": logits.flatten().tolist(),
        "value": value.tolist(),
        "state": torch.stack([state for _, state in results], 1).flatten().tolist(),
        "gradients": [summary(p.grad) for p, _ in parameters],
    }


def lstm():
    return [
        lstm_case("vector", "mlp", "f32", [5], 16, 7, 3),
        lstm_case("cells_that_fill_no_register", "mlp", "f32", [5], 21, 4, 5),
        lstm_case("one_environment", "mlp", "f32", [5], 64, 20, 1),
        lstm_case("images", "nips", "u8", [4, 84, 84], 24, 3, 2),
        lstm_case("separate", "mlp", "f32", [5], 16, 5, 3, separate=True),
        lstm_case("separate_linear", "linear_conv", "u8", [3, 40, 40], 8, 4, 2, separate=True),
    ]


# --- A2C -----------------------------------------------------------------------------------------


def a2c_case(name, entropy, value_loss, loss_scale, weight, logit_size):
    steps, envs, actions = 5, 3, 4
    samples = steps * envs
    logits = (numbers(samples * actions, 1) * logit_size).view(samples, actions).requires_grad_()
    value = numbers(samples, 2).requires_grad_()
    taken = torch.from_numpy((bits(samples, 3) % np.uint64(actions)).astype(np.int64))
    rewards = numbers(samples, 4).view(steps, envs)
    # About a fifth of the steps end an episode.
    ends = torch.from_numpy(bits(samples, 5) % np.uint64(5) == 0).view(steps, envs)
    discounts = torch.where(ends, 0.0, float(np.float32(0.99))).double()
    following = numbers(envs, 6)
    returns = torch.empty(steps, envs, dtype=torch.float64)
    for t in reversed(range(steps)):
        following = rewards[t] + discounts[t] * following
        returns[t] = following
    returns = returns.flatten()

    distribution = torch.distributions.Categorical(logits=logits)
    policy_losses = -(returns - value.detach()) * distribution.log_prob(taken)
    value_losses = F.mse_loss(value, returns, reduction="none")
    entropies = distribution.entropy()
    losses = policy_losses - entropy * entropies + value_loss * value_losses
    (weight * loss_scale * losses.sum()).backward()
    return {
        "name": name,
        "steps": steps,
        "envs": envs,
        "actions": actions,
        "entropy_factor": entropy,
        "value_factor": value_loss,
        "loss_scale": loss_scale,
        "weight": weight,
        "logit_size": logit_size,
        "terminals": int(ends.sum()),
        "returns": returns.tolist(),
        "policy_loss": policy_losses.sum().item(),
        "value_loss": value_losses.sum().item(),
        "entropy": entropies.sum().item(),
        "logits_gradient": logits.grad.flatten().tolist(),
        "value_gradient": value.grad.tolist(),
    }


def a2c():
    return [
        a2c_case("paper", 0.01, 1.0, 1.0, 1 / 15, 2.0),
        a2c_case("reference_code", 0.02, 0.25, 5.0, 1 / 15, 2.0),
        a2c_case("much_entropy", 1.0, 0.5, 1.0, 0.25, 1.0),
        a2c_case("extreme_logits", 0.01, 1.0, 1.0, 1.0, 200.0),
    ]


# --- value-based methods -------------------------------------------------------------------------


def q_case(name, loss_scale=1.0, weight=1.0, actions=4):
    """A3C's Algorithm 1 (one-step Q), equation 6 (Sarsa) and Algorithm 2 (n-step Q)."""
    steps, envs, gamma = 5, 3, float(np.float32(0.99))
    samples = steps * envs
    q = numbers(samples * actions, 1).view(steps, envs, actions).requires_grad_()
    q_target = numbers(samples * actions, 2).view(steps, envs, actions)  # of s_1 to s_T
    taken = torch.from_numpy(bits(samples + envs, 3) % np.uint64(actions)).long()
    taken = taken.view(steps + 1, envs)  # a_T, too
    rewards = numbers(samples, 4).view(steps, envs)
    ends = torch.from_numpy(bits(samples, 5) % np.uint64(5) == 0).view(steps, envs)

    chosen = q.gather(2, taken[:-1, :, None])[:, :, 0]
    greedy = q_target.max(2).values
    next_taken = q_target.gather(2, taken[1:, :, None])[:, :, 0]
    following = greedy[-1]
    y = torch.empty(steps, envs, dtype=torch.float64)
    for t in reversed(range(steps)):
        if name != "n_step_q":
            following = (greedy if name == "one_step_q" else next_taken)[t]
        y[t] = rewards[t] + torch.where(ends[t], 0.0, gamma * following)
        following = y[t]
    losses = (y - chosen) ** 2
    (weight * loss_scale * losses.sum()).backward()
    return {
        "name": name,
        "steps": steps,
        "envs": envs,
        "actions": actions,
        "loss_scale": loss_scale,
        "weight": weight,
        "terminals": int(ends.sum()),
        "value_loss": losses.sum().item(),
        "q": chosen.sum().item(),
        "gradient": q.grad.flatten().tolist(),
    }


def q_learning():
    return [
        q_case("one_step_q"),
        q_case("one_step_sarsa", weight=1 / 15),
        q_case("n_step_q", loss_scale=0.5),
    ]


# --- A2C with continuous actions ------------------------------------------------------------------


def gaussian_case(name, entropy, value_loss, weight, dims, output_size):
    """As a2c_case; the policy's outputs are a mean and what softplus makes a variance of."""
    steps, envs = 5, 3
    samples = steps * envs
    outputs = (numbers(samples * (dims + 1), 1) * output_size).view(samples, dims + 1)
    outputs.requires_grad_()
    value = numbers(samples, 2).requires_grad_()
    taken = (numbers(samples * dims, 3) * 2).view(samples, dims)
    rewards = numbers(samples, 4).view(steps, envs)
    ends = torch.from_numpy(bits(samples, 5) % np.uint64(5) == 0).view(steps, envs)
    discounts = torch.where(ends, 0.0, float(np.float32(0.99))).double()
    following = numbers(envs, 6)
    returns = torch.empty(steps, envs, dtype=torch.float64)
    for t in reversed(range(steps)):
        following = rewards[t] + discounts[t] * following
        returns[t] = following
    returns = returns.flatten()

    variance = F.softplus(outputs[:, dims]) + float(np.float32(1e-4))
    covariance = variance[:, None, None] * torch.eye(dims, dtype=torch.float64)
    normal = torch.distributions.MultivariateNormal(outputs[:, :dims], covariance)
    policy_losses = -(returns - value.detach()) * normal.log_prob(taken)
    value_losses = F.mse_loss(value, returns, reduction="none")
    entropies = 0.5 * (torch.log(2 * math.pi * variance) + 1)
    losses = policy_losses - entropy * entropies + value_loss * value_losses
    (weight * losses.sum()).backward()
    return {
        "name": name,
        "steps": steps,
        "envs": envs,
        "dims": dims,
        "entropy_factor": entropy,
        "value_factor": value_loss,
        "weight": weight,
        "output_size": output_size,
        "policy_loss": policy_losses.sum().item(),
        "value_loss": value_losses.sum().item(),
        "entropy": entropies.sum().item(),
        "outputs_gradient": outputs.grad.flatten().tolist(),
        "value_gradient": value.grad.tolist(),
    }


def gaussian():
    return [
        gaussian_case("paper", 1e-4, 1.0, 1.0, 2, 1.0),
        gaussian_case("one_dimension", 0.01, 0.5, 1 / 15, 1, 2.0),
        gaussian_case("many_dimensions", 1.0, 0.5, 1.0, 21, 1.0),
        gaussian_case("extreme_variances", 1e-4, 1.0, 1.0, 3, 30.0),
    ]


# --- optimizers ----------------------------------------------------------------------------------


def rmsprop_inside(parameters, initial_square, decay=0.9, epsilon=0.1):
    """A3C's equations 8 and 9, which torch.optim has not: epsilon under the root."""
    square = torch.full_like(parameters, initial_square)

    def step(gradient, lr):
        square.mul_(decay).add_((1 - decay) * gradient**2)
        parameters.data -= lr * gradient / (square + epsilon).sqrt()

    return step


def torch_rule(kind, parameters, **options):
    optimizer = kind([parameters], lr=1.0, **options)

    def step(gradient, lr):
        optimizer.param_groups[0]["lr"] = lr
        parameters.grad = gradient
        optimizer.step()

    return step


def momentum_of_the_paper(parameters):
    """A3C's section 4.5: PyTorch's with dampening, from a buffer of zeros on."""
    optimizer = torch.optim.SGD([parameters], lr=1.0, momentum=0.9, dampening=0.9)
    optimizer.state[parameters]["momentum_buffer"] = torch.zeros_like(parameters)

    def step(gradient, lr):
        optimizer.param_groups[0]["lr"] = lr
        parameters.grad = gradient
        optimizer.step()

    return step


def optimizer_case(name, make, config, clip_norm=0.0):
    count, steps = 37, 4
    parameters = numbers(count, 1).requires_grad_(False)
    step = make(parameters)
    norms, results = [], []
    for k in range(steps):
        gradient = numbers(count, 10 + k) * (k + 1)
        norms.append(gradient.norm().item())
        if clip_norm > 0:
            holder = torch.nn.Parameter(parameters.clone())
            holder.grad = gradient
            torch.nn.utils.clip_grad_norm_([holder], clip_norm)
            gradient = holder.grad
        step(gradient, 0.05 * (1 - k / 8))
        results.append(parameters.tolist())
    return {
        "name": name,
        "config": config | {"clip_norm": clip_norm},
        "norms": norms,
        "parameters": results,
    }


def optimizers():
    rms = {"kind": "rmsprop", "decay": 0.9, "epsilon": 0.1}
    inside = rms | {"epsilon_inside": True}
    outside = rms | {"epsilon_inside": False}
    momentum = {"kind": "momentum", "momentum": 0.9}
    adam = {"kind": "adam", "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3}
    rules = [
        ("rmsprop_inside", inside, partial(rmsprop_inside, initial_square=0.0)),
        (
            "rmsprop_inside_from_one",
            inside | {"initial_square": 1.0},
            partial(rmsprop_inside, initial_square=1.0),
        ),
        ("rmsprop_outside", outside, partial(torch_rule, torch.optim.RMSprop, alpha=0.9, eps=0.1)),
        (
            "sgd",
            {"kind": "momentum", "momentum": 0.0},
            partial(torch_rule, torch.optim.SGD),
        ),
        ("momentum", momentum, momentum_of_the_paper),
        ("adam", adam, partial(torch_rule, torch.optim.Adam, betas=(0.8, 0.95), eps=1e-3)),
    ]
    cases = [optimizer_case(name, make, config) for name, config, make in rules]
    return cases + [
        optimizer_case(f"{name}_clipped", make, config, clip_norm=5.0)
        for name, config, make in rules
    ]


# --- files ---------------------------------------------------------------------------------------


def rounded(value):
    """Nine digits: far more than the tests need, and short files."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return value


def same(a, b):
    """Equal but for what another processor's order of summation changes."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-9)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return a == b


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=HERE)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args()
    torch.set_num_threads(1)
    different = []
    files = {
        "networks": networks,
        "lstm": lstm,
        "a2c": a2c,
        "gaussian": gaussian,
        "q_learning": q_learning,
        "optimizers": optimizers,
    }
    for name, make in files.items():
        path = options.folder / f"{name}.json"
        cases = rounded(make())
        if not options.check:
            lines = ",\n".join(json.dumps(case) for case in cases)
            path.write_text(f"[\n{lines}\n]\n")
        elif not same(json.loads(path.read_text()), cases):
            different.append(str(path))
    if different:
        sys.exit(f"not what this PyTorch computes: {', '.join(different)}")


if __name__ == "__main__":
    main()

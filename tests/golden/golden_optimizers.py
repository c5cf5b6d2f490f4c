"""Update rules of optimizers."""

from functools import partial

import torch
from golden_inputs import numbers


def rmsprop_inside(parameters, initial_square, decay=0.9, epsilon=0.1):
    """A3C's equations 8 and 9, which torch.optim lacks: epsilon is under the root."""
    square = torch.full_like(parameters, initial_square)

    def step(gradient, lr):
        square.mul_(decay).add_((1 - decay) * gradient**2)
        parameters.data -= lr * gradient / (square + epsilon).sqrt()

    return step


def centered_inside(parameters, decay=0.9, epsilon=0.1):
    """TensorFlow's centred RMSProp: epsilon under the root, and squares of 1 at the start."""
    square, mean = torch.ones_like(parameters), torch.zeros_like(parameters)

    def step(gradient, lr):
        square.mul_(decay).add_((1 - decay) * gradient**2)
        mean.mul_(decay).add_((1 - decay) * gradient)
        parameters.data -= lr * gradient / (square - mean**2 + epsilon).sqrt()

    return step


def torch_rule(kind, parameters, **options):
    optimizer = kind([parameters], lr=1.0, **options)

    def step(gradient, lr):
        optimizer.param_groups[0]["lr"] = lr
        parameters.grad = gradient
        optimizer.step()

    return step


def momentum_of_the_paper(parameters):
    """A3C's section 4.5: PyTorch's rule with dampening, whose buffer starts at zero."""
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
            "centered_outside",
            outside | {"kind": "centered_rmsprop"},
            partial(torch_rule, torch.optim.RMSprop, alpha=0.9, eps=0.1, centered=True),
        ),
        (
            "centered_inside",
            inside | {"kind": "centered_rmsprop", "initial_square": 1.0},
            centered_inside,
        ),
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

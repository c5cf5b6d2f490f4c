"""Deterministic policy gradients: the critic's loss and the policy's ascent through the critic."""

import numpy as np
import torch
from golden_inputs import bits, numbers, summary
from golden_networks import Statistics, fill, with_fan_in


def mlp(inputs, hidden, outputs):
    """Has a tanh after the first hidden layer, a ReLU after the second (Ape-X, appendix D)."""
    first, second = hidden
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, first),
        torch.nn.Tanh(),
        torch.nn.Linear(first, second),
        torch.nn.ReLU(),
        torch.nn.Linear(second, outputs),
    ).double()


class Networks:
    """The policy pi(s), within bounds, and q(s, a), whose actions are scaled to [-1, 1]."""

    def __init__(self, observations, low, high, policy_hidden, critic_hidden, salt, normalised):
        self.statistics = Statistics(observations, salt) if normalised else None
        self.centre = (torch.tensor(high) + torch.tensor(low)).double() / 2
        self.half_range = (torch.tensor(high) - torch.tensor(low)).double() / 2
        self.policy = mlp(observations, policy_hidden, len(low))
        self.critic = mlp(observations + len(low), critic_hidden, 1)
        fill([*with_fan_in(self.policy), *with_fan_in(self.critic)], salt)

    def seen(self, s):
        return self.statistics.normalised(s) if self.statistics else s

    def scaled(self, s):
        return self.policy(self.seen(s)).tanh()

    def q(self, s, scaled):
        s = self.seen(s)
        return self.critic(torch.cat([s, scaled], dim=1))[:, 0]

    def parameters(self):
        return [*self.policy.parameters(), *self.critic.parameters()]


def dpg_case(
    name,
    observations,
    low,
    high,
    policy_hidden,
    critic_hidden,
    clip,
    weight=1 / 5,
    normalised=False,
):
    """Ape-X, section 3.2. Discounts are 0.97, about 0.99^3, or 0 where an episode ended."""
    samples, dims = 5, len(low)
    shape = (observations, low, high, policy_hidden, critic_hidden)
    online = Networks(*shape, salt=1, normalised=normalised)
    target = Networks(*shape, salt=2, normalised=normalised)
    s = numbers(samples * observations, 3).view(samples, -1)
    s_next = numbers(samples * observations, 4).view(samples, -1)
    taken = numbers(samples * dims, 5).view(samples, dims)  # scaled
    ends = torch.from_numpy(bits(samples, 6) % np.uint64(3) == 0)
    discounts = torch.where(ends, 0.0, float(np.float32(0.97))).double()
    weights = numbers(samples, 7).abs()

    with torch.no_grad():
        goal = numbers(samples, 8) + discounts * target.q(s_next, target.scaled(s_next))
    q = online.q(s, taken)
    errors = goal - q
    (weight * (weights * 0.5 * errors**2).sum()).backward()
    critic_gradients = [p.grad for p in online.critic.parameters()]

    a = online.scaled(s)
    values = online.q(s, a)
    (dq_da,) = torch.autograd.grad(values.sum(), a, retain_graph=True)
    clipped = dq_da.clamp(-clip, clip) if clip > 0 else dq_da
    policy_gradients = torch.autograd.grad(
        -weight * (clipped * a).sum(), list(online.policy.parameters())
    )
    return {
        "name": name,
        "samples": samples,
        "observations": observations,
        "low": low,
        "high": high,
        "policy_hidden": policy_hidden,
        "critic_hidden": critic_hidden,
        "clip": clip,
        "weight": weight,
        **({"normalised": True} if normalised else {}),
        "parameters": sum(p.numel() for p in online.parameters())
        + (online.statistics.numbers if normalised else 0),
        "terminals": int(ends.sum()),
        "clipped": int((clipped != dq_da).sum()),
        "actions": (online.centre + online.half_range * a).flatten().tolist(),
        "values": values.tolist(),
        "dq_da": dq_da.flatten().tolist(),
        "value_loss": (errors**2).sum().item(),
        "policy_loss": -values.sum().item(),
        "q": q.sum().item(),
        "priorities": errors.abs().tolist(),
        "gradients": [summary(g) for g in [*policy_gradients, *critic_gradients]]
        + (online.statistics.gradients if normalised else []),
    }


def dpg():
    small = (4, [-1.0, -0.5], [1.0, 2.0], [5, 4], [4, 6])
    paper = (7, [-1.0, -1.0, -2.0], [1.0, 1.0, 0.0], [300, 200], [400, 300])
    return [
        dpg_case("clipped", *small, clip=0.05),
        dpg_case("not_clipped", *small, clip=0.0, weight=1.0),
        dpg_case("normalised", *small, clip=0.05, normalised=True),
        dpg_case("networks_of_the_paper", *paper, clip=0.05),
    ]

"""Losses: actor-critics over discrete and continuous actions, and the value-based methods."""

import math

import numpy as np
import torch
from golden_inputs import bits, numbers
from torch.nn import functional as F


def rewards_and_ends(steps, envs):
    """Rewards, and ends of episodes at about a fifth of the steps."""
    samples = steps * envs
    rewards = numbers(samples, 4).view(steps, envs)
    return rewards, torch.from_numpy(bits(samples, 5) % np.uint64(5) == 0).view(steps, envs)


def discounts_of(ends):
    return torch.where(ends, 0.0, float(np.float32(0.99))).double()


def ends_and_returns(steps, envs):
    """The returns are discounted by 0.99 and bootstrap from the values of the last states."""
    rewards, ends = rewards_and_ends(steps, envs)
    discounts = discounts_of(ends)
    following = numbers(envs, 6)
    returns = torch.empty(steps, envs, dtype=torch.float64)
    for t in reversed(range(steps)):
        following = rewards[t] + discounts[t] * following
        returns[t] = following
    return ends, returns.flatten()


def vtrace(steps, envs, value, log_ratios, rho_limit, c_limit):
    """Equation 1 of the IMPALA paper word for word, as a sum over the steps to come, and the
    advantages of its section 4.2."""
    rewards, ends = rewards_and_ends(steps, envs)
    discounts = discounts_of(ends)
    values = torch.cat([value.view(steps, envs), numbers(envs, 6)[None]])
    ratios = log_ratios.view(steps, envs).exp()
    rho, c = ratios.clamp(max=rho_limit), ratios.clamp(max=c_limit)
    targets = values.clone()
    for s in range(steps):
        for t in range(s, steps):
            delta = rho[t] * (rewards[t] + discounts[t] * values[t + 1] - values[t])
            targets[s] += torch.prod(discounts[s:t] * c[s:t], 0) * delta
    advantages = rho * (rewards + discounts * targets[1:] - values[:-1])
    return targets[:-1].flatten(), advantages.flatten()


def a2c_case(name, entropy, value_loss, loss_scale, weight, logit_size, epsilon=0.0, limits=None):
    steps, envs, actions = 5, 3, 4
    samples = steps * envs
    logits = (numbers(samples * actions, 1) * logit_size).view(samples, actions).requires_grad_()
    value = numbers(samples, 2).requires_grad_()
    taken = torch.from_numpy((bits(samples, 3) % np.uint64(actions)).astype(np.int64))
    ends, returns = ends_and_returns(steps, envs)

    advantages = returns - value.detach()
    if limits:
        behaviour = numbers(samples, 7) - 1.4  # log mu of each action taken
        log_pi = torch.distributions.Categorical(logits=logits.detach()).log_prob(taken)
        returns, advantages = vtrace(steps, envs, value.detach(), log_pi - behaviour, *limits)
    value_losses = F.mse_loss(value, returns, reduction="none")
    if epsilon > 0:  # GA3C's equation 5
        raised = F.softmax(logits, dim=1) + epsilon
        policy_losses = -advantages * raised[torch.arange(samples), taken].log()
        entropies = -(raised * raised.log()).sum(dim=1)
    else:
        distribution = torch.distributions.Categorical(logits=logits)
        policy_losses = -advantages * distribution.log_prob(taken)
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
        "log_epsilon": epsilon,
        "limits": limits and list(limits),
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
        a2c_case("ga3c", 0.01, 0.5, 1.0, 1.0, 8.0, epsilon=1e-6),
        a2c_case("ga3c_large_epsilon", 1.0, 0.5, 1.0, 1.0, 4.0, epsilon=0.01),
        a2c_case("vtrace", 0.01, 0.5, 1.0, 1.0, 2.0, limits=(1.0, 1.0)),
        a2c_case("vtrace_limits", 0.01, 0.5, 1.0, 1.0, 2.0, epsilon=1e-6, limits=(2.0, 0.5)),
    ]


def gae(steps, envs, values, lam):
    """Equation 16 of Schulman et al. 2016 word for word, as a sum over the steps to come."""
    rewards, ends = rewards_and_ends(steps, envs)
    discounts = discounts_of(ends)
    deltas = rewards + discounts * values[1:] - values[:-1]
    advantages = torch.zeros(steps, envs, dtype=torch.float64)
    for s in range(steps):
        for t in range(s, steps):
            advantages[s] += torch.prod(discounts[s:t] * lam, 0) * deltas[t]
    return advantages.flatten()


def ppo_case(name, clip=0.1, lam=0.95, entropy=0.01, value_loss=0.25, value_clip=True, scaled=True):
    steps, envs, actions = 5, 3, 4
    samples = steps * envs
    logits = (numbers(samples * actions, 1) * 0.1).view(samples, actions).requires_grad_()
    value = numbers(samples, 2).requires_grad_()
    old_value = value.detach() + 0.2 * numbers(samples, 8)
    taken = torch.from_numpy((bits(samples, 3) % np.uint64(actions)).astype(np.int64))
    behaviour = 0.3 * numbers(samples, 7) - math.log(4)  # log mu of each action taken
    values = torch.cat([old_value.view(steps, envs), numbers(envs, 6)[None]])
    advantages = gae(steps, envs, values, lam)
    returns = advantages + old_value
    if scaled:
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-5)

    distribution = torch.distributions.Categorical(logits=logits)
    ratio = (distribution.log_prob(taken) - behaviour).exp()
    policy_losses = -torch.min(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    value_losses = (value - returns) ** 2
    if value_clip:
        moved = old_value + (value - old_value).clamp(-clip, clip)
        value_losses = torch.max(value_losses, (moved - returns) ** 2)
    entropies = distribution.entropy()
    losses = policy_losses - entropy * entropies + value_loss * value_losses
    losses.mean().backward()
    return {
        "name": name,
        "steps": steps,
        "envs": envs,
        "actions": actions,
        "clip": clip,
        "lambda": lam,
        "entropy_factor": entropy,
        "value_factor": value_loss,
        "value_clip": value_clip,
        "normalise": scaled,
        "advantages": advantages.tolist(),
        "returns": returns.tolist(),
        "clipped": int((policy_losses > -ratio * advantages).sum()),
        "policy_loss": policy_losses.sum().item(),
        "value_loss": value_losses.sum().item(),
        "entropy": entropies.sum().item(),
        "divergence": (ratio - 1 - ratio.log()).sum().item(),
        "logits_gradient": logits.grad.flatten().tolist(),
        "value_gradient": value.grad.tolist(),
    }


def ppo():
    return [
        ppo_case("defaults"),
        ppo_case("paper", clip=0.2, value_loss=1.0, value_clip=False, scaled=False),
        ppo_case("n_step", lam=1.0, entropy=1.0),
        ppo_case("one_step", lam=0.0, clip=0.05),
    ]


def q_case(name, loss_scale=1.0, weight=1.0, actions=4):
    """A3C's Algorithm 1 (one-step Q), equation 6 (Sarsa) and Algorithm 2 (n-step Q)."""
    steps, envs, gamma = 5, 3, float(np.float32(0.99))
    samples = steps * envs
    q = numbers(samples * actions, 1).view(steps, envs, actions).requires_grad_()
    q_target = numbers(samples * actions, 2).view(steps, envs, actions)  # of s_1 to s_T
    taken = torch.from_numpy(bits(samples + envs, 3) % np.uint64(actions)).long()
    taken = taken.view(steps + 1, envs)  # a_T, too
    rewards, ends = rewards_and_ends(steps, envs)

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


def dqn_case(name, dueling, double_q, weight=1.0):
    """Ape-X, section 3.1, with the aggregation of Wang et al. 2016, equation 9."""
    samples, actions = 11, 4
    advantages = numbers(samples * actions, 1).view(samples, actions).requires_grad_()
    value = numbers(samples, 2).requires_grad_()

    def aggregated(advantages, value):
        if not dueling:
            return advantages
        return value[:, None] + advantages - advantages.mean(dim=1, keepdim=True)

    q = aggregated(advantages, value)
    online = numbers(samples * actions, 3).view(samples, actions)
    target = aggregated(numbers(samples * actions, 4).view(samples, actions), numbers(samples, 5))
    taken = torch.from_numpy(bits(samples, 6) % np.uint64(actions)).long()
    ends = torch.from_numpy(bits(samples, 7) % np.uint64(5) == 0)
    discounts = torch.where(ends, 0.0, float(np.float32(0.97))).double()
    weights = numbers(samples, 8).abs()

    following = target.gather(1, (online if double_q else target).argmax(1)[:, None])[:, 0]
    goal = numbers(samples, 9) + discounts * following
    errors = goal - q.gather(1, taken[:, None])[:, 0]
    (weight * (weights * 0.5 * errors**2).sum()).backward()
    return {
        "name": name,
        "samples": samples,
        "actions": actions,
        "dueling": dueling,
        "double_q": double_q,
        "weight": weight,
        "terminals": int(ends.sum()),
        "value_loss": (errors**2).sum().item(),
        "priorities": errors.abs().tolist(),
        "advantages_gradient": advantages.grad.flatten().tolist(),
        "value_gradient": value.grad.tolist() if dueling else [],
    }


def dqn():
    return [
        dqn_case("double_dueling", True, True, weight=1 / 11),
        dqn_case("double", False, True),
        dqn_case("dueling", True, False),
    ]


def gaussian_case(name, entropy, value_loss, weight, dims, output_size):
    """Like a2c_case. The policy outputs a mean, and a number whose softplus gives the variance."""
    steps, envs = 5, 3
    samples = steps * envs
    outputs = (numbers(samples * (dims + 1), 1) * output_size).view(samples, dims + 1)
    outputs.requires_grad_()
    value = numbers(samples, 2).requires_grad_()
    taken = (numbers(samples * dims, 3) * 2).view(samples, dims)
    _, returns = ends_and_returns(steps, envs)

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

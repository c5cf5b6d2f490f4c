"""PPO in one plain PyTorch loop over EnvPool, with the numbers of CleanRL's script for Atari."""

import numpy as np
import torch
from score import Games, ScoreReport, options
from slot import torso
from torch import nn

ENVS, ROLLOUT, EPOCHS, MINIBATCHES = 8, 128, 4, 4
RATE, GAMMA, LAMBDA, CLIP = 2.5e-4, 0.99, 0.95, 0.1
ENTROPY, VALUE_LOSS, NORM = 0.01, 0.5, 0.5


def orthogonal(layer, scale=2**0.5):
    nn.init.orthogonal_(layer.weight, scale)
    nn.init.zeros_(layer.bias)
    return layer


class Agent(nn.Module):
    def __init__(self, actions):
        super().__init__()
        self.torso, width = torso("nature")
        for layer in self.torso:
            if hasattr(layer, "weight"):
                orthogonal(layer)
        self.policy = orthogonal(nn.Linear(width, actions), 0.01)
        self.value = orthogonal(nn.Linear(width, 1), 1)

    def forward(self, observations):
        features = self.torso(observations.float() / 255)
        return self.policy(features), self.value(features).squeeze(-1)


def advantages_of(rewards, ends, values, last):
    """Generalised advantage estimates."""
    estimates = torch.zeros_like(rewards)
    estimate, following = torch.zeros(ENVS), last
    for t in reversed(range(ROLLOUT)):
        going = 1 - ends[t]
        error = rewards[t] + GAMMA * following * going - values[t]
        estimate = error + GAMMA * LAMBDA * going * estimate
        estimates[t], following = estimate, values[t]
    return estimates


def loss_of(agent, batch):
    observations, actions, old_log_p, advantages, returns, old_values = batch
    logits, values = agent(observations)
    log_p = torch.log_softmax(logits, -1)
    taken = log_p.gather(1, actions[:, None]).squeeze(1)
    ratio = (taken - old_log_p).exp()
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    worse = torch.max(-advantages * ratio, -advantages * ratio.clamp(1 - CLIP, 1 + CLIP))
    near = old_values + (values - old_values).clamp(-CLIP, CLIP)
    errors = torch.max((values - returns) ** 2, (near - returns) ** 2)
    entropy = -(log_p.exp() * log_p).sum(-1).mean()
    return worse.mean() + VALUE_LOSS * 0.5 * errors.mean() - ENTROPY * entropy


def main():
    args = options()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    report = ScoreReport(args.goal)
    games = Games(args.game, ENVS, args.threads, args.seed, report)
    agent = Agent(games.env.action_space.n)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    shape = (ROLLOUT, ENVS)
    observations = torch.zeros((*shape, 4, 84, 84), dtype=torch.uint8)
    actions = torch.zeros(shape, dtype=torch.long)
    log_ps, rewards, ends, values = (torch.zeros(shape) for _ in range(4))
    observation = torch.from_numpy(games.reset())
    steps = 0
    while True:
        optimizer.param_groups[0]["lr"] = RATE * max(0.0, 1 - steps / args.steps)
        for t in range(ROLLOUT):
            with torch.inference_mode():
                logits, value = agent(observation)
                policy = torch.distributions.Categorical(logits=logits)
                action = policy.sample()
                log_ps[t] = policy.log_prob(action)
            observations[t], actions[t], values[t] = observation, action, value
            after, reward, end = games.step(action.numpy())
            observation = torch.from_numpy(after)
            rewards[t] = torch.from_numpy(reward.astype(np.float32))
            ends[t] = torch.from_numpy(end.astype(np.float32))
            steps += ENVS
            report(steps)
        with torch.inference_mode():
            last = agent(observation)[1].clone()
        advantages = advantages_of(rewards, ends, values, last)
        returns = advantages + values
        data = [observations, actions, log_ps, advantages, returns, values]
        flat = [part.flatten(0, 1).clone() for part in data]
        for _ in range(EPOCHS):
            for chosen in torch.randperm(ROLLOUT * ENVS).chunk(MINIBATCHES):
                optimizer.zero_grad()
                loss_of(agent, [part[chosen] for part in flat]).backward()
                nn.utils.clip_grad_norm_(agent.parameters(), NORM)
                optimizer.step()


if __name__ == "__main__":
    main()

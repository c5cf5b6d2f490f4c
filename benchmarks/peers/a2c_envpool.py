"""A2C in one plain PyTorch loop, the way CleanRL writes it, over EnvPool."""

import numpy as np
import torch
from slot import Report, envpool_atari, options, step, torso
from torch import nn

GAMMA, ENTROPY, VALUE_LOSS, CLIP = 0.99, 0.01, 0.25, 40.0


class Agent(nn.Module):
    def __init__(self, net, actions):
        super().__init__()
        self.torso, width = torso(net)
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)

    def forward(self, observations):
        features = self.torso(observations.float() / 255)
        return self.policy(features), self.value(features).squeeze(-1)


def main():
    args = options()
    torch.set_num_threads(args.threads)
    env = envpool_atari(args.game, args.envs, args.threads)
    agent = Agent(args.net, env.action_space.n)
    optimizer = torch.optim.RMSprop(agent.parameters(), lr=7e-4, alpha=0.99, eps=1e-5)

    shape = (args.steps, args.envs)
    observations = torch.zeros((*shape, 4, 84, 84), dtype=torch.uint8)
    actions = torch.zeros(shape, dtype=torch.long)
    rewards, ends = torch.zeros(shape), torch.zeros(shape)
    observation = torch.from_numpy(env.reset()[0])
    report, steps = Report(), 0
    while True:
        for t in range(args.steps):
            with torch.inference_mode():
                logits, _ = agent(observation)
                # The Gumbel trick samples in one pass over the batch.
                noise = -torch.log(-torch.log(torch.rand_like(logits)))
                action = (logits + noise).argmax(-1)
            observations[t], actions[t] = observation, action
            after, reward, end = step(env, action.numpy())
            observation = torch.from_numpy(after)
            rewards[t] = torch.from_numpy(reward)
            ends[t] = torch.from_numpy(end.astype(np.float32))

        with torch.inference_mode():
            future = agent(observation)[1].clone()
        returns = torch.empty(shape)
        for t in reversed(range(args.steps)):
            future = rewards[t] + GAMMA * future * (1 - ends[t])
            returns[t] = future

        logits, values = agent(observations.flatten(0, 1))
        log_p = torch.log_softmax(logits, -1)
        advantages = returns.flatten() - values
        log_p_taken = log_p.gather(1, actions.flatten()[:, None]).squeeze(1)
        policy_loss = -(log_p_taken * advantages.detach()).mean()
        entropy = -(log_p.exp() * log_p).sum(-1).mean()
        loss = policy_loss + VALUE_LOSS * advantages.square().mean() - ENTROPY * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), CLIP)
        optimizer.step()
        steps += args.steps * args.envs
        report(steps)


if __name__ == "__main__":
    main()

"""Updates of DPG by PyTorch: Ape-X's critic and policy (Horgan et al. 2018, appendix D)."""

import copy

import torch
from slot import Report
from torch import nn

BATCH, OBSERVATION, ACTION = 256, 24, 6  # of the walker


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        hidden = [nn.Linear(OBSERVATION + ACTION, 400), nn.Tanh(), nn.Linear(400, 300), nn.ReLU()]
        self.layers = nn.Sequential(*hidden, nn.Linear(300, 1))

    def forward(self, observations, actions):
        return self.layers(torch.cat([observations, actions], 1)).squeeze(1)


def make_policy():
    hidden = [nn.Linear(OBSERVATION, 300), nn.Tanh(), nn.Linear(300, 200), nn.ReLU()]
    return nn.Sequential(*hidden, nn.Linear(200, ACTION), nn.Tanh())


def main():
    torch.set_num_threads(1)
    policy, critic = make_policy(), Critic()
    target_policy, target_critic = copy.deepcopy(policy), copy.deepcopy(critic)
    optimizers = [
        torch.optim.Adam(net.parameters(), lr=1e-4, fused=True) for net in (policy, critic)
    ]
    before, after = torch.randn(2, BATCH, OBSERVATION)
    actions, returns = torch.rand(BATCH, ACTION) * 2 - 1, torch.randn(BATCH)
    discounts, weights = torch.full((BATCH,), 0.97), torch.rand(BATCH)

    def step(optimizer, loss):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    report = Report()
    samples = 0
    while True:
        with torch.no_grad():
            wanted = returns + discounts * target_critic(after, target_policy(after))
        errors = critic(before, actions) - wanted
        step(optimizers[1], 0.5 * (weights * errors**2).mean())
        critic.requires_grad_(False)  # the policy's loss goes through it to the actions alone
        step(optimizers[0], -critic(before, policy(before)).mean())
        critic.requires_grad_(True)
        samples += BATCH
        report(samples)


if __name__ == "__main__":
    main()

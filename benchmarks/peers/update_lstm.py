"""Updates of a recurrent actor-critic by PyTorch: nips and an LSTM, trajectories of IMPALA's size.

V-trace is left out, which flatters this peer: its loops are small, but not nothing.
"""

import torch
from slot import Report, torso
from torch import nn
from torch.nn import functional

TRAJECTORIES, STEPS, CELLS, ACTIONS = 32, 20, 256, 6


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.torso, width = torso("nips")
        self.memory = nn.LSTM(width, CELLS)
        self.heads = nn.Linear(CELLS, ACTIONS + 1)

    def forward(self, observations, state):
        features = self.torso(observations.flatten(0, 1).float() / 255)
        remembered, _ = self.memory(features.view(STEPS, TRAJECTORIES, -1), state)
        return self.heads(remembered).split([ACTIONS, 1], -1)


def main():
    torch.set_num_threads(1)
    agent = Agent()
    optimizer = torch.optim.RMSprop(agent.parameters(), lr=1e-4)
    observations = torch.randint(0, 256, (STEPS, TRAJECTORIES, 4, 84, 84), dtype=torch.uint8)
    state = tuple(torch.zeros(2, 1, TRAJECTORIES, CELLS))
    actions = torch.randint(0, ACTIONS, (STEPS, TRAJECTORIES))
    advantages, targets = torch.randn(2, STEPS, TRAJECTORIES)

    report = Report()
    samples = 0
    while True:
        logits, values = agent(observations, state)
        log_policy = functional.log_softmax(logits, -1)
        entropy = -(log_policy.exp() * log_policy).sum(-1)
        chosen = log_policy.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
        errors = targets - values.squeeze(-1)
        loss = (0.5 * errors**2 - advantages * chosen - 0.01 * entropy).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()
        samples += TRAJECTORIES * STEPS
        report(samples)


if __name__ == "__main__":
    main()

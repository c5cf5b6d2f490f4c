"""DQN in one loop, as CleanRL writes it, over EnvPool and a replay of NumPy arrays."""

import copy

import numpy as np
import torch
from slot import Report, envpool_atari, options, step, torso
from torch import nn
from torch.nn import functional

CAPACITY = 20_000  # fits in memory; a larger replay is no faster
MIN_FILL = 1_000
TARGET_UPDATES = 250  # CleanRL's 1,000 steps


class Replay:
    """A replay that stores both observations of each transition in full."""

    def __init__(self, shape, dtype):
        self.before = np.empty((CAPACITY, *shape), dtype)
        self.after = np.empty((CAPACITY, *shape), dtype)
        self.rest = np.empty((CAPACITY, 3), np.float32)  # action, reward, end
        self.inserted = 0

    def insert(self, before, after, actions, rewards, ends):
        places = (self.inserted + np.arange(len(actions))) % CAPACITY
        self.before[places] = before
        self.after[places] = after
        self.rest[places] = np.stack([actions, rewards, ends], 1)
        self.inserted += len(actions)

    def sample(self, batch):
        drawn = np.random.randint(0, min(self.inserted, CAPACITY), batch)
        return self.before[drawn], self.after[drawn], torch.from_numpy(self.rest[drawn])


def main():
    args = options()
    torch.set_num_threads(args.threads)
    env = envpool_atari(args.game, args.envs, args.threads)
    actions = env.action_space.n
    body, width = torso(args.net)
    network = nn.Sequential(body, nn.Linear(width, actions))
    target = copy.deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-4)
    replay = Replay(env.observation_space.shape, np.uint8)

    def values(net, observations):
        return net(torch.from_numpy(observations).float() / 255)

    def update():
        before, after, rest = replay.sample(args.batch)
        with torch.no_grad():
            best = values(target, after).max(1).values
            wanted = rest[:, 1] + 0.99 * best * (1 - rest[:, 2])
        taken = values(network, before).gather(1, rest[:, :1].long()).squeeze(1)
        loss = functional.mse_loss(taken, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    report = Report()
    steps = updates = 0
    observations = env.reset()[0]
    while True:
        with torch.no_grad():
            greedy = values(network, observations).argmax(1).numpy()
        blind = np.random.random(args.envs) < 0.05
        chosen = np.where(blind, np.random.randint(0, actions, args.envs), greedy)
        after, rewards, ends = step(env, chosen)
        replay.insert(observations, after, chosen, rewards, ends)
        observations = after
        steps += args.envs
        while steps >= MIN_FILL and updates * args.batch < steps * args.samples_per_insert:
            update()
            updates += 1
            if updates % TARGET_UPDATES == 0:
                target.load_state_dict(network.state_dict())
        report(steps)


if __name__ == "__main__":
    main()

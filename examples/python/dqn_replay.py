"""DQN in one file with tandem's environments and replay: double Q-learning from n-step returns.

usage: dqn_replay.py [--env cartpole] [--steps 60000]

One thread acts, stores and learns, by turns. Needs torch, and an environment of numbers with
discrete actions.
"""

import argparse
import collections
import copy
import time
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium.spaces import Box, Discrete
from torch import Tensor, nn

import tandem


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add = parser.add_argument
    add("--env", default="cartpole", help="an environment of numbers with discrete actions")
    add("--steps", type=int, default=60_000, help="of all environments together")
    add("--num-envs", type=int, default=8)
    add("--threads", type=int, default=1, help="of the environments, and of torch")
    add("--seed", type=int, default=1)
    add("--capacity", type=int, default=50_000, help="transitions")
    add("--min-fill", type=int, default=1_000, help="transitions before learning begins")
    add("--batch", type=int, default=128)
    add("--updates", type=int, default=1, help="for each step of all environments")
    add("--n-step", type=int, default=3)
    add("--gamma", type=float, default=0.99)
    add("--lr", type=float, default=5e-4)
    add("--target", type=int, default=250, help="updates between two copies of the network")
    add("--epsilon", type=float, default=0.05, help="share of random actions")
    add("--explore", type=float, default=0.2, help="share of the steps in which it falls from 1")
    return parser.parse_args()


def make_network(numbers: int, actions: int) -> nn.Module:
    return nn.Sequential(
        *(nn.Linear(numbers, 128), nn.ReLU()),
        *(nn.Linear(128, 128), nn.ReLU()),
        nn.Linear(128, actions),
    )


class Learner:
    """Double DQN from a prioritized replay."""

    def __init__(self, args: argparse.Namespace, numbers: int, actions: Discrete) -> None:
        self.args = args
        self.first = int(actions.start)  # the action of the network's first output
        self.network = make_network(numbers, int(actions.n))
        self.target = copy.deepcopy(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=args.lr)
        self.updates = 0

    def update(self, replay: tandem.Replay) -> None:
        batch = replay.sample(self.args.batch)
        observations = torch.from_numpy(batch.observations)
        later = torch.from_numpy(batch.next_observations)
        with torch.no_grad():
            best = self.network(later).argmax(1, keepdim=True)
            values = self.target(later).gather(1, best).squeeze(1)
            targets = torch.from_numpy(batch.returns) + torch.from_numpy(batch.discounts) * values
        outputs = torch.from_numpy(batch.actions - self.first).unsqueeze(1)
        errors = targets - self.network(observations).gather(1, outputs).squeeze(1)
        losses = nn.functional.huber_loss(errors, torch.zeros_like(errors), reduction="none")
        loss = (torch.from_numpy(batch.weights) * losses).mean()
        self.optimizer.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self.network.parameters(), 10.0)
        self.optimizer.step()
        replay.update(batch.keys, errors.detach().abs())
        self.updates += 1
        if self.updates % self.args.target == 0:
            self.target.load_state_dict(self.network.state_dict())


def choose(
    values: Tensor, epsilon: float, random: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Epsilon-greedy outputs of the network, and their values."""
    rows, outputs = values.shape
    greedy = values.argmax(1).numpy()
    explores = random.random(rows) < epsilon
    taken = np.where(explores, random.integers(0, outputs, rows), greedy)
    return taken, values.numpy()[np.arange(rows), taken]


def main() -> None:
    args = arguments()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    random = np.random.default_rng(args.seed)
    envs = tandem.make_vec(args.env, args.num_envs, args.threads, seed=args.seed)
    shown, taken = envs.single_observation_space, envs.single_action_space
    assert isinstance(shown, Box) and isinstance(taken, Discrete) and len(shown.shape) == 1
    learner = Learner(args, shown.shape[0], taken)
    returns: collections.deque[float] = collections.deque(maxlen=100)
    replay = tandem.Replay(
        args.capacity,
        shown,
        taken,
        args.num_envs,
        n_step=args.n_step,
        gamma=args.gamma,
        segment=10,
        seed=args.seed,
    )
    with replay:
        observations, _ = envs.reset()
        begin, steps = time.perf_counter(), 0
        while steps < args.steps:
            share = min(1.0, steps / max(1.0, args.explore * args.steps))
            with torch.no_grad():
                values = learner.network(torch.from_numpy(observations))
            outputs, action_values = choose(values, 1 - share * (1 - args.epsilon), random)
            actions = learner.first + outputs
            step = envs.step(actions)
            # The actor's own values give first priorities, as in Ape-X.
            replay.add(
                observations,
                actions,
                *step,
                action_values=action_values,
                state_values=values.amax(1),
            )
            observations, infos = step[0], step[4]
            if "game" in infos:
                returns.extend(infos["game"]["r"][infos["_game"]])
            if len(replay) >= args.min_fill:
                for _ in range(args.updates):
                    learner.update(replay)
            steps += args.num_envs
            if steps % (500 * args.num_envs) == 0 or steps >= args.steps:
                seconds = time.perf_counter() - begin
                mean = float(np.mean(returns)) if returns else float("nan")
                print(
                    f"{steps:,} steps, {seconds:.2f} s, {steps / seconds:,.0f} steps/s, "
                    f"mean return {mean:.1f}",
                    flush=True,
                )
    envs.close()


if __name__ == "__main__":
    main()

"""PPO in one file and one process, in the manner of CleanRL, on tandem's or EnvPool's environments.

usage: ppo_cleanrl_style.py [--envs tandem|envpool] [--env Pong|CartPole] [--steps 10000000]

`--env` is a game of Atari, or CartPole. Needs torch, and EnvPool for its environments.
"""

import argparse
import collections
import os
import time
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

Array: TypeAlias = npt.NDArray[Any]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    cores = len(os.sched_getaffinity(0))
    add = parser.add_argument
    add("--envs", choices=["tandem", "envpool"], default="tandem", help="whose environments")
    add("--env", default="Pong", help="a game of Atari, or CartPole")
    add("--steps", type=int, default=10_000_000, help="of all environments together")
    add("--num-envs", type=int, default=8)
    add("--rollout", type=int, default=128, help="steps of each environment for an update")
    add("--threads", type=int, default=cores, help="of the environments, and of torch")
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    add("--seed", type=int, default=1)
    add("--lr", type=float, default=2.5e-4, help="falls to 0 over the run")
    add("--gamma", type=float, default=0.99)
    add("--gae-lambda", type=float, default=0.95)
    add("--epochs", type=int, default=4)
    add("--minibatches", type=int, default=4)
    add("--clip", type=float, help="default: 0.1 for Atari, 0.2 for CartPole")
    add("--entropy", type=float, default=0.01)
    add("--value-loss", type=float, default=0.5)
    add("--max-norm", type=float, default=0.5)
    args = parser.parse_args()
    args.atari = args.env != "CartPole"
    args.clip = args.clip or (0.1 if args.atari else 0.2)
    return args


def make_envs(args: argparse.Namespace) -> tuple[Any, tuple[int, ...], int]:
    """The environments, the shape of an observation, and the number of actions.

    Both kinds reset an environment in the step after its last, whose action they ignore.
    """
    if args.envs == "tandem":
        import tandem

        options: dict[str, Any] = {"stack": 4, "noop_max": 30, "fire_reset": True}
        envs: Any = tandem.make_vec(
            f"atari:{args.env}" if args.atari else "cartpole",
            args.num_envs,
            args.threads,
            seed=args.seed,
            **(options if args.atari else {}),
        )
        return envs, envs.single_observation_space.shape, int(envs.single_action_space.n)
    import envpool

    pool = envpool.make(
        f"{args.env}-v5" if args.atari else "CartPole-v1",
        env_type="gymnasium",
        num_envs=args.num_envs,
        num_threads=args.threads,
        seed=args.seed,
    )
    return pool, pool.observation_space.shape, int(pool.action_space.n)


def layer(module: nn.Linear | nn.Conv2d, gain: float = 2**0.5) -> nn.Linear | nn.Conv2d:
    """The layer with orthogonal weights and no bias."""
    nn.init.orthogonal_(module.weight, gain)
    assert module.bias is not None
    nn.init.zeros_(module.bias)
    return module


class Agent(nn.Module):
    """A policy and a value: of pictures on one torso, of numbers by two networks."""

    def __init__(self, shape: tuple[int, ...], actions: int) -> None:
        super().__init__()
        self.pictures = len(shape) == 3
        width = 512 if self.pictures else 64
        self.torsos = nn.ModuleList(
            [self.convolutions(shape[0])] if self.pictures else [self.dense(shape[0]) for _ in "pv"]
        )
        self.policy = layer(nn.Linear(width, actions), 0.01)
        self.value = layer(nn.Linear(width, 1), 1.0)

    @staticmethod
    def convolutions(planes: int) -> nn.Module:
        return nn.Sequential(
            *(layer(nn.Conv2d(planes, 32, 8, 4)), nn.ReLU()),
            *(layer(nn.Conv2d(32, 64, 4, 2)), nn.ReLU()),
            *(layer(nn.Conv2d(64, 64, 3, 1)), nn.ReLU(), nn.Flatten()),
            *(layer(nn.Linear(64 * 7 * 7, 512)), nn.ReLU()),
        )

    @staticmethod
    def dense(numbers: int) -> nn.Module:
        first, second = layer(nn.Linear(numbers, 64)), layer(nn.Linear(64, 64))
        return nn.Sequential(first, nn.Tanh(), second, nn.Tanh())

    def forward(self, observations: Tensor) -> tuple[Categorical, Tensor]:
        inputs = observations.float() / 255 if self.pictures else observations
        features = [torso(inputs) for torso in self.torsos]
        policy = Categorical(logits=self.policy(features[0]), validate_args=False)
        return policy, self.value(features[-1]).squeeze(-1)


class Rollout:
    """The steps of all environments for one update, [rollout, num_envs]."""

    def __init__(self, args: argparse.Namespace, shape: tuple[int, ...], observation: Tensor):
        size, device = (args.rollout, args.num_envs), args.device
        self.observations = torch.zeros((*size, *shape), dtype=observation.dtype, device=device)
        self.actions = torch.zeros(size, dtype=torch.int64, device=device)
        self.log_probs = torch.zeros(size, device=device)
        self.values = torch.zeros((args.rollout + 1, args.num_envs), device=device)
        self.rewards = torch.zeros(size, device=device)
        self.terminated = torch.zeros(size, device=device)
        self.ended = torch.zeros(size, device=device)
        # Steps that only reset their environment teach nothing.
        self.resets = torch.zeros(size, dtype=torch.bool, device=device)

    def advantages(self, gamma: float, gae_lambda: float) -> Tensor:
        """Generalised advantage estimates.

        The value after a step is that of the observation it returned, a truncated episode's last
        one included; after a termination it is 0.
        """
        found = torch.zeros_like(self.rewards)
        later = torch.zeros_like(self.rewards[0])
        for t in reversed(range(len(found))):
            future = self.values[t + 1] * (1 - self.terminated[t])
            surprise = self.rewards[t] + gamma * future - self.values[t]
            later = surprise + gamma * gae_lambda * (1 - self.ended[t]) * later
            found[t] = later
        return found


class Games:
    """The sums of raw rewards of the newest 100 games."""

    def __init__(self, num_envs: int) -> None:
        self.sums = np.zeros(num_envs)
        self.returns: collections.deque[float] = collections.deque(maxlen=100)

    def add(self, rewards: Array, ended: Array) -> None:
        self.sums += rewards
        for i in np.flatnonzero(ended):
            self.returns.append(self.sums[i])
            self.sums[i] = 0

    def mean(self) -> float:
        return float(np.mean(self.returns)) if self.returns else float("nan")


def update(
    agent: Agent, optimizer: torch.optim.Optimizer, rollout: Rollout, args: argparse.Namespace
) -> None:
    """Some epochs of PPO's clipped loss over the rollout in minibatches."""
    advantages = rollout.advantages(args.gamma, args.gae_lambda)
    old_values = rollout.values[:-1].flatten()
    returns = advantages.flatten() + old_values
    advantages, observations = advantages.flatten(), rollout.observations.flatten(0, 1)
    actions, old_log_probs = rollout.actions.flatten(), rollout.log_probs.flatten()
    usable = (~rollout.resets.flatten()).nonzero().squeeze(1)
    for _ in range(args.epochs):
        order = usable[torch.randperm(len(usable), device=usable.device)]
        for batch in order.tensor_split(args.minibatches):
            policy, values = agent(observations[batch])
            ratio = (policy.log_prob(actions[batch]) - old_log_probs[batch]).exp()
            gain = advantages[batch]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.min(gain * ratio, gain * clipped).mean()

            moved = (values - old_values[batch]).clamp(-args.clip, args.clip)
            errors = (values - returns[batch]).square()
            clipped_errors = (old_values[batch] + moved - returns[batch]).square()
            value_loss = 0.5 * torch.max(errors, clipped_errors).mean()

            entropy = policy.entropy().mean()
            loss = policy_loss + args.value_loss * value_loss - args.entropy * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), args.max_norm)
            optimizer.step()


def main() -> None:
    args = arguments()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    envs, shape, num_actions = make_envs(args)
    agent = Agent(shape, num_actions).to(args.device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.lr, eps=1e-5)

    def as_tensor(array: Array) -> Tensor:
        return torch.from_numpy(array).to(args.device)

    observation = as_tensor(envs.reset()[0])
    ended = np.zeros(args.num_envs, dtype=np.bool_)
    rollout, games = Rollout(args, shape, observation), Games(args.num_envs)
    steps, begin = 0, time.perf_counter()
    while steps < args.steps:
        optimizer.param_groups[0]["lr"] = args.lr * (1 - steps / args.steps)
        for t in range(args.rollout):
            with torch.no_grad():
                policy, rollout.values[t] = agent(observation)
                action = policy.sample()
                rollout.log_probs[t] = policy.log_prob(action)
            rollout.observations[t], rollout.actions[t] = observation, action
            rollout.resets[t] = as_tensor(ended)
            numbers = action.cpu().numpy().astype(np.int32)
            after, rewards, terminated, truncated, _ = envs.step(numbers)
            observation, ended = as_tensor(after), terminated | truncated
            games.add(rewards, ended)
            # Rewards of Atari's games are clipped, so that one learning rate suits all of them.
            rollout.rewards[t] = as_tensor(np.sign(rewards) if args.atari else rewards)
            rollout.terminated[t], rollout.ended[t] = as_tensor(terminated), as_tensor(ended)
        with torch.no_grad():
            _, rollout.values[-1] = agent(observation)
        update(agent, optimizer, rollout, args)
        steps += args.rollout * args.num_envs
        seconds = time.perf_counter() - begin
        print(
            f"{steps:,} steps, {seconds:.2f} s, {steps / seconds:,.0f} steps/s, "
            f"mean return {games.mean():.1f}",
            flush=True,
        )
    envs.close()


if __name__ == "__main__":
    main()

"""Stable-Baselines3's PPO on tandem's or EnvPool's environments.

usage: sb3_ppo.py [--envs tandem|envpool] [--env Pong|CartPole] [--steps 10000000] [--save FILE]

`--env` is a game of Atari, or CartPole. Needs stable-baselines3, and EnvPool for its environments.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

Array: TypeAlias = npt.NDArray[Any]
Indices: TypeAlias = int | Iterable[int] | None
Step: TypeAlias = tuple[Array, Array, Array, list[dict[str, Any]]]


def tandem_envs(args: argparse.Namespace) -> VecEnv:
    from tandem.sb3 import TandemVecEnv

    if args.env == "CartPole":
        return TandemVecEnv("cartpole", args.num_envs, args.threads)
    return TandemVecEnv(
        f"atari:{args.env}", args.num_envs, args.threads, stack=4, noop_max=30, fire_reset=True
    )


class EnvPoolVecEnv(VecEnv):
    """EnvPool's environments as Stable-Baselines3 wants them.

    By itself EnvPool resets an environment in the step after its last. Stable-Baselines3 expects
    the first observation of the next episode with the last step, so this class resets at once.
    """

    def __init__(self, env_id: str, num_envs: int, threads: int, seed: int) -> None:
        import envpool

        self.pool = envpool.make(
            env_id, env_type="gymnasium", num_envs=num_envs, num_threads=threads, seed=seed
        )
        self.sums, self.steps = np.zeros(num_envs), np.zeros(num_envs, dtype=np.int64)
        self.begin = time.perf_counter()
        super().__init__(num_envs, self.pool.observation_space, self.pool.action_space)

    def reset(self) -> Array:
        observations: Array = self.pool.reset()[0]
        return observations

    def step_async(self, actions: Array) -> None:
        self.actions = actions.astype(np.int32)

    def step_wait(self) -> Step:
        observations, rewards, terminated, truncated, _ = self.pool.step(self.actions)
        ends = terminated | truncated
        self.sums += rewards
        self.steps += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(ends).astype(np.int32)
        for i in ended:
            infos[i]["terminal_observation"] = observations[i].copy()
            infos[i]["TimeLimit.truncated"] = bool(truncated[i] and not terminated[i])
            seconds = time.perf_counter() - self.begin
            infos[i]["episode"] = {"r": self.sums[i], "l": int(self.steps[i]), "t": seconds}
            self.sums[i], self.steps[i] = 0, 0
        if len(ended):
            first, reset_infos = self.pool.reset(ended)
            observations[reset_infos["env_id"]] = first
        return observations, rewards, ends, infos

    def close(self) -> None:
        self.pool.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        if attr_name != "render_mode":
            raise AttributeError(attr_name)
        return [None for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        raise AttributeError(attr_name)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        raise AttributeError(method_name)

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]


def envpool_envs(args: argparse.Namespace) -> VecEnv:
    env_id = "CartPole-v1" if args.env == "CartPole" else f"{args.env}-v5"
    return EnvPoolVecEnv(env_id, args.num_envs, args.threads, args.seed)


class ClippedRewards(VecEnvWrapper):
    """Rewards become their signs, so that one learning rate suits all games."""

    def reset(self) -> Any:
        return self.venv.reset()

    def step_wait(self) -> Any:
        observations, rewards, ends, infos = self.venv.step_wait()
        return observations, np.sign(rewards), ends, infos


class Progress(BaseCallback):
    """Prints a line after each rollout."""

    def _on_training_start(self) -> None:
        self.begin = time.perf_counter()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        seconds = time.perf_counter() - self.begin
        games: list[dict[str, Any]] = list(self.model.ep_info_buffer or [])
        mean = np.mean([game["r"] for game in games]) if games else float("nan")
        print(
            f"{self.num_timesteps:,} steps, {seconds:.2f} s, "
            f"{self.num_timesteps / seconds:,.0f} steps/s, mean return {mean:.1f}",
            flush=True,
        )


def falling(start: float) -> Callable[[float], float]:
    """A schedule from `start` to 0."""
    return lambda left: start * left


def make_agent(envs: VecEnv, args: argparse.Namespace) -> PPO:
    """The settings of PPO for Atari, or those for small tasks."""
    if args.env == "CartPole":
        settings: dict[str, Any] = {"n_steps": 32, "batch_size": 256, "n_epochs": 20}
        settings |= {"gae_lambda": 0.8, "gamma": 0.98, "learning_rate": falling(1e-3)}
        settings |= {"clip_range": falling(0.2)}
        return PPO("MlpPolicy", envs, seed=args.seed, device="cpu", **settings)
    settings = {"n_steps": 128, "batch_size": 256, "n_epochs": 4, "vf_coef": 0.5, "ent_coef": 0.01}
    settings |= {"learning_rate": falling(2.5e-4), "clip_range": falling(0.1)}
    return PPO("CnnPolicy", ClippedRewards(envs), seed=args.seed, device=args.device, **settings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    cores = len(os.sched_getaffinity(0))
    parser.add_argument(
        "--envs", choices=["tandem", "envpool"], default="tandem", help="whose environments"
    )
    parser.add_argument("--env", default="Pong", help="a game of Atari, or CartPole")
    parser.add_argument("--steps", type=int, default=10_000_000)
    parser.add_argument("--num-envs", type=int, default=8)
    parser.add_argument(
        "--threads", type=int, default=cores, help="of the environments, and of torch"
    )
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", help="a file for the trained agent")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    envs = tandem_envs(args) if args.envs == "tandem" else envpool_envs(args)
    agent = make_agent(envs, args)
    agent.learn(args.steps, callback=Progress())
    if args.save:
        agent.save(args.save)
    envs.close()


if __name__ == "__main__":
    main()

"""Stable-Baselines3's A2C or PPO over EnvPool, with the numbers of its zoo for Atari."""

import sys

import torch
from sb3_a2c import EnvPoolVecEnv
from score import Games, ScoreReport, begin_episodes, options
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.sb2_compat.rmsprop_tf_like import RMSpropTFLike


class GamesVecEnv(EnvPoolVecEnv):
    """Whole games are scored while lives end episodes."""

    def __init__(self, games, count):
        self.games = games
        super().__init__(games.env, count)

    def reset(self):
        return self.games.reset()

    def step_wait(self):
        observations, rewards, ends = self.games.step(self.actions)
        infos = [{} for _ in range(self.num_envs)]
        for i in ends.nonzero()[0]:
            infos[i]["terminal_observation"] = observations[i].copy()
        begin_episodes(self.games.env, ends, observations)
        return observations, rewards, ends, infos


class ReportScores(BaseCallback):
    def __init__(self, report):
        super().__init__()
        self.report = report

    def _on_step(self):
        self.report(self.num_timesteps)
        return True


def make_a2c(games, seed):
    policy = {"optimizer_class": RMSpropTFLike, "optimizer_kwargs": {"eps": 1e-5}}
    return A2C(
        "CnnPolicy",
        GamesVecEnv(games, 16),
        ent_coef=0.01,
        vf_coef=0.25,
        policy_kwargs=policy,
        device="cpu",
        seed=seed,
    )


def make_ppo(games, seed):
    return PPO(
        "CnnPolicy",
        GamesVecEnv(games, 8),
        n_steps=128,
        n_epochs=4,
        batch_size=256,
        learning_rate=lambda left: 2.5e-4 * left,
        clip_range=lambda left: 0.1 * left,
        vf_coef=0.5,
        ent_coef=0.01,
        device="cpu",
        seed=seed,
    )


def main():
    algo = sys.argv.pop(1)
    args = options()
    torch.set_num_threads(args.threads)
    report = ScoreReport(args.goal)
    make, count = {"a2c": (make_a2c, 16), "ppo": (make_ppo, 8)}[algo]
    games = Games(args.game, count, args.threads, args.seed, report)
    make(games, args.seed).learn(args.steps, callback=ReportScores(report))


if __name__ == "__main__":
    main()

"""Stable-Baselines3's DQN over EnvPool."""

import torch
from sb3_a2c import EnvPoolVecEnv, Features, ReportSteps
from slot import envpool_atari, options
from stable_baselines3 import DQN


def main():
    args = options()
    torch.set_num_threads(args.threads)
    env = EnvPoolVecEnv(envpool_atari(args.game, args.envs, args.threads), args.envs)
    policy = {
        "features_extractor_class": Features,
        "features_extractor_kwargs": {"net": args.net},
        "net_arch": [],  # the values of actions directly on the features
    }
    agent = DQN(
        "CnnPolicy",
        env,
        buffer_size=20_000,  # its default needs too much memory; a larger one is no faster
        optimize_memory_usage=False,
        learning_starts=1_000,
        batch_size=args.batch,
        train_freq=1,  # a step of all environments
        gradient_steps=max(1, args.envs * args.samples_per_insert // args.batch),
        target_update_interval=1_000,  # steps, as in CleanRL's DQN
        exploration_initial_eps=0.05,  # of a run that goes on for long; a network acts, too
        policy_kwargs=policy,
        device="cpu",
    )
    agent.learn(10**12, callback=ReportSteps())


if __name__ == "__main__":
    main()

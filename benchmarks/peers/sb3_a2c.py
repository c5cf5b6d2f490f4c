"""Stable-Baselines3's A2C over EnvPool."""

import torch
from slot import Report, envpool_atari, options, step, torso
from stable_baselines3 import A2C
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv


class Features(BaseFeaturesExtractor):
    """Our networks, so that all contenders compute the same; inputs come divided by 255."""

    def __init__(self, space, net):
        body, width = torso(net)
        super().__init__(space, width)
        self.body = body

    def forward(self, observations):
        return self.body(observations)


class EnvPoolVecEnv(VecEnv):
    """EnvPool's environments as Stable-Baselines3 wants them."""

    def __init__(self, env, count):
        self.env = env
        super().__init__(count, env.observation_space, env.action_space)

    def reset(self):
        return self.env.reset()[0]

    def step_async(self, actions):
        self.actions = actions

    def step_wait(self):
        observations, rewards, ends = step(self.env, self.actions)
        infos = [{} for _ in range(self.num_envs)]
        for i in ends.nonzero()[0]:
            infos[i]["terminal_observation"] = observations[i]
        return observations, rewards, ends, infos

    def close(self):
        self.env.close()

    def env_is_wrapped(self, wrapper_class, indices=None):
        return [False] * self.num_envs

    def get_attr(self, attr_name, indices=None):
        return [None] * self.num_envs

    def set_attr(self, attr_name, value, indices=None):
        pass

    def env_method(self, method_name, *args, indices=None, **kwargs):
        pass


class ReportSteps(BaseCallback):
    def __init__(self):
        super().__init__()
        self.report = Report()

    def _on_step(self):
        self.report(self.num_timesteps)
        return True


def main():
    args = options()
    torch.set_num_threads(args.threads)
    env = EnvPoolVecEnv(envpool_atari(args.game, args.envs, args.threads), args.envs)
    policy = {
        "features_extractor_class": Features,
        "features_extractor_kwargs": {"net": args.net},
        "net_arch": [],  # heads directly on the features
    }
    agent = A2C(
        "CnnPolicy",
        env,
        n_steps=args.steps,
        ent_coef=0.01,
        vf_coef=0.25,
        policy_kwargs=policy,
        device="cpu",
    )
    agent.learn(10**12, callback=ReportSteps())


if __name__ == "__main__":
    main()

"""A vector environment of random frames and ends, and the transitions that NumPy makes of it."""

import numpy as np
from gymnasium.spaces import Box


class Play:
    """Steps of several environments as Gymnasium returns them, with what happened in each.

    Every frame has a number of its own. Episodes begin with a whole stack of frames, of which some
    are the same.
    """

    def __init__(self, num_envs, stack, mode, seed):
        self.random = np.random.default_rng(seed)
        self.num_envs, self.stack, self.mode = num_envs, stack, mode
        self.frames = 0
        self.observation_space = Box(-np.inf, np.inf, (stack, 2), np.float32)
        # Of each environment a list of episodes; each has states, actions, rewards and its end.
        self.played = [[] for _ in range(num_envs)]

    def frame(self):
        self.frames += 1
        return np.float32([self.frames, -self.frames])

    def begin(self, env):
        first = self.frame()
        padding = np.zeros_like(first) if self.random.random() < 0.5 else first
        state = np.stack([padding] * (self.stack - 1) + [first])
        if self.random.random() < 0.3:  # an environment may also begin with several frames
            state = np.stack([self.frame() for _ in range(self.stack)])
        self.played[env].append({"states": [state], "actions": [], "rewards": [], "end": "cut"})
        return state

    def act(self, env, action):
        """One step of an environment: the next state, the reward, and its ends."""
        episode = self.played[env][-1]
        state = np.concatenate([episode["states"][-1][1:], self.frame()[None]])
        reward = float(self.random.normal())
        terminated, truncated = self.random.random(2) < 0.12
        episode["states"].append(state)
        episode["actions"].append(action)
        episode["rewards"].append(reward)
        if terminated or truncated:
            episode["end"] = "terminated" if terminated else "truncated"
        return state, reward, terminated, truncated

    def steps(self, count):
        """Yields observations, actions, and what a step of them returns."""
        observations = np.stack([self.begin(env) for env in range(self.num_envs)])
        ended = np.zeros(self.num_envs, bool)
        for _ in range(count):
            actions = self.random.integers(-1, 4, self.num_envs)
            final = np.full(self.num_envs, None, object)
            later, rewards = np.empty_like(observations), np.zeros(self.num_envs)
            terminated, truncated = (np.zeros(self.num_envs, bool) for _ in range(2))
            for env in range(self.num_envs):
                if ended[env] and self.mode == "next_step":
                    later[env] = self.begin(env)
                    continue
                state, rewards[env], terminated[env], truncated[env] = self.act(env, actions[env])
                later[env] = state
                if self.mode == "same_step" and (terminated[env] or truncated[env]):
                    final[env] = state
                    later[env] = self.begin(env)
            ended = terminated | truncated
            infos = {"final_obs": final, "_final_obs": ended} if self.mode == "same_step" else {}
            yield observations, actions, (later, rewards, terminated, truncated, infos)
            observations = later.copy()
            if self.mode == "disabled":
                for env in np.flatnonzero(ended):
                    observations[env] = self.begin(env)

    def episodes(self):
        return [episode for played in self.played for episode in played]


def reference(episodes, n, gamma):
    """The n-step transitions of episodes, each computed from its definition."""
    names = ("observations", "actions", "returns", "discounts", "next_observations")
    found = {name: [] for name in names}
    for episode in episodes:
        states, rewards = episode["states"], episode["rewards"]
        for t in range(len(rewards)):
            last = min(t + n, len(rewards))
            ends = episode["end"] == "terminated" and last == len(rewards)
            found["observations"].append(states[t])
            found["actions"].append(episode["actions"][t])
            found["returns"].append(sum(gamma**i * r for i, r in enumerate(rewards[t:last])))
            found["discounts"].append(0 if ends else gamma ** (last - t))
            found["next_observations"].append(states[last])
    return {name: np.array(rows) for name, rows in found.items()}

"""Plays CartPole with a rule of one line, in many environments at once.

usage: typed.py [ENV_ID]
"""

import sys

import numpy as np
import numpy.typing as npt

import tandem


def choose(observations: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """Pushes the cart to the side to which its pole falls."""
    angle, velocity = observations[:, 2], observations[:, 3]
    return (angle + velocity > 0).astype(np.int64)


def mean_return(env_id: str, games: int) -> float:
    """The mean sum of rewards of this many games of each environment: the first games to end would
    be the short ones.
    """
    envs = tandem.make_vec(env_id, num_envs=16)
    returns: list[list[float]] = [[] for _ in range(envs.num_envs)]
    observations, _ = envs.reset(seed=1)
    while min(map(len, returns)) < games:
        observations, _, _, _, infos = envs.step(choose(observations))
        for i in np.flatnonzero(infos.get("_game", [])):
            returns[i].append(infos["game"]["r"][i])
    envs.close()
    return float(np.mean([own[:games] for own in returns]))


if __name__ == "__main__":
    name = sys.argv[1] if len(sys.argv) > 1 else "cartpole"
    print(f"{name}: {mean_return(name, games=3):.1f}")

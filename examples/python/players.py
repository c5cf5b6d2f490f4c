"""Trains one agent for all three players of Catch, and lets it play behind PettingZoo's interface.

usage: players.py [RUN_DIR]

Needs PettingZoo: pip install 'tandem-rl[pettingzoo]'
"""

import sys

import numpy as np

import tandem


def train(run_dir: str) -> tandem.Agent:
    """Trains with each player as a row of its own."""
    env = {"id": "catch", "players": 3}
    return tandem.train("paac", env=env, steps="400k", run_dir=run_dir).agent()


def play(agent: tandem.Agent, games: int) -> float:
    """The mean return of a player over this many games."""
    env = tandem.make_parallel(agent.env, **agent.env_options)
    returns: list[float] = []
    for game in range(games):
        observations, infos = env.reset(seed=game)
        while env.agents:
            rows = np.stack([observations[name] for name in env.agents])
            chosen, _ = agent.act(rows, deterministic=True)
            actions = dict(zip(env.agents, chosen, strict=True))
            observations, rewards, terminations, truncations, infos = env.step(actions)
        returns += [info["game"]["r"] for info in infos.values()]
    env.close()
    return float(np.mean(returns))


if __name__ == "__main__":
    folder = sys.argv[1] if len(sys.argv) > 1 else "runs/players"
    print(f"a player's mean return: {play(train(folder), games=50):.2f}")

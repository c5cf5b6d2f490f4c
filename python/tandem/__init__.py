"""Reinforcement-learning environments, stepped by the threads of tandem, and trained agents.

`make_vec` makes many environments behind Gymnasium's `VectorEnv`, `make` makes one behind
Gymnasium's `Env`, and `environments` lists the ids that they take. The import registers all of them
with Gymnasium, so that `gymnasium.make_vec("tandem/Pong-v0", num_envs=32)` works, too. `Agent.load`
loads the agent of a run.
"""

from tandem._core import Error, __version__
from tandem.agent import Agent, Evaluation, Heads, Recording
from tandem.errors import ClosedEnvironmentError
from tandem.registration import environments, gymnasium_id, register
from tandem.single_env import Env, make
from tandem.vector_env import VectorEnv, make_vec

__all__ = [
    "Agent",
    "ClosedEnvironmentError",
    "Env",
    "Error",
    "Evaluation",
    "Heads",
    "Recording",
    "VectorEnv",
    "__version__",
    "environments",
    "gymnasium_id",
    "make",
    "make_vec",
]

register()

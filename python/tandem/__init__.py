"""Environments stepped by the threads of tandem, trained agents, and a replay.

`make_vec` makes many environments behind Gymnasium's `VectorEnv`, `make` makes one behind
Gymnasium's `Env`, and `environments` lists the ids that they take. The import registers all of them
with Gymnasium, so that `gymnasium.make_vec("tandem/Pong-v0", num_envs=32)` works, too. `Agent.load`
loads the agent of a run. `Replay` is Ape-X's replay memory for a learner in Python.
"""

from tandem._core import Error, __version__
from tandem.agent import Agent, Evaluation, Heads, Recording
from tandem.errors import ClosedEnvironmentError, ReplayClosedError, ReplayTimeoutError
from tandem.registration import environments, gymnasium_id, register
from tandem.replay import Batch, Replay, ReplayState, Writer
from tandem.single_env import Env, make
from tandem.vector_env import VectorEnv, make_vec

__all__ = [
    "Agent",
    "Batch",
    "ClosedEnvironmentError",
    "Env",
    "Error",
    "Evaluation",
    "Heads",
    "Recording",
    "Replay",
    "ReplayClosedError",
    "ReplayState",
    "ReplayTimeoutError",
    "VectorEnv",
    "Writer",
    "__version__",
    "environments",
    "gymnasium_id",
    "make",
    "make_vec",
]

register()

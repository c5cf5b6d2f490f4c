"""Parallel deep reinforcement learning, and environments that many threads step.

`train` trains an agent to the end, and `Training` is a training to iterate over. `Agent.load` loads
the agent of a run. `make_vec` makes many environments behind Gymnasium's `VectorEnv`, `make` makes
one behind Gymnasium's `Env`, `make_parallel` makes one of several agents behind PettingZoo's
`ParallelEnv`, and `environments` lists the ids that they take. The import registers all of them
with Gymnasium, so that `gymnasium.make_vec("tandem/Pong-v0", num_envs=32)` works, too.
`Replay` is Ape-X's replay memory for a learner in Python.
"""

from tandem._core import __version__
from tandem.agent import Agent, Evaluation, Heads, Recording
from tandem.errors import (
    ClosedEnvironmentError,
    Diverged,
    Error,
    ReplayClosedError,
    ReplayTimeoutError,
)
from tandem.parallel import make_parallel
from tandem.registration import environments, gymnasium_id, register
from tandem.replay import Batch, Replay, ReplayState, Writer
from tandem.single_env import Env, make
from tandem.training import Run, Training, train
from tandem.vector_env import VectorEnv, make_vec

__all__ = [
    "Agent",
    "Batch",
    "ClosedEnvironmentError",
    "Diverged",
    "Env",
    "Error",
    "Evaluation",
    "Heads",
    "Recording",
    "Replay",
    "ReplayClosedError",
    "ReplayState",
    "ReplayTimeoutError",
    "Run",
    "Training",
    "VectorEnv",
    "Writer",
    "__version__",
    "environments",
    "gymnasium_id",
    "make",
    "make_parallel",
    "make_vec",
    "train",
]

register()

"""The card of a model hub's folder, README.md."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tandem_export.network import Agent
from tandem_export.torch_file import MEANINGS


@dataclass(frozen=True)
class Games:
    """The result of an evaluation."""

    episodes: int
    mean: float
    std: float
    greedy: bool
    seed: int

    @property
    def reward(self) -> str:
        """The mean and deviation, as hubs read them."""
        return f"{self.mean:.2f} +/- {self.std:.2f}"


def as_games(result: Mapping[str, Any]) -> Games:
    """The games of `tandem eval --json`."""
    std = result["std"]
    return Games(
        episodes=result["episodes"],
        mean=result["mean"],
        std=0.0 if std is None else std,
        greedy=result["greedy"],
        seed=result["seed"],
    )


def _front_matter(agent: Agent, games: Games) -> str:
    """YAML. Texts are quoted as in JSON, which YAML reads, too."""
    env, name = json.dumps(agent.env), json.dumps(agent.system)
    return f"""---
library_name: tandem
tags:
- deep-reinforcement-learning
- reinforcement-learning
- {env}
- {name}
- onnx
model-index:
- name: {name}
  results:
  - task:
      type: reinforcement-learning
      name: reinforcement-learning
    dataset:
      name: {env}
      type: {env}
    metrics:
    - type: mean_reward
      value: {games.reward}
      name: mean_reward
      verified: false
---
"""


def _sight(agent: Agent) -> str:
    """How another program makes the observations."""
    if not agent.env.startswith("atari:"):
        return ""
    return """ Observations of Atari are the frames of Gymnasium's
`AtariPreprocessing`, stacked with the oldest first; config.toml says how many frames a
step has (`frame_skip`). Actions are the game's own, in the order of the Arcade Learning
Environment."""


def _spaces(agent: Agent) -> str:
    """How another program makes actions of the environment's own space, which may have a shape."""
    if not agent.env.startswith("gym:"):
        return ""
    if agent.actions.count:
        return """
The actions of a MultiDiscrete space are numbered: `choices = np.stack(np.unravel_index(actions,
space.nvec.ravel()), -1) + space.start.ravel()`, and a MultiBinary space is like one with a 2 for
each number and no start; `choices.reshape(-1, *space.shape)` has the space's shape."""
    return """
The numbers of an action are a row: `actions.reshape(-1, *space.shape)` has the space's
shape, and a Box of integers takes `np.rint` of it."""


def _use(agent: Agent) -> str:
    shape = ", ".join(str(one) for one in ("batch", *agent.shape))
    recurrent = agent.state_size > 0
    feed = (
        '{"observations": observations, "state": state}'
        if recurrent
        else ('{"observations": observations}')
    )
    outputs = '["action", "new_state"]' if recurrent else '["action"]'
    results = "actions, state" if recurrent else "(actions,)"
    begin = (
        f"state = np.zeros((len(observations), {agent.state_size}), np.float32)  # games begin\n"
        if recurrent
        else ""
    )
    pictures = "torch.from_numpy(observations)"
    torch_words = f"{pictures}, state" if recurrent else pictures
    torch_results = "actions, state" if recurrent else "actions"
    torch_begin = "state = None  # games begin\n" if recurrent else ""
    numpy = "import numpy as np\n" if recurrent else ""
    return f"""## Use

Observations are a {agent.dtype} array [{shape}], as tandem shows the environment: a
picture has its channels first, a Dict is a list of numbers. Scaling is a part of the network.
Discrete actions count from {agent.actions.start}.{_sight(agent)}{_spaces(agent)}

```python
{numpy}import onnxruntime

session = onnxruntime.InferenceSession("model.onnx")
{begin}{results} = session.run({outputs}, {feed})
```

```python
import torch
from model import Network  # needs torch and safetensors

network = Network.load()
{torch_begin}{torch_results} = network.act({torch_words})
```
"""


def _files(video: bool, events: bool) -> str:
    rows = [
        ("config.toml", "every option of the training"),
        ("config.json", "the network and its result, for programs"),
        ("model.safetensors", "the parameters"),
        ("model.py", "the network as a PyTorch module"),
        ("model.onnx", "the network as ONNX, opset 17"),
        ("results.json", "the result of the games"),
    ]
    if video:
        rows.append(("replay.mp4", "a game"))
    if events:
        rows.append(("events.out.tfevents.*", "the curves of the training, for TensorBoard"))
    table = "\n".join(f"| `{name}` | {meaning} |" for name, meaning in rows)
    return f"## Files\n\n| file | |\n|---|---|\n{table}\n"


def card(agent: Agent, games: Games, video: bool, events: bool) -> str:
    """The text of README.md."""
    play = "greedy actions" if games.greedy else "sampled actions"
    actions = (
        f"{agent.actions.count} discrete actions"
        if agent.actions.count
        else f"actions of {len(agent.actions.low)} numbers"
    )
    return f"""{_front_matter(agent, games)}
# {agent.system.upper()} on {agent.env}

An agent that tandem {agent.version} trained with the system
`{agent.system}` and the algorithm `{agent.algorithm}` for {agent.steps:,} steps.

Mean reward of {games.episodes} games with {play} (seed {games.seed}): **{games.reward}**.

The environment has {actions}. The head `policy` has {MEANINGS[agent.policy_head]}.

{_use(agent)}
{_files(video, events)}"""

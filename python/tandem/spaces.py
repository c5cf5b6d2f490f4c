"""Gymnasium's spaces of tandem's environments."""

from typing import Any

import gymnasium
import numpy as np

from tandem._core import Spec


def observation_space(spec: Spec) -> gymnasium.spaces.Box:
    """The space of one observation: bytes from 0 to 255, or floats."""
    if spec.dtype == "uint8":
        return gymnasium.spaces.Box(0, 255, tuple(spec.shape), np.uint8)
    return gymnasium.spaces.Box(-np.inf, np.inf, tuple(spec.shape), np.float32)


def action_space(spec: Spec) -> gymnasium.spaces.Discrete | gymnasium.spaces.Box:
    """The space of one action."""
    if spec.num_actions > 0:
        return gymnasium.spaces.Discrete(spec.num_actions, start=spec.first_action)
    low, high = np.array(spec.action_low, np.float32), np.array(spec.action_high, np.float32)
    return gymnasium.spaces.Box(low, high, dtype=np.float32)


def metadata(spec: Spec) -> dict[str, Any]:
    """Gymnasium's metadata of an environment."""
    return {"render_modes": ["rgb_array"], "render_fps": round(spec.render_fps)}

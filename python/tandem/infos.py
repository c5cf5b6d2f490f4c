"""Gymnasium's infos of vector environments, for what happens now and then."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

# The row of a finished game, the sum of its rewards, and its steps.
Game: TypeAlias = tuple[int, float, int]
Infos: TypeAlias = dict[str, Any]


def of_games(games: Sequence[Game], rows: int) -> Infos:
    """The infos of finished games: {} if there are none.

    `game` has the arrays `r` (the sum of its rewards) and `l` (its steps), and a mask `_game` says
    in which of the rows they are set, as for all infos of Gymnasium.
    """
    if not games:
        return {}
    mask = np.zeros(rows, dtype=np.bool_)
    returns = np.zeros(rows, dtype=np.float64)
    lengths = np.zeros(rows, dtype=np.int64)
    for row, game_return, length in games:
        mask[row] = True
        returns[row] = game_return
        lengths[row] = length
    game = {"r": returns, "_r": mask.copy(), "l": lengths, "_l": mask.copy()}
    return {"game": game, "_game": mask}


def of_ends(
    ended: npt.NDArray[np.bool_],
    games: Sequence[Game],
    final_observation: Callable[[int], npt.NDArray[Any]],
) -> Infos:
    """The infos of episodes that ended, of environments that are reset in the same step."""
    if not ended.any():
        return {}
    final = np.full(len(ended), None, dtype=object)
    for row in np.flatnonzero(ended):
        final[row] = final_observation(int(row))
    return {
        "final_obs": final,
        "_final_obs": ended,
        "final_info": of_games(games, len(ended)),
        "_final_info": ended.copy(),
    }

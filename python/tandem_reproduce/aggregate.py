"""The interquartile mean of a row's scores, and intervals by a bootstrap.

Agarwal et al. 2021, "Deep reinforcement learning at the edge of the statistical precipice",
sections 4.1 and 4.3.
"""

import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass

RESAMPLES = 2_000
TRIMMED = 0.25  # of the scores at each end
TAIL = 0.025  # of the resamples below and above the interval


@dataclass(frozen=True)
class Interval:
    """A value with its 95% interval."""

    value: float
    low: float
    high: float


def interquartile_mean(scores: list[float]) -> float:
    """The mean of the middle half."""
    cut = int(TRIMMED * len(scores))
    return statistics.fmean(sorted(scores)[cut : len(scores) - cut])


def iqm_of(games: list[list[float]]) -> Interval:
    """Over the scores of all runs in all games, of which each has at least one run. The bootstrap
    draws the runs of each game anew. Where no game has two runs, that would draw the same scores
    each time, so the games are drawn instead."""
    everything = [score for runs in games for score in runs]
    alone = all(len(runs) == 1 for runs in games)
    return bootstrapped([everything] if alone else games, interquartile_mean)


def bootstrapped(groups: list[list[float]], statistic: Callable[[list[float]], float]) -> Interval:
    """A statistic of the values of all groups. The bootstrap draws the values of each group apart
    from the others."""
    rng = random.Random(1)
    everything = [value for values in groups for value in values]
    found = sorted(
        statistic([x for values in groups for x in rng.choices(values, k=len(values))])
        for _ in range(RESAMPLES)
    )
    cut = int(TAIL * RESAMPLES)
    return Interval(statistic(everything), found[cut], found[-1 - cut])

"""The interquartile mean of a row's scores, and its interval.

Agarwal et al. 2021, "Deep reinforcement learning at the edge of the statistical precipice",
sections 4.1 and 4.3.
"""

import random
import statistics
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
    rng = random.Random(1)
    everything = [score for runs in games for score in runs]
    drawn = [everything] if all(len(runs) == 1 for runs in games) else games
    means = sorted(
        interquartile_mean([s for runs in drawn for s in rng.choices(runs, k=len(runs))])
        for _ in range(RESAMPLES)
    )
    cut = int(TAIL * RESAMPLES)
    return Interval(interquartile_mean(everything), means[cut], means[-1 - cut])

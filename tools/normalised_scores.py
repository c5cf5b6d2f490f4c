"""Human-normalised scores of several games, and their interquartile mean.

Agarwal et al. 2021, "Deep reinforcement learning at the edge of the statistical precipice": the
interquartile mean of the scores of all runs in all games, with an interval from a bootstrap that
draws the runs of each game anew. compare.py uses this.
"""

from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000  # of the bootstrap, as in HTS-RL's paper
TRIMMED = 0.25  # of the scores at each end


@dataclass
class Estimate:
    """A value with its 95% interval, which is a point if there was only one run."""

    mean: float
    low: float
    high: float

    def text(self, scale=1.0):
        digits = 1 if abs(self.mean / scale) >= 10 else 2
        mean, low, high = (f"{x / scale:.{digits}f}" for x in (self.mean, self.low, self.high))
        return mean if low == high else f"{mean} [{low}, {high}]"


def game_of(env):
    """The name of a game as the table has it: "spaceinvaders" of "atari:SpaceInvaders"."""
    return str(env).split(":")[-1].replace("_", "").lower()


def is_known(env, references):
    """Whether there are scores of random play and of a person. An environment of another family may
    have the name of a game of Atari."""
    return str(env).startswith("atari:") and game_of(env) in references


def normalised(score, env, references):
    """The score with 0 for random play and 1 for a person; None if the game has no references, a
    dictionary from game_of() to the scores of both."""
    if score is None or not is_known(env, references):
        return None
    random, human = references[game_of(env)]
    return (score - random) / (human - random)


def interquartile_mean(scores):
    """The mean of the middle half of the last axis (Agarwal et al., section 4.3)."""
    ordered = np.sort(scores, axis=-1)
    cut = int(TRIMMED * ordered.shape[-1])
    return ordered[..., cut : ordered.shape[-1] - cut].mean(axis=-1)


def bootstrapped(groups, statistic):
    """A statistic of the values of all groups, with its interval. It works along the last axis. The
    bootstrap draws the values of each group apart from the others."""
    rng = np.random.default_rng(1)
    groups = [np.asarray(values, float) for values in groups]
    draws = [values[rng.integers(len(values), size=(RESAMPLES, len(values)))] for values in groups]
    low, high = np.percentile(statistic(np.concatenate(draws, axis=1)), [2.5, 97.5])
    return Estimate(statistic(np.concatenate(groups)), low, high)


def stratified_iqm(games):
    """The interquartile mean of the scores of all games, each a list with a score for each run. The
    bootstrap draws the runs of each game apart from the others (Agarwal et al., section 4.1)."""
    return bootstrapped(games, interquartile_mean)

"""Chooses the games by which compare.py compares runs: of their evaluations, or of training."""

from dataclasses import dataclass

import numpy as np
import plot
from plot import RETURN, Run, refuse

POLICIES = 10  # the last ones, whose games the metrics take
GAMES = 10  # of each of them in the paper


@dataclass
class Games:
    """Runs with the returns to compare them by, and the origin of these in words."""

    runs: list[Run]
    heading: str
    axis: str  # of pictures


def env_of(run):
    return str(run.config.get("env.id", "?"))


def evaluations_of(run):
    file = run.folder / "evaluations.jsonl"
    return plot.read_lines(file) if file.exists() else []


def by_evaluations(run, rows):
    """The run with the mean over its last ten policies in place of its training returns, from the
    tenth evaluation on. The moment of an evaluation is that at which its policy was taken."""
    means = np.array([row["mean"] for row in rows], float)
    running = np.convolve(means, np.full(POLICIES, 1 / POLICIES), mode="valid")
    last = slice(POLICIES - 1, None)
    columns = {
        name: plot.moments_of(run, rows, name)[last] for name in ("steps", "frames", "seconds")
    }
    return Run(run.folder, run.config, {**columns, RETURN: running}, run.diverged)


def training_games(runs, why, measure=RETURN):
    what = "the last 100 games" if measure == RETURN else measure
    heading = (
        f"Training games ({what}), not the metrics of HTS-RL's paper, which are of ten evaluation "
        f"games by each of the last ten policies: {why}"
    )
    return Games(runs, heading, f"training: mean return of {what}")


def conditions(run, start):
    """The settings of the environment on which scores depend, by key."""
    keys = ["env.mode", "env.difficulty", "env.sticky", "env.max_frames", "env.fire_reset"]
    if start == "trained":  # no-op and fixed starts set this themselves
        keys += ["env.noop_max"]
    if run.config.get("env.fire_reset"):  # FIRE begins lives, too, where they end episodes
        keys += ["env.life_loss_terminal"]
    return {key: run.config[key] for key in keys if key in run.config}


def require_same_conditions(runs, start):
    """Refuses runs of one environment whose evaluations began or ended in different ways."""
    first = {}
    for run in runs:
        own = conditions(run, start)
        other = first.setdefault(env_of(run), own)
        for key in own:
            if own[key] != other.get(key):
                refuse(
                    f"the runs were evaluated by different rules ({key} = {other.get(key)} and "
                    f"{own[key]}), so their scores cannot be compared; --training compares their "
                    "training games"
                )


def choose_games(runs, training=False, measure=RETURN):
    """The evaluations of the runs if each has enough of them, else their training games."""
    if measure != RETURN:
        return training_games(runs, f"{measure} was asked for", measure)
    if training:
        return training_games(runs, "--training asked for them")
    rows = [evaluations_of(run) for run in runs]
    for run, own in zip(runs, rows, strict=True):
        if len(own) < POLICIES:
            return training_games(
                runs, f"{run.folder} has {len(own)} evaluations (train with run.evaluate_steps)"
            )
    rules = {(row["protocol"], row["start"]) for own in rows for row in own}
    if len(rules) > 1:
        words = " and ".join(
            f"{actions} actions, start {start}" for actions, start in sorted(rules)
        )
        refuse(
            f"the runs were evaluated by different rules ({words}), so their scores cannot be "
            "compared; --training compares their training games"
        )
    (actions, start) = rules.pop()
    require_same_conditions(runs, start)
    games = sorted({row["episodes"] for own in rows for row in own})
    played = " or ".join(map(str, games))
    paper = "" if games == [GAMES] else f", where the paper plays {GAMES}"
    return Games(
        [by_evaluations(run, own) for run, own in zip(runs, rows, strict=True)],
        f"Evaluation games, {played} by each of the last ten policies{paper} (the metrics of "
        f"HTS-RL's paper, section 5); {actions} actions, start {start}",
        f"mean return of evaluation games, {played} by each of the last ten policies",
    )

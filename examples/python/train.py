"""Trains an agent, saves it when it plays well, and goes on.

usage: train.py [RUN_DIR]
"""

import sys
from typing import Any

import tandem


def train_to_the_end(run_dir: str) -> None:
    """The shortest way: one call, which shows a bar."""
    run = tandem.train("paac", env="cartpole", steps="20k", run_dir=run_dir)
    print(f"{run.result['mean_return']:.0f} after {run.result['steps']:,} steps, in {run.run_dir}")


def watch(run_dir: str) -> None:
    """A loop over the metrics."""
    training = tandem.Training(
        "hts",
        env="cartpole",
        steps="100k",
        run_dir=run_dir,
        log_seconds=0.1,
        optimizer={"lr": 2e-3},
    )
    with training:
        for metrics in training:
            mean = metrics.get("episode/return_mean_100", 0)
            print(f"{metrics['steps']:,} steps: {mean:.1f}")
            if mean > 40:
                print("saved in", training.save())
                break


def go_on(run_dir: str) -> None:
    """More steps for a run that has ended or was stopped."""

    def goes_on(metrics: dict[str, Any]) -> bool:
        return bool(metrics.get("episode/return_mean_100", 0) < 60)

    training = tandem.Training.resume(run_dir, steps="200k", callbacks=[goes_on])
    print(training.run(progress=True)["why_ended"])


if __name__ == "__main__":
    folder = sys.argv[1] if len(sys.argv) > 1 else "runs/python"
    train_to_the_end(f"{folder}-paac")
    watch(f"{folder}-hts")
    go_on(f"{folder}-hts")

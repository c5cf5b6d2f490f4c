"""The command `tandem track`: passes a run's measurements on to wandb, MLflow or trackio.

It follows the files of a run and imports no tandem, so any Python that has the tracker will do.
"""

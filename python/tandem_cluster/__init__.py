"""Trains one agent on many machines: Ray carries, tandem computes.

Ray launches, places, names and connects the parts; the learner, the shards of the replay and the
actors are tandem's own, in C++. Each part answers messages at once and never waits for another.

    import tandem_cluster
    run = tandem_cluster.train(
        "apex", "atari:Pong", config="apex/atari", address="auto", actors=16, shards=2
    )
"""

from tandem_cluster.training import resume, train

__all__ = ["resume", "train"]

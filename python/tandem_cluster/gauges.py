"""The numbers of a part as Ray metrics, for Prometheus and Ray's dashboard."""

from __future__ import annotations

from typing import Any

from ray.util.metrics import Gauge

_MEANINGS = {
    "steps": "steps of the environments",
    "updates": "updates of the parameters",
    "actors": "actors that have reported lately",
    "transitions": "transitions in the replay",
    "inserted": "transitions ever inserted",
    "sampled": "transitions ever drawn",
    "bytes": "bytes of the replay in memory",
    "lag_updates": "updates by which the oldest actor is behind",
    "credit": "transitions that an actor may still send",
    "waited_seconds": "seconds for which an actor waited for credit",
    "queue": "unrolls that wait for the learner",
}


class Gauges:
    """Shows the numbers of one part: tandem_learner_steps, tandem_actor_steps and so on."""

    def __init__(self, part: str, rank: int = 0) -> None:
        self._part = part
        self._tags = {"rank": str(rank)}
        self._gauges: dict[str, Gauge] = {}

    def show(self, status: dict[str, Any]) -> None:
        for key in _MEANINGS.keys() & status.keys():
            if key not in self._gauges:
                name = f"tandem_{self._part}_{key}"
                self._gauges[key] = Gauge(name, description=_MEANINGS[key], tag_keys=("rank",))
            self._gauges[key].set(float(status[key]), tags=self._tags)

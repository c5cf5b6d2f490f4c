"""Where the run's folder can be seen."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
from tandem.errors import Error

_WAIT_SECONDS = 60.0
# A trace of a node's own resource binds a process to it.
_TRACE = 0.001

_remote: Any = ray.remote(num_cpus=0)
_sees = _remote(os.path.exists)


def nearest_folder(path: Path) -> Path:
    """The path itself, or the nearest folder above it that exists."""
    path = path.absolute()
    while not path.is_dir():
        path = path.parent
    return path


def learner_resources(folder: Path, cpus: float, say: Callable[[str], None]) -> dict[str, float]:
    """The resources that keep the learner on a node that sees this folder and has so many CPUs, if
    there is one; none if all nodes see it. A node with so many free CPUs comes before others.

    Raises Error if no node sees it.
    """
    probe = folder / f".tandem-probe-{secrets.token_hex(8)}"
    try:
        probe.touch()
    except OSError as error:
        raise Error(f"cannot write in {folder}: {error.strerror}") from None
    try:
        nodes = [node for node in ray.nodes() if node["Alive"]]
        answers = {node["NodeID"]: _ask(node["NodeID"], probe) for node in nodes}
        ready, _ = ray.wait(list(answers.values()), num_returns=len(answers), timeout=_WAIT_SECONDS)
        seeing = [node for node in nodes if _yes(answers[node["NodeID"]], ready)]
    finally:
        probe.unlink(missing_ok=True)
    if len(seeing) == len(nodes):
        return {}
    if not seeing:
        raise Error(
            f"no node of the cluster sees {folder}, where the run's folder is to be: name one on "
            "shared storage with --run-dir, or run this command on a machine of the cluster"
        )
    free = _free_cpus()

    def room(node: dict[str, Any]) -> tuple[bool, bool]:
        """Whether the node has room now, and whether it has some when it is idle."""
        total = node["Resources"].get("CPU", 0)
        return free.get(node["NodeID"], total) >= cpus, total >= cpus

    chosen = max(seeing, key=room)
    say(
        f"{len(seeing)} of {len(nodes)} nodes see {folder}, so the learner and the shards stay on "
        f"{chosen['NodeManagerAddress']}, and the run waits if that is lost; shared storage in "
        "--run-dir lets them move"
    )
    return {f"node:{chosen['NodeManagerAddress']}": _TRACE}


def _free_cpus() -> dict[str, float]:
    """The CPUs of each node, by its id, that no process of Ray holds. Empty if this Ray lacks the
    function that tells them, which is not a public one."""
    try:
        from ray._private.state import available_resources_per_node
    except ImportError:
        return {}
    nodes = available_resources_per_node()
    return {node: resources.get("CPU", 0.0) for node, resources in nodes.items()}


def _ask(node: str, probe: Path) -> Any:
    strategy = NodeAffinitySchedulingStrategy(node_id=node, soft=False)
    return _sees.options(scheduling_strategy=strategy).remote(str(probe))


def _yes(answer: Any, ready: list[Any]) -> bool:
    try:
        return answer in ready and bool(ray.get(answer))
    except ray.exceptions.RayError:
        return False

"""The Ray cluster that carries a training."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import ray
from tandem.errors import Error

# Messages of this size go from process to process; larger ones through the object store, which
# takes twice as long below some megabytes.
_DIRECT_BYTES = 1 << 20
# Its warning tells that the cluster of one machine has a token, too.
_TOKEN_LOGGER = "ray._private.authentication.authentication_token_setup"


def is_loopback(address: str) -> bool:
    """Whether HOST:PORT, or HOST alone, is on this machine only."""
    host = address.rpartition(":")[0] or address
    try:
        host = socket.gethostbyname(host.strip("[]"))
        return ipaddress.ip_address(host).is_loopback
    except (OSError, ValueError):
        return False


def require_token(address: str) -> None:
    """Refuses a cluster that others can reach without a token."""
    if is_loopback(address) or os.environ.get("RAY_AUTH_MODE") == "token":
        return
    raise Error(
        f"{address} is not on this machine alone, so anyone who reaches it could run programs "
        "there. Let all nodes know one token: `export RAY_AUTH_MODE=token` and "
        "RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH before `ray start` and before this command "
        "(docs/cluster.md)"
    )


def require_tls(address: str) -> None:
    """Refuses a cluster that encrypts where this process does not; Ray itself waits for minutes."""
    if os.environ.get("RAY_USE_TLS", "").lower() in ("1", "true"):
        return
    host, _, port = address.rpartition(":")
    with contextlib.suppress(OSError, ValueError):  # nobody answers, or not with TLS
        ssl.get_server_certificate((host.strip("[]"), int(port)), timeout=5)
        raise Error(
            f"the Ray cluster at {address} encrypts its messages: set RAY_USE_TLS=1 here, too, and "
            "certificates as on its machines (docs/cluster.md)"
        )


def begin(address: str | None, processors: float, runtime_env: dict[str, Any]) -> None:
    """Joins the Ray cluster at an address, or starts one of this machine alone.

    Args:
        address: HOST:PORT, "auto" for the one of this machine, or None.
        processors: how many a new cluster shall count, whatever the machine has.
        runtime_env: Ray's, for all processes of this training.
    """
    settings: dict[str, Any] = {"runtime_env": runtime_env, "logging_level": "warning"}
    if address is None:
        logging.getLogger(_TOKEN_LOGGER).setLevel(logging.ERROR)
        os.environ.setdefault("RAY_max_direct_call_object_size", str(_DIRECT_BYTES))
        settings.update(
            address="local",
            num_cpus=max(os.cpu_count() or 1, int(processors + 0.999)),
            include_dashboard=False,
            _node_ip_address="127.0.0.1",
        )
    else:
        if address != "auto":
            require_token(address)
            require_tls(address)
        settings["address"] = address
    others = ray.is_initialized()  # a session of the user's own, which stays
    try:
        _join(address, settings)
    except BaseException:  # Ctrl-C, too
        if not others:
            end()  # or else the next call would find a part of this session
        raise


def _join(address: str | None, settings: dict[str, Any]) -> None:
    try:
        with sessions_of_their_own():
            ray.init(**settings)
    except ConnectionError as error:
        raise Error(f"no Ray cluster answers at {address}: {error}") from None
    except (RuntimeError, ValueError, ray.exceptions.RayError) as error:
        # Such as a wrong token, or an address without a port.
        raise Error(f"Ray does not start or let us in: {error}") from None
    if address is None:
        return
    # An address of this machine, or "auto", may be one of a cluster that others reach.
    nodes = [node["NodeManagerAddress"] for node in ray.nodes()]
    for reached in (ray.get_runtime_context().gcs_address, *nodes):
        require_token(reached)


@contextlib.contextmanager
def sessions_of_their_own() -> Iterator[None]:
    """Processes that begin meanwhile get no signal to the group or the terminal of this one, which
    stops this one with a checkpoint: Ray's must serve until then. Ray has no option for it."""
    begin = subprocess.Popen.__init__

    def apart(process: Any, *words: Any, **settings: Any) -> None:
        begin(process, *words, **{**settings, "start_new_session": True})

    subprocess.Popen.__init__ = apart  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        subprocess.Popen.__init__ = begin  # type: ignore[method-assign]


def head_answers() -> bool:
    """Whether the head of the Ray cluster can be reached."""
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=1).close()
    except OSError:
        return False
    return True


def end() -> None:
    """Leaves the cluster; one that was started here ends. Without its head Ray takes long."""
    ender = threading.Thread(target=ray.shutdown, name="ray's end", daemon=True)
    ender.start()
    ender.join(10)

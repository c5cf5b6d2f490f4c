"""Hosts within this machine: network namespaces with addresses of their own, and a Ray node each.

A bridge joins them. A host can be cut off from the others, and lost with all of its processes.
Needs the rights of root, `ip` (Debian's iproute2) and $TANDEM, the program. available() says
whether the first two are there.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PORT = 6399
NETWORK = "10.99.{}.{}"


def _ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


def available():
    """Why hosts cannot be made here; empty if they can."""
    if shutil.which("ip") is None:
        return "there is no `ip`: apt-get install iproute2"
    if os.geteuid() != 0:
        return "network namespaces need the rights of root"
    name = f"tdm-{os.getpid()}-probe"
    bridge = f"tdmp{os.getpid() % 10_000}"
    try:
        _ip("netns", "add", name)
        try:
            _ip("link", "add", bridge, "type", "bridge")
            _ip("link", "del", bridge)
        finally:
            _ip("netns", "del", name)
    except subprocess.CalledProcessError as error:
        return f"network namespaces are not allowed here: {error.stderr.decode().strip()}"
    return ""


class Hosts:
    """Some hosts, of which the first is the head of the Ray cluster."""

    def __init__(self, count, cpus=4):
        self.token = secrets.token_hex(16)
        self._folder = tempfile.TemporaryDirectory(prefix="tandem-hosts-")
        self._key = f"{os.getpid() % 10_000}"
        self._subnet = os.getpid() % 250 + 1
        self._bridge = f"tdmb{self._key}"
        self._cpus = cpus
        self._count = 0
        self._alive = {}
        _ip("link", "add", self._bridge, "type", "bridge")
        _ip("link", "set", self._bridge, "up")
        for _ in range(count):
            self.add()

    def address(self, host):
        return NETWORK.format(self._subnet, host + 1)

    @property
    def first(self):
        """The host that has the head."""
        return 0

    @property
    def alive(self):
        return sorted(self._alive)

    @property
    def head(self):
        """HOST:PORT of the Ray cluster."""
        return f"{self.address(0)}:{PORT}"

    def add(self):
        """Makes another host; returns its number."""
        host = self._count
        self._count += 1
        space, outer, inner = self._names(host)
        _ip("netns", "add", space)
        _ip("link", "add", outer, "type", "veth", "peer", "name", inner)
        _ip("link", "set", inner, "netns", space)
        _ip("link", "set", outer, "master", self._bridge)
        _ip("link", "set", outer, "up")
        for words in (
            ("addr", "add", f"{self.address(host)}/24", "dev", inner),
            ("link", "set", inner, "up"),
            ("link", "set", "lo", "up"),
        ):
            _ip("-n", space, *words)
        self._alive[host] = space
        return host

    def start_ray(self, host, cpus=None, **environment):
        """Starts the Ray node of a host; the first one starts the cluster."""
        cpus = self._cpus if cpus is None else cpus
        words = ["--head", f"--port={PORT}"] if host == 0 else [f"--address={self.head}"]
        words += [f"--node-ip-address={self.address(host)}", f"--num-cpus={cpus}"]
        words += ["--include-dashboard=false"] if host == 0 else []
        words += ["--object-store-memory=300000000", "--disable-usage-stats"]
        if host == 0:
            words.append(f"--temp-dir={self._folder.name}/ray")
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", *words]
        environment = {**self.environment(), **environment}
        done = self.run(host, command, env=environment, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)

    def environment(self):
        return {
            **os.environ,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": self.token,
            "RAY_raylet_start_wait_time_s": "120",  # this machine may be busy
            "TANDEM_PYTHON": sys.executable,
            "PYTHONPATH": str(Path(os.environ["TANDEM"]).parent / "python"),
        }

    def run(self, host, command, **more):
        more.setdefault("env", self.environment())
        return subprocess.run(self._within(host, command), **more)

    def begin(self, host, command, **more):
        more.setdefault("env", self.environment())
        return subprocess.Popen(self._within(host, command), **more)

    def cut_off(self, host):
        """Takes the host's link down: it hears nobody, and nobody hears it."""
        _ip("link", "set", self._names(host)[1], "down")

    def join(self, host):
        _ip("link", "set", self._names(host)[1], "up")

    def processes(self, host):
        done = subprocess.run(
            ["ip", "netns", "pids", self._names(host)[0]], capture_output=True, text=True
        )
        return [int(pid) for pid in done.stdout.split()]

    def lose(self, host):
        """Ends the host: its processes die at once, and its network with them."""
        self.end_processes(host)
        _ip("netns", "del", self._alive.pop(host))

    def end_processes(self, host):
        """Kills all processes of the host."""
        for _ in range(50):
            pids = self.processes(host)
            if not pids:
                break
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            time.sleep(0.05)

    def close(self):
        for host in list(self._alive):
            self.lose(host)
        _ip("link", "del", self._bridge)
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _names(self, host):
        return f"tdm{self._key}-{host}", f"tdo{self._key}-{host}", f"tdi{self._key}-{host}"

    def _within(self, host, command):
        space = self._names(host)[0]
        return ["ip", "netns", "exec", space, *map(str, command)]

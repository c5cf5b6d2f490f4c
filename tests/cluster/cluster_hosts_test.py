"""Trainings over several hosts: network namespaces of this machine, each with a Ray node.

Needs $TANDEM, root, `ip` and Ray; skipped where one of them is missing.
"""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from hosts import Hosts, available

PROGRAM = os.environ["TANDEM"]
WHY_NOT = "Ray is not installed" if not importlib.util.find_spec("ray") else available()


class OverHosts(unittest.TestCase):
    """Begins trainings over hosts, and waits for them."""

    hosts: Hosts
    environment: dict[str, str] = {}  # of all Ray nodes and drivers, besides that of the hosts

    @classmethod
    def setUpClass(cls):
        cls.hosts = Hosts(2)
        cls.addClassCleanup(cls.hosts.close)
        cls.make_environment()
        for host in cls.hosts.alive:
            cls.hosts.start_ray(host, **cls.environment)

    @classmethod
    def make_environment(cls):
        """Fills cls.environment, when the hosts have their addresses."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run_dir = Path(folder.name) / "run"

    def begin(self, *words, **more):
        command = [PROGRAM, "cluster", "train", *words, f"--address={self.hosts.head}"]
        more = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, **more}
        more.setdefault("env", {**self.hosts.environment(), **self.environment})
        process = self.hosts.begin(0, command, **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)  # Ray ends the parts of a driver that is gone
        return process

    def catch(self, steps, actors):
        return self.begin(
            *("apex", "--config", "apex/catch", "--seed", "1", "--steps", str(steps)),
            *("--actors", str(actors), "--set", "log_seconds=0.5"),
            *("--set", "checkpoint_minutes=0.05", "--run-dir", self.run_dir),
        )

    def end(self, process):
        """Ends it by a signal, as the end of a job does."""
        for pid in self.hosts.processes(0):
            if "tandem_cluster" in words_of(pid):
                os.kill(pid, signal.SIGTERM)
        self.finish(process)

    def finish(self, process, seconds=240):
        _, errors = process.communicate(timeout=seconds)
        self.assertEqual(process.returncode, 0, errors)
        return errors

    def steps(self):
        file = self.run_dir / "metrics.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        return json.loads(lines[-1])["steps"] if lines else 0

    def wait_for_steps(self, process, steps, seconds=120):
        end = time.monotonic() + seconds
        while self.steps() < steps:
            self.assertIsNone(process.poll(), "the training ended too early")
            self.assertLess(time.monotonic(), end, "the training makes no steps")
            time.sleep(0.1)


def words_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:  # it has ended
        return ""


@unittest.skipIf(WHY_NOT, WHY_NOT)
class TwoHosts(OverHosts):
    def test_actors_play_on_both_hosts(self):
        process = self.catch(30_000, actors=4)
        self.wait_for_steps(process, 5_000)
        for host in self.hosts.alive:
            self.assertTrue(self.has_actors(host), host)
        self.finish(process)

    def has_actors(self, host):
        return any("ray::Actor" in name for name in map(words_of, self.hosts.processes(host)))

    def test_goes_on_without_a_host_and_with_a_new_one(self):
        process = self.catch(1_000_000, actors=4)
        self.wait_for_steps(process, 10_000)
        self.hosts.lose(self.hosts.alive[-1])
        self.wait_for_steps(process, self.steps() + 10_000)
        new = self.hosts.add()
        self.hosts.start_ray(new)
        end = time.monotonic() + 120
        while not self.has_actors(new):
            self.assertIsNone(process.poll(), "the training ended too early")
            self.assertLess(time.monotonic(), end, "no actor plays on the new host")
            time.sleep(0.1)
        self.end(process)

    def test_goes_on_after_a_cut(self):
        process = self.catch(1_000_000, actors=4)
        self.wait_for_steps(process, 10_000)
        host = self.hosts.alive[-1]
        self.hosts.cut_off(host)
        time.sleep(5)
        self.hosts.join(host)
        self.wait_for_steps(process, self.steps() + 10_000)
        self.end(process)

    def test_a_wrong_token_gets_nothing(self):
        environment = {**self.hosts.environment(), "RAY_AUTH_TOKEN": "wrong"}
        process = self.begin("apex", "--config", "apex/catch", env=environment)
        _, errors = process.communicate(timeout=120)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("token", errors)

    def test_without_a_token_it_is_refused(self):
        environment = self.hosts.environment()
        del environment["RAY_AUTH_MODE"]
        process = self.begin("apex", "--config", "apex/catch", env=environment)
        _, errors = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("RAY_AUTH_MODE=token", errors)

    def test_sigterm_ends_it_with_a_checkpoint(self):
        process = self.catch(1_000_000, actors=2)
        self.wait_for_steps(process, 5_000)
        self.end(process)
        self.assertTrue(list((self.run_dir / "checkpoints").glob("0*")))


@unittest.skipIf(WHY_NOT or not shutil.which("openssl"), WHY_NOT or "there is no openssl")
class EncryptedHosts(OverHosts):
    @classmethod
    def make_environment(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        key, certificate = Path(folder.name) / "key.pem", Path(folder.name) / "certificate.pem"
        names = ["127.0.0.1", *(cls.hosts.address(host) for host in cls.hosts.alive)]
        words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
        words += ["-subj", "/CN=tandem", "-keyout", key, "-out", certificate]
        words += ["-addext", "subjectAltName=" + ",".join(f"IP:{name}" for name in names)]
        subprocess.run(words, check=True, capture_output=True)
        cls.environment = {
            "RAY_USE_TLS": "1",
            "RAY_TLS_SERVER_CERT": str(certificate),
            "RAY_TLS_SERVER_KEY": str(key),
            "RAY_TLS_CA_CERT": str(certificate),
        }

    def test_trains_with_tls(self):
        self.finish(self.catch(10_000, actors=2))
        self.assertGreaterEqual(self.steps(), 10_000)

    def test_without_a_certificate_nothing_is_got(self):
        process = self.begin("apex", "--config", "apex/catch", env=self.hosts.environment())
        _, errors = process.communicate(timeout=120)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("RAY_USE_TLS", errors)


if __name__ == "__main__":
    if WHY_NOT:
        print(WHY_NOT)
        sys.exit(77)  # ctest tells that it was skipped
    unittest.main()

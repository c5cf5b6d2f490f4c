"""Passes a run on to the real trackers, without a network: MLflow's store in a file, wandb offline,
trackio on this machine. Trackers that are not installed are left out.

Seen failing with points that all have one step, and with a run that is begun anew at each start.
"""

import importlib
import importlib.util
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from stand_ins import Run

COMMAND = Path(__file__).parents[2] / "python" / "tandem_track"
CONFIG = """
system = "paac"
algo = "a2c"
[env]
id = "cartpole"
observation_mean = ""
[run]
steps = 10000
[optimizer]
lr = 0.25
epsilon_inside = true
"""
# The training's lines, by step: two before a kill, and two after the resume.
LOSSES = {10: 5, 20: 10, 30: 15, 40: 20}


def installed(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


def log_records(data):
    """The records of a file of wandb: after 7 bytes, the format of LevelDB's log."""
    block, header, whole, last = 32768, 7, 1, 4
    record, at = b"", header
    while at + header <= len(data):
        if block - at % block < header:  # the rest of a block is too short for a header
            at += block - at % block
        _, length, kind = struct.unpack_from("<IHB", data, at)
        record += data[at + header : at + header + length]
        at += header + length
        if kind in (whole, last):
            yield record
            record = b""


def wandb_rows(folder):
    """The measurements in a file of wandb, which has no public reader."""
    from wandb.proto import wandb_internal_pb2

    (file,) = folder.glob("*.wandb")
    rows = []
    for data in log_records(file.read_bytes()):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        if record.WhichOneof("record_type") == "history":
            items = record.history.item
            rows.append({i.key or "/".join(i.nested_key): json.loads(i.value_json) for i in items})
    return rows


class Trackers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.path = self.root / "pong"

    def track(self, tracker, *words, code=0):
        home = {"HOME": str(self.root), "TRACKIO_DIR": str(self.root / "trackio")}
        result = subprocess.run(
            [sys.executable, COMMAND, self.path, "--to", tracker, *words],
            env={**os.environ, **home, "WANDB_SILENT": "true"},
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout if code == 0 else result.stderr

    def pass_on(self, *words):
        """Passes a run on that is killed, resumed and ends. Returns the tracker's id of it."""
        run = Run(self.path)
        run.begin(CONFIG)
        run.log(10, 20)
        run.kill()
        self.track(*words, "--project", "control", "--name", "first")
        run.resume(20)
        run.log(30, 40)
        run.evaluate(30)
        run.end(mean_return=7.5, system="paac")
        out = self.track(*words)
        self.assertIn("going on with", out)
        self.assertIn("already", self.track(*words))
        return json.loads((self.path / "track" / f"{words[0]}.json").read_text())["run_id"]

    def check_mlflow(self, uri):
        from mlflow import MlflowClient

        run_id = self.pass_on("mlflow", "--uri", uri)
        client = MlflowClient(uri)
        experiment = client.get_experiment_by_name("control")
        (run,) = client.search_runs([experiment.experiment_id])
        self.assertEqual(run.info.run_id, run_id)
        self.assertEqual((run.info.run_name, run.info.status), ("first", "FINISHED"))
        history = client.get_metric_history(run_id, "loss/policy")
        self.assertEqual({m.step: m.value for m in history}, LOSSES)
        self.assertEqual(len(history), len(LOSSES))
        (point,) = client.get_metric_history(run_id, "eval/mean")
        self.assertEqual((point.step, point.value), (30, 60))
        self.assertEqual(run.data.metrics["result/mean_return"], 7.5)
        self.assertEqual(run.data.tags["result/why_ended"], "budget")
        self.assertEqual(run.data.tags["env"], "cartpole")
        self.assertEqual(run.data.params["optimizer.lr"], "0.25")
        self.assertEqual(run.data.params["run.steps"], "10000")
        client.delete_run(run_id)
        client.delete_experiment(experiment.experiment_id)
        words = self.track("mlflow", "--new", "--uri", uri, "--project", "control", code=2)
        self.assertIn("--project", words)

    @unittest.skipUnless(installed("mlflow", "sqlalchemy"), "mlflow is not installed")
    def test_mlflow_in_a_database(self):
        self.check_mlflow(f"sqlite:///{self.root}/runs.db")

    @unittest.skipUnless(installed("mlflow") and not installed("sqlalchemy"), "no mlflow-skinny")
    def test_mlflow_skinny_has_no_database(self):
        run = Run(self.path)
        run.begin(CONFIG)
        run.end()
        self.assertIn("pip install mlflow", self.track("mlflow", code=2))

    @unittest.skipUnless(installed("mlflow"), "mlflow is not installed")
    def test_mlflow_in_files(self):
        os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
        self.check_mlflow(str(self.root / "mlruns"))

    @unittest.skipUnless(installed("mlflow"), "mlflow is not installed")
    def test_mlflow_without_its_server(self):
        run = Run(self.path)
        run.begin(CONFIG)
        run.end()
        words = self.track("mlflow", "--uri", "http://127.0.0.1:9", code=2)
        self.assertIn("mlflow does not open a run", words)
        self.assertNotIn("Traceback", words)

    @unittest.skipUnless(installed("wandb"), "wandb is not installed")
    def test_wandb_offline(self):
        run_id = self.pass_on("wandb", "--offline")
        folders = sorted((self.path / "track" / "wandb").glob(f"offline-run-*-{run_id}"))
        self.assertEqual(len(folders), 2)
        rows = [row for folder in folders for row in wandb_rows(folder)]
        losses = [(row["steps"], row["loss/policy"]) for row in rows if "loss/policy" in row]
        self.assertEqual(losses, list(LOSSES.items()))
        self.assertEqual([r["eval/steps"] for r in rows if r.get("eval/mean") == 60], [30])

    @unittest.skipUnless(installed("wandb"), "wandb is not installed")
    def test_wandb_without_a_login(self):
        run = Run(self.path)
        run.begin(CONFIG)
        run.end()
        self.assertIn("wandb does not open a run", self.track("wandb", code=2))

    @unittest.skipUnless(installed("trackio"), "trackio is not installed")
    def test_trackio(self):
        name = self.pass_on("trackio")
        rows = [row for row in self.trackio_rows(name) if "loss/policy" in row]
        self.assertEqual({row["step"]: row["loss/policy"] for row in rows}, LOSSES)
        self.assertEqual(len(rows), len(LOSSES))
        rows = self.trackio_rows(name)
        self.assertEqual([r["step"] for r in rows if r.get("eval/mean") == 60], [30])
        self.assertEqual([r["step"] for r in rows if r.get("result/why_ended") == "budget"], [40])
        self.track("trackio", "--new", "--project", "control", "--name", "first")
        again = [row["step"] for row in self.trackio_rows("first-2") if "loss/policy" in row]
        self.assertEqual(again, list(LOSSES))

    def trackio_rows(self, name):
        """The rows of a run in the store, as another process reads them."""
        program = (
            "import json, sys; from trackio.sqlite_storage import SQLiteStorage as s;"
            "print(json.dumps(s.get_logs('control', sys.argv[1]), default=str))"
        )
        result = subprocess.run(
            [sys.executable, "-c", program, name],
            env={**os.environ, "TRACKIO_DIR": str(self.root / "trackio")},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(result.stdout)


if __name__ == "__main__":
    if not any(installed(tracker) for tracker in ("wandb", "mlflow", "trackio")):
        sys.exit(77)
    unittest.main()

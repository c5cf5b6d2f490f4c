"""Reads a run with the packages that define its formats: read_run_test.py WRITE_RUN."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import safetensors.numpy
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

WRITE_RUN = sys.argv.pop()


class ReadRunTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.run_folder = pathlib.Path(cls.temporary.name) / "run"
        subprocess.run([WRITE_RUN, str(cls.run_folder)], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_safetensors(self):
        folders = sorted((self.run_folder / "checkpoints").iterdir())
        self.assertEqual([f.name for f in folders], ["000000000500", "000000001000"])
        for folder in folders:
            tensors = safetensors.numpy.load_file(folder / "tensors.safetensors")
            self.assertEqual(set(tensors), {"torso.weight", "scalar", "nothing"})
            np.testing.assert_array_equal(
                tensors["torso.weight"], np.float32([[0, 1, 2], [3, 4, 5.5]])
            )
            self.assertEqual(tensors["torso.weight"].dtype, np.float32)
            self.assertEqual(tensors["scalar"].shape, ())
            self.assertEqual(tensors["scalar"], -1)
            self.assertEqual(tensors["nothing"].shape, (0, 4))

    def test_tensorboard_shows_what_metrics_say(self):
        lines = [json.loads(line) for line in open(self.run_folder / "metrics.jsonl")]
        steps = [line["steps"] for line in lines]
        self.assertEqual(steps, list(range(100, 1001, 100)))
        events = EventAccumulator(str(self.run_folder))
        events.Reload()
        tags = events.Tags()["scalars"]
        self.assertEqual(set(tags), set(lines[0]) - {"steps"} | {"eval/return_mean"})
        for tag in set(tags) - {"eval/return_mean"}:
            shown = events.Scalars(tag)
            # Steps 600 to 800 were logged before the resume, too; those events are gone.
            self.assertEqual([event.step for event in shown], steps, tag)
            expected = np.float32([line[tag] for line in lines])
            np.testing.assert_array_equal([event.value for event in shown], expected, tag)

    def test_evaluations(self):
        lines = [json.loads(line) for line in open(self.run_folder / "evaluations.jsonl")]
        self.assertEqual(lines[-1]["step"], 1000)
        for line in lines:
            self.assertEqual(line["mean"], line["step"] / 2000)
            self.assertEqual(line["max"], line["step"] / 1000)
        events = EventAccumulator(str(self.run_folder))
        events.Reload()
        shown = events.Scalars("eval/return_mean")
        self.assertEqual([event.step for event in shown], [line["step"] for line in lines])
        np.testing.assert_array_equal(
            [event.value for event in shown], np.float32([line["mean"] for line in lines])
        )
        folders = list((self.run_folder / "best").iterdir())
        self.assertEqual([f.name for f in folders], ["000000001000"])

    def test_result(self):
        result = json.load(open(self.run_folder / "result.json"))
        self.assertEqual(result["steps"], 1000)
        self.assertEqual(result["frames"], 4000)
        self.assertEqual(result["episodes"], 10)
        self.assertAlmostEqual(result["mean_return"], 0.45)
        self.assertEqual(result["best"], {"step": 1000, "mean": 0.5})


if __name__ == "__main__":
    unittest.main()

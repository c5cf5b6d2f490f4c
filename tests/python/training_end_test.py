"""Tests of the ends, errors and progress of trainings from Python."""

import contextlib
import gc
import importlib.util
import io
import sys
import unittest
import warnings
from unittest import mock

from trainings import ENDLESS, QUICK, TrainingTest, result_of

import tandem


class Errors(TrainingTest):
    def test_divergence_has_a_class_and_is_raised_once(self):
        training = self.begin(lr=1e30, clip_norm=0)
        with self.assertRaisesRegex(tandem.Diverged, "lower optimizer.lr"):
            training.run()
        self.assertEqual(list(training), [])
        self.assertIn("diverged", training.result["why_ended"])
        self.assertTrue(issubclass(tandem.Diverged, tandem.Error))


class Endings(TrainingTest):
    def spoil(self):
        """Lets no checkpoint be written."""
        (self.run_dir / "checkpoints").write_text("no folder")

    def test_a_block_raises_the_error_that_nobody_took(self):
        with self.assertRaisesRegex(tandem.Error, "cannot"), self.begin() as training:
            next(training)
            self.spoil()
        list(training)  # raises nothing more; a report from before may be left

    def test_an_exception_in_a_block_comes_before_the_error_of_the_training(self):
        with self.assertRaises(ZeroDivisionError), self.begin() as training:
            next(training)
            self.spoil()
            raise ZeroDivisionError

    def test_a_training_without_references_logs_its_error(self):
        training = tandem.Training("paac", "cartpole", run_dir=self.run_dir, **ENDLESS)
        next(training)
        self.spoil()
        with self.assertLogs("tandem", "ERROR") as logs:
            del training
            gc.collect()
            self.begin(steps="1k", run_dir=self.folder / "another").run()
        self.assertIn("cannot", logs.output[0])

    def test_there_is_no_agent_before_a_checkpoint(self):
        training = self.begin()
        with self.assertRaisesRegex(tandem.Error, r"no checkpoint yet; call save\(\) first"):
            training.agent()
        training.save()
        self.assertGreater(training.agent().step, 0)

    # Seen failing without the class's destructor: the run went on to its budget.
    def test_a_training_without_references_ends(self):
        training = tandem.Training("paac", "cartpole", run_dir=self.run_dir, **ENDLESS)
        next(training)
        run_dir = training.run_dir
        del training
        gc.collect()
        self.assertEqual(result_of(run_dir)["why_ended"], "signal")
        tandem.Training.resume(run_dir).close()


class Progress(TrainingTest):
    def shown(self, terminal=True, **settings):
        errors = io.StringIO()
        errors.isatty = lambda: terminal
        with contextlib.redirect_stderr(errors), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tandem.train("paac", "cartpole", run_dir=self.run_dir, steps="30k", **QUICK, **settings)
        return errors.getvalue()

    @unittest.skipUnless(importlib.util.find_spec("tqdm"), "no tqdm")
    def test_a_bar(self):
        self.assertRegex(self.shown(), r"30.0k/30.0k .*mean return=")

    def test_lines_without_tqdm(self):
        with mock.patch.dict(sys.modules, {"tqdm.auto": None}):
            self.assertRegex(self.shown(), r"tandem: [\d,]+ of 30,000 steps, steps/s [\d,]+")

    def test_lines_in_a_file(self):
        self.assertRegex(self.shown(terminal=False), r"tandem: [\d,]+ of 30,000 steps")

    def test_silence(self):
        self.assertEqual(self.shown(progress=False), "")


if __name__ == "__main__":
    unittest.main()

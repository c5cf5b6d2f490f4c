"""Tests of the start of trainings from Python."""

import threading
import unittest

from subprocesses import start_python
from training_process_test import BEGIN, SLOW, ProcessTest


class Measurements(ProcessTest):
    # Minutes of silence look like a hang.
    def test_a_long_one_is_told_while_it_goes_on(self):
        process = start_python(BEGIN + SLOW + "begin(lambda: Slow(), normalise=True)", self.run_dir)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        late = threading.Timer(60, process.kill)
        late.start()
        told = next((line for line in process.stderr if "random play" in line), "")
        late.cancel()
        self.assertRegex(told, r"mean and deviation .* made \d+ of 5000 steps in \d+ seconds")
        self.assertIn("env.normalise=running", told)


if __name__ == "__main__":
    unittest.main()

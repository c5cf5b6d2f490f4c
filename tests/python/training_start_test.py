"""Tests of the start of trainings from Python."""

import threading
import unittest

from subprocesses import start_python
from training_process_test import BEGIN, ProcessTest

SLOW = """
import gymnasium, numpy
class Slow(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (2,), numpy.float32)
    action_space = gymnasium.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None):
        return numpy.zeros(2, numpy.float32), {}
    def step(self, action):
        time.sleep(0.1)
        return numpy.zeros(2, numpy.float32), 0.0, False, False, {}
"""


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

"""Tests of environments in Python that a script in a file makes."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MODULE = "import gymnasium\ndef make():\n    return gymnasium.make('{}')\n"

# Makes environments by a function of the script, in children of both kinds and in itself.
SPAWNING = """
import concurrent.futures, multiprocessing
import gymnasium, tandem
class Own(gymnasium.Wrapper):
    pass
def make():
    return Own(gymnasium.make("CartPole-v1"))
def play():
    env = tandem.make_vec(make, 2, 1)
    shape = env.reset(seed=1)[0].shape
    env.close()
    return shape
if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            print(pool.submit(play).result())
    print(play())
"""

# Its environment is of no class of Gymnasium.
PLAIN = """
import gymnasium, numpy, tandem
class Plain:
    observation_space = gymnasium.spaces.Box(-1, 1, (2,), numpy.float32)
    action_space = gymnasium.spaces.Discrete(2)
    def reset(self, seed=None):
        return numpy.zeros(2, numpy.float32), {}
    def step(self, action):
        return numpy.zeros(2, numpy.float32), float(action), False, False, {}
env = tandem.make_vec(lambda: Plain(), 2, 1)
env.reset(seed=1)
print(env.step([0, 1])[1].tolist())
try:
    env.render()
except tandem.Error as error:
    print(error)
env.close()
"""


class Scripts(unittest.TestCase):
    def run_script(self, folder, text, run_in="/"):
        """The output and the errors of a script in a file, which must end well."""
        (folder / "script.py").write_text(text)
        done = subprocess.run(
            [sys.executable, folder / "script.py"],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=run_in,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def assert_a_script_finds_its_module(self, folder, run_in):
        """Its module has environments of four numbers."""
        (folder / "own_module.py").write_text(MODULE.format("CartPole-v1"))
        script = (
            "import tandem, own_module\n"
            "env = tandem.make_vec(own_module.make, 2, 1)\n"
            "print(env.reset(seed=1)[0].shape)\n"
        )
        output, errors = self.run_script(folder, script, run_in)
        self.assertEqual(output, "(2, 4)\n", errors)

    def test_its_module_may_lie_beside_the_script(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assert_a_script_finds_its_module(Path(folder), "/")

    # Seen failing when the worker took the module of the folder in which it ran.
    def test_its_module_is_that_of_the_script(self):
        with tempfile.TemporaryDirectory() as folder:
            elsewhere = Path(folder) / "elsewhere"
            elsewhere.mkdir()
            (elsewhere / "own_module.py").write_text(MODULE.format("Acrobot-v1"))
            self.assert_a_script_finds_its_module(Path(folder), elsewhere)

    # multiprocessing loads the script in such a child under another name.
    def test_a_child_process_may_use_a_function_of_the_script(self):
        with tempfile.TemporaryDirectory() as folder:
            output, errors = self.run_script(Path(folder), SPAWNING)
        self.assertEqual(output, "(2, 4)\n" * 3, errors)

    def test_an_environment_needs_spaces_reset_and_step_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            output, errors = self.run_script(Path(folder), PLAIN)
        self.assertEqual(output, "[0.0, 1.0]\ngym:_lambda_ draws no pictures\n", errors)
        self.assertNotIn("close() failed", errors)


if __name__ == "__main__":
    unittest.main()

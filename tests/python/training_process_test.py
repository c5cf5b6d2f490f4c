"""Tests of trainings with the process around them: signals, forks, its end, the command line."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from subprocesses import finish, run_python, start_python

import tandem

PROGRAM = Path(tandem.__file__).parent / "tandem"

# The beginning of all scripts; the run's folder is their first argument.
BEGIN = """
import logging, os, signal, sys, threading, time
import tandem
def begin(env="cartpole", **settings):
    settings = dict(run_dir=sys.argv[1], steps="1G", threads=2) | settings
    return tandem.Training("paac", env, **settings)
"""

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


class ProcessTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run_dir = Path(folder.name) / "run"

    def run_script(self, script, timeout=60):
        return run_python(BEGIN + script, self.run_dir, timeout=timeout)

    def assert_stopped(self):
        """Fails unless the run was stopped with a checkpoint, from which it can go on."""
        result = json.loads((self.run_dir / "result.json").read_text())
        self.assertEqual(result["why_ended"], "signal")
        checkpoint = max((self.run_dir / "checkpoints").iterdir())
        self.assertEqual(int(checkpoint.name), result["steps"])
        with tandem.Training.resume(self.run_dir, log_seconds=0.05) as training:
            next(training)


class Interrupts(ProcessTest):
    def interrupt(self, process, settle, expected):
        """Sends Ctrl-C when the script is ready and settle() has returned.

        Returns the seconds until the script writes `expected`.
        """
        self.assertEqual(process.stdout.readline(), "ready\n")
        settle()
        begin = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        self.assertEqual(process.stdout.readline(), expected + "\n")
        return time.monotonic() - begin

    def interrupted(self, call):
        """The seconds until Ctrl-C has ended a call, in a process that goes on after it."""
        process = start_python(
            BEGIN
            + f"""
training = begin(log_seconds=1000)
print("ready")
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", training.running)
list(training)
assert next(training, None) is None
print("end")
""",
            self.run_dir,
        )
        seconds = self.interrupt(process, lambda: time.sleep(0.3), "interrupted False")
        self.assertEqual(process.stdout.readline(), "end\n")
        finish(process)
        return seconds

    # Seen failing with waits that look for no signals, and when the training went on.
    def test_ctrl_c_stops_the_training_with_a_checkpoint(self):
        for call in ("next(training)", "training.run()", "training.run(progress=True)"):
            with self.subTest(call=call):
                self.run_dir = self.run_dir.with_name(call)
                self.assertLess(self.interrupted(call), 60)
                self.assert_stopped()

    def test_ctrl_c_ends_train(self):
        process = start_python(
            BEGIN
            + """
print("ready")
try:
    tandem.train("paac", "cartpole", run_dir=sys.argv[1], steps="1G", progress=False)
except KeyboardInterrupt:
    print("interrupted")
""",
            self.run_dir,
        )

        def runs():
            while not (self.run_dir / "backends.txt").exists():
                time.sleep(0.01)
            time.sleep(0.2)

        self.interrupt(process, runs, "interrupted")
        finish(process)
        self.assert_stopped()

    # Seen hanging when close() waited for the call that its own thread was in.
    def test_a_signal_handler_may_close_the_training(self):
        process = start_python(
            BEGIN
            + """
training = begin(log_seconds=1000)
signal.signal(signal.SIGINT, lambda *_: training.close())
print("ready")
print("ended by", training.run()["why_ended"])
""",
            self.run_dir,
        )
        seconds = self.interrupt(process, lambda: time.sleep(0.3), "ended by signal")
        self.assertLess(seconds, 60)
        finish(process)
        self.assert_stopped()

    # Seen hanging when a measurement of the environment went on.
    def test_ctrl_c_ends_the_construction(self):
        process = start_python(
            BEGIN
            + SLOW
            + """
print("ready")
try:
    begin(lambda: Slow(), normalise=True)
except KeyboardInterrupt:
    print("interrupted")
""",
            self.run_dir,
        )
        self.assertLess(self.interrupt(process, lambda: time.sleep(3), "interrupted"), 60)
        finish(process)
        self.assertFalse(self.run_dir.exists())

    # Seen failing when the threads kept the mask of the thread that made them.
    def test_threads_of_a_training_take_no_signals(self):
        output = self.run_script("""
def blocked(signals, thread):
    lines = open(f"/proc/self/task/{thread}/status").read().splitlines()
    (mask,) = [int(line.split()[1], 16) for line in lines if line.startswith("SigBlk")]
    return all(mask >> number - 1 & 1 for number in signals)
before = set(os.listdir("/proc/self/task"))
handlers = [signal.getsignal(number) for number in signal.valid_signals()]
training = begin(log_seconds=0.05)
next(training)
own = set(os.listdir("/proc/self/task")) - before
print(len(own) > 1, all(blocked((signal.SIGINT, signal.SIGTERM), one) for one in own))
print(any(blocked((signal.SIGINT,), one) for one in before))
print(handlers == [signal.getsignal(number) for number in signal.valid_signals()])
""")
        self.assertEqual(output, "True True\nFalse\nTrue\n")


class Ends(ProcessTest):
    # Seen failing without the hook at the interpreter's end.
    def test_the_end_of_the_process_ends_a_training(self):
        output = self.run_script("""
training = begin()
threading.Thread(target=lambda: next(training), daemon=True).start()
time.sleep(0.2)
print("end")
""")
        self.assertEqual(output, "end\n")
        self.assert_stopped()

    # close() waits for threads in calls, because the interpreter may end them within destructors.
    # That is a race: ten runs without this wait passed.
    def test_daemon_threads_may_wait_at_the_end(self):
        output = self.run_script("""
training = begin(log_seconds=1000)
threads = [threading.Thread(target=call, daemon=True)
           for call in (lambda: next(training), *[training.save] * 3)]
for thread in threads:
    thread.start()
time.sleep(0.2)
print("end")
""")
        self.assertEqual(output, "end\n")
        self.assert_stopped()

    # Seen failing with an abort when their environments were left open.
    def test_daemon_threads_may_step_at_the_end(self):
        output = self.run_script("""
def play():
    env = tandem.make_vec("latency", 2, 2, mean_us=2000, wait="sleeping")
    env.reset(seed=1)
    while True:
        env.step([0, 0])

for _ in range(4):
    threading.Thread(target=play, daemon=True).start()
time.sleep(0.3)
print("end")
""")
        self.assertEqual(output, "end\n")

    # Seen aborting in most runs when agents and trainings took calls after the hooks at the end.
    def test_daemon_threads_may_act_and_save_at_the_end(self):
        output = self.run_script("""
with begin(steps=2000) as training:
    list(training)
observations = tandem.make_vec("cartpole", 2).reset(seed=1)[0]
def act():
    agent = tandem.Agent.load(sys.argv[1])
    while True:
        agent.act(observations)
def save():
    while True:
        running.save()
threading.excepthook = lambda _: None
running = begin(run_dir=sys.argv[1] + "-2", log_seconds=1000)
for call in (act, act, save, save):
    threading.Thread(target=call, daemon=True).start()
time.sleep(0.5)
print("end")
""")
        self.assertEqual(output, "end\n")

    def test_an_exception_ends_the_process_and_the_training(self):
        process = start_python(BEGIN + "training = begin(); next(training); 1 / 0", self.run_dir)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn("ZeroDivisionError", errors)
        self.assert_stopped()

    # AddressSanitizer's allocator may be locked at a fork, and the child then waits for it forever.
    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "a sanitizer cannot fork")
    # Seen failing when a child's end raised errors for its parent's training.
    # Seen hanging without the comparison of process ids: the child hung in the destructor.
    def test_a_fork_is_refused_and_ends(self):
        output = self.run_script("""
training = begin(log_seconds=0.05)
next(training)
child = os.fork()
if child == 0:
    for call in (lambda: next(training), training.stop, training.save, lambda: training.steps):
        try:
            call()
        except tandem.Error as error:
            assert "fork" in str(error), error
        else:
            os._exit(3)
    del training
    sys.exit(0)
print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
next(training)
training.close()
child = os.fork()
if child == 0:
    logging.basicConfig(stream=sys.stdout)  # its end reports no errors of the parent's training
    run = tandem.train("paac", "cartpole", steps="1k", run_dir=sys.argv[1] + "2", progress=False)
    sys.exit(0)
print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
        self.assertEqual(output, "child 0\nchild 0\n")
        self.assert_stopped()


class Terminals(ProcessTest):
    # A pipe without a reader fails as a terminal does after its end.
    def test_a_training_outlives_its_terminal(self):
        reading, writing = os.pipe()
        os.close(reading)
        script = """
run = tandem.train("paac", "cartpole", steps="40k", log_seconds=0.05, run_dir=sys.argv[1])
print(run.result["why_ended"])
"""
        done = subprocess.run(
            [sys.executable, "-c", BEGIN + script, self.run_dir],
            stdout=subprocess.PIPE,
            stderr=writing,
            text=True,
            timeout=120,
        )
        os.close(writing)
        self.assertEqual(done.stdout, "budget\n")


class Callables(ProcessTest):
    def command_line(self, *words):
        command = [PROGRAM, *map(str, words)]
        # Another folder, and a Python that has no gymnasium.
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=120,
            cwd="/",
            env={"PATH": "/nowhere"},
        )

    def test_the_command_line_goes_on_with_a_run_whose_environment_is_a_function(self):
        self.run_script("""
import gymnasium
length = 0.3
class Longer(gymnasium.Wrapper):
    pass
def make():
    env = gymnasium.make("CartPole-v1")
    env.unwrapped.length = length
    return Longer(env)
run = tandem.train("paac", make, steps="1k", run_dir=sys.argv[1], progress=False)
""")
        moved = self.run_dir.with_name("moved")
        self.run_dir.rename(moved)
        done = self.command_line("train", "--resume", moved, "--steps", "2k")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.command_line("eval", moved, "--episodes", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('id = "gym:make"', (moved / "config.toml").read_text())
        with tandem.Training.resume(moved, "3k") as training:
            self.assertGreaterEqual(training.run()["steps"], 3000)

    def test_a_run_whose_interpreter_is_gone_takes_the_present_one(self):
        run_dir = self.run_dir
        tandem.train("paac", "gym:CartPole-v1", steps="1k", run_dir=run_dir, progress=False)
        config = run_dir / "config.toml"
        lost = re.sub("(?m)^python = .*$", 'python = "/gone/bin/python"', config.read_text())
        self.assertIn("/gone/bin/python", lost)
        config.write_text(lost)
        self.assertEqual(tandem.Agent.load(run_dir).evaluate(2).episodes, 2)
        other = {"python": "/no/python"}  # a name of the user's own stays
        with self.assertRaisesRegex(tandem.Error, "/no/python"):
            tandem.Agent.load(run_dir, env=other)
        with self.assertRaisesRegex(tandem.Error, "/no/python"):
            tandem.Training.resume(run_dir, "2k", env=other)
        self.assertGreaterEqual(tandem.Training.resume(run_dir, "2k").run()["steps"], 2000)
        self.assertIn(f'python = "{sys.executable}"', config.read_text())
        # A run of the command line names none.
        config.write_text(re.sub("(?m)^python = .*$", 'python = ""', config.read_text()))
        tandem.Training.resume(run_dir, "3k").run()
        self.assertIn(f'python = "{sys.executable}"', config.read_text())

    def test_a_function_that_holds_much_data_is_refused(self):
        data = os.urandom(2 << 20)
        with self.assertRaisesRegex(tandem.Error, "holds 2 MB of data.*from a file"):
            tandem.Training("paac", lambda: data, run_dir=self.run_dir)
        self.assertFalse(self.run_dir.exists())

    def test_an_error_of_the_function_has_its_traceback(self):
        def make():
            raise ValueError("the engine is missing")

        with self.assertRaisesRegex(tandem.Error, "ValueError: the engine is missing"):
            tandem.Training("paac", make, run_dir=self.run_dir)

    def test_an_error_of_the_environment_ends_the_run_with_its_words(self):
        output = self.run_script("""
import gymnasium
class Breaking(gymnasium.Wrapper):
    steps = 0
    def step(self, action):
        self.steps += 1
        if self.steps > 40:
            raise ValueError("the engine has stopped")
        return super().step(action)
training = begin(lambda: Breaking(gymnasium.make("CartPole-v1")), normalise=False)
try:
    training.run()
except tandem.Error as error:
    print("ValueError: the engine has stopped" in str(error))
print(list(training))
""")
        self.assertEqual(output, "True\n[]\n")


if __name__ == "__main__":
    unittest.main()

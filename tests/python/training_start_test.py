"""Tests of the start of trainings from Python."""

import signal
import threading
import time
import unittest

from subprocesses import finish, start_python
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


class Ends(ProcessTest):
    def test_daemon_threads_may_begin_a_training_at_the_end(self):
        output = self.run_script(
            SLOW
            + """
threading.excepthook = lambda _: None
words = {"args": (lambda: Slow(),), "kwargs": {"normalise": True}}
threading.Thread(target=begin, daemon=True, **words).start()
time.sleep(3)
print("end")
"""
        )
        self.assertEqual(output, "end\n")
        self.assertFalse(self.run_dir.exists())


class Clusters(ProcessTest):
    # A pipe without a writer gives no settings.
    def test_ctrl_c_ends_the_reading_of_a_config(self):
        process = start_python(
            BEGIN
            + """
pipe = sys.argv[1] + ".toml"
os.mkfifo(pipe)
print("ready")
try:
    tandem._core.cluster_facts("apex", pipe, [], "", False, sys.executable)
except KeyboardInterrupt:
    print("interrupted")
    os._exit(0)
""",
            self.run_dir,
        )
        late = threading.Timer(60, process.kill)
        late.start()
        self.addCleanup(late.cancel)
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(finish(process), "interrupted\n")


if __name__ == "__main__":
    unittest.main()

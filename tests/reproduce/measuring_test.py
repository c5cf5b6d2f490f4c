"""Makes items whose commands measure by themselves. Needs $TANDEM, the path of the program.

Seen failing with a command that counts as done without its results.
"""

import json
import os
import signal
import unittest

import plans
from program_case import ProgramCase

STUDY = ["experiment", "apex-study", "priorities", "--config", "apex/catch", "--env", "catch"]
SHORT = ["--set", "replay.capacity=3k", "--set", "run.log_seconds=0.1", "--runs", "1"]


def command(words, tables=()):
    lines = [f"words = {json.dumps(words)}", f"tables = {json.dumps(tables)}"]
    lines += [f"budgets.{budget} = {{ minutes = 1 }}" for budget in ("1h", "8h", "paper")]
    return "\n".join(["", "[[command]]", *lines, ""])


class Measuring(ProgramCase):
    def commands(self, *commands):
        head = plans.CURVES.partition("envs")[0].replace('"curves"', '"commands"')
        self.plan(head + "".join(commands))
        self.folder = self.out / "paac/figure-1-paper"

    def test_commands_leave_their_output(self):
        self.commands(command(["keys", "paac", "--config", "paac/catch"]))
        self.passes()
        text = (self.folder / "item.md").read_text()
        self.assertIn("tandem keys paac", text)
        self.assertIn("paac.t_max", text)

    def test_a_command_that_fails_ends_the_item(self):
        self.commands(command(["keys", "nothing"]))
        said = self.refused()
        self.assertEqual(said.count("tandem: error:"), 1, said)
        self.assertFalse((self.folder / "item.md").exists())

    def test_a_command_that_a_signal_stops_alone_goes_on(self):
        self.commands(command([*STUDY, *SHORT, "--steps", "30k"], ["compare.csv"]))
        process = self.start("paac", "figure-1", "--budget", "paper")
        self.wait_for("paac/figure-1-paper/command-1/runs/001/metrics.jsonl")
        os.kill(int(self.children(process)[0]), signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, said)
        self.assertIn("there is no compare.csv of tandem experiment apex-study", said)
        self.assertFalse((self.folder / "command-1/done").exists())
        self.passes()
        self.assertTrue((self.folder / "command-1/done").exists())

    def test_a_command_without_its_table_is_not_done(self):
        self.commands(command(["experiment"], ["a.csv", "b.csv"]))
        self.script(f"touch {self.folder}/command-1/b.csv; echo the table cannot be made")
        self.assertIn("there is no a.csv and no b.csv of tandem experiment", self.refused())
        self.script(f"for t in a b; do echo $t > {self.folder}/command-1/$t.csv; done; echo said")
        self.passes()

    def test_a_command_without_output_is_not_done(self):
        self.commands(command(["bench"]))
        self.script("exit 0")
        self.assertIn("there is no output.txt of tandem bench", self.refused())

    def test_a_command_that_is_killed_alone_is_not_done(self):
        self.commands(command(["bench"]))
        self.script("kill -TERM $$")
        self.assertIn("ended with -15", self.refused())


if __name__ == "__main__":
    unittest.main()

"""Makes items with the real program: tables, pictures, stops, kills and resumes.

Seen failing with a command that outlives a killed parent, with an item whose steps were decided
anew, with evaluations that are played again, with a diverged run that is evaluated, and without the
lock of the folder. Needs $TANDEM, the path of the program.
"""

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import plans

PROGRAM = os.environ["TANDEM"]
COMMAND = plans.ROOT / "python/tandem_reproduce"
DRAWING = plans.ROOT / "tools/plot_item.py"
PNG = b"\x89PNG\r\n\x1a\n"
TRAINED = 'set = ["run.threads=1", "run.log_seconds=0.1"]'


class Reproduce(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.plans = self.path / "plans"
        self.plans.mkdir()
        self.out = self.path / "out"

    def plan(self, text=plans.CURVES, **what):
        plans.write(self.plans, text, **what)

    def words(self, *words):
        fixed = {"out": self.out, "plans": self.plans, "program": PROGRAM, "drawing": DRAWING}
        options = [f"--{name}={value}" for name, value in fixed.items()]
        return [sys.executable, str(COMMAND), *options, *words]

    def make(self, *words):
        words = words or ("paac", "figure-1", "--budget", "paper")
        return subprocess.run(self.words(*words), capture_output=True, text=True, timeout=120)

    def passes(self, *words):
        result = self.make(*words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, *words):
        result = self.make(*words)
        self.assertEqual(result.returncode, 2, result.stderr)
        return result.stderr

    def rows(self, item="figure-1-paper", paper="paac"):
        with (self.out / paper / item / "item.csv").open(newline="") as lines:
            return list(csv.reader(lines))

    def start(self, *words):
        process = subprocess.Popen(
            self.words(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, pattern):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if any(self.out.glob(pattern)):
                return
            time.sleep(0.02)
        self.fail(f"there is no {pattern}")

    def test_makes_table_and_picture_and_goes_on_with_nothing_left(self):
        self.plan()
        result = self.passes()
        head, *rows = self.rows()
        self.assertEqual(head, ["", "runs", "catch"])
        names = ["PAAC  lr=0.001, here", "PAAC  lr=0.01, here", "PAAC lr=0.01, paper"]
        self.assertEqual([row[0] for row in rows], names)
        self.assertEqual([row[1] for row in rows], ["2", "2", ""])
        self.assertEqual(rows[2][2], "0.5")
        folder = self.out / "paac/figure-1-paper"
        self.assertEqual((folder / "item.png").read_bytes()[:8], PNG)
        text = (folder / "item.md").read_text()
        for words in ("Figure 1: two rates", "the paper's budget", "Steps of a run: 4,000"):
            self.assertIn(words, text)
        self.assertIn("part 1 of 1", result.stderr)
        runs = sorted(folder.glob("paac/catch/runs/*/result.json"))
        self.assertEqual(len(runs), 4)
        times = [run.stat().st_mtime_ns for run in runs]
        self.passes()
        self.assertEqual([run.stat().st_mtime_ns for run in runs], times)
        self.assertIn("paper: done", self.passes("--list").stdout)

    def test_a_small_budget_has_the_papers_steps_at_most(self):
        self.plan()
        self.passes("paac", "figure-1", "--budget", "1h")
        described = json.loads((self.out / "paac/figure-1-1h/item.json").read_text())
        self.assertEqual(described["steps"], {"paac/catch": 4000})
        self.assertIn("1 h of training", (self.out / "paac/figure-1-1h/item.md").read_text())
        rates = json.loads((self.out / "rates.json").read_text())
        self.assertEqual(sum(map(len, rates.values())), 1)
        # The steps stay, whatever the machine does now.
        described["steps"] = {"paac/catch": 3000}
        (self.out / "paac/figure-1-1h/item.json").write_text(json.dumps(described))
        (self.out / "rates.json").unlink()
        self.assertIn("sweep", self.refused("paac", "figure-1", "--budget", "1h"))
        self.assertFalse((self.out / "rates.json").exists())

    def test_goes_on_after_a_stop(self):
        self.plan(plans.CURVES.replace('"4k"', '"60k"'))
        process = self.start("paac", "figure-1", "--budget", "paper")
        self.wait_for("paac/figure-1-paper/paac/catch/runs/001/metrics.jsonl")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, said)
        self.assertIn("stopped; the same command goes on", said)
        self.assertFalse((self.out / "paac/figure-1-paper/item.md").exists())
        self.assertIn("of 4 runs", self.passes("--list").stdout)
        self.passes()
        self.assertEqual(len(self.rows()), 4)

    def test_a_killed_command_takes_its_training_along_and_goes_on(self):
        self.plan(plans.CURVES.replace('"4k"', '"60k"'))
        process = self.start("paac", "figure-1", "--budget", "paper")
        self.wait_for("paac/figure-1-paper/paac/catch/runs/001/metrics.jsonl")
        process.kill()
        process.communicate(timeout=60)
        end = time.monotonic() + 60
        while (result := self.make()).returncode != 0 and time.monotonic() < end:
            # The training ends with its checkpoint first.
            self.assertIn("another process", result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(self.rows()), 4)

    def test_one_process_makes_an_item(self):
        self.plan(plans.CURVES.replace('"4k"', '"400k"'))
        self.start("paac", "figure-1", "--budget", "paper")
        self.wait_for("paac/figure-1-paper/paac/catch/runs/001/metrics.jsonl")
        self.assertIn("another process makes", self.refused())

    def test_refuses_the_folder_of_another_plan(self):
        self.plan()
        self.passes()
        self.plan(plans.CURVES.replace("0.001,0.01", "0.001,0.02"))
        self.assertIn("begun with another plan of paac/figure-1", self.refused())

    def test_scores_are_those_of_evaluation_games(self):
        text = plans.CURVES.replace('"curves"', '"scores"\nreads = "evaluation"\nepisodes = 3')
        self.plan(text.replace("0.001,0.01", "0.001,1e30"))
        self.passes()
        folder = self.out / "paac/figure-1-paper"
        files = sorted(folder.glob("paac/catch/runs/*/reproduce-evaluation.json"))
        self.assertEqual(len(files), 2)  # the other two runs diverged
        games = [json.loads(file.read_text()) for file in files]
        self.assertEqual([one["episodes"] for one in games], [3, 3])
        mean = sum(one["mean"] for one in games) / 2
        self.assertAlmostEqual(float(self.rows()[1][2]), mean, 3)
        self.assertEqual(self.rows()[2][2], "-")
        times = [file.stat().st_mtime_ns for file in files]
        self.passes()
        self.assertEqual([file.stat().st_mtime_ns for file in files], times)

    def test_speedups_stand_beside_the_papers(self):
        text = plans.CURVES.replace('"curves"', '"speedup"\nthreads = [1, 2]\ngoals.catch = -0.9')
        text = text.replace('vary = ["optimizer.lr=0.001,0.01"]', "").replace(TRAINED, "")
        text = text.replace("paac", "a3c").replace("catch = 0.5", "1 = 1.0\n2 = 1.9")
        self.plan(text, paper="a3c")
        self.passes("a3c", "figure-1", "--budget", "paper")
        rows = self.rows("figure-1-paper", paper="a3c")
        self.assertEqual(rows[0], ["", "runs", "1", "2"])
        self.assertEqual(rows[1][:3], ["PAAC, here", "4", "1"])
        self.assertEqual(rows[2], ["PAAC lr=0.01, paper", "", "1", "1.9"])
        self.assertTrue((self.out / "a3c/figure-1-paper/item.png").exists())

    def test_a_sweep_is_drawn_by_what_it_drew(self):
        text = plans.CURVES.replace('"curves"', '"sweep"\nbest = 1')
        self.plan(text.replace("0.001,0.01", "log_uniform(1e-4,1e-2)"))
        self.passes()
        self.assertEqual([row[:2] for row in self.rows()[1:2]], [["PAAC, here", "2"]])
        self.assertTrue((self.out / "paac/figure-1-paper/item.png").exists())

    def commands(self, words, writes):
        head = plans.CURVES.partition("envs")[0].replace('"curves"', '"commands"')
        budgets = "".join(f"budgets.{b} = {{ minutes = 1 }}\n" for b in ("1h", "8h", "paper"))
        return f"{head}[[command]]\nwords = {json.dumps(words)}\nwrites = {writes}\n{budgets}"

    def test_commands_leave_their_output(self):
        self.plan(self.commands(["keys", "paac", "--config", "paac/catch"], "false"))
        self.passes()
        text = (self.out / "paac/figure-1-paper/item.md").read_text()
        self.assertIn("tandem keys paac", text)
        self.assertIn("paac.t_max", text)

    def test_a_command_that_fails_ends_the_item(self):
        self.plan(self.commands(["keys", "nothing"], "false"))
        self.assertIn("this command ended with 2: tandem keys nothing", self.refused())
        self.assertFalse((self.out / "paac/figure-1-paper/item.md").exists())

    def test_an_absent_item_and_an_unknown_one_are_refused(self):
        text = 'title = "T"\nsection = "s"\nshows = "S."\nbudget = "b"\nform = "absent"\n'
        self.plan(text + 'absent = "a drawing"\n')
        self.assertIn("paac/figure-1 cannot be made here: a drawing", self.refused())
        self.assertIn("has no item table-1: they are figure-1", self.refused("paac", "table-1"))
        self.assertIn("Not here: a drawing", self.passes("--list").stdout)


if __name__ == "__main__":
    unittest.main()

"""Makes items whose commands measure by themselves. Needs $TANDEM, the path of the program.

Seen failing with a command that counts as done without its results, with ended commands begun
again, with tables of commands that are not joined, without pictures of commands, and with commands
that begin without their environments.
"""

import json
import os
import signal
import sys
import unittest

import plans
from program_case import ProgramCase
from tandem_reproduce.measured import labelled

STUDY = ["experiment", "apex-study", "priorities", "--config", "apex/catch", "--env", "catch"]
SHORT = ["--set", "replay.capacity=3k", "--set", "run.log_seconds=0.1", "--runs", "1"]


def command(words, tables=()):
    lines = [f"words = {json.dumps(words)}", f"tables = {json.dumps(tables)}"]
    lines += [f"budgets.{budget} = {{ minutes = 1 }}" for budget in ("1h", "8h", "paper")]
    return "\n".join(["", "[[command]]", *lines, ""])


GRID = "system,net,agents,predictors,trainers,trainings_per_second,training_queue,prediction_batch"
NETWORKS = "system,net,predictions_per_second,trainings_per_second"


class Measuring(ProgramCase):
    def commands(self, *commands, top=""):
        head = plans.CURVES.partition("envs")[0].replace('"curves"', '"commands"')
        self.plan(head + top + "".join(commands) + '[numbers."System I"]\nbest = "16 agents"\n')
        self.folder = self.out / "paac/figure-1-paper"

    def test_commands_leave_their_output(self):
        self.commands(command(["keys", "paac", "--config", "paac/catch"]))
        self.passes()
        text = (self.folder / "item.md").read_text()
        self.assertIn("tandem keys paac", text)
        self.assertIn("paac.t_max", text)

    # Meant to fail with the budget's "40 h in all", and with the minutes that the plan foresees.
    def test_commands_have_the_time_that_they_took(self):
        self.commands(command(["bench"]))
        self.script("[ $1 = bench ] || exit 0; sleep 1; exit 1")
        self.refused("paac", "figure-1", "--budget", "40h")
        self.script("[ $1 = bench ] && sleep 1; echo said")
        self.passes("paac", "figure-1", "--budget", "40h")
        text = (self.out / "paac/figure-1-8h/item.md").read_text()
        self.assertRegex(text, "Here: commands of [2-9](\\.[0-9])? s on")

    # Seen failing where every table was the end of its item.
    def test_an_item_without_its_picture_is_not_done(self):
        self.commands(command(["keys", "paac", "--config", "paac/catch"]))
        working = self.drawing.read_text()
        self.passes()
        self.drawing.write_text("raise SystemExit(1)")
        self.assertIn("the same command draws the picture", self.refused())
        self.assertFalse((self.folder / "finished").exists())
        self.assertFalse((self.folder / "item.png").exists())
        self.drawing.write_text(working)
        self.passes()
        self.assertTrue((self.folder / "finished").exists())

    # Seen going on with rates of two machines in one table.
    def test_commands_are_of_one_machine(self):
        self.commands(command(["keys", "paac", "--config", "paac/catch"]))
        self.passes()
        file = self.folder / "item.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"machine": "another"}))
        self.passes()  # nothing is left to measure
        (self.folder / "command-1/done").unlink()
        self.assertIn("Times and rates of two machines do not compare", self.refused())

    def test_a_command_that_fails_ends_the_item(self):
        self.commands(command(["keys", "nothing"]))
        said = self.refused()
        self.assertEqual(said.count("tandem: error:"), 1, said)
        self.assertFalse((self.folder / "item.md").exists())

    def test_a_command_that_a_signal_stops_alone_goes_on(self):
        os.environ["TANDEM_PYTHON"] = sys.executable  # it writes the table
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

    def test_a_command_whose_plug_in_is_missing_is_left_out(self):
        keys = command(["keys", "paac", "--config", "paac/catch"])
        self.commands(command(["bench", "paac", "--env", "mine:maze"]), keys)
        result = self.make()
        self.assertEqual(result.returncode, 3, result.stderr)
        text = (self.folder / "item.md").read_text()
        self.assertIn("- Missing: command 1, tandem bench paac (mine:maze (no plug-in mine", text)
        self.assertIn("paac.t_max", text)

    # Seen failing with commands that are known by their first words.
    def test_an_item_whose_commands_are_all_missing_is_refused(self):
        mine = command(["bench", "paac", "--env", "mine:maze"])
        self.commands(mine, mine)
        self.assertIn(
            "cannot be made here: it lacks command 1, tandem bench paac, command 2", self.refused()
        )

    def test_benches_stand_in_table_and_picture(self):
        self.draws()
        words = ["bench", "paac", "--config", "paac/catch", "--threads", "1", "--seconds", "0.5"]
        self.commands(command([*words, "--sweep", "paac.envs=2,4", "--json"]))
        self.passes()
        numbers = self.numbers()
        rate = float(numbers["paac with mlp, 4 envs", "here", "steps_per_second"]["value"])
        self.assertGreater(rate, 0)
        self.assertEqual(numbers["System I", "paper", "best"]["value"], "16 agents")
        self.assertIn("| steps_per_second |", (self.folder / "item.md").read_text())
        self.assertEqual((self.folder / "item.png").read_bytes()[:4], b"\x89PNG")

    def test_pictures_of_commands_become_one(self):
        self.draws()
        self.commands(command(["a"], ["compare.csv"]), command(["b"], ["compare.csv"]))
        picture = plans.ROOT / "docs/results/ga3c-pong.png"
        self.script(
            '[ "$2" = --out ] || exit 0\n'  # it is also asked for its version
            f'cp {picture} "$3/compare.png"\n'
            'printf "label,final\\n%s in Pong,7\\n" "$1" > "$3/compare.csv"'
        )
        self.passes()
        numbers = self.numbers()
        self.assertEqual(numbers["b in Pong", "here", "final"]["value"], "7")
        self.assertEqual(len(numbers), 3)
        self.assertEqual((self.folder / "item.png").read_bytes()[:4], b"\x89PNG")

    # Seen failing with seconds in the place of minutes, and with "no score" for an empty cell.
    def test_numbers_of_commands_stand_beside_the_papers(self):
        top = """[[comparison]]
table = "compare.csv"
row = "label"
rows = { PAAC = "System I" }
column = "env"
columns = { run = "best" }
values = ["soon", "late"]
per = 60
"""
        self.commands(command(["a"], ["compare.csv"]), top=top)
        table = "label,env,soon,late\\nPAAC run,football:run,90,\\nHTS run,football:run,30,120\\n"
        self.script(f'[ "$2" = --out ] || exit 0; printf "{table}" > $3/compare.csv; echo made')
        self.passes()
        lines = (self.folder / "item.md").read_text().splitlines()
        place = lines.index("| System I, here | 1.5/- |")
        self.assertEqual(lines[place + 1], "| System I, paper | 16 agents |")
        self.assertEqual(lines[place + 2], "| HTS, here | 0.5/2 |")
        self.assertEqual(self.numbers()["HTS", "here", "best"]["value"], "0.5/2")
        self.commands(command(["a"], ["compare.csv"]), top=top.replace("late", "latest"))
        self.assertIn("compare.csv, which has no column latest", self.refused())
        top = top.replace('"soon", "late"', '"soon"').replace("per = 60", "per = 0.01")
        self.commands(command(["a"], ["compare.csv"]), top=top)
        self.passes()
        self.assertEqual(self.numbers()["HTS", "here", "best"]["value"], "3000.0")
        self.assertIn("| HTS, here | 3,000 |", (self.folder / "item.md").read_text())

    def test_rows_have_the_first_columns_that_tell_them_apart_as_names(self):
        rows = [{"net": "nips", "agents": "1", "rate": "7"}, {"net": "nips", "agents": "2"}]
        self.assertEqual(labelled(rows), {"nips agents=1": {"rate": "7"}, "nips agents=2": {}})
        # Seen failing with the columns of the first row alone.
        rows[1]["late"] = "9"
        self.assertEqual(labelled(rows)["nips agents=2"], {"late": "9"})
        alike = [rows[0], rows[0]]
        self.assertEqual(labelled(alike), {"line 1": rows[0], "line 2": rows[0]})
        self.assertEqual(labelled([]), {})

    def test_a_grid_in_parts_is_drawn_as_one_and_keeps_the_parts_that_have_ended(self):
        self.draws()
        tables = ["grid.csv", "networks.csv"]
        parts = [command(["grid", agents], tables) for agents in ("16", "32")]
        self.commands(*parts, top='drawing = "plot_ga3c_grid"\n')
        log = self.path / "log"
        write = (
            '[ "$3" = --out ] || exit 0\n'  # it is also asked for its version
            f'echo $2 >> {log}; printf "{GRID}\\nga3c,nips,$2,1,1,9,2,3\\n" > $4/grid.csv\n'
            f'printf "{NETWORKS}\\nga3c,net$2,9,2\\n" > $4/networks.csv\n'
        )
        self.script(f"test $2 = 32 && kill -9 $$\n{write}")
        self.assertIn("ended with -9", self.refused())
        self.script(write)
        self.passes()
        self.assertEqual(log.read_text().split(), ["16", "32"])
        self.assertEqual((self.folder / "item.png").read_bytes()[:4], b"\x89PNG")
        rows = [("ga3c nips agents=16", "9"), ("ga3c nips agents=32", "9")]
        numbers = self.numbers()
        for row, value in rows:
            self.assertEqual(numbers[row, "here", "trainings_per_second"]["value"], value)
        self.assertEqual(len((self.folder / "grid.csv").read_text().splitlines()), 3)


if __name__ == "__main__":
    unittest.main()

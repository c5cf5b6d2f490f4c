"""Makes items with the real program: tables, pictures, stops, kills and resumes.

Seen failing with a command that outlives a killed parent, with a table of a training that a signal
stopped alone, with a second signal that kills, with an item whose steps were decided anew, with
evaluations that are played again, with a diverged run that is evaluated, without the lock of the
folder, with a finished item whose sweeps begin again, with jobs that are not written down, with
shared runs that are trained twice, with a table of whole items alone, with a missing package that
is found at the end, and with a missing plug-in that ends the item, is silent in table or list, or
ends with the exit code 0. Needs $TANDEM, the path of the program.
"""

import json
import os
import signal
import time
import unittest
from pathlib import Path
from unittest import mock

import plans
from program_case import ProgramCase

PNG = b"\x89PNG\r\n\x1a\n"
CURVES_ARM = """[[arm]]
label = "{label}"
system = "paac"
preset = "paac/catch"
steps = "{steps}"
set = ["run.threads=1", "run.log_seconds=0.1"]

"""
TRAINED = 'set = ["run.threads=1", "run.log_seconds=0.1"]'


def height_of(picture):
    return int.from_bytes(picture[20:24], "big")


class Reproduce(ProgramCase):
    def test_makes_table_and_picture_and_goes_on_with_nothing_left(self):
        self.draws()
        self.plan()
        result = self.passes()
        numbers = self.numbers()
        names = [("PAAC  lr=0.001", "here"), ("PAAC  lr=0.01", "here"), ("PAAC lr=0.01", "paper")]
        self.assertEqual(list(numbers), [(*name, "catch") for name in names])
        self.assertEqual([row["runs"] for row in numbers.values()], ["2", "2", ""])
        self.assertEqual(numbers[*names[2], "catch"]["value"], "0.5")
        folder = self.out / "paac/figure-1-paper"
        self.assertEqual((folder / "item.png").read_bytes()[:8], PNG)
        text = (folder / "item.md").read_text()
        head = [
            "Figure 1: two rates",
            "the paper's budget",
            "Steps of a run: 4,000",
            "in all, a run",
        ]
        for words in head:
            self.assertIn(words, text)
        self.assertIn("part 1 of 1", result.stderr)
        runs = sorted(folder.glob("paac/catch/runs/*/result.json"))
        self.assertEqual(len(runs), 4)
        (folder / "item.png").unlink()
        self.record()
        self.passes("paac", "figure-1", "--budget", "paper", "--jobs", "2")
        self.assertFalse((self.path / "recorded").exists())
        self.assertIn("Runs at the same time: 1.", (folder / "item.md").read_text())
        self.assertEqual((folder / "item.png").read_bytes()[:8], PNG)
        self.assertIn("paper: done", self.passes("--list").stdout)

    # Seen failing with one row of panels for both axes.
    def test_curves_by_steps_and_by_time_stand_below_each_other(self):
        self.draws()
        self.plan()
        self.passes()
        picture = self.out / "paac/figure-1-paper/item.png"
        by_steps = picture.read_bytes()
        self.plan(plans.CURVES.replace('"curves"', '"curves"\naxis = "steps and seconds"'))
        self.passes()
        self.assertGreater(height_of(picture.read_bytes()), 1.5 * height_of(by_steps))

    def test_items_share_runs_whichever_is_asked_first(self):
        self.plan()
        self.plan(plans.SHARED, name="figure_2.toml")
        self.passes("paac", "figure-2", "--budget", "paper")
        first, second = (self.out / f"paac/figure-{n}-paper" for n in (1, 2))
        runs = sorted(first.glob("paac/catch/runs/*/result.json"))
        self.assertEqual(len(runs), 4)
        self.assertFalse((second / "paac").exists())
        self.assertFalse((first / "item.md").exists())
        self.assertEqual((second / "item.png").read_bytes()[:8], PNG)
        text = (second / "item.md").read_text()
        self.assertIn("The runs are those of paac/figure-1, in ../figure-1-paper", text)
        self.record()
        self.passes()
        self.assertFalse((self.path / "recorded").exists())
        self.assertEqual(len(self.numbers()), 3)

    def test_a_small_budget_has_the_papers_steps_at_most(self):
        self.plan()
        self.passes("paac", "figure-1", "--budget", "1h")
        described = json.loads((self.out / "paac/figure-1-1h/item.json").read_text())
        self.assertEqual(described["steps"], {"paac/catch": 4000})
        self.assertIn("1 h in all", (self.out / "paac/figure-1-1h/item.md").read_text())
        rates = json.loads((self.out / "rates.json").read_text())
        self.assertEqual(len(rates["rates"]), 1)
        self.assertIn("tandem", rates["made_with"]["program"])
        # The steps stay, whatever the machine does now.
        described["steps"] = {"paac/catch": 3000}
        (self.out / "paac/figure-1-1h/item.json").write_text(json.dumps(described))
        (self.out / "rates.json").unlink()
        (self.out / "paac/figure-1-1h/paac/catch/done").unlink()
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
        self.passes("paac", "figure-1", "--budget", "paper", "--jobs", "2")
        self.assertEqual(len(self.numbers()), 3)
        folder = self.out / "paac/figure-1-paper"
        self.assertIn("Runs at the same time: 1 and then 2.", (folder / "item.md").read_text())
        picture = json.loads((folder / "picture.json").read_text())
        self.assertIn("(runs at the same time: 1 and then 2)", picture["budget"])

    def test_a_stopped_item_shows_the_parts_that_it_has(self):
        second = CURVES_ARM.format(label="more", steps="200k")
        self.plan(plans.CURVES.replace("[reduced.1h]", f"{second}[reduced.1h]"))
        process = self.start("paac", "figure-1", "--budget", "paper")
        self.wait_for("paac/figure-1-paper/more/catch/runs/001/metrics.jsonl")
        folder = self.out / "paac/figure-1-paper"
        self.assertIn("more on catch (not made yet)", (folder / "item.md").read_text())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertIn("paper: 4 of 5 runs", self.passes("--list").stdout)
        self.assertEqual((folder / "item.png").read_bytes()[:8], PNG)
        self.assertEqual(self.numbers()["more", "here", "catch"]["value"], "")
        self.passes()
        self.assertNotIn("not made yet", (folder / "item.md").read_text())
        self.assertNotEqual(self.numbers()["more", "here", "catch"]["value"], "")

    def test_a_killed_command_takes_its_training_along(self):
        self.plan(plans.CURVES.replace('"4k"', '"400M"'))
        process = self.start("paac", "figure-1", "--budget", "paper")
        self.wait_for("paac/figure-1-paper/paac/catch/runs/001/metrics.jsonl")
        pid = int(self.children(process)[0])
        training = Path(f"/proc/{pid}")
        self.addCleanup(lambda: training.exists() and os.kill(pid, signal.SIGKILL))
        process.kill()
        process.wait()
        end = time.monotonic() + 20
        while training.exists() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertFalse(training.exists())
        self.wait_for("paac/figure-1-paper/paac/catch/runs/001/checkpoints/*")

    def test_goes_on_after_a_kill_of_everything(self):
        self.plan(plans.CURVES.replace('"4k"', '"60k"'))
        process = self.start("paac", "figure-1", "--budget", "paper")
        self.wait_for("paac/figure-1-paper/paac/catch/runs/002/metrics.jsonl")
        training = int(self.children(process)[0])
        process.kill()
        os.kill(training, signal.SIGKILL)
        process.wait()
        self.passes()
        self.assertEqual(len(self.numbers()), 3)

    def test_a_signal_to_the_training_alone_makes_no_table(self):
        self.plan(plans.CURVES.replace('"4k"', '"60k"'))
        process = self.start("paac", "figure-1", "--budget", "paper")
        self.wait_for("paac/figure-1-paper/paac/catch/runs/001/metrics.jsonl")
        os.kill(int(self.children(process)[0]), signal.SIGTERM)
        _, said = process.communicate(timeout=60)
        self.assertIn("stopped; the same command goes on", said)
        self.assertFalse((self.out / "paac/figure-1-paper/item.md").exists())

    def test_a_second_signal_does_not_kill_what_is_being_saved(self):
        self.plan()
        begun, saved = self.path / "begun", self.path / "saved"
        self.script(
            f"trap 'sleep 0.5; touch {saved}; exit 0' TERM\ntouch {begun}\n"
            "while :; do sleep 0.02; done"
        )
        process = self.start("paac", "figure-1", "--budget", "paper")
        self.wait_for("../begun")
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, said)
        self.assertEqual(said.count("stopping: the run writes its checkpoint first"), 1)
        self.assertTrue(saved.exists())

    def test_the_other_items_of_a_paper_are_made(self):
        self.plan(plans.CURVES.replace("paac/catch", "paac/nothing"))
        self.plan(name="figure_2.toml")
        text = 'title = "T"\nsection = "s"\nshows = "S."\nbudget = "b"\nform = "absent"\n'
        self.plan(text + 'absent = "a drawing"\n', name="figure_3.toml")
        said = self.refused("paac", "--budget", "paper")
        self.assertIn("not made, for the reasons above: figure-1", said)
        self.assertIn("paac/figure-3 is left out: a drawing", said)
        self.assertTrue((self.out / "paac/figure-2-paper/item.md").exists())

    def test_one_process_makes_an_item(self):
        self.plan(plans.CURVES.replace('"4k"', '"400k"'))
        self.start("paac", "figure-1", "--budget", "paper")
        self.wait_for("paac/figure-1-paper/paac/catch/runs/001/metrics.jsonl")
        self.assertIn("another process makes", self.refused())

    # Seen failing without the comparison of whole parts.
    def test_refuses_to_mix_the_numbers_of_two_presets(self):
        more = '\n[[arm]]\nlabel = "A second one"\nsystem = "paac"\npreset = "{0}"\nsteps = "4k"\n'
        preset = self.path / "preset.toml"
        preset.write_text((plans.ROOT / "configs/paac/catch.toml").read_text())
        first, rest = plans.CURVES.replace("paac/catch", str(preset)).split("\n[reduced.1h]")
        text = f"{first}{more.format('paac/catch')}\n[reduced.1h]{rest}"
        self.plan(text)
        self.passes()
        folder = self.out / "paac/figure-1-paper"
        preset.write_text(preset.read_text().replace("t_max = 5", "t_max = 6"))
        self.passes()  # a whole item is only drawn
        (folder / "a-second-one/catch/done").unlink()
        said = self.refused()
        self.assertIn("paac.t_max is 5 there and 6 here", said)
        self.assertIn("PAAC on catch was trained with other numbers", said)

    # Seen failing when a rebuild between two parts left no trace.
    def test_two_builds_are_told(self):
        self.plan()
        self.passes()
        folder = self.out / "paac/figure-1-paper"
        file = folder / "item.json"
        described = json.loads(file.read_text())
        (build,) = described["builds"]
        file.write_text(json.dumps(described | {"builds": ["an older one"]}))
        (folder / "paac/catch/done").unlink()
        self.assertIn("was begun with another build: an older one", self.passes().stderr)
        self.assertIn(f"Builds: an older one and then {build}", (folder / "item.md").read_text())

    # Seen failing when the table with the rates was asked alone, and not the other one of its runs.
    def test_rates_are_of_one_machine_whichever_item_is_asked(self):
        rates = '[[column]]\nname = "rate"\nholds = "rate"\n'
        self.plan(plans.CURVES.replace('"curves"', '"scores"') + rates)
        self.plan(
            plans.SHARED.replace('"curves"\naxis = "seconds"', '"scores"'), name="figure_2.toml"
        )
        self.passes("paac", "figure-2", "--budget", "paper")
        folder = self.out / "paac/figure-1-paper"
        file = folder / "item.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"machine": "another"}))
        (folder / "paac/catch/done").unlink()
        said = self.refused("paac", "figure-2", "--budget", "paper")
        self.assertIn("Times and rates of two machines", said)

    def test_a_table_of_rates_from_runs_of_two_machines_is_not_written(self):
        self.plan()
        self.plan(
            plans.SHARED.replace('"curves"\naxis = "seconds"', '"scores"')
            + '[[column]]\nname = "rate"\nholds = "rate"\n',
            name="figure_2.toml",
        )
        self.passes()
        file = self.out / "paac/figure-1-paper/item.json"
        described = json.loads(file.read_text())
        machines = "one, and then on another"
        file.write_text(json.dumps(described | {"machine": machines}))
        said = self.refused("paac", "figure-2", "--budget", "paper")
        self.assertIn(f"were trained on {machines}. Times and rates of two machines", said)
        self.assertFalse((self.out / "paac/figure-2-paper/item.md").exists())

    def test_refuses_the_folder_of_another_plan(self):
        self.plan()
        self.passes()
        text = (self.out / "paac/figure-1-paper/item.md").read_text()
        longer = plans.CURVES.replace('"curves"', '"curves"\nepisodes = 100')
        for other in (plans.CURVES.replace("0.001,0.01", "0.001,0.02"), longer):
            self.plan(other.replace("two rates", "two other rates"))
            self.assertIn("begun with another plan of paac/figure-1", self.refused())
            # Seen written anew, with the title of the other plan.
            self.assertEqual((self.out / "paac/figure-1-paper/item.md").read_text(), text)

    def test_scores_are_those_of_evaluation_games(self):
        self.draws()
        text = plans.CURVES.replace('"curves"', '"scores"\nreads = "evaluation"\nepisodes = 3')
        self.plan(text.replace("0.001,0.01", "0.001,1e30"))
        self.passes()
        folder = self.out / "paac/figure-1-paper"
        files = sorted(folder.glob("paac/catch/runs/*/reproduce-evaluation.json"))
        self.assertEqual(len(files), 2)  # the other two runs diverged
        games = [json.loads(file.read_text()) for file in files]
        self.assertEqual([one["episodes"] for one in games], [3, 3])
        mean = sum(one["mean"] for one in games) / 2
        numbers = self.numbers()
        ours = numbers["PAAC  lr=0.001", "here", "catch"]
        self.assertAlmostEqual(float(ours["value"]), mean, 6)
        self.assertEqual((ours["counted"], ours["runs"]), ("2", "2"))
        diverged = numbers["PAAC  lr=1e30", "here", "catch"]
        self.assertEqual((diverged["value"], diverged["counted"], diverged["runs"]), ("", "0", "2"))
        self.assertIn("| no score |", (folder / "item.md").read_text())
        self.assertTrue((folder / "item.png").exists())
        times = [file.stat().st_mtime_ns for file in files]
        self.passes()
        self.assertEqual([file.stat().st_mtime_ns for file in files], times)
        files[0].unlink()  # as a damaged one
        self.record()
        self.assertIn("the evaluations that are missing", self.passes().stderr)
        self.assertEqual(json.loads(files[0].read_text())["episodes"], 3)
        self.assertEqual(files[1].stat().st_mtime_ns, times[1])
        self.assertEqual(len(self.recorded("eval")), 1)
        self.assertEqual(self.numbers()["PAAC  lr=0.001", "here", "catch"]["counted"], "2")

    def test_speedups_stand_beside_the_papers(self):
        self.draws()
        text = plans.CURVES.replace(
            '"curves"',
            '"speedup"\nthreads = [1, 2]\nthreads_key = "a3c.learners"\ngoals.catch = -0.9',
        )
        text = text.replace('vary = ["optimizer.lr=0.001,0.01"]', "").replace(TRAINED, "")
        text = text.replace("paac", "a3c").replace("catch = 0.5", "1 = 1.0\n2 = 1.9")
        self.plan(text, paper="a3c")
        self.passes("a3c", "figure-1", "--budget", "paper")
        numbers = self.numbers("figure-1-paper", paper="a3c")
        self.assertEqual(numbers["PAAC", "here", "1"]["value"], "1.0")
        self.assertEqual(numbers["PAAC", "here", "2"]["runs"], "1")  # environments
        self.assertEqual(numbers["PAAC lr=0.01", "paper", "2"]["value"], "1.9")
        self.assertTrue((self.out / "a3c/figure-1-paper/item.png").exists())

    def test_a_sweep_is_drawn_by_what_it_drew(self):
        self.draws()
        text = plans.CURVES.replace('"curves"', '"sweep"\nbest = 1')
        self.plan(text.replace("0.001,0.01", "log_uniform(1e-4,1e-2)"))
        self.passes()
        ours = self.numbers()["PAAC", "here", "catch"]
        self.assertEqual((ours["counted"], ours["runs"]), ("1", "2"))
        self.assertIn("(1 of 2)", (self.out / "paac/figure-1-paper/item.md").read_text())
        self.assertTrue((self.out / "paac/figure-1-paper/item.png").exists())

    def test_the_threads_that_a_search_tried_are_drawn(self):
        self.draws()
        text = plans.CURVES.replace('"curves"', '"threads"').replace('"paac/catch"', '"ga3c/catch"')
        text = text.replace('"paac"', '"ga3c"').replace('"run.threads=1"', '"adjust_seconds=0.3"')
        self.plan(text.replace('vary = ["optimizer.lr=0.001,0.01"]', "").replace("= 2", "= 1"))
        self.passes()
        self.assertTrue((self.out / "paac/figure-1-paper/item.png").exists())

    def test_a_missing_package_is_told_before_the_first_training(self):
        self.plan()
        self.record()
        (self.path / "matplotlib.py").write_text("raise ImportError('it is broken')")
        with mock.patch.dict(os.environ, {"PYTHONPATH": str(self.path)}):
            said = self.refused()
        self.assertIn("need the Python package matplotlib (it is broken): install it", said)
        self.assertFalse((self.path / "recorded").exists())

    def test_a_part_whose_plug_in_is_missing_is_left_out(self):
        self.plan(plans.CURVES.replace('["catch"]', '["mine:maze", "catch"]'))
        result = self.make()
        self.assertEqual(result.returncode, 3, result.stderr)
        words = "PAAC on mine:maze (no plug-in mine; name its folder in $TANDEM_PLUGIN_PATH)"
        self.assertIn(f"made in part; missing: {words}", result.stderr)
        text = (self.out / "paac/figure-1-paper/item.md").read_text()
        self.assertIn(f"- Missing: {words}", text)
        self.assertRegex(text, r"\| PAAC  lr=0.001, here \| missing \| -?[01]")
        numbers = self.numbers()
        for lr in ("0.001", "0.01"):
            self.assertEqual(numbers[f"PAAC  lr={lr}", "here", "maze"]["runs"], "0")
            self.assertEqual(numbers[f"PAAC  lr={lr}", "here", "catch"]["runs"], "2")
        told = self.passes("--list").stdout
        self.assertIn("paper: done, but for 1 of 2 parts", told)
        self.assertIn("Lacks here: mine:maze (no plug-in mine", told)

    def test_an_item_whose_parts_are_all_missing_is_refused(self):
        self.plan(plans.CURVES.replace('["catch"]', '["mine:maze"]'))
        self.record()
        self.assertIn("paac/figure-1 cannot be made here: it lacks PAAC on mine", self.refused())
        self.assertEqual(self.recorded("sweep"), [])

    def test_an_absent_item_and_an_unknown_one_are_refused(self):
        text = 'title = "T"\nsection = "s"\nshows = "S."\nbudget = "b"\nform = "absent"\n'
        self.plan(text + 'absent = "a drawing"\n')
        self.assertIn("paac/figure-1 cannot be made here: a drawing", self.refused())
        self.assertIn(
            "has no item table-1: its items are figure-1", self.refused("paac", "table-1")
        )
        self.assertIn("Not here: a drawing", self.passes("--list").stdout)


if __name__ == "__main__":
    unittest.main()

"""Tests of trainings from Python."""

import json
import logging
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import numpy as np
from tandem.settings import as_env_settings
from trainings import QUICK, TrainingTest, checkpoints_of, result_of

import tandem

PROGRAM = Path(tandem.__file__).parent / "tandem"


def command_line(*words, program=(PROGRAM,)):
    command = [*map(str, program), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


class CommandLine(TrainingTest):
    """The same words give the same run as on the command line."""

    # Seen failing with a learner that began from another seed.
    def test_a_run_has_the_bits_of_the_command_line(self):
        words = ["--env", "catch", "--steps", "3k", "--seed", "5", "--set", "optimizer.lr=0.003"]
        done = command_line("train", "paac", *words, "--run-dir", self.folder / "theirs")
        self.assertEqual(done.returncode, 0, done.stderr)
        run = tandem.train(
            "paac",
            "catch",
            steps="3k",
            seed=5,
            optimizer={"lr": 0.003},
            run_dir=self.run_dir,
            progress=False,
        )
        theirs = result_of(self.folder / "theirs")
        self.assertEqual(run.result["parameters_sha256"], theirs["parameters_sha256"])
        self.assertEqual(run.result, result_of(self.run_dir))
        for file in ("config.toml", "backends.txt"):
            ours = (self.run_dir / file).read_text()
            self.assertEqual(ours, (self.folder / "theirs" / file).read_text())

    def test_settings_may_be_said_in_several_ways(self):
        def lines(**settings):
            with self.begin(run_dir=self.folder / str(time.monotonic()), **settings) as training:
                text = (training.run_dir / "config.toml").read_text()
            return [line for line in text.splitlines() if line.startswith(("lr = ", "envs = "))]

        expected = lines(lr=np.float32(0.5), envs=np.int64(4))
        self.assertEqual(expected, ["lr = 0.5", "envs = 4"])
        self.assertEqual(lines(optimizer={"lr": 0.5}, paac={"envs": 4}), expected)
        self.assertEqual(lines(**{"optimizer.lr": 0.5, "paac.envs": "4"}), expected)
        toml = self.folder / "own.toml"
        toml.write_text('[net]\narch = "mlp"\n[optimizer]\nlr = 0.5\n[paac]\nenvs = 2\n')
        self.assertEqual(lines(config=toml, envs=4), expected)

    def test_the_environment_may_have_options(self):
        with self.begin(env={"id": "catch", "max_steps": 12}) as training:
            config = (training.run_dir / "config.toml").read_text()
        self.assertIn('id = "catch"', config)
        self.assertIn("max_steps = 12", config)

    # Seen failing with "id: function is no value of an option".
    def test_a_function_with_options_is_the_id_of_a_table(self):
        def make():
            return None

        texts = as_env_settings({"id": make, "workers": 8})
        self.assertEqual(texts, [("env.workers", "8"), *as_env_settings(make)])
        self.assertIn(("env.id", "gym:make"), texts)

    def test_errors_are_those_of_the_command_line(self):
        for settings, words in (
            ({"system": "pack"}, "pack"),
            ({"env": "cartpol"}, "cartpole"),
            ({"env": None, "config": "paac/none"}, "paac/none"),
            ({"env": 3}, "3 is no environment"),
            ({"learning_rat": 1}, "learning_rat=1: there is no key"),
            ({"lr": "much"}, "lr=much"),
            ({"optimizer": {"lrr": 1}}, "optimizer.lrr=1: .* did you mean optimizer.lr"),
            ({"lr": object()}, "lr: object is no value"),
            ({"algo": "ppoo"}, "ppo"),
            ({"steps": 0}, "run.steps=0"),
        ):
            with self.subTest(settings=settings), self.assertRaisesRegex(tandem.Error, words):
                self.begin(**settings)
            self.assertFalse(self.run_dir.exists())

    def test_a_folder_with_files_is_refused(self):
        self.run_dir.mkdir()
        (self.run_dir / "thesis.tex").write_text("all of it")
        with self.assertRaisesRegex(tandem.Error, "not empty"):
            self.begin()
        self.assertEqual((self.run_dir / "thesis.tex").read_text(), "all of it")

    def test_a_folder_in_use_is_refused(self):
        self.begin()
        with self.assertRaisesRegex(tandem.Error, "run"):
            self.begin()

    def test_python_m_tandem_is_the_command_line(self):
        done = command_line("--version", program=(sys.executable, "-m", "tandem"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(tandem.__version__, done.stdout)
        done = command_line("trai", program=(sys.executable, "-m", "tandem"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean train?", done.stderr)


class Python(TrainingTest):
    """Environments in Python run in the training's own, unless the user names another."""

    def python_of(self, env, **settings):
        self.begin(env=env, steps="100", **settings).run()
        lines = (self.run_dir / "config.toml").read_text().splitlines()
        return [line for line in lines if line.startswith("python = ")]

    def test_the_table_of_the_environment(self):
        self.assertEqual(
            self.python_of({"id": "gym:CartPole-v1"}), [f'python = "{sys.executable}"']
        )

    def test_a_config(self):
        config = self.folder / "config.toml"
        config.write_text('[env]\nid = "gym:CartPole-v1"\n[net]\narch = "mlp"\n')
        ours = self.python_of(None, config=config)
        self.assertEqual(ours, [f'python = "{sys.executable}"'])

    def test_another_one(self):
        with self.assertRaisesRegex(tandem.Error, "/no/python"):
            self.begin(env="gym:CartPole-v1", **{"env.python": "/no/python"})


class Iteration(TrainingTest):
    def test_items_are_the_lines_of_metrics(self):
        training = self.begin(steps="40k", seed=2)
        items = list(training)
        self.assertEqual(training.steps, training.budget)
        self.assertFalse(training.running)
        lines = (self.run_dir / "metrics.jsonl").read_text().splitlines()
        self.assertEqual(items, [json.loads(line) for line in lines])
        self.assertEqual(items[-1]["steps"], 40_000)
        self.assertEqual(training.result, result_of(self.run_dir))
        self.assertEqual(training.result["why_ended"], "budget")
        self.assertEqual(list(training), [])

    def test_evaluations_are_the_lines_of_their_file(self):
        training = self.begin(steps="20k", evaluate_steps="10k", evaluate_episodes=2)
        self.assertLessEqual(len(training.evaluations), 2)
        training.run()
        last = training.evaluations[-1]
        self.assertEqual((last["steps"], last["episodes"]), (20_000, 2))
        self.assertEqual(
            training.result["best"]["mean"], max(e["mean"] for e in training.evaluations)
        )
        with (self.run_dir / "evaluations.jsonl").open("a") as file:
            file.write('{"step": 30')  # a line that is being written
        self.assertEqual(training.evaluations[-1], last)

    # Seen hanging with a run that looked at no stop.
    def test_a_stop_ends_it_with_a_checkpoint(self):
        training = self.begin()
        for count, _ in enumerate(training):
            if count == 1:
                training.stop()
        self.assertEqual(training.result["why_ended"], "signal")
        self.assertEqual(checkpoints_of(self.run_dir), [f"{training.steps:012}"])

    def test_a_loop_may_be_left_and_taken_up(self):
        training = self.begin()
        first = next(training)
        second = None
        for metrics in training:
            second = metrics
            break
        self.assertGreater(second["steps"], first["steps"])
        self.assertTrue(training.running)
        training.close()
        training.close()
        self.assertFalse(training.running)

    def test_a_block_ends_the_training(self):
        with self.assertRaises(ZeroDivisionError), self.begin() as training:
            next(training)
            raise ZeroDivisionError
        self.assertEqual(training.result["why_ended"], "signal")

    def test_there_is_no_result_before_the_end(self):
        with self.assertRaisesRegex(tandem.Error, "has not ended"):
            print(self.begin().result)

    # Seen failing when next() held the GIL.
    def test_other_threads_go_on_meanwhile(self):
        training = self.begin(log_seconds=0.5)
        turns = 0
        thread = threading.Thread(target=lambda: next(training, None))
        thread.start()
        while thread.is_alive():
            turns += 1
            time.sleep(0.01)
        self.assertGreater(turns, 5)

    # Seen failing without the check of callers.
    def test_two_threads_do_not_iterate_at_once(self):
        training = self.begin(log_seconds=3)
        refused = threading.Event()

        def iterate():
            try:
                next(training, None)
            except tandem.Error as error:
                if "another thread" in str(error):
                    refused.set()

        threads = [threading.Thread(target=iterate) for _ in range(2)]
        for thread in threads:
            thread.start()
        self.assertTrue(refused.wait(2))
        training.stop()
        for thread in threads:
            thread.join()

    def test_every_system_trains(self):
        for system in ("paac", "a3c", "ga3c", "hts", "impala", "apex"):
            with self.subTest(system=system):
                training = self.begin(system, run_dir=self.folder / system)
                next(training)
                saved = training.save()
                training.close()
                self.assertIn(saved.name, checkpoints_of(training.run_dir))

    def test_several_trainings_run_at_once(self):
        runs = [
            self.begin("paac", steps="6k", seed=4, run_dir=self.folder / str(i), threads=1)
            for i in range(3)
        ]
        results = [run.run() for run in runs]
        self.assertEqual(len({result["parameters_sha256"] for result in results}), 1)


class Saving(TrainingTest):
    # Seen hanging when a checkpoint was due by the time alone: save() waited for the end.
    def test_a_save_returns_its_checkpoint(self):
        training = self.begin()
        before = next(training)["steps"]
        saved = training.save()
        self.assertEqual(saved.parent, self.run_dir / "checkpoints")
        self.assertTrue((saved / "state.json").exists())
        self.assertGreaterEqual(int(saved.name), before)
        self.assertTrue(training.running)
        self.assertGreater(next(training)["steps"], before)

    def test_many_threads_may_save(self):
        training = self.begin()
        saved = []
        threads = [threading.Thread(target=lambda: saved.append(training.save())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        self.assertEqual(len(saved), 4)

    def test_after_the_end_it_is_the_last_checkpoint(self):
        training = self.begin(steps="1k")
        training.run()
        self.assertEqual(training.save().name, checkpoints_of(self.run_dir)[-1])
        training.stop()

    # Seen hanging when the end of the run did not wake the waiting thread.
    def test_an_error_of_the_run_ends_the_wait(self):
        training = self.begin(lr=1e30, clip_norm=0)
        with self.assertRaises(tandem.Error):
            while True:
                training.save()


class Resuming(TrainingTest):
    def test_a_run_goes_on_to_the_bits_of_one_that_was_not_stopped(self):
        whole = tandem.train(
            "paac", "catch", steps="20k", run_dir=self.folder / "whole", progress=False, **QUICK
        )
        training = self.begin(env="catch", steps="20k")
        next(training)
        training.close()
        stopped = training.steps
        with self.assertLogs("tandem", logging.INFO) as logs:
            resumed = tandem.Training.resume(self.run_dir)
        self.assertIn("going on from", logs.output[0])
        self.assertGreaterEqual(resumed.steps, stopped)
        result = resumed.run()
        self.assertEqual(result["parameters_sha256"], whole.result["parameters_sha256"])

    def test_it_may_have_more_steps(self):
        tandem.train("paac", "cartpole", steps="1k", run_dir=self.run_dir, progress=False)
        result = tandem.Training.resume(self.run_dir, "2k", log_seconds=0.1).run()
        self.assertGreaterEqual(result["steps"], 2000)

    def test_errors_say_what_to_do(self):
        with self.assertRaisesRegex(tandem.Error, "not the folder of a run"):
            tandem.Training.resume(self.folder)
        tandem.train("paac", "cartpole", steps="1k", run_dir=self.run_dir, progress=False)
        for settings, words in (
            ({"lr": 1}, "optimizer.lr"),
            ({"seed": 7}, "run.seed"),
            ({"steps": 100}, "has made"),
        ):
            with self.subTest(settings=settings), self.assertRaisesRegex(tandem.Error, words):
                tandem.Training.resume(self.run_dir, **settings)


class Callbacks(TrainingTest):
    def test_they_are_a_list_of_functions_or_none(self):
        self.assertEqual(self.begin(steps="1k", callbacks=None).run()["why_ended"], "budget")
        run_dir = self.folder / "refused"
        for callbacks, words in (
            (print, "callbacks is <built-in function print>; it must be a list"),
            (3, "callbacks is 3; it must be a list of functions"),
            ([print, "stop"], "callbacks has 'stop'; each must be a function"),
        ):
            with self.subTest(words), self.assertRaisesRegex(tandem.Error, words):
                self.begin(run_dir=run_dir, callbacks=callbacks)
            self.assertFalse(run_dir.exists())

    def test_a_false_of_numpy_stops_the_training(self):
        training = self.begin(callbacks=[lambda metrics: np.mean([metrics["steps"]]) < 0])
        self.assertEqual(training.run()["why_ended"], "signal")

    def test_they_receive_each_item(self):
        seen = []
        training = self.begin(steps="20k", callbacks=[seen.append, lambda metrics: None])
        self.assertEqual(list(training), seen)

    def test_one_that_returns_false_stops_the_training(self):
        training = self.begin(callbacks=[lambda metrics: metrics["steps"] < 1])
        self.assertEqual(training.run()["why_ended"], "signal")

    # Seen failing when the training went on after the exception.
    def test_an_exception_ends_the_run_and_is_raised_once(self):
        def broken(metrics):
            raise ValueError("no such curve")

        training = self.begin(callbacks=[broken])
        with self.assertRaisesRegex(ValueError, "no such curve"):
            training.run()
        self.assertFalse(training.running)
        self.assertEqual(checkpoints_of(self.run_dir), [f"{training.steps:012}"])
        training.run()

    # Seen failing when it ended the loop as the last item does.
    def test_an_iterator_that_has_ended_is_told(self):
        rates = iter([])
        with self.assertRaisesRegex(RuntimeError, "StopIteration"):
            for _ in self.begin(callbacks=[lambda metrics: next(rates)]):
                pass


if __name__ == "__main__":
    unittest.main()

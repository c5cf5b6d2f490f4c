"""How a part of a cluster answers before it is built and after its error, and how the driver counts
losses. Skipped without Ray."""

import importlib.util
import os
import signal
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(os.environ["TANDEM"]).parent / "python"))


class Echo:
    def deliver(self, message):
        return message


@unittest.skipUnless(importlib.util.find_spec("ray"), "Ray is not installed")
class HostTest(unittest.TestCase):
    def setUp(self):
        from tandem_cluster.hosts import Host

        self.may_build = threading.Event()
        self.addCleanup(self.may_build.set)
        self.host = Host("shard", 0, self.build)

    def build(self):
        self.may_build.wait()
        if self.error is not None:
            raise self.error
        return Echo()

    error: Exception | None = None

    def delivered(self):
        """The answer to a message that comes before the part is built."""
        answers = []
        message = np.arange(3, dtype=np.uint8)
        thread = threading.Thread(target=lambda: answers.append(self.host.deliver(message)))
        thread.start()
        time.sleep(0.1)
        self.may_build.set()
        thread.join()
        return answers[0].tolist()

    # Seen failing when such a message counted as lost, which ended a training in lockstep.
    def test_a_message_waits_until_the_part_is_built(self):
        self.assertEqual(self.delivered(), [0, 1, 2])

    def test_a_message_to_a_part_that_cannot_be_built_is_lost(self):
        self.error = RuntimeError("planned")
        self.assertEqual(self.delivered(), [])
        with self.assertRaisesRegex(RuntimeError, "planned"):
            self.host.status()

    # Seen failing when versions were not compared.
    def test_another_version_is_told(self):
        from tandem.errors import Error
        from tandem_cluster.hosts import Host

        self.may_build.set()
        host = Host("shard", 0, self.build, "0.0.7")
        self.assertEqual(host.deliver(np.arange(3, dtype=np.uint8)).tolist(), [])
        with self.assertRaisesRegex(Error, "begun by tandem 0.0.7: install one version"):
            host.status()

    # Seen failing when the error was told once, so that a lost answer hid it.
    def test_an_error_is_told_at_each_status(self):
        errors = [RuntimeError("planned")]

        def raise_error():
            if errors:
                raise errors.pop()

        self.may_build.set()
        for ask in (lambda: self.host.check(raise_error), self.host.status, self.host.status):
            with self.assertRaisesRegex(RuntimeError, "planned"):
                ask()

    # A training raises its error after the last line, and once. Seen failing when the learner took
    # the lines without keeping that error.
    def test_an_error_after_the_last_line_is_kept(self):
        from tandem_cluster.hosts import Learner

        training = mock.Mock(ended=True)
        training.next.side_effect = ["a line", RuntimeError("planned"), None]
        learner = Learner.__new__(Learner)
        learner._host, learner._link = mock.Mock(wraps=self.host, part=training), mock.Mock()
        learner._asking = threading.Lock()
        self.may_build.set()
        for _ in range(2):
            with self.assertRaisesRegex(RuntimeError, "planned"):
                learner.status(None, False)

    # The path is that of the command's machine.
    def test_a_learner_reads_the_config_that_comes_with_its_words(self):
        from tandem_cluster import hosts

        read = []
        self.addCleanup(mock.patch.stopall)
        mock.patch.object(hosts, "Carrier").start()
        training = mock.patch.object(hosts._core, "Training").start()

        def begin(base, **words):
            native = mock.Mock()
            native.wait_until_built.side_effect = lambda: read.append(
                (base, Path(base).read_text())
            )
            return native

        training.side_effect = begin
        words = {"base": "/elsewhere/own.toml", "system": "apex"}
        files = {"own.toml": b"[apex]\n"}
        learner = hosts.Learner(hosts.__version__, 1, 1, 1, words, files)
        self.assertTrue(learner._host._built.wait(10))
        self.assertIsNone(learner._host._error)
        ((base, text),) = read
        self.assertEqual((Path(base).name, text), ("own.toml", "[apex]\n"))
        self.assertFalse(Path(base).exists())


@unittest.skipUnless(importlib.util.find_spec("ray"), "Ray is not installed")
class InterruptTest(unittest.TestCase):
    def setUp(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    # Seen failing when Ctrl-C between two looks ended the training without its checkpoint.
    def test_the_first_interrupt_stops_and_a_later_one_ends(self):
        from tandem_cluster.training import ONE_REQUEST_SECONDS, interrupts_stop

        stop = mock.Mock()
        with self.assertRaises(KeyboardInterrupt), interrupts_stop(stop):
            signal.raise_signal(signal.SIGINT)
            time.sleep(ONE_REQUEST_SECONDS + 0.1)
            signal.raise_signal(signal.SIGINT)
        stop.assert_called_once()
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    # Seen failing when the second of two signals at once ended the training.
    def test_two_interrupts_at_once_are_one(self):
        from tandem_cluster.training import interrupts_stop

        stop = mock.Mock()
        with interrupts_stop(stop):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        stop.assert_called_once()


@unittest.skipUnless(importlib.util.find_spec("ray"), "Ray is not installed")
class PlanTest(unittest.TestCase):
    # Seen failing: such a run was resumed, which has nothing to go on from.
    def test_a_run_that_was_lost_before_its_first_checkpoint_begins_anew(self):
        from tandem.errors import Error
        from tandem_cluster.plan import FACTS, Plan, keep_facts

        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            plan = Plan("apex", run_dir=name, settings=[("run.steps", "9")])
            plan.first_words = words = plan._words_now()

            def begin(*checkpoints, **others):
                keep_facts(plan)
                (folder / "config.toml").write_text('system = "apex"\n')
                (folder / "metrics.jsonl").touch()
                for step in checkpoints:
                    (folder / "checkpoints" / step).mkdir(parents=True)
                again = Plan("apex", run_dir=name)
                again._go_on_with_what_is_there({**words, **others})
                return again.resume

            self.assertFalse(begin())
            self.assertFalse(begin(actors=3))  # the words that failed can be corrected
            self.assertEqual([file.name for file in folder.iterdir()], [".lock"])
            self.assertTrue(begin("0009"))
            self.assertTrue((folder / FACTS).exists())
            with self.assertRaisesRegex(Error, "holds a run that began with"):
                begin(actors=3)

    # A notebook's function has another text after each start. Seen failing when it was compared.
    def test_a_function_that_makes_environments_is_not_compared(self):
        from tandem_cluster.plan import Plan

        plans = [Plan("apex", settings=[("env.pickle", text), ("q.gamma", "0.9")]) for text in "ab"]
        first, second = (plan._words_now() for plan in plans)
        self.assertEqual(first, second)
        self.assertEqual(first["settings"], [["q.gamma", "0.9"]])

    # Seen failing when the run of one machine had a shard on the cluster, which IMPALA refuses.
    def test_impala_of_one_machine_goes_on_without_a_shard(self):
        from tandem_cluster.plan import Plan

        import tandem

        with tempfile.TemporaryDirectory() as folder:
            run = str(Path(folder) / "run")
            tandem.train("impala", "cartpole", steps=500, run_dir=run, progress=False)
            plan = Plan("", run_dir=run, resume=True)
            plan.complete()
            self.assertEqual(plan.shards, 0)

    def test_a_config_file_is_read_where_the_command_is(self):
        from tandem_cluster.config_file import on_this_machine
        from tandem_cluster.plan import Plan

        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "config.toml"
            config.write_text('[env]\nid = "catch"\n[apex]\nactors = 3\n')
            config.with_name("measured.txt").write_text("net.pixel_mean\n")
            plan = Plan("apex", config=str(config), run_dir=f"{folder}/run")
            plan.complete()
            self.assertEqual(plan.actors, 3)
            self.assertEqual(set(plan.config_files), {"config.toml", "measured.txt"})
        with on_this_machine(plan.config, plan.config_files) as here:
            self.assertIn("actors = 3", Path(here).read_text())
            self.assertTrue(Path(here).with_name("measured.txt").exists())
        with on_this_machine("apex/catch", {}) as here:
            self.assertEqual(here, "apex/catch")

    # Seen failing when only the processes of Ray had the folder.
    def test_the_command_sees_the_modules_of_the_working_folder(self):
        from tandem.errors import Error
        from tandem_cluster import training
        from tandem_cluster.plan import Plan

        def looked(folder, working_dir):
            plan = Plan("apex", settings=[("env.id", "gym:tandem_own_games:Own-v0")])
            plan.run_dir, plan.working_dir = f"{folder}/run", working_dir
            return training.carry_out(plan, None).working_dir

        before = os.environ.get("PYTHONPATH")
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(training, "_train", lambda plan, *_: plan),
        ):
            (Path(folder) / "tandem_own_games.py").write_text(
                "import gymnasium\n"
                "entry = 'gymnasium.envs.classic_control:CartPoleEnv'\n"
                "gymnasium.register('Own-v0', entry)\n"
            )
            self.assertEqual(looked(folder, folder), folder)
            for working_dir, words in ((None, "tandem_own_games"), ("/no/folder", "is no folder")):
                with self.subTest(words), self.assertRaisesRegex(Error, words):
                    looked(folder, working_dir)
        self.assertEqual(os.environ.get("PYTHONPATH"), before)

    def test_bad_numbers_of_parts_are_refused_before_anything_starts(self):
        import tandem_cluster
        from tandem.errors import Error

        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            for words, system, parts in (
                ("shards is 0; it must be from 1 to 64", "apex", {"shards": 0}),
                ("shards is 65; it must be from 1 to 64", "apex", {"shards": 65}),
                ("shards is 1.5; it must be an integer", "apex", {"shards": 1.5}),
                ("actors is 0; it must be from 1 to 1024", "apex", {"actors": 0}),
                ("actors is 1025; it must be from 1 to 1024", "impala", {"actors": 1025}),
                ("shards: impala has no replay; leave it out", "impala", {"shards": 1}),
            ):
                with self.subTest(words), self.assertRaisesRegex(Error, words):
                    tandem_cluster.train(system, "cartpole", run_dir=run, **parts)
            self.assertFalse(run.exists())

    def test_apex_has_one_shard_by_default_and_impala_none(self):
        from tandem_cluster.plan import Plan

        with tempfile.TemporaryDirectory() as folder:
            for system, shards in (("apex", 1), ("impala", 0)):
                run = str(Path(folder) / system)
                plan = Plan(system, settings=[("env.id", "cartpole")], run_dir=run)
                plan.complete()
                self.assertEqual(plan.shards, shards)
                self.assertEqual(plan.first_words["shards"], 1)  # as runs of before have it


@unittest.skipUnless(importlib.util.find_spec("ray"), "Ray is not installed")
class LossTest(unittest.TestCase):
    def setUp(self):
        from tandem_cluster.driver import Driver
        from tandem_cluster.part import Part

        self.driver = Driver.__new__(Driver)
        self.driver._lockstep = False
        self.driver._say = lambda text: None
        self.part = Part("actor 3")
        self.part.lost = lambda: "it was killed"

    # Seen failing when a part was replaced for ever.
    def test_losses_without_progress_end_the_training(self):
        from tandem.errors import Error

        for _ in range(10):
            self.assertTrue(self.driver._look(self.part))
        with self.assertRaisesRegex(Error, "actor 3 was lost 11 times in a row"):
            self.driver._look(self.part)

    # Seen failing when all losses counted.
    def test_progress_forgives_losses(self):
        for steps in range(1, 30):
            self.part.begun(None)
            self.part.status = {"steps": steps % 2}
            self.part._note_progress()
            self.assertTrue(self.driver._look(self.part))

    # Seen ending a training of 340 actors after 110 minutes, because 20 others found no room.
    def test_a_part_without_room_is_no_loss(self):
        from tandem_cluster.part import START_SECONDS, Part

        said = []
        self.driver._say = said.append
        part = Part("actor 3")
        for _ in range(30):
            part.begun(None)
            part.heard -= START_SECONDS + 1
            self.assertTrue(self.driver._look(part))
        self.assertEqual(len(said), 1)
        self.assertIn("actor 3 waits: it has not answered", said[0])
        self.assertEqual((part.restarts, part.barren), (0, 0))

    # Seen with an actor that took the room which another one had made, and with no second attempt.
    def test_actors_make_room_until_the_learner_has_some(self):
        from tandem_cluster.part import Part

        driver = self.driver
        driver._learner = Part("the learner")
        driver._shards = [Part("shard 0")]
        driver._actors = [Part(f"actor {rank}") for rank in range(6)]
        for rank, part in enumerate(driver._actors):
            part.begun(mock.Mock())
            part.answered = rank > 0
            part.status = {"node": "one" if rank < 3 else "two"}
        driver._states, driver._held, driver._made_room = {}, set(), 0.0
        driver._bound, driver._roomy = "", ""
        driver._group = mock.Mock()
        driver._group.wait.return_value = False
        sizes = {"one": 3, "two": 3, "three": 1}
        nodes = [
            {"NodeManagerAddress": name, "Alive": True, "Resources": {"CPU": size}}
            for name, size in sizes.items()
        ]
        with (
            mock.patch("tandem_cluster.driver.ray.kill") as kill,
            mock.patch("tandem_cluster.driver.ray.nodes", return_value=nodes),
        ):
            driver._learner.heard = -100.0
            self.assertFalse(driver._make_room())
            self.assertIn(0, driver._held)  # it has not begun
            self.assertEqual(len(driver._held), 3)
            driver._make_room()
            self.assertEqual(len(driver._held), 3)  # Ray needs time
            # The last actor of the same node, so that its CPUs come together.
            driver._made_room -= 100.0
            driver._make_room()
            self.assertEqual(driver._held, {0, 3, 4, 5})
            # Nobody plays on the node to which the learner is bound.
            driver._bound, driver._made_room = "two", 0.0
            driver._make_room()
            self.assertEqual(len(driver._held), 4)
            driver._bound, driver._made_room = "", 0.0
            driver._make_room()
            self.assertEqual(len(driver._held), 6)
        self.assertEqual(kill.call_count, 6)

    # A learner goes on from its checkpoint. Seen failing when its steps began from 0.
    def test_a_learner_that_never_gets_further_is_given_up(self):
        from tandem.errors import Error

        self.part.goes_on = True
        with self.assertRaisesRegex(Error, "in a row"):
            for _ in range(30):
                self.part.begun(None)
                self.part.status = {"steps": 700}
                self.part._note_progress()
                self.driver._look(self.part)


if __name__ == "__main__":
    unittest.main()

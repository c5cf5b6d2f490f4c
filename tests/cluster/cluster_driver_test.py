"""How the driver of a cluster stops, ends, resumes, and finds a node for the learner. Its parts are
stand-ins. Skipped without Ray, which is not started."""

import importlib.util
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(os.environ["TANDEM"]).parent / "python"))


@unittest.skipUnless(importlib.util.find_spec("ray"), "Ray is not installed")
class DriverTest(unittest.TestCase):
    def setUp(self):
        from tandem_cluster import driver
        from tandem_cluster.part import Part
        from tandem_cluster.plan import Plan

        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run_dir = Path(folder.name)
        self.slept = 0.0
        clock = mock.Mock(sleep=self.sleep, monotonic=lambda: self.slept)
        for name, stand_in in (("time", clock), ("head_answers", lambda: True)):
            patch = mock.patch.object(driver, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)
        self.said = []
        self.driver = made = driver.Driver.__new__(driver.Driver)
        made._plan = Plan("apex", run_dir=folder.name, shards=1)
        made._say = self.said.append
        made._learner, made._shards, made._actors = Part("the learner"), [], []
        made._learner.answered, made._learner.status = True, {"built": False}
        made._held, made._states, made._config, made._bound = set(), {}, "", ""
        made._stopping, made._head_heard = False, 0.0
        made._begin_learner, made._begin_shard = mock.Mock(), mock.Mock()
        made._begin_actor, made._introduce = mock.Mock(), mock.Mock()
        made._look, made._make_room = mock.Mock(return_value=False), lambda: False

    def sleep(self, seconds):
        """A sleep that takes no time. The user stops the training in the first one."""
        self.slept += seconds
        self.assertLess(self.slept, 2000, "it never ends")
        if self.stops:
            self.driver.stop()

    stops = False

    # Seen going on for ever, with an environment that hung at its start.
    def test_a_stop_before_the_learner_trains_ends_at_once(self):
        from tandem.errors import Error

        self.stops = True
        with self.assertRaisesRegex(Error, "before the training began; the same command begins it"):
            self.driver.begin()
        self.assertLess(self.slept, 2)

    # Seen going on for ever, when no node had room for the learner's successor.
    def test_a_stop_while_no_learner_trains_ends_at_once(self):
        from tandem.errors import Error

        driver, learner = self.driver, self.driver._learner
        self.stops, driver._config = True, "a config"
        learner.status = {"built": True}
        self.assertTrue(driver.go_on())  # this learner hears of the stop
        learner.answered = False
        with self.assertRaisesRegex(Error, "before the first checkpoint; the same command"):
            driver.go_on()
        (self.run_dir / "checkpoints/0009").mkdir(parents=True)
        for learner.answered, driver._look.return_value in ((False, True), (True, False)):
            learner.status = {"built": False}
            with self.assertRaisesRegex(Error, f"go on with: .* --resume {self.run_dir}"):
                driver.go_on()
        driver._begin_learner.assert_not_called()

    # Seen failing when the actor was looked at in between.
    def test_an_actor_s_error_after_the_end_counts_no_more(self):
        driver = self.driver
        driver._actors = [mock.Mock()]
        driver._learner.status = {"built": True, "ended": True}
        driver._look.side_effect = [False, RuntimeError("planned")]
        self.assertFalse(driver.go_on())

    # Their incarnations are their seeds. Seen failing when an actor with a state began from the
    # first, so that its successor was the second one once more.
    def test_actors_of_a_resumed_run_and_their_successors_play_new_games(self):
        driver = self.driver
        driver._plan.resume = True
        driver._learner.status = {"built": True}
        for lockstep, incarnations in (("false", [77, 77]), ("true", [0, 77])):
            (self.run_dir / "config.toml").write_text(
                f'system = "apex"\n[apex]\nactors = 2\nenvs = 4\nlockstep = {lockstep}\n'
                "[env]\ntimeout_seconds = 100\nworkers = 2\n"
            )
            driver._actors = []
            with (
                mock.patch("tandem_cluster.driver._core.saved_actors", return_value={0: b"x"}),
                mock.patch("tandem_cluster.driver.secrets.randbits", return_value=77),
            ):
                driver.begin()
            self.assertEqual([part.incarnation for part in driver._actors], incarnations)
            self.assertEqual([part.patience for part in driver._actors], [210.0] * 2)

    def test_a_file_that_shared_storage_shows_late_is_read(self):
        from tandem_cluster import driver

        file = self.run_dir / "result.json"
        driver.time.sleep = lambda seconds: file.write_text("{}")
        self.assertEqual(self.driver.read_when_visible("result.json"), "{}")

    # Seen giving up after a minute, before an autoscaler had brought a node.
    def test_a_cluster_of_others_gets_time_to_bring_a_node(self):
        wait = "the learner waits for a node with 1 free CPUs"
        for address, comes, found, said in (
            (None, 50, True, []),
            (None, 100, False, []),
            ("auto", 5, True, []),
            ("auto", 500, True, [wait]),
            ("auto", 900, False, [wait]),
        ):
            self.slept = 0.0
            self.said.clear()
            self.driver._plan.address = address
            group = mock.Mock(wait=lambda seconds, comes=comes: self.slept > comes)
            self.assertEqual(self.driver._finds_room(group), found)
            self.assertEqual(self.said, said)

    # Seen choosing the first node, on which others computed, while another one was idle.
    def test_the_learner_is_bound_to_a_node_with_free_processors(self):
        from tandem_cluster import storage

        cpus = {"a": 1, "b": 4, "c": 4, "d": 4}
        nodes = [
            {"NodeID": name, "NodeManagerAddress": name, "Alive": True, "Resources": {"CPU": size}}
            for name, size in cpus.items()
        ]

        def chosen():
            bound = storage.learner_resources(self.run_dir, 2.0, self.said.append)
            return next(iter(bound))

        free = {"a": {"CPU": 1.0}, "b": {"memory": 7.0}, "c": {"CPU": 3.0}, "d": {"CPU": 4.0}}
        name = "ray._private.state.available_resources_per_node"
        with (
            mock.patch.object(storage, "ray", mock.Mock(nodes=lambda: nodes)) as ray,
            mock.patch.object(storage, "_ask", lambda node, probe: node),
            mock.patch.object(storage, "_yes", lambda node, ready: node != "d"),
        ):
            ray.wait.return_value = ([], [])
            with mock.patch(name, return_value=free):
                self.assertEqual(chosen(), "node:c")
                free["c"]["CPU"] = 0.5
                self.assertEqual(chosen(), "node:b")  # for it has room when it is idle
            with mock.patch.dict("sys.modules", {"ray._private.state": None}):
                self.assertEqual(chosen(), "node:b")

    # A minute alone would end actors whose environments may take longer.
    def test_an_actor_may_step_as_long_as_its_environments(self):
        from tandem_cluster.part import Part, hanging_seconds

        for env, envs, seconds in (
            ({"id": "catch"}, 8, 60),
            ({"timeout_seconds": 1, "workers": 1}, 4, 60),
            ({"timeout_seconds": 60, "workers": 8}, 8, 70),
            ({"timeout_seconds": 600.0, "workers": 4}, 10, 1810),
            ({"timeout_seconds": 5, "workers": 0}, 20, 110),
        ):
            tables = {"system": "apex", "env": env, "apex": {"envs": envs}}
            self.assertEqual(hanging_seconds(tables), seconds)
        part = Part("actor 0", patience=1810.0)
        self.assertIsNone(self.why_lost(part, busy_seconds=1800))
        hung = "its environments have hung for 1810 seconds"
        self.assertEqual(self.why_lost(part, busy_seconds=1811), hung)

    # Ten minutes alone would end actors whose environments may take longer.
    def test_an_actor_may_start_as_long_as_its_environments(self):
        from tandem_cluster.part import Part, starting_seconds

        for env, seconds in (
            ({"id": "catch"}, 600),
            ({"timeout_seconds": 60, "workers": 8}, 600),
            ({"timeout_seconds": 600.0, "workers": 8}, 3610),
        ):
            tables = {"system": "apex", "env": env, "apex": {"envs": 8}}
            self.assertEqual(starting_seconds(tables), seconds)
        part = Part("actor 0", start_patience=3610.0)
        self.assertIsNone(self.why_lost(part, starting_seconds=3600))
        starting = "it has been starting for 3610 seconds"
        self.assertEqual(self.why_lost(part, starting_seconds=3611), starting)

    def why_lost(self, part, **status):
        """The reason why a part that answers with this status is lost, or None."""
        part.begun(None)
        part.answered = True
        part.status = status
        return part.lost()


@unittest.skipUnless(importlib.util.find_spec("ray"), "Ray is not installed")
class SessionTest(unittest.TestCase):
    # Seen failing with a traceback of Ray's ValueError.
    def test_errors_of_ray_are_told_and_leave_no_session_of_ours(self):
        from tandem.errors import Error
        from tandem_cluster import ray_session

        ours = "Ray does not start or let us in: planned"
        for error, words in (
            (ValueError("planned"), ours),
            (RuntimeError("planned"), ours),
            (ConnectionError("planned"), "no Ray cluster answers at auto: planned"),
        ):
            for others in (False, True):
                with (
                    self.subTest(words, others=others),
                    mock.patch.object(ray_session.ray, "init", side_effect=error),
                    mock.patch.object(ray_session.ray, "is_initialized", return_value=others),
                    mock.patch.object(ray_session, "end") as end,
                ):
                    with self.assertRaisesRegex(Error, words):
                        ray_session.begin("auto", 1, {})
                    self.assertEqual(end.call_count, 0 if others else 1)


if __name__ == "__main__":
    unittest.main()

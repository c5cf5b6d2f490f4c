"""Tests of environments in Python that tandem steps in other processes, used from Python."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path

import gymnasium
import numpy as np

import tandem


class Counting(gymnasium.Env):
    """Shows its number and its steps; an episode has five."""

    observation_space = gymnasium.spaces.Box(-100, 100, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, number=0):
        self.number = number
        self.steps = 0

    def observe(self):
        return np.array([self.number, self.steps], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        return self.observe(), float(action), self.steps == 5, False, {}


class Picky(Counting):
    """Fails in a step with action 1."""

    def step(self, action):
        if action == 1:
            raise ValueError("not that")
        return super().step(action)


class Short(Picky):
    """The same, with episodes of one step."""

    def step(self, action):
        observation, reward, _, truncated, info = super().step(action)
        return observation, reward, True, truncated, info


class Callables(unittest.TestCase):
    def test_a_function_makes_environments(self):
        number = 7
        env = tandem.make_vec(lambda: Counting(number), 3, 2)
        observations, _ = env.reset(seed=1)
        np.testing.assert_array_equal(observations, [[7, 0]] * 3)
        for _ in range(5):
            observations, rewards, terminations, _, infos = env.step([0, 1, 1])
        np.testing.assert_array_equal(observations, [[7, 5]] * 3)
        np.testing.assert_array_equal(rewards, [0, 1, 1])
        self.assertTrue(terminations.all())
        np.testing.assert_array_equal(infos["game"]["r"], [0, 5, 5])
        env.send([0, 0], [0, 2])
        observations, *_, infos = env.recv()
        np.testing.assert_array_equal(observations, [[7, 0]] * 2)
        np.testing.assert_array_equal(env.reset()[0], [[7, 0]] * 3)
        env.close()

    def test_its_games_are_those_of_gymnasium_with_the_same_seed(self):
        """Seen failing with numbers made of the seeds."""
        ours = tandem.make_vec("gym:CartPole-v1", 2).reset(seed=5)[0]
        theirs = [gymnasium.make("CartPole-v1").reset(seed=seed)[0] for seed in (5, 6)]
        np.testing.assert_array_equal(ours, theirs)

    def test_a_function_that_cannot_travel_is_told(self):
        """Seen raising TypeError, and RuntimeError for a lock between processes."""
        for lock in (threading.Lock(), multiprocessing.Lock()):
            with self.assertRaisesRegex(tandem.Error, "cannot travel to its process.*[Ll]ock"):
                tandem.make_vec(lambda lock=lock: (lock, Counting())[1], 2)

    def test_an_exception_has_its_traceback(self):
        class Broken(Counting):
            def step(self, action):
                raise ValueError("the engine has stopped")

        env = tandem.make_vec(lambda: Broken(), 2, 1)
        env.reset(seed=1)
        with self.assertRaisesRegex(tandem.Error, "(?s)environment 0.*ValueError: the engine"):
            env.step([0, 0])
        env.close()

    def test_an_error_loses_no_other_environment(self):
        env = tandem.make_vec(lambda: Picky(), 3, 2)
        env.reset(seed=1)
        env.send([0, 1, 0])
        with self.assertRaisesRegex(tandem.Error, "environment 1.*"):
            env.recv()
        observations, *_, infos = env.recv()
        self.assertEqual(sorted(infos["env_id"]), [0, 2])
        np.testing.assert_array_equal(observations, [[0, 1]] * 2)
        with self.assertRaisesRegex(tandem.Error, "environment 1.*"):
            env.step([0, 0, 0])
        observations, _ = env.reset(options={"reset_mask": np.array([False, True, False])})
        np.testing.assert_array_equal(observations, [[0, 2], [0, 0], [0, 2]])
        observations = env.step([0, 0, 0])[0]
        np.testing.assert_array_equal(observations, [[0, 3], [0, 1], [0, 3]])
        env.close()

    # Seen failing when the games that ended in a failed step were told with a later one's.
    def test_games_of_a_failed_step_are_not_told_later(self):
        env = tandem.make_vec(lambda: Short(), 3, 1)
        env.reset(seed=1)
        with self.assertRaisesRegex(tandem.Error, "environment 1.*"):
            env.step([0, 1, 0])
        env.reset()
        env.send([0], [1])
        infos = env.recv()[-1]
        self.assertEqual(infos["_game"].tolist(), [True])
        env.close()

    # Seen raising IndexError when the game of environment 2 was told with environment 0 alone.
    def test_after_a_failed_step_the_others_go_on_one_by_one(self):
        env = tandem.make_vec(lambda: Short(), 3, 1, autoreset_mode="same_step")
        env.reset(seed=1)
        with self.assertRaisesRegex(tandem.Error, "environment 1.*"):
            env.step([0, 1, 0])
        for number in (0, 2):
            env.send([0], [number])
            infos = env.recv()[-1]
            self.assertEqual(infos["final_info"]["_game"].tolist(), [True])
        env.close()

    # Seen failing: Gymnasium looks up the newest version of such a name only when it makes it.
    def test_a_name_without_a_version_is_that_of_the_newest(self):
        env = tandem.make("gym:CartPole")
        self.assertEqual(env.reset(seed=1)[0].shape, (4,))
        try:
            env.render()
        except tandem.Error as error:  # CartPole needs pygame for it
            self.assertNotIn("draws no pictures", str(error))
        with self.assertRaisesRegex(tandem.Error, "Cartpool"):
            tandem.make("gym:Cartpool")


class Waiting(unittest.TestCase):
    def interrupted(
        self, call, before="pass", afterwards="pass", sleep=60, hangs="True", timeout_seconds=20
    ):
        """The seconds until a process that waits in a step ended after SIGINT. `hangs` says which
        environments sleep there; their seeds are 1 and 2."""
        script = textwrap.dedent(f"""
            import time
            import tandem
            from gym_test import Counting

            class Hanging(Counting):
                def reset(self, *, seed=None, options=None):
                    self.seed = seed or self.seed
                    return super().reset(seed=seed)

                def step(self, action):
                    if {hangs}:
                        time.sleep({sleep})
                    return super().step(action)

            env = tandem.make_vec(lambda: Hanging(), 2, 2, timeout_seconds={timeout_seconds})
            env.reset(seed=1)
            {before}
            try:
                print("ready", flush=True)
                {call}
            except KeyboardInterrupt:
                print("interrupted", flush=True)
                {afterwards}
        """)
        process = subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.3)
        begin = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        self.assertEqual(process.stdout.readline(), "interrupted\n")
        seconds = time.monotonic() - begin
        self.assertEqual(process.wait(timeout=30), 0)
        process.stdout.close()
        return seconds

    # Seen failing with waits that look for no signals: the call ended with the step's timeout.
    def test_ctrl_c_ends_a_wait(self):
        for call in ("env.step([0, 0])", "env.send([0, 0]); env.recv()"):
            with self.subTest(call=call):
                self.assertLess(self.interrupted(call), 10)

    # Seen failing when the steps of the first recv() were given away after the reset.
    def test_a_reset_forgets_an_interrupted_recv(self):
        again = "env.reset(seed=1); env.send([0, 0]); assert env.recv()[0][0][1] == 1"
        self.interrupted("env.send([0, 0]); env.recv()", afterwards=again, sleep=2)

    # Seen failing with a step that forgot the steps of the first recv(), and so ends of episodes.
    def test_after_an_interrupted_recv_there_is_a_recv(self):
        again = """
                for call in (lambda: env.step([0, 0]), lambda: env.send([0, 0])):
                    try:
                        call()
                    except tandem.Error as error:
                        assert "call recv() first" in str(error), error
                    else:
                        raise AssertionError("no error")
                assert env.recv(2)[0][0][1] == 1
                assert env.step([0, 0])[0][0][1] == 2"""
        self.interrupted("env.send([0, 0]); env.recv(1)", afterwards=again, sleep=2)

    # Seen failing when the other environment came back alone, without a word.
    def test_a_recv_has_the_error_of_an_interrupted_one(self):
        again = """
                try:
                    env.recv()
                except tandem.Error as error:
                    assert "did not answer" in str(error), error
                else:
                    raise AssertionError("no error")"""
        first = "self.seed == 1"
        call = "env.send([0, 0]); env.recv()"
        self.interrupted(call, afterwards=again, hangs=first, timeout_seconds=2)

    # Seen failing when the next step began anew without a word, though an episode may have ended.
    def test_after_an_interrupted_step_there_is_a_reset(self):
        again = """
                try:
                    env.step([0, 0])
                except tandem.Error as error:
                    assert "interrupted" in str(error), error
                else:
                    raise AssertionError("no error")
                env.reset()
                assert env.step([0, 0])[0][0][1] == 1"""
        self.interrupted("env.step([0, 0])", afterwards=again, sleep=2)

    # Seen failing with "VecEnv::send: no reset before a step".
    def test_after_an_interrupted_first_reset_there_is_a_reset(self):
        before = """
            class SlowReset(Counting):
                def reset(self, **words):
                    time.sleep(2)
                    return super().reset(**words)

            slow = tandem.make_vec(lambda: SlowReset(), 2, 1)"""
        again = """
                try:
                    slow.step([0, 0])
                except tandem.Error as error:
                    assert "call reset() first" in str(error), error
                else:
                    raise AssertionError("no error")
                slow.reset()
                assert slow.step([0, 0])[0][0][1] == 1"""
        self.interrupted("slow.reset(seed=1)", before, again)

    # Seen failing when a lookup held signals back: it ended after half a minute.
    def test_ctrl_c_ends_a_lookup(self):
        before = """
            class HangingStart(Counting):
                def __init__(self):
                    time.sleep(20)"""
        self.assertLess(self.interrupted("tandem.make_vec(lambda: HangingStart(), 2)", before), 5)

    # The call still uses the environments. Not seen failing: memory that is used after its end need
    # not show.
    def test_dropped_after_an_interrupt_it_ends(self):
        before = "one = tandem.make(lambda: Hanging()); one.reset(seed=1)"
        self.interrupted("one.step(0)", before, "del one", sleep=2)

    # Seen failing when the end waited for the step's timeout.
    def test_the_end_after_an_interrupt_waits_for_no_hanging_step(self):
        before = """
            one = tandem.make(lambda: Hanging(), timeout_seconds=600)
            one.reset(seed=1)"""
        for end in ("one.close()", "del one"):
            with self.subTest(end=end):
                self.interrupted("one.step(0)", before, end, sleep=600)

    # Seen failing when the end waited for the start's timeout.
    def test_the_end_after_an_interrupt_waits_for_no_hanging_start(self):
        with tempfile.TemporaryDirectory() as folder:
            before = f"""
            from pathlib import Path
            found = Path({folder!r}) / "found"

            class HangsOnceFound(Counting):
                def __init__(self):
                    if found.exists():
                        time.sleep(600)

            one = tandem.make(lambda: HangsOnceFound(), timeout_seconds=600)
            found.touch()"""
            run = f"lambda: HangsOnceFound(), run_dir={folder + '/run'!r}"
            for call, end in (
                ("one.reset(seed=1)", "one.close()"),
                ("one.reset(seed=1)", "del one"),
                (f"tandem.Training('paac', {run})", "pass"),
            ):
                (Path(folder) / "found").unlink(missing_ok=True)
                with self.subTest(call=call, end=end):
                    self.assertLess(self.interrupted(call, before, end), 5)


if __name__ == "__main__":
    unittest.main()

"""Tests of trained agents: they act, play and are recorded as the program's own.

Needs $TANDEM, the path of the program. tests/export/networks_test.py compares the heads of the
networks of all presets.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import warnings
from pathlib import Path

import gymnasium
import numpy as np
from signed import Signed

import tandem

PROGRAM = os.environ["TANDEM"]
RUNS = {
    "cartpole": "paac --env cartpole --steps 2000",
    "pendulum": "paac --env pendulum --steps 2000",  # continuous, normalised, separate
    "memory": "paac --env memory --steps 2000",  # recurrent
    "values": "apex --env cartpole --steps 2000 --set dqn.epsilon_eval=0.5",
    "dpg": "apex --env pendulum --steps 2000",
    "players": "paac --env catch --set env.players=3 --steps 2000",
    "statistics": "paac --env pendulum --steps 2000 --set env.normalise=running "
    "--set env.normalise_rewards=true",
}


class Agents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name)
        for name, words in RUNS.items():
            subprocess.run(
                [PROGRAM, "train", *words.split(), "--run-dir", cls.folder / name],
                check=True,
                capture_output=True,
            )

    def load(self, name, **options):
        return tandem.Agent.load(self.folder / name, **options)

    def observations(self, agent, count, seed=1):
        envs = tandem.make_vec(agent.env, count, num_threads=1, **agent.env_options)
        self.addCleanup(envs.close)
        self.assertEqual(envs.single_observation_space, agent.observation_space)
        self.assertEqual(envs.single_action_space, agent.action_space)
        observations, _ = envs.reset(seed=seed)
        for _ in range(3):
            actions, _ = agent.act(observations)
            observations, *_ = envs.step(actions)  # the environments take them
        return observations

    def test_deterministic_actions_are_the_best_ones(self):
        agent = self.load("cartpole")
        seen = self.observations(agent, 50)
        heads = agent.heads(seen)
        actions, state = agent.act(seen, deterministic=True)
        np.testing.assert_array_equal(actions, heads.policy.argmax(axis=1))
        self.assertEqual((actions.dtype, actions.shape), (np.int64, (50,)))
        self.assertEqual((heads.value.shape, heads.state, state), ((50,), None, None))
        np.testing.assert_array_equal(agent.act(seen, np.bool_(True))[0], actions)
        for name in ("pendulum", "dpg", "statistics"):
            agent = self.load(name)
            seen = self.observations(agent, 7)
            actions, _ = agent.act(seen, deterministic=True)
            self.assertEqual((actions.dtype, actions.shape), (np.float32, (7, 1)))
            mean = np.clip(agent.heads(seen).policy[:, :1], -2, 2)
            np.testing.assert_array_equal(actions, mean)

    def test_actions_have_the_numbers_of_their_space(self):
        options = {"steps": 200, "run_dir": self.folder / "signed", "progress": False}
        tandem.train("paac", lambda: Signed(), **options)
        agent = self.load("signed")
        self.assertEqual(agent.action_space, Signed.action_space)
        seen = np.repeat(self.observations(agent, 4), 200, axis=0)
        best, _ = agent.act(seen, deterministic=True)
        np.testing.assert_array_equal(best, agent.heads(seen).policy.argmax(axis=1) - 1)
        drawn, _ = agent.act(seen)
        self.assertEqual((drawn.dtype, set(drawn.tolist())), (np.int64, {-1, 0, 1}))
        described = json.loads(agent._native.description)["actions"]
        self.assertEqual((described["count"], described["start"]), (3, -1))

    def test_actions_are_drawn_from_the_policy(self):
        agent = self.load("cartpole", seed=3)
        seen = np.repeat(self.observations(agent, 1), 20_000, axis=0)
        logits = np.float64(agent.heads(seen[:1]).policy[0])
        wanted = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
        agent.seed(3)
        first, _ = agent.act(seen)
        self.assertAlmostEqual(first.mean(), wanted[1], delta=0.02)
        second, _ = agent.act(seen)
        self.assertFalse(np.array_equal(first, second))
        agent.seed(3)
        np.testing.assert_array_equal(agent.act(seen)[0], first)

    def test_agents_with_values_explore_as_in_evaluations(self):
        agent = self.load("values")
        seen = np.repeat(self.observations(agent, 1), 20_000, axis=0)
        best, _ = agent.act(seen, deterministic=True)
        drawn, _ = agent.act(seen)
        self.assertAlmostEqual((best != drawn).mean(), 0.25, delta=0.015)

    # Seen failing with a state that a call does not return, and with rows that get the state of
    # their neighbours.
    def test_the_state_goes_in_and_out(self):
        agent = self.load("memory")
        self.assertGreater(agent.state_size, 0)
        seen = [self.observations(agent, 4, seed) for seed in range(3)]
        _, state = agent.act(seen[0])
        self.assertEqual((state.dtype, state.shape), (np.float32, (4, agent.state_size)))
        _, again = agent.act(seen[0], state=np.zeros_like(state))
        np.testing.assert_array_equal(state, again)
        before = state.copy()
        _, after = agent.act(seen[1], state=state)
        np.testing.assert_array_equal(state, before)  # the argument is not changed
        state[2] = 0
        heads = agent.heads(seen[1], state)
        np.testing.assert_array_equal(heads.state[[0, 1, 3]], after[[0, 1, 3]])
        fresh = agent.heads(seen[1][2:3])
        np.testing.assert_allclose(heads.state[2], fresh.state[0], rtol=0, atol=1e-6)
        self.assertGreater(np.abs(after[2] - heads.state[2]).max(), 1e-4)

    def test_evaluations_are_those_of_the_program(self):
        for name in ("cartpole", "memory", "players"):
            words = [self.folder / name, "--episodes", "5", "--seed", "4", "--json"]
            for greedy in (False, True):
                flag = ["--greedy"] if greedy else []
                result = json.loads(subprocess.check_output([PROGRAM, "eval", *words, *flag]))
                ours = self.load(name).evaluate(5, deterministic=np.bool_(greedy), seed=4)
                np.testing.assert_array_equal(ours.returns, result["returns"])
                np.testing.assert_array_equal(ours.lengths, result["lengths"])
                self.assertEqual(
                    (ours.mean, ours.median, ours.std, ours.min, ours.max),
                    tuple(result[key] for key in ("mean", "median", "std", "min", "max")),
                )
                self.assertEqual(ours.episodes, 5)
                self.assertIsNone(ours.human_normalised)

    def test_games_begin_in_sampled_starts(self):
        for name in ("cartpole", "memory"):
            starts = self.folder / f"{name}.starts"
            words = [PROGRAM, "starts", self.folder / name, "--out", starts, "--count", "7"]
            subprocess.check_output(words)
            words = ["--protocol", "sampled_starts", "--starts", starts, "--seed", "4", "--json"]
            result = json.loads(
                subprocess.check_output([PROGRAM, "eval", self.folder / name, *words])
            )
            ours = self.load(name).evaluate(seed=4, protocol="sampled_starts", starts=starts)
            np.testing.assert_array_equal(ours.returns, result["returns"])
            np.testing.assert_array_equal(ours.lengths, result["lengths"])
            self.assertEqual(ours.episodes, 7)

    def test_a_game_is_recorded(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("no ffmpeg")
        video = self.folder / "game.mp4"
        recording = self.load("cartpole").record(video, seconds=0.2, scale=1)
        self.assertGreater(video.stat().st_size, 500)
        self.assertEqual(recording.path, video)
        self.assertEqual(recording.steps, recording.game_return)

    def test_facts(self):
        agent = self.load("cartpole")
        self.assertEqual(agent.env, "cartpole")
        self.assertEqual(agent.observation_space.shape, (4,))
        self.assertEqual(agent.action_space, gymnasium.spaces.Discrete(2))
        self.assertEqual(agent.checkpoint.name, f"{agent.step:012}")
        self.assertEqual(repr(agent), f"<tandem.Agent of cartpole after {agent.step} steps>")
        for step in (agent.step, np.int64(agent.step)):
            self.assertEqual(self.load("cartpole", checkpoint=step).step, agent.step)

    def test_a_damaged_checkpoint_is_skipped_with_a_warning(self):
        copy = shutil.copytree(self.folder / "cartpole", self.folder / "damaged")
        newest = max((copy / "checkpoints").iterdir())
        shutil.copytree(newest, newest.with_name("000099999999"))
        with (newest.with_name("000099999999") / "tensors.safetensors").open("a") as file:
            file.write("x")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            agent = tandem.Agent.load(copy)
        self.assertEqual(agent.checkpoint, newest)
        self.assertIn("000099999999", str(caught[0].message))
        self.assertEqual(len(caught), 1)

    def test_bad_input_is_refused_in_words(self):
        agent, recurrent = self.load("cartpole"), self.load("memory")
        seen = np.zeros((3, 4), np.float32)
        memory = np.zeros((3, *recurrent.observation_space.shape), np.float32)
        size = recurrent.state_size
        state = np.zeros((2, size), np.float32)

        def last(rows, number):
            """The rows with another last number."""
            changed = rows.copy()
            changed.flat[-1] = number
            return changed

        for words, call in (
            (r"takes \[batch, 4\] float32. For a single one", lambda: agent.act(seen[0])),
            (r"shape \[3, 2\]; this agent takes", lambda: agent.act(seen[:, :2])),
            (r"the batch is empty", lambda: agent.act(seen[:0])),
            (r"of type int64; this agent takes", lambda: agent.act(np.zeros((3, 4), int))),
            (r"cannot be made an array", lambda: agent.act([[1.0], [2.0, 3.0]])),
            (r"no recurrent state; leave out", lambda: agent.act(seen, state=np.ones((3, 2)))),
            (rf"need \[3, {size}\]", lambda: recurrent.act(memory, state=np.ones((3, 2)))),
            (rf"need \[3, {size}\]", lambda: recurrent.act(memory, state=np.ones((2, size)))),
            (r"must be the one that act", lambda: recurrent.act(memory, state=[1, 2])),
            (r"episodes is 0", lambda: agent.evaluate(0)),
            (r"threads is 0", lambda: agent.evaluate(1, threads=0)),
            (r"seed is -1", lambda: agent.evaluate(1, seed=-1)),
            (r"start = noop: cartpole has no no-op", lambda: agent.evaluate(1, start="noop")),
            (r"games start by noop or fixed", lambda: agent.evaluate(1, start="human")),
            (r"played by noop or sampled_starts", lambda: agent.evaluate(1, protocol="human")),
            (r"belong together", lambda: agent.evaluate(1, protocol="sampled_starts")),
            (r"belong together", lambda: agent.evaluate(1, starts="file")),
            (r"leave start out", lambda: agent.evaluate(1, protocol="noop", start="fixed")),
            (r"not the folder of a run", lambda: tandem.Agent.load(self.folder)),
            (r"there is no checkpoint", lambda: self.load("cartpole", checkpoint=7)),
            (r"observation.* not finite", lambda: agent.act(np.full((3, 4), np.nan))),
            (r"row 2 of the observations", lambda: agent.heads(last(seen, -np.inf))),
            (r"row 2 of the observations", lambda: agent.act(last(np.float64(seen), 1e300))),
            (r"row 1 of the state", lambda: recurrent.act(memory[:2], state=last(state, np.nan))),
            (r"checkpoint is 'last'; it must", lambda: self.load("cartpole", checkpoint="last")),
            (r"checkpoint is -1; it must", lambda: self.load("cartpole", checkpoint=-1)),
            (r'must be "cpu" or "cuda"', lambda: self.load("cartpole", device="tpu")),
            (r"there is no key env.gravity", lambda: self.load("cartpole", env={"gravity": 1})),
            (r"belongs to the trained", lambda: self.load("cartpole", env={"normalise": True})),
        ):
            with self.subTest(words), self.assertRaisesRegex(tandem.Error, words):
                call()
        agent.act(np.float64(seen))
        agent.act(np.zeros((4, 3), np.float32).T)

    def test_one_thread_at_a_time(self):
        agent = self.load("cartpole")
        errors = []

        def evaluate():
            while True:
                try:
                    return agent.evaluate(5000)
                except tandem.Error as error:  # act() came first
                    if "another thread" not in str(error):
                        raise

        thread = threading.Thread(target=evaluate)
        thread.start()
        while thread.is_alive() and not errors:  # Python's lock is free meanwhile
            try:
                agent.act(np.zeros((1, 4), np.float32))
                time.sleep(0.001)  # the other thread's turn
            except tandem.Error as error:
                errors.append(str(error))
        thread.join()
        self.assertIn("another thread is using this agent", errors[0])

    def test_a_fork_cannot_use_the_agent(self):
        agent = self.load("cartpole")
        process = os.fork()
        if process == 0:
            try:
                agent.act(np.zeros((1, 4), np.float32))
            except tandem.Error as error:
                os._exit(0 if "Load the agent after the fork" in str(error) else 1)
            os._exit(2)
        self.assertEqual(os.waitpid(process, 0)[1], 0)

    def test_ctrl_c_ends_an_evaluation(self):
        script = f"""
            import sys, tandem
            agent = tandem.Agent.load({str(self.folder / "pendulum")!r})
            print("ready", flush=True)
            try:
                agent.evaluate(100_000)
            except KeyboardInterrupt:
                print("interrupted", agent.evaluate(2).episodes)
        """
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
        )
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.5)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(output, "interrupted 2\n")
        self.assertLess(time.monotonic() - begin, 20)


if __name__ == "__main__":
    unittest.main()

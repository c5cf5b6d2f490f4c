"""Tests of misuse: each has a clear exception, and none ends the process or hangs it."""

import os
import threading
import time
import unittest

import gymnasium
import numpy as np
from subprocesses import run_python

import tandem


class Attached:
    """Refuses as a tensor of torch with a gradient does. Seen raising RuntimeError."""

    def __array__(self, *_, **__):
        raise RuntimeError("call detach first")


class Actions(unittest.TestCase):
    # Seen failing without the check of the range.
    def test_bad_discrete_actions_are_refused(self):
        env = tandem.make_vec("cartpole", 3)
        env.reset(seed=1)
        for actions, words in (
            (np.zeros(2, int), r"shape \[2\]; these environments take \[3\] integers"),
            (np.zeros((3, 1), int), r"shape \[3, 1\]"),
            (np.zeros(3), "type float64; these environments take integers"),
            (np.array([0, 2, 1]), "action 2 of environment 1 is out of range: actions are 0 to 1"),
            (np.array([0, 1, -1]), "action -1 of environment 2"),
            (np.array([0, 2**40, 1]), "out of range"),
            (["a", "b", "c"], "take integers"),
            ([[1], [1, 2], []], "cannot be made an array"),
            (Attached(), "cannot be made an array: call detach"),
            (None, "take integers"),
            (1, r"shape \[\]"),
        ):
            with self.subTest(actions=actions), self.assertRaisesRegex(tandem.Error, words):
                env.step(actions)
        for actions in ([0, 1, 0], np.uint8([1, 1, 1]), np.arange(6).reshape(3, 2)[:, 0] % 2):
            env.step(actions)

    def test_bad_continuous_actions_are_refused(self):
        env = tandem.make_vec("pendulum", 2)
        env.reset(seed=1)
        for actions, words in (
            (np.zeros(2, np.float32), r"shape \[2\]"),
            (np.zeros((2, 2), np.float32), r"shape \[2, 2\]; .* take \[2, 1\] numbers"),
            ([[0.0], [2.5]], "number 0 of the action of environment 1 is 2.5; it must be from -2"),
            ([[np.nan], [0.0]], "environment 0 is nan"),
            ([["a"], ["b"]], "take floats"),
        ):
            with self.subTest(actions=actions), self.assertRaisesRegex(tandem.Error, words):
                env.step(actions)
        env.step([[1.0], [-2.0]])
        env.step(np.zeros((2, 1)))
        # Wrappers that scale actions pass a bound by a rounding error. Seen failing when it was
        # refused.
        env.step(np.nextafter(np.float32([[2.0], [-2.0]]), np.float32([[9.0], [-9.0]])))

    def test_a_single_environment_refuses_them_too(self):
        env = tandem.make("cartpole")
        env.reset(seed=1)
        for action in (2, -1, 0.5, None, [0, 1]):
            with self.subTest(action=action), self.assertRaises(tandem.Error):
                env.step(action)
        with self.assertRaisesRegex(tandem.Error, r"shape \[1\].* takes \[\]; pass action\[0\]"):
            env.step([1])
        env.step(np.int64(1))


class Order(unittest.TestCase):
    def test_a_step_needs_a_reset(self):
        for env in (tandem.make_vec("cartpole", 2), tandem.make("cartpole")):
            with self.assertRaisesRegex(tandem.Error, r"call reset\(\) first"):
                env.step(env.action_space.sample())
            with self.assertRaisesRegex(tandem.Error, r"call reset\(\) first"):
                env.render()

    # Seen failing when a refused reset forgot that games had begun: the next one made all anew.
    def test_a_refused_reset_changes_nothing(self):
        env, same = (tandem.make_vec("cartpole", 2, seed=3) for _ in range(2))
        for each in (env, same):
            each.reset()
        env.send([0, 0])
        with self.assertRaisesRegex(tandem.Error, "still step"):
            env.reset(seed=7)
        env.recv()
        same.step([0, 0])
        np.testing.assert_array_equal(env.reset()[0], same.reset()[0])

    # Seen failing: an array passed for an integer, and a bad seed of one environment had
    # Gymnasium's error.
    def test_seeds(self):
        env = tandem.make_vec("cartpole", 2)
        np.testing.assert_array_equal(
            env.reset(seed=np.array([4, 9]))[0], env.reset(seed=[4, 9])[0]
        )
        one = tandem.make("cartpole")
        np.testing.assert_array_equal(one.reset(seed=np.int64(4))[0], env.reset(seed=[4, 9])[0][0])
        for one in (env, tandem.make("cartpole")):
            with self.assertRaisesRegex(tandem.Error, "the seed -1 is out of range"):
                one.reset(seed=-1)

    # Seen raising RuntimeError with the words of the standard library.
    def test_a_lack_of_threads_is_told(self):
        script = """
            import resource, tandem
            envs = tandem.make_vec("cartpole", 64, num_threads=64)
            pages = int(open("/proc/self/statm").read().split()[0])
            limit = pages * resource.getpagesize() + (50 << 20)  # a thread's stack has 8 MB
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            try:
                envs.reset()
            except tandem.Error as error:
                print(error)
            """
        done = run_python(script)
        self.assertIn("a thread cannot be started", done)

    def test_closed_environments_say_so(self):
        for env in (tandem.make_vec("cartpole", 2), tandem.make("cartpole")):
            env.reset(seed=1)
            env.close()
            env.close()
            calls = [env.reset, env.render, lambda e=env: e.step(e.action_space.sample())]
            if hasattr(env, "send"):
                calls += [env.recv, lambda e=env: e.send(e.action_space.sample())]
            for call in calls:
                with self.assertRaisesRegex(tandem.Error, "closed"):
                    call()
                with self.assertRaises(gymnasium.error.ClosedEnvironmentError):
                    call()

    def test_a_single_environment_is_not_stepped_beyond_its_end(self):
        env = tandem.make("cartpole")
        env.reset(seed=1)
        with self.assertRaisesRegex(tandem.Error, "episode has ended"):
            for _ in range(100):
                env.step(1)

    def test_bad_masks_are_refused(self):
        env = tandem.make_vec("cartpole", 3)
        env.reset(seed=1)
        for mask in ([True, False, True], np.zeros(3, int), np.ones(2, bool), np.zeros(3, bool)):
            with self.subTest(mask=mask), self.assertRaisesRegex(tandem.Error, "reset_mask"):
                env.reset(options={"reset_mask": mask})

    # Seen failing when options were dropped without a word.
    def test_unknown_options_of_a_reset_are_refused(self):
        for env in (tandem.make_vec("cartpole", 2), tandem.make("cartpole")):
            with self.assertRaisesRegex(tandem.Error, "takes no option level"):
                env.reset(seed=1, options={"level": 3})

    def test_a_gymnasium_id_has_a_hint(self):
        with self.assertRaisesRegex(tandem.Error, "named like gym:CartPole-v1"):
            tandem.make("CartPole-v1")


class Threads(unittest.TestCase):
    # Seen failing without the exchange of the flag in Caller.
    def test_a_second_thread_is_refused(self):
        env = tandem.make_vec("latency", 2, 2, mean_us=1_000_000, wait="sleeping")
        env.reset(seed=1)
        begun = threading.Event()
        thread = threading.Thread(target=lambda: (begun.set(), env.step([0, 0])))
        thread.start()
        begun.wait()
        time.sleep(0.2)  # until it is in its step
        for call in (env.render, env.close, lambda: env.reset(seed=1)):
            with self.assertRaisesRegex(tandem.Error, "another thread is using"):
                call()
        thread.join()
        env.step([0, 0])

    # Seen failing with the GIL held while environments step.
    def test_other_threads_run_meanwhile(self):
        env = tandem.make_vec("latency", 2, 2, mean_us=300_000, wait="sleeping")
        env.reset(seed=1)
        thread = threading.Thread(target=lambda: env.step([0, 0]))
        thread.start()
        turns = 0
        while thread.is_alive():
            turns += 1
            time.sleep(0.01)
        self.assertGreater(turns, 3)

    def test_many_threads_have_their_own_environments(self):
        rewards = [0.0] * 4

        def play(i):
            env = tandem.make_vec("cartpole", 3, 2)
            env.reset(seed=i)
            for _ in range(200):
                rewards[i] += env.step([0, 1, 0])[1].sum()
            env.close()

        threads = [threading.Thread(target=play, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(all(total > 500 for total in rewards))


class Processes(unittest.TestCase):
    # AddressSanitizer's allocator may be locked at a fork, and the child then waits for it forever.
    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "a sanitizer cannot fork")
    # Seen failing without the comparison of process ids.
    def test_a_fork_is_refused_and_ends(self):
        output = run_python("""
            import os, sys
            import tandem
            env = tandem.make_vec("cartpole", 4, 2)
            observations = env.reset(seed=1)[0]
            single = tandem.make("cartpole")
            single.reset(seed=1)
            child = os.fork()
            if child == 0:
                for call in (lambda: env.step([0] * 4), env.reset, lambda: single.step(0)):
                    try:
                        call()
                    except tandem.Error as error:
                        assert "fork" in str(error), error
                    else:
                        os._exit(3)
                env.close()
                own = tandem.make_vec("cartpole", 4, 2)
                own.reset(seed=1)
                own.step([0] * 4)
                del observations
                sys.exit(0)  # as programs end, through every destructor
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            env.step([0] * 4)
            print("child", status)
        """)
        self.assertEqual(output, "child 0\n")

    def test_a_process_ends_with_environments_open(self):
        for state in ("", "env.reset(seed=1)", "env.reset(seed=1); env.send([0] * 4)"):
            with self.subTest(state=state):
                output = run_python(f"""
                    import tandem
                    env = tandem.make_vec("latency", 4, 2, mean_us=50_000, wait="sleeping")
                    {state}
                    print("end")
                """)
                self.assertEqual(output, "end\n")

    def test_multiprocessing_by_spawn_works(self):
        output = run_python("""
            import multiprocessing, concurrent.futures
            import tandem
            import operator
            env = tandem.make_vec("cartpole", 2, 2)
            env.reset(seed=1)
            context = multiprocessing.get_context("spawn")
            with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
                print(pool.submit(operator.add, 1, 2).result())
        """)
        self.assertEqual(output, "3\n")


class Host(unittest.TestCase):
    # Seen failing with a handler of SIGINT and with a call of mallopt in the module.
    def test_signals_masks_and_allocators_are_the_hosts(self):
        output = run_python("""
            import signal, os, gymnasium, numpy, cloudpickle, gymnasium.vector, ctypes
            def state():
                lines = open("/proc/self/status").read().splitlines()
                # SigQ counts the queued signals of all of the user's processes.
                own = ("SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt")
                signals = [l for l in lines if l.startswith(own)]
                handlers = [signal.getsignal(s) for s in signal.valid_signals()]
                return signals, handlers, dict(os.environ), os.sched_getaffinity(0)
            def large_blocks_are_mapped():
                libc = ctypes.CDLL(None)
                libc.malloc.restype = ctypes.c_void_p
                libc.malloc.argtypes = [ctypes.c_size_t]
                libc.free.argtypes = [ctypes.c_void_p]
                block = libc.malloc(64 << 20)
                maps = [l.split()[0].split("-") for l in open("/proc/self/maps") if "[heap]" in l]
                inside = any(int(a, 16) <= block < int(b, 16) for a, b in maps)
                libc.free(block)
                return not inside
            before = state()
            import tandem
            env = tandem.make_vec("cartpole", 4, 2)
            env.reset(seed=1)
            env.step([0] * 4)
            after = state()
            assert before == after, (before, after)
            assert large_blocks_are_mapped()
            env.close()
            print("same")
        """)
        self.assertEqual(output, "same\n")

    def test_a_broken_plug_in_does_not_break_the_import(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "tandem_broken.so"), "w") as file:
                file.write("no shared object")
            os.environ["TANDEM_PLUGIN_PATH"] = folder
            try:
                output = run_python("""
                    import tandem
                    print("cartpole" in tandem.environments())
                    try:
                        tandem.make_vec("broken:one")
                    except tandem.Error as error:
                        print(error)
                """)
            finally:
                del os.environ["TANDEM_PLUGIN_PATH"]
        self.assertIn("True\n", output)
        self.assertIn("tandem_broken.so cannot be loaded", output)


if __name__ == "__main__":
    unittest.main()

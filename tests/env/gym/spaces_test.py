"""Tests how a worker turns Gymnasium's spaces into frames and actions."""

import sys
import unittest
from pathlib import Path

import numpy as np
from gymnasium import spaces

sys.path.insert(0, str(Path(__file__).parents[3] / "src/tandem/env/gym"))

from tandem_worker import spaces as ours  # noqa: E402
from tandem_worker.faults import Lie  # noqa: E402


def shown(space, observation):
    """The frame of an observation as an array of the frame's shape."""
    frame = ours.frame_of(space)
    memory = bytearray(b"\xa5" * frame.bytes())
    ours.writer_of(space, memoryview(memory))(observation)
    return np.frombuffer(memory, {"u8": np.uint8, "f32": np.float32}[frame.dtype]).reshape(
        frame.shape
    )


def action(space, number):
    """The action that the trainer means by a number, or by several."""
    memory = (np.float32 if isinstance(space, spaces.Box) else np.int32)(number).tobytes()
    return ours.reader_of(space, memoryview(bytearray(memory)))()


def box(shape, dtype=np.uint8):
    return spaces.Box(0, 255, shape, dtype)


class Frames(unittest.TestCase):
    def test_pictures_have_their_channels_first(self):
        for shape, frame in [
            ((84, 84), [1, 84, 84]),
            ((84, 84, 3), [3, 84, 84]),
            ((210, 160, 3), [3, 210, 160]),
            ((7, 7, 20), [20, 7, 7]),
            ((4, 84, 84), [4, 84, 84]),
            ((4, 84, 96), [4, 84, 96]),
            ((12, 210, 160), [12, 210, 160]),  # seen failing as 160 channels
            ((4, 84, 84, 3), [12, 84, 84]),
            ((4, 3, 84, 84), [12, 84, 84]),  # seen failing as 336 channels
        ]:
            with self.subTest(shape=shape):
                space = box(shape)
                self.assertEqual(ours.frame_of(space).shape, frame)
                picture = space.sample()
                expected = picture
                if shape == (4, 3, 84, 84):
                    expected = picture.reshape(frame)
                elif len(shape) == 4:
                    expected = picture.transpose(0, 3, 1, 2).reshape(frame)
                elif len(shape) == 2:
                    expected = picture[None]
                elif frame[0] == shape[2]:
                    expected = picture.transpose(2, 0, 1)
                np.testing.assert_array_equal(shown(space, picture), expected)

    # Seen failing: 256 became 0, and a list of lists was refused.
    def test_pictures_may_be_of_other_whole_numbers_if_these_are_bytes(self):
        for observation in ([[0, 255], [3, 4]], np.uint16([[0, 255], [3, 4]])):
            np.testing.assert_array_equal(shown(box((2, 2)), observation), [[[0, 255], [3, 4]]])
        for observation in (np.uint16([[0, 256], [3, 4]]), [[0, -1], [3, 4]], np.ones((2, 2))):
            with self.assertRaises(Lie):
                shown(box((2, 2)), observation)

    def test_a_list_of_bytes_becomes_numbers(self):
        np.testing.assert_array_equal(shown(box((3,)), np.uint8([1, 2, 255])), [1, 2, 255])
        self.assertEqual(ours.frame_of(box((3,))).dtype, "f32")

    def test_other_numbers_become_a_list(self):
        for dtype in (np.float32, np.float64, np.int64, np.int8):
            space = spaces.Box(-9, 9, (2, 3), dtype)
            observation = space.sample()
            np.testing.assert_array_equal(
                shown(space, observation), observation.ravel().astype(np.float32)
            )

    def test_choices_become_ones_among_zeros(self):
        np.testing.assert_array_equal(shown(spaces.Discrete(4, start=-1), 1), [0, 0, 1, 0])
        np.testing.assert_array_equal(shown(spaces.Discrete(4), np.int64(3)), [0, 0, 0, 1])
        np.testing.assert_array_equal(
            shown(spaces.MultiDiscrete([2, 3]), np.array([1, 0])), [0, 1, 1, 0, 0]
        )
        np.testing.assert_array_equal(shown(spaces.MultiBinary(3), np.int8([1, 0, 1])), [1, 0, 1])

    # Seen failing with an IndexError.
    def test_choices_may_be_unsigned(self):
        for dtype in (np.int8, np.uint8, np.uint64):
            space = spaces.MultiDiscrete([2, 3], dtype=dtype)
            np.testing.assert_array_equal(shown(space, dtype([1, 0])), [0, 1, 1, 0, 0])

    def test_parts_follow_each_other_as_in_gymnasium(self):
        space = spaces.Dict(
            {
                "b": spaces.Tuple([spaces.Discrete(3), box((2, 2))]),
                "a": spaces.Box(-1, 1, (2,), np.float64),
                "c": spaces.MultiDiscrete([2, 3]),
            }
        )
        for seed in range(20):
            space.seed(seed)
            observation = space.sample()
            np.testing.assert_array_equal(
                shown(space, observation),
                spaces.flatten(space, observation).astype(np.float32),
            )

    def test_lists_and_plain_numbers_will_do(self):
        np.testing.assert_array_equal(shown(spaces.Box(0, 9, (2,), np.float32), [1, 2.5]), [1, 2.5])
        np.testing.assert_array_equal(shown(spaces.Box(0, 9, (), np.float32), 3.5), [3.5])

    def test_observations_unlike_their_space_are_named(self):
        numbers = spaces.Box(0, 9, (2,), np.float32)
        for space, observation, words in [
            (numbers, np.zeros(3, np.float32), r"has the shape \(3,\), but .*Box"),
            (numbers, np.zeros((1, 2), np.float32), r"has the shape \(1, 2\)"),
            (numbers, np.array(["a", "b"]), "has the dtype <U1"),
            (numbers, None, "shape"),
            (box((2, 2)), np.zeros((2, 2)), "has the dtype float64"),
            (box((2, 2)), np.zeros((2, 1), np.uint8), "has the shape"),
            (spaces.Discrete(3), 3, "is 3, but"),
            (spaces.Discrete(3, start=1), 0, "is 0, but"),
            (spaces.Discrete(3), 1.0, "is 1.0, but"),
            (spaces.MultiDiscrete([2, 2]), np.array([0, 2]), "is array"),
            (spaces.MultiDiscrete([2, 2]), np.array([0.0, 1.0]), "dtype float64"),
            (spaces.Dict(a=numbers), {"b": np.zeros(2)}, "is {'b'"),
            (spaces.Dict(a=numbers), np.zeros(2), "is array"),
            (spaces.Tuple([numbers]), (np.zeros(2), np.zeros(2)), "is "),
        ]:
            with self.subTest(space=space, observation=observation):
                with self.assertRaisesRegex(Lie, words):
                    shown(space, observation)

    def test_other_spaces_are_refused(self):
        for space in (
            spaces.Text(5),
            spaces.Sequence(box((2,))),
            spaces.Dict(a=box((2,)), b=spaces.Text(3)),
        ):
            with self.assertRaisesRegex(ours.Refused, "cannot use the observation space"):
                ours.frame_of(space)
        with self.assertRaisesRegex(ours.Refused, "no numbers"):
            ours.frame_of(spaces.Dict())


class ActionsTest(unittest.TestCase):
    def test_discrete_ones_begin_where_the_space_says(self):
        space = spaces.Discrete(3, start=5)
        self.assertEqual(ours.actions_of(space), ours.Actions(count=3, first=5))
        self.assertEqual([action(space, k) for k in range(3)], [5, 6, 7])
        self.assertTrue(space.contains(action(space, 2)))

    def test_products_reach_each_action_once(self):
        for space in (
            spaces.MultiDiscrete([2, 3]),
            spaces.MultiDiscrete([[2, 2], [1, 3]]),
            spaces.MultiDiscrete([2, 3], start=[1, -1]),
            spaces.MultiBinary(4),
            spaces.MultiBinary([2, 2]),
        ):
            with self.subTest(space=space):
                self.assertEqual(ours.actions_of(space).first, 0)
                count = ours.actions_of(space).count
                actions = [action(space, k) for k in range(count)]
                self.assertTrue(all(space.contains(one) for one in actions))
                self.assertEqual(len({one.tobytes() for one in actions}), count)

    # docs/python.md and the cards of exported agents tell other programs to decode them so.
    def test_numpy_decodes_the_numbers_of_products(self):
        for space in (
            spaces.MultiDiscrete([2, 3]),
            spaces.MultiDiscrete([[2, 2], [1, 3]], start=[[0, 4], [-2, 0]]),
            spaces.MultiBinary([2, 2]),
        ):
            with self.subTest(space=space):
                nvec = getattr(space, "nvec", np.full(space.shape, 2))
                start = getattr(space, "start", np.zeros(space.shape, int))
                numbers = np.arange(ours.actions_of(space).count)
                choices = np.stack(np.unravel_index(numbers, nvec.ravel()), -1) + start.ravel()
                expected = [action(space, k) for k in numbers]
                np.testing.assert_array_equal(choices.reshape(-1, *space.shape), expected)

    def test_an_environment_may_change_its_action(self):
        read = ours.reader_of(spaces.MultiBinary(2), memoryview(bytearray(4)))
        read()[0] = 1
        self.assertEqual(list(read()), [0, 0])

    def test_products_have_a_limit(self):
        self.assertEqual(ours.actions_of(spaces.MultiBinary(10)).count, 1024)
        for space in (
            spaces.MultiBinary(11),
            spaces.MultiDiscrete([1025]),
            spaces.MultiDiscrete([100] * 9999),
        ):
            with self.assertRaisesRegex(ours.Refused, "more than 1024 actions"):
                ours.actions_of(space)

    def test_numbers_keep_shape_and_type(self):
        space = spaces.Box(-2, 2, (2, 1), np.float64)
        self.assertEqual(ours.actions_of(space).low, [-2, -2])
        made = action(space, [0.5, -1])
        self.assertEqual((made.shape, made.dtype), ((2, 1), np.float64))
        np.testing.assert_array_equal(made, [[0.5], [-1]])
        whole = action(spaces.Box(-5, 5, (2,), np.int32), [0.7, -2.4])
        self.assertEqual((list(whole), whole.dtype), ([1, -2], np.int32))

    # Seen failing with bounds in single precision, which rounds 0.4 up.
    def test_actions_at_a_bound_are_within_the_space(self):
        for space in (
            spaces.Box(-0.4, 0.4, (2,), np.float64),
            spaces.Box(-(2**31) + 1, 2**31 - 1, (2,), np.int32),
        ):
            made = action(space, [float(space.low[0]), float(space.high[0])])
            self.assertTrue(space.contains(made), (space, made))

    def test_other_spaces_are_refused(self):
        with self.assertRaisesRegex(ours.Refused, "has no bounds"):
            ours.actions_of(spaces.Box(-np.inf, 1, (2,)))
        for space in (spaces.Dict(a=spaces.Discrete(2)), spaces.Text(3), spaces.Box(0, 1, (0,))):
            with self.assertRaisesRegex(ours.Refused, "cannot use the action space"):
                ours.actions_of(space)


if __name__ == "__main__":
    unittest.main()

"""Budgets and times in words.

Seen failing with times such as 1e+02 min.
"""

import unittest

import plans  # noqa: F401, which knows where the package lies
from tandem_reproduce.budget import time_words


class TimeWords(unittest.TestCase):
    def test_times_have_no_power_of_ten(self):
        self.assertEqual(time_words(118), "118 s")
        self.assertEqual(time_words(99.7 * 60), "100 min")
        self.assertEqual(time_words(120 * 3600), "120 h")

    def test_times_have_two_digits_at_least(self):
        self.assertEqual(time_words(1.26), "1.3 s")
        self.assertEqual(time_words(4.14 * 3600), "4.1 h")
        self.assertEqual(time_words(12 * 60), "12 min")


if __name__ == "__main__":
    unittest.main()

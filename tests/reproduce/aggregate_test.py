"""Interquartile means, and a row's that has one.

Seen failing with the mean of all scores, with an interval that draws the single run of each game
anew, and with scores that are not normalised.
"""

import statistics
import unittest

from results_test import GAMES, TableCase
from tandem_reproduce.aggregate import bootstrapped, interquartile_mean, iqm_of
from tandem_reproduce.report import entry_text, our_rows, picture_of
from tandem_reproduce.results import table_of


class InterquartileMean(unittest.TestCase):
    def test_hand_computed_cases(self):
        self.assertEqual(interquartile_mean([900, 1, 2, 3, 4, 7, 9, -100]), 4)  # of 2, 3, 4, 7
        self.assertEqual(interquartile_mean([5, 1, 9]), 5)

    def test_equal_runs_of_each_game_have_no_width(self):
        found = iqm_of([[1.0, 1.0], [3.0, 3.0]])
        self.assertEqual((found.value, found.low, found.high), (2, 2, 2))

    def test_single_runs_have_the_width_of_the_games(self):
        scores = [0.0, 1.0, 2.0, 3.0]
        found = iqm_of([[score] for score in scores])
        self.assertEqual(found.value, statistics.fmean([1, 2]))
        self.assertLess(found.low, 1)
        self.assertGreater(found.high, 2)

    def test_an_interval_is_of_the_statistic(self):
        found = bootstrapped([[1.0, 2.0, 9.0]], statistics.median)
        self.assertEqual((found.value, found.low, found.high), (2, 1, 9))


class Rows(TableCase):
    def test_a_row_has_the_interval_of_its_games(self):
        self.leave(GAMES[0], (500.0, 0.5))
        self.leave(GAMES[1], (50.0, 4.0))
        self.leave(GAMES[2], (7.0, 0.5))
        table = table_of(self.folder)
        self.assertRegex(entry_text(table.rows["PAAC"]["iqm"]), r"^166\.7% \[50, [34]\d\d\.?\d?\]$")
        cells = next(row for row in our_rows(table) if row[2] == "iqm")
        self.assertEqual(cells[-2], "50.0%")
        self.assertIn("draws the runs of each game anew", table.heading)
        self.folder.described = lambda: {"machine": "here", "jobs": []}
        picture = picture_of(self.folder, table)
        profile = {"scores": [0.5, 4.0, 0.5], "runs": 3}
        self.assertEqual(picture["profiles"], {"PAAC": profile})
        self.assertEqual(picture["names"][GAMES[0]], "Alien")
        self.assertEqual(picture["units"], dict.fromkeys(("average", "middle", "iqm"), "%"))


if __name__ == "__main__":
    unittest.main()

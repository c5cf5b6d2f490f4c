"""Tests tools/plot_hts_step_times.py."""

import unittest

import drawing
import plot_hts_step_times

TABLE = """\
scenario,envs,alpha,step_variance_ms2,claimed_speedup,simulated_speedup,measured_speedup
pong,16,128,0.25,1.4,1.5,1.6
football,16,128,400,4,5,3
"""


class PlotHtsStepTimesTest(drawing.DrawingTest):
    tool = "plot_hts_step_times.py"

    def test_draws_the_speedup_by_the_variance(self):
        (self.folder / "step_times.csv").write_text(TABLE)
        rows = plot_hts_step_times.read_table(self.folder / "step_times.csv", "hts-step-times")
        axes = plot_hts_step_times.plt.figure().add_subplot()
        plot_hts_step_times.draw(axes, rows)
        lines = {line.get_label(): line for line in axes.lines}
        for label, speedups in (
            ("by Claim 1", [1.4, 4]),
            ("simulated", [1.5, 5]),
            ("measured", [1.6, 3]),
        ):
            self.assertEqual(list(lines[label].get_xdata()), [0.25, 400])
            self.assertEqual(list(lines[label].get_ydata()), speedups)
        self.assertEqual([text.get_text() for text in axes.texts], ["pong", "football"])

    def test_writes_a_png(self):
        (self.folder / "step_times.csv").write_text(TABLE)
        done = self.draw()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "hts-step-times.png").read_bytes()[:4], b"\x89PNG")

    def test_says_what_is_missing(self):
        done = self.draw()
        self.assertEqual(done.returncode, 2)
        self.assertIn("hts-step-times` writes it", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""Tests tools/plot_hts_runtime.py."""

import unittest

import drawing
import plot_hts_runtime

RUNTIME = """\
figure,system,mean_ms,alpha,step_seconds,step_seconds_deviation,actor_seconds,\
claimed_steps_per_second,simulated_steps_per_second,measured_steps_per_second
a,paac,2,1,0.002,0.002,1e-5,2000,2000,1900
a,hts,2,4,0.002,0.002,1e-5,4000,4100,3900
a,hts,4,4,0.004,0.004,1e-5,2000,2100,1900
b,paac,2,1,0.002,0.002,1e-5,2000,2000,1000
b,hts,2,16,0.002,0.002,1e-5,5000,5100,4900
"""
LATENCY = """\
actors,load,claimed_updates,simulated_updates,measured_queue,measured_lag_updates
1,0.1,0.11,0.1,0.1,0.9
8,0.8,4,4.1,2,9
"""


class PlotHtsRuntimeTest(drawing.DrawingTest):
    tool = "plot_hts_runtime.py"

    def test_draws_the_time_of_ten_thousand_steps(self):
        (self.folder / "runtime.csv").write_text(RUNTIME)
        rows = plot_hts_runtime.read_table(self.folder / "runtime.csv", "hts-runtime")
        axes = plot_hts_runtime.plt.figure().add_subplot()
        plot_hts_runtime.draw_means(axes, [row for row in rows if row["figure"] == "a"])
        claimed, _, measured = axes.lines[3:]
        self.assertEqual(list(claimed.get_xdata()), [4, 16])
        self.assertEqual(list(claimed.get_ydata()), [2.5, 5])
        self.assertAlmostEqual(measured.get_ydata()[0], 10_000 / 3900)
        axes = plot_hts_runtime.plt.figure().add_subplot()
        plot_hts_runtime.draw_alphas(axes, [row for row in rows if row["figure"] == "b"])
        self.assertEqual(axes.lines[-1].get_ydata()[0], 10)

    def test_writes_a_png(self):
        (self.folder / "runtime.csv").write_text(RUNTIME)
        (self.folder / "latency.csv").write_text(LATENCY)
        done = self.draw()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "hts-runtime.png").read_bytes()[:4], b"\x89PNG")

    def test_says_what_is_missing(self):
        done = self.draw()
        self.assertEqual(done.returncode, 2)
        self.assertIn("hts-runtime` writes it", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""Tests tools/plot.py, and `tandem plot` where the program is given: plot_test.py [TANDEM]."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE / "tools"))
import plot  # noqa: E402
from made_run import make_run  # noqa: E402

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else None
COMMAND = [PROGRAM, "plot"] if PROGRAM else [sys.executable, str(SOURCE / "tools" / "plot.py")]


class PlotTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def make_run(self, name, **what):
        return make_run(self.folder / name, **what)

    def curves(self, *runs):
        return plot.group_runs([plot.read_run(run) for run in runs])

    def run_command(self, *arguments, **environment):
        return subprocess.run(
            [*COMMAND, *map(str, arguments)],
            capture_output=True,
            text=True,
            env=os.environ | {"TANDEM_PYTHON": sys.executable} | environment,
        )

    def test_seeds_of_one_config_are_one_curve(self):
        curves = self.curves(
            self.make_run("a", seed=1),
            self.make_run("b", seed=2),
            self.make_run("c", arch="nature"),
        )
        labels = [curve.label for curve in curves]
        self.assertEqual(labels, ["PAAC  Pong  nips  (2 seeds)", "PAAC  Pong  nature"])

    def test_labels_say_what_differs(self):
        curves = self.curves(self.make_run("a", lr=0.01), self.make_run("b", lr=0.02))
        labels = [curve.label for curve in curves]
        self.assertEqual(labels, ["PAAC  Pong  nips  lr=0.01", "PAAC  Pong  nips  lr=0.02"])

    # Seen failing when the measured value counted as a word of the user.
    def test_seeds_may_differ_in_what_they_have_measured(self):
        runs = [self.make_run(f"{seed}", seed=seed) for seed in (1, 2)]
        for seed, run in enumerate(runs):
            config = (run / "config.toml").read_text()
            grey = f"[net]\npixel_mean = 0.27{seed}\n"
            (run / "config.toml").write_text(config.replace("[net]\n", grey))
        self.assertEqual(len(self.curves(*runs)), 2)
        for run in runs:
            (run / "measured.txt").write_text("net.pixel_mean\n")
        self.assertEqual(len(self.curves(*runs)), 1)

    # Seen failing when each process made another text of one function, and machines other paths.
    def test_seeds_of_a_function_and_of_two_machines_are_one_curve(self):
        for seed in (1, 2):
            run = self.make_run(f"{seed}", seed=seed, env="gym:__main__.make")
            config = (run / "config.toml").read_text()
            lines = f"pickle = 'base64:{seed}'\npython = '/{seed}/python'\nrom_dir = '/{seed}'\n"
            lines += f"workers = {seed}\ntimeout_seconds = {seed}.0\n"
            (run / "config.toml").write_text(config.replace("[env]\n", "[env]\n" + lines))
        curves = self.curves(self.folder / "1", self.folder / "2")
        self.assertEqual([len(curve.runs) for curve in curves], [2])

    # Seen failing when points were placed by the first line of the log that had a return.
    def test_evaluations_may_come_before_the_first_game_has_ended(self):
        run = plot.read_run(self.make_run("a"))
        rows = [{"step": 500, "mean": 1.0, "training_seconds": 45.0}, {"step": 1500, "mean": 2.0}]
        for column, places in (("steps", [500, 1500]), ("frames", [2000, 6000])):
            self.assertEqual(plot.moments_of(run, rows, column).tolist(), places)
        self.assertEqual(plot.moments_of(run, rows, "seconds").tolist(), [45, 150])

    # Seen failing with a mean from where the last run begins back to where the first one ends.
    def test_runs_without_a_common_range_have_no_mean(self):
        first = self.make_run("a", returns=(3, 4))
        metrics = self.make_run("b", seed=2, returns=(5, 6, 7)) / "metrics.jsonl"
        lines = metrics.read_text().splitlines()
        metrics.write_text(lines[0] + "\n" + "\n".join(lines[3:]))
        runs = [plot.read_run(first), plot.read_run(metrics.parent, least_lines=1)]
        axes = plot.plt.figure().add_subplot()
        plot.draw(axes, plot.Curve("both", runs), "steps", 1, plot.style(0))
        self.assertEqual([line.get_label()[:4] for line in axes.lines], ["both", "_chi"])
        self.assertEqual(axes.lines[1].get_marker(), "o")
        self.assertEqual(len(axes.collections), 0)

    def test_the_line_is_the_mean_and_the_band_holds_all_seeds(self):
        runs = (
            self.make_run("a", returns=(0, 1, 2)),
            self.make_run("b", seed=2, returns=(2, 3, 4, 5)),
        )
        (curve,) = self.curves(*runs)
        axes = plot.plt.figure().add_subplot()
        plot.draw(axes, curve, "steps", 1, plot.style(0))
        line, *seeds = axes.lines
        self.assertEqual([seed.get_xdata()[-1] for seed in seeds], [3000, 4000])
        self.assertEqual((line.get_xdata()[0], line.get_xdata()[-1]), (1000, 3000))
        self.assertEqual((line.get_ydata()[0], line.get_ydata()[-1]), (1, 3))
        (band,) = axes.collections
        corners = band.get_paths()[0].vertices
        self.assertEqual((corners[:, 1].min(), corners[:, 1].max()), (0, 4))

    def test_writes_a_png(self):
        out = self.folder / "out.png"
        for by in ("steps", "frames"):
            done = self.run_command(self.make_run(by), "--out", out, "--by", by)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(out.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            out.unlink()

    # The picture had another name than the one that was printed.
    def test_a_picture_without_an_ending_is_a_png(self):
        done = self.run_command(self.make_run("run"), "--out", self.folder / "out")
        self.assertEqual(done.stdout.strip(), str(self.folder / "out.png"))
        self.assertTrue((self.folder / "out.png").exists())

    # Seen as a curve of two runs.
    def test_a_run_that_is_named_twice_counts_once(self):
        run = self.make_run("run")
        self.assertEqual(plot.distinct([run, self.folder / "." / "run"]), [run])

    # Seen failing with points at the number of their step on every axis.
    def test_evaluations_are_points_beside_the_curve(self):
        run = self.make_run("run")
        (curve,) = self.curves(run)
        axes = plot.plt.figure().add_subplot()
        self.assertFalse(plot.draw_evaluations(axes, curve, "steps", 1, "k"))
        lines = [{"step": 1000, "mean": 0.5}, {"step": 2500, "mean": 1.5}]
        text = "".join(json.dumps(line) + "\n" for line in lines) + '{"step": 30'  # being written
        (run / "evaluations.jsonl").write_text(text)
        self.assertTrue(plot.draw_evaluations(axes, curve, "frames", 1, "k"))
        self.assertTrue(plot.draw_evaluations(axes, curve, "seconds", 50, "k"))
        frames, seconds = axes.lines[-2:]
        self.assertEqual(list(frames.get_xdata()), [4000, 10000])
        self.assertEqual(list(seconds.get_xdata()), [2, 5])
        self.assertEqual(list(frames.get_ydata()), [0.5, 1.5])
        done = self.run_command(run, "--out", self.folder / "out.png")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_shows_the_threads_that_a_search_tried(self):
        run = self.make_run("run")
        config = run / "config.toml"
        config.write_text(config.read_text() + "[ga3c]\nadjust_seconds = 60.0\n")
        lines = plot.read_lines(run / "metrics.jsonl")
        for i, line in enumerate(lines):
            line |= {"rate/updates_per_second": 10 + i, "ga3c/agents": 2 + i}
            line |= {"ga3c/predictors": 1, "ga3c/trainers": 2}
        (run / "metrics.jsonl").write_text("\n".join(map(json.dumps, lines)))
        axes = plot.plt.figure().add_subplot()
        plot.plot_settings(axes, run, "seconds", 1)
        agents, predictors, trainers = axes.lines
        self.assertEqual(list(agents.get_ydata()), [2, 3, 4, 5])
        self.assertEqual(list(predictors.get_xdata()), [line["seconds"] for line in lines])
        out = self.folder / "out.png"
        done = self.run_command(run, "--out", out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        wide, high = self.size_of(out)
        self.run_command(self.make_run("other"), "--out", out)
        self.assertLess(self.size_of(out)[1], high)

    def size_of(self, picture):
        header = picture.read_bytes()[16:24]
        return int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")

    def test_says_what_is_wrong(self):
        run = self.make_run("run")
        empty = self.make_run("empty", returns=())
        cases = [
            ([self.folder / "none"], "there is no"),
            ([empty], "finished game"),
            ([run, "--out", self.folder / "no" / "out.png"], "cannot write"),
            ([run, "--by", "hours"], "hours"),
            ([run, "--out", self.folder], "is a folder"),
        ]
        for arguments, message in cases:
            done = self.run_command(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_says_what_matplotlib_it_needs(self):
        (self.folder / "matplotlib.py").write_text("__version__ = '3.6.3'\n")
        done = subprocess.run(
            [sys.executable, str(SOURCE / "tools/plot.py"), "run"],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": str(self.folder)},
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("has matplotlib 3.6.3, and pictures need 3.7 or later", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    @unittest.skipUnless(PROGRAM, "needs the program")
    def test_says_what_python_it_needs(self):
        done = self.run_command(self.make_run("run"), TANDEM_PYTHON="/no/such/python")
        self.assertEqual(done.returncode, 2)
        self.assertIn("TANDEM_PYTHON", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""Tests tools/plot_sweep.py and tools/plot_speedup.py on folders that look like the program's."""

import contextlib
import csv
import io
import json
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE / "tools"))
import plot_speedup  # noqa: E402
import plot_sweep  # noqa: E402

PNG = b"\x89PNG\r\n\x1a\n"


class PlotSweepTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.out = self.folder / "out.png"

    def write(self, vary, rows, **more):
        description = {"command": "sweep", "vary": vary, "config": {"env.id": "catch"}} | more
        (self.folder / "sweep.json").write_text(json.dumps(description))
        self.write_table("sweep.csv", rows)

    def write_table(self, name, rows):
        with (self.folder / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)

    def test_a_speedup_without_a_table_says_when_it_comes(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit):
            plot_speedup.plot_speedup(self.folder, {}, self.out)
        self.assertIn("has no speedup.csv yet", said.getvalue())

    def test_ranges_and_lists_are_told_apart(self):
        vary = ["optimizer.lr=log_uniform(0.0001,0.01)", "a+b=x+1,y+2", "c=uniform(0,1)"]
        self.write(vary, [{"score": "1"}])
        _, sweep = plot_sweep.read_sweep(self.folder)
        self.assertEqual([part.key for part in sweep.ranges], ["optimizer.lr", "c"])
        self.assertEqual([part.is_log for part in sweep.ranges], [True, False])
        self.assertEqual(sweep.ranges[0].limits, (0.0001, 0.01))
        self.assertEqual(sweep.lists, ["a", "b"])

    def test_scores_descend_and_bad_runs_are_crosses_behind_them(self):
        axes = plot_sweep.plt.figure().add_subplot()
        rows = [{"score": score} for score in ("1", "", "5", "3")]
        plot_sweep.draw_ranks(axes, rows, "black", "kind=sgd")
        (line,) = axes.lines
        self.assertEqual(list(line.get_xdata()), [1, 2, 3])
        self.assertEqual(list(line.get_ydata()), [5, 3, 1])
        self.assertEqual(line.get_label(), "kind=sgd  (4 runs)")
        (crosses,) = axes.collections
        self.assertEqual(crosses.get_offsets().tolist(), [[4, plot_sweep.BAD]])

    def test_a_score_of_zero_is_a_score(self):
        rows = [{"score": score} for score in ("0.0", 0.0, "", None)]
        self.assertEqual(plot_sweep.scores_of(rows), (rows[:2], rows[2:]))

    def test_draws_a_row_for_each_environment(self):
        rows = [
            {"env.id": env, "optimizer.lr": "0.001", "score": score, "why_ended": "budget"}
            for env in ("catch", "cartpole")
            for score in ("1", "")
        ]
        self.write(["optimizer.lr=log_uniform(0.0001,0.01)", "env.id=catch,cartpole"], rows)
        _, sweep = plot_sweep.read_sweep(self.folder)
        plot_sweep.plot_sweep(sweep, self.out)
        self.assertEqual(self.out.read_bytes()[:8], PNG)
        figure = plot_sweep.plt.gcf()
        titles = [axes.get_title(loc="left") for axes in figure.axes]
        self.assertEqual(titles, ["catch", "", "cartpole", ""])

    def test_without_ranges_there_are_the_ranks(self):
        self.write(["optimizer.kind=sgd,adam"], [{"optimizer.kind": "sgd", "score": "2"}])
        plot_sweep.plot_sweep(plot_sweep.read_sweep(self.folder)[1], self.out)
        self.assertEqual(self.out.read_bytes()[:8], PNG)

    def test_speedup_draws_the_runs_that_count(self):
        for name in ("001", "002"):
            run = self.folder / "runs" / name
            run.mkdir(parents=True)
            (run / "config.toml").write_text("system = 'a3c'\n")
            lines = [
                {"steps": i, "frames": i, "seconds": i, "episode/return_mean_100": i}
                for i in range(1, 4)
            ]
            (run / "metrics.jsonl").write_text("\n".join(map(json.dumps, lines)))
        row = {"group": "", "threads": "1", "runs": "1", "reached": "1", "counted": "002"}
        self.write_table("speedup.csv", [row])
        curve = plot_speedup.curve_of(self.folder, row)
        self.assertEqual([run.folder.name for run in curve.runs], ["002"])
        self.assertEqual(curve.label, "1 thread  (1 of 1 reach it)")
        description = {"score": 2, "cores": 2, "config": {"env.id": "catch"}}
        plot_speedup.plot_speedup(self.folder, description, self.out)
        self.assertEqual(self.out.read_bytes()[:8], PNG)


if __name__ == "__main__":
    unittest.main()

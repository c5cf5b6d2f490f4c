"""Tests the panels of tools/plot_item.py on descriptions like those of `tandem reproduce`.

Seen failing with arms that share a panel, with labels that keep their arm, with environments of one
name in one panel, with ranks where values were asked for, and with rates as bars.
"""

import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

SOURCE = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE / "tools"))
import plot_benches  # noqa: E402
import plot_item  # noqa: E402
import plot_sweep  # noqa: E402

ENVS = ("atari:Pong", "atari:Breakout")
ITEM = {
    "title": "Figure 8: three optimizers",
    "budget": "an hour",
    "paper": "50 runs",
    "rows": "environments",
    "panels": "values and ranks",
    "axis": "steps",
    "numbers": {},
}


def run(label, env, lr, score=0.5):
    return {"label": label, "env": env, "ranges": {"lr": lr}, "score": score, "folder": "none"}


RUNS = [
    run(f"{arm}  kind={k}", e, lr)
    for arm in ("Q", "A3C")
    for k in "ab"
    for e in ENVS
    for lr in (0.1, 0.2)
]


class PlotItemTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def item(self, runs=None, **more):
        return ITEM | {"runs": RUNS if runs is None else runs} | more

    def drawn(self, plot, item):
        """The panels that a picture shows, by title."""
        shown = []
        with mock.patch.object(plot_item, "finish", lambda figure, *_: shown.append(figure)):
            plot(self.folder, item, self.folder / "out.png")
        (figure,) = shown
        return [axes for axes in figure.axes if axes.get_visible()]

    def test_panels_are_of_environments(self):
        panels, columns = plot_item.runs_of_panels(self.item())
        self.assertEqual(
            {key: len(runs) for key, runs in panels.items()}, {("", e): 8 for e in ENVS}
        )
        self.assertEqual(columns, 2)
        self.assertEqual(
            list(plot_item.labels_of(self.item())),
            ["Q  kind=a", "Q  kind=b", "A3C  kind=a", "A3C  kind=b"],
        )

    def test_panels_are_of_arms_in_environments(self):
        item = self.item(rows="arms")
        panels, columns = plot_item.runs_of_panels(item)
        self.assertEqual(list(panels), [(arm, env) for arm in ("Q", "A3C") for env in ENVS])
        self.assertEqual(columns, 2)
        self.assertEqual(list(plot_item.labels_of(item)), ["kind=a", "kind=b"])
        self.assertEqual(plot_item.label_within(item, run("A3C", ENVS[0], 1)), "A3C")

    def test_environments_of_one_name_have_panels_of_their_own(self):
        runs = [run("A3C", "mine:Pong", 1), run("A3C", "atari:Pong", 1)]
        self.assertEqual(len(plot_item.runs_of_panels(self.item(runs))[0]), 2)

    def test_sweeps_draw_the_panels_that_are_asked_for(self):
        for panels, labels in (
            ("values and ranks", ["lr", "runs, best first"]),
            ("values", ["lr"]),
            ("ranks", ["runs, best first"]),
        ):
            axes = self.drawn(plot_item.plot_sweep, self.item(panels=panels))
            self.assertEqual([each.get_xlabel() for each in axes], labels * 2)
        axes = self.drawn(plot_item.plot_sweep, self.item(panels="ranks", rows="arms"))
        titles = [each.get_title(loc="left") for each in axes]
        self.assertEqual(titles, ["Q: Pong", "Q: Breakout", "A3C: Pong", "A3C: Breakout"])

    def test_a_sweep_without_drawn_values_has_its_scores_in_order(self):
        runs = [run("Q", ENVS[0], 1) | {"ranges": {}}]
        for panels in ("values", "values and ranks"):
            (axes,) = self.drawn(plot_item.plot_sweep, self.item(runs, panels=panels))
            self.assertEqual(axes.get_xlabel(), "runs, best first")

    def test_runs_without_a_score_are_crosses_behind_the_ranks(self):
        runs = [run("Q", ENVS[0], 0.1, score) for score in (0.0, None, 5.0)]
        (axes,) = self.drawn(plot_item.plot_sweep, self.item(runs, panels="ranks"))
        (line,) = axes.lines
        self.assertEqual([list(line.get_xdata()), list(line.get_ydata())], [[1, 2], [5, 0]])
        (crosses,) = axes.collections
        self.assertEqual(crosses.get_offsets().tolist(), [[3, plot_sweep.BAD]])

    # A logarithmic axis would leave out values that are not above 0.
    def test_an_axis_is_of_the_kind_of_its_range(self):
        kinds = {"lr": "uniform"}
        for lowest, more, scale in (
            (0.1, {"kinds": kinds}, "linear"),
            (0.1, {"kinds": {"lr": "log_uniform"}}, "log"),
            (0.1, {}, "log"),  # of an older version
            (-0.1, {}, "linear"),
        ):
            runs = [run("Q", ENVS[0], lr) for lr in (lowest, 0.2)]
            item = self.item(runs, panels="values", **more)
            (axes,) = self.drawn(plot_item.plot_sweep, item)
            self.assertEqual(axes.get_xscale(), scale)

    def test_a_panel_of_scores_tells_its_unit(self):
        item = self.item(columns=["iqm", "Pong"], ours={"A": {"iqm": 5, "Pong": 1}})
        titles = [p.get_title(loc="left") for p in self.drawn(plot_item.plot_scores, item)]
        self.assertEqual(titles, ["iqm", "Pong"])  # of an older version
        item["units"] = {"iqm": "%"}
        titles = [p.get_title(loc="left") for p in self.drawn(plot_item.plot_scores, item)]
        self.assertEqual(titles, ["iqm (%)", "Pong"])

    def test_an_arm_that_lacks_an_environment_has_no_panel_there(self):
        item = self.item(
            [run("Q", ENVS[0], 1), run("A3C", ENVS[0], 1), run("A3C", ENVS[1], 1)], rows="arms"
        )
        axes = self.drawn(plot_item.plot_curves, item)
        self.assertEqual(len(axes), 3)

    # Seen failing with an IndexError: a run's returns were read for its length.
    def test_a_search_in_which_no_game_ended_is_drawn(self):
        (self.folder / "run").mkdir()
        numbers = {f"ga3c/{name}": 1 for name in ("agents", "predictors", "trainers")}
        line = {"seconds": 3.0, "steps": 10, "rate/updates_per_second": 2.0} | numbers
        (self.folder / "run/metrics.jsonl").write_text(json.dumps(line) + "\n")
        item = self.item([run("GA3C", ENVS[0], 1) | {"folder": "run"}])
        self.assertTrue(self.drawn(plot_item.plot_threads, item))

    def test_rates_by_a_number_are_lines(self):
        row = {"steps_per_second": 1.0} | {
            f"time/{k}": 0.25 for k in ("stepping", "inferring", "learning", "waiting")
        }
        for names, lines in (
            (["apex with nips, 1 actors", "apex with nips, 4 actors"], 1),
            (["apex with nips"], 0),
        ):
            figure, (rates, shares) = plot_item.plt.subplots(1, 2)
            plot_benches.draw_benches(rates, shares, dict.fromkeys(names, row))
            self.assertEqual(len(rates.lines), lines)
            plot_item.plt.close(figure)

    def test_a_description_becomes_a_picture(self):
        (self.folder / "picture.json").write_text(json.dumps(self.item(form="sweep", rows="arms")))
        with mock.patch.object(sys, "argv", ["plot_item", str(self.folder)]):
            plot_item.main()
        self.assertEqual((self.folder / "item.png").read_bytes()[:4], b"\x89PNG")

    # Seen failing with an axis as long as the longest bar, on which ours were a pixel.
    def test_scores_stay_visible_beside_much_longer_trainings(self):
        item = self.item(
            columns=["Qbert"],
            ours={"PAAC": {"Qbert": 4000.0}},
            numbers={"Ape-X, 22,800M frames": {"Qbert": 302391.3}},
        )
        (panel,) = self.drawn(plot_item.plot_scores, item)
        self.assertEqual(panel.get_xlim()[1], 16000)
        texts = [text.get_text().strip() for text in panel.texts]
        self.assertEqual(texts, ["4,000", "302,391 \N{RIGHTWARDS ARROW}"])

    def test_panels_of_one_name_tell_the_environments_whole(self):
        runs = [run("A3C", "mine:Pong", 1), run("A3C", "atari:Pong", 1)]
        item = self.item(runs, names={"mine:Pong": "mine:Pong", "atari:Pong": "atari:Pong"})
        axes = self.drawn(plot_item.plot_curves, item)
        titles = [each.get_title(loc="left") for each in axes]
        self.assertEqual(titles, ["mine:Pong", "atari:Pong"])

    # A curve of the runs that are left would begin at 1.
    def test_a_profile_has_the_shares_of_all_runs(self):
        profiles = {
            "PAAC": {"scores": [1.0, 3.0, 2.0], "runs": 4},
            "A3C": {"scores": [0.5], "runs": 1},
            "HTS": {"scores": [], "runs": 2},
        }
        item = self.item(columns=[], ours={}, profiles=profiles)
        (panel,) = self.drawn(plot_item.plot_scores, item)
        curves = [(list(line.get_xdata()), list(line.get_ydata())) for line in panel.lines]
        self.assertEqual(curves[0], ([0, 100, 200, 300], [0.75, 0.5, 0.25, 0]))
        self.assertEqual(curves[1], ([0, 50], [1, 0]))
        self.assertEqual(curves[2], ([0], [0]))
        names = [text.get_text() for text in panel.get_legend().get_texts()]
        lost = ["PAAC, 1 of 4 runs without a score", "A3C", "HTS, 2 of 2 runs without a score"]
        self.assertEqual(names, lost)


if __name__ == "__main__":
    unittest.main()

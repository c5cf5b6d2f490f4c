"""Draws item.png from the folder of an item of a paper; `tandem reproduce` calls this.

The form is the paper's: curves, scores as bars beside the paper's, scores by the values of a sweep
and in descending order, speed-ups by the number of threads, or the numbers of threads by time.
Curves and sweeps have panels for each environment, or for each arm in each environment.
The budget stands below the title.
"""

import argparse
import json
import math
import re
import textwrap
from pathlib import Path

from plot import (
    COLOURS,
    SEVERAL_RUNS,
    Curve,
    EngFormatter,
    draw,
    np,
    plain,
    plot_settings,
    plt,
    read_lines,
    read_run,
    refuse,
    style,
    tidy,
    time_unit,
)
from plot_bars import draw_intervals, draw_profiles, end_at_ours, label_bar
from plot_benches import draw_benches
from plot_sweep import RANKS, Range, draw_ranks, draw_scatter, words_of_bad

COLUMNS = 3  # of panels
TITLE = 13  # letters of the title to an inch
WIDTH = 10  # inches of the pictures of commands
GREY = "#888888"


def name_of(item, env):
    """An environment's column of the table, where the paper's numbers for it stand, too."""
    return item.get("names", {}).get(env) or env.partition(":")[2] or env


def labels_of(item):
    """A style for each label, the same in all panels."""
    labels = [label_within(item, run) for run in item["runs"]]
    return {label: i for i, label in enumerate(dict.fromkeys(labels))}


def arm_of(run):
    """The arm of a run, and the listed values that it has."""
    arm, _, values = run["label"].partition("  ")
    return arm, values


def label_within(item, run):
    """The label of a run in its panel, which may have one arm alone."""
    arm, values = arm_of(run)
    return values or arm if item["rows"] == "arms" else run["label"]


def runs_of_panels(item):
    """The runs of each panel by its arm, which is empty if panels hold all arms, and environment;
    and the number of panels in a row."""
    panels = {}
    for run in item["runs"]:
        arm = arm_of(run)[0] if item["rows"] == "arms" else ""
        panels.setdefault((arm, run["env"]), []).append(run)
    envs = list(dict.fromkeys(run["env"] for run in item["runs"]))
    if item["rows"] != "arms":
        return panels, min(COLUMNS, len(envs))
    arms = list(dict.fromkeys(arm for arm, _ in panels))
    return {(arm, env): panels.get((arm, env), []) for arm in arms for env in envs}, len(envs)


def title_of(item, arm, env):
    name = name_of(item, env)
    return f"{arm}: {name}" if arm else name


def panels_for(count, height=3.2, rows_of=COLUMNS):
    columns = min(rows_of, count)
    rows = math.ceil(count / columns)
    size = (max(7.0, 3.9 * columns), height * rows + 1.2)
    figure, panels = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for axes in panels.flat[count:]:
        axes.set_visible(False)
    return figure, panels.flat


def finish(figure, item, out, handles=None, words=None):
    """Adds title, budget and legend, whose title is `words`, and writes the picture."""
    lines = [item["title"], f"here: {item['budget']}; the paper: {item['paper']}"]
    sizes = [textwrap.fill(line, int(TITLE * figure.get_figwidth())) for line in lines]
    figure.suptitle("\n".join(sizes), fontsize=10)
    if handles:
        figure.legend(
            handles.values(),
            handles.keys(),
            title=words,
            loc="outside lower center",
            ncols=2,
            frameon=False,
        )
    figure.savefig(out, dpi=150)


def paper_lines(axes, item, column):
    """The paper's numbers for a column, as dashed lines."""
    for label, row in item["numbers"].items():
        if is_number(row.get(column)):
            axes.axhline(row[column], color=GREY, linewidth=1, linestyle="--")
            axes.annotate(
                f"{label}, paper",
                (1, row[column]),
                xycoords=("axes fraction", "data"),
                ha="right",
                va="bottom",
                fontsize=7,
                color=GREY,
            )


def curves_of(folder, item, runs):
    curves = {}
    for run in runs:
        if not (folder / run["folder"] / "metrics.jsonl").exists():
            continue
        found = read_run(folder / run["folder"], least_lines=0)
        label = label_within(item, run)
        if len(found.columns["steps"]) >= 2:
            curves.setdefault(label, Curve(label, [])).runs.append(found)
    return curves


def plot_curves(folder, item, out):
    runs, columns = runs_of_panels(item)
    if not runs:
        refuse(f"{folder} has no run to draw: none has ended, or none of the best has a score")
    curves = {panel: curves_of(folder, item, found) for panel, found in runs.items()}
    every = [run for found in curves.values() for c in found.values() for run in c.runs]
    longest = max((run.columns["seconds"][-1] for run in every), default=1)
    time = time_unit(longest)
    axis_names = item["axis"].split(" and ")
    count = columns * math.ceil(len(runs) / columns)
    figure, panels = panels_for(len(axis_names) * count, rows_of=columns)
    handles = {}
    for i, axis in enumerate(axis_names):
        block = panels[i * count : (i + 1) * count]
        for ((arm, env), found), axes in zip(curves.items(), block, strict=False):
            if not runs[arm, env]:
                axes.set_visible(False)
                continue
            draw_curves(axes, item, found, axis, time)
            paper_lines(axes, item, name_of(item, env))
            axes.set_title(title_of(item, arm, env), loc="left")
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                handles.setdefault(label, handle)
        for axes in block[len(runs) :]:
            axes.set_visible(False)
        block[0].set_ylabel("mean return of the last 100 games of the training")
    banded = any(len(c.runs) > 1 for found in curves.values() for c in found.values())
    finish(figure, item, out, handles, SEVERAL_RUNS if banded else None)


def draw_curves(axes, item, curves, axis, time):
    """The curves of a panel. `time` is a unit and its seconds."""
    unit, seconds = time
    timed = axis == "seconds"
    order = labels_of(item)
    for label, curve in curves.items():
        draw(axes, curve, axis, seconds if timed else 1, style(order[label]))
    if not curves:
        axes.text(0.5, 0.6, "too short for curves", ha="center", transform=axes.transAxes)
    tidy(axes)
    axes.set_xlabel(f"wall-clock time ({unit})" if timed else axis)
    if not timed:
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))


def plot_threads(folder, item, out):
    """The numbers of threads that GA3C's search tried, a panel for each run."""
    runs = [r for r in item["runs"] if (folder / r["folder"] / "metrics.jsonl").exists()]
    if not runs:
        refuse(f"no run in {folder} has ended")
    lines = [read_lines(folder / r["folder"] / "metrics.jsonl") for r in runs]
    longest = max((line["seconds"] for each in lines for line in each), default=0)
    unit, scale = time_unit(longest)
    size = (WIDTH, 3.2 * len(runs) + 1)
    figure, panels = plt.subplots(len(runs), 1, figsize=size, squeeze=False, layout="constrained")
    for run, axes in zip(runs, panels.flat, strict=True):
        plot_settings(axes, folder / run["folder"], unit, scale)
        tidy(axes)
        axes.set_title(name_of(item, run["env"]), loc="left")
    finish(figure, item, out)


def plot_scores(_folder, item, out):
    """A panel for each column: bars of ours, and the paper's in grey. A last one has the
    performance profiles, if the plan asks for interquartile means."""
    profiles = item.get("profiles")
    units = item.get("units", {})  # not in descriptions of older versions
    count = len(item["columns"]) + bool(profiles)
    figure, panels = panels_for(count, height=2.6, rows_of=4)
    for column, axes in zip(item["columns"], panels, strict=False):
        rows = [(label, row.get(column), COLOURS[0]) for label, row in item["ours"].items()]
        rows += [(f"{label}, paper", r.get(column), GREY) for label, r in item["numbers"].items()]
        rows = [(n, number_of(v), c) for n, v, c in rows if number_of(v) is not None]
        names, values, colours = zip(*rows, strict=True) if rows else ((), (), ())
        places = np.arange(len(rows))
        axes.barh(places, values, color=colours)
        end_at_ours(axes, [value for value, c in zip(values, colours, strict=True) if c != GREY])
        for place, value in zip(places, values, strict=True):
            label_bar(axes, place, value)
        names = draw_intervals(axes, item, column, names)
        axes.set_yticks(places, [textwrap.shorten(n, 34) for n in names], fontsize=7)
        axes.invert_yaxis()
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_title(f"{column} ({units[column]})" if column in units else column, loc="left")
    if profiles:
        draw_profiles(panels[count - 1], profiles)
    finish(figure, item, out)


def plot_sweep(_folder, item, out):
    """Scores by each drawn value, and the scores in order, of the runs of each panel. Scores stand
    in order alone if no run draws a value, as in a stopped item."""
    runs, columns = runs_of_panels(item)
    kinds = list(dict.fromkeys(key for run in item["runs"] for key in run["ranges"]))
    kinds = [] if item["panels"] == "ranks" else kinds
    kinds += [RANKS] if "ranks" in item["panels"] or not kinds else []
    columns = columns if len(kinds) == 1 else len(kinds)
    order = labels_of(item)
    rows = math.ceil(len(runs) * len(kinds) / columns)
    size = (max(7.0, 4.2 * columns), 3.2 * rows + 1.2)
    figure, panels = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    places = iter(panels.flat)
    handles = {}
    for (arm, env), found in runs.items():
        row = [next(places) for _ in kinds]
        for kind, axes in zip(kinds, row, strict=True):
            axes.sharey(row[0])
            for label, i in order.items():
                chosen = [run for run in found if label_within(item, run) == label]
                colour = COLOURS[i % len(COLOURS)]
                draw_kind(axes, item, chosen, kind, colour)
                handles[label] = plt.Line2D([], [], marker="o", linestyle="", color=colour)
        row[0].set_ylabel("score")
        row[0].set_title(title_of(item, arm, env), loc="left")
    for axes in places:
        axes.set_visible(False)
    for axes in panels.flat:
        plain(axes)
    finish(figure, item, out, handles, words_of_bad(item["runs"]))


def draw_kind(axes, item, runs, kind, colour):
    """Scores in order, or by the values of a key."""
    if kind == RANKS:
        draw_ranks(axes, runs, colour, "")
        return
    rows = [{**run["ranges"], "score": run["score"]} for run in runs if kind in run["ranges"]]
    draw_scatter(axes, range_of(item, kind), rows, colour)
    axes.xaxis.set_minor_formatter(plt.NullFormatter())  # its labels would cover each other


def range_of(item, key):
    """The range of a key's drawn values. Descriptions of older versions do not tell its kind."""
    kind = item.get("kinds", {}).get(key.split(".")[-1], "log_uniform")
    values = [run["ranges"][key] for run in item["runs"] if key in run["ranges"]]
    return Range(key, is_log=kind == "log_uniform" and min(values) > 0)


def plot_speedup(_folder, item, out):
    """Speed-ups by the number of threads: a colour for each label, the paper's dashed."""
    figure, (axes,) = panels_for(1, height=4.4)
    handles = {}
    threads = set()
    colours = {}
    for source, line, rows in (("here", "o-", item["ours"]), ("paper", "o--", item["numbers"])):
        for label, row in rows.items():
            points = [(int(n), v) for n, v in row.items() if n.isdigit() and is_number(v)]
            if not points:
                continue
            colour = colours.setdefault(label.lower(), COLOURS[len(colours) % len(COLOURS)])
            xs, ys = zip(*sorted(points), strict=True)
            (handles[f"{label}, {source}"],) = axes.plot(xs, ys, line, color=colour)
            threads.update(xs)
    axes.set_xlabel("threads")
    axes.set_ylabel("speed-up over the fewest threads")
    tidy(axes)
    axes.set_xticks(sorted(threads))
    finish(figure, item, out, handles)


def plot_commands(folder, item, out):
    """The pictures that the item's commands drew, one below the other, and a panel for each kind of
    number that `tandem bench` measured."""
    pictures = [plt.imread(folder / name) for name in item["pictures"]]
    benches = item["benches"]
    heights = [WIDTH * p.shape[0] / p.shape[1] for p in pictures]
    heights += [1.2 + 0.4 * len(benches)] if benches else []
    if not heights:
        return
    figure = plt.figure(figsize=(WIDTH, sum(heights) + 1), layout="constrained")
    parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    for part, picture in zip(parts, pictures, strict=False):
        axes = part.subplots()
        axes.imshow(picture, interpolation="none")
        axes.set_axis_off()
    if benches:
        draw_benches(*parts[-1].subplots(1, 2), benches)
    finish(figure, item, out)


def number_of(value):
    """A number, or one in percent; None for anything else."""
    if isinstance(value, str):
        return float(value[:-1]) if re.fullmatch(r"-?[\d.]+%", value) else None
    return value


def is_number(value):
    return isinstance(value, (int, float))


FORMS = {
    "curves": plot_curves,
    "threads": plot_threads,
    "scores": plot_scores,
    "sweep": plot_sweep,
    "speedup": plot_speedup,
    "commands": plot_commands,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    folder = parser.parse_args().folder
    try:
        item = json.loads((folder / "picture.json").read_text())
        plt.rcParams.update({"font.size": 9, "axes.titlesize": 9})
        FORMS[item["form"]](folder, item, folder / "item.png")
    except (OSError, ValueError) as error:
        refuse(f"cannot draw {folder}: {error}")


if __name__ == "__main__":
    main()

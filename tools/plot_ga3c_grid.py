#!/usr/bin/env python3
"""Draws the results of `tandem experiment ga3c-grid`: GA3C's Figures 3 and 4, and its Table 2.

Reads grid.csv and networks.csv of its folder and writes ga3c-grid.png there. In the folder of an
item of `tandem reproduce` it draws that item alone, below its title and budget.
"""

import argparse
import functools
import json
import math
from pathlib import Path

from plot import COLOURS, plain, plt, read_table
from plot_item import finish

SHOWN = 3  # settings of each number of agents: "the top three"
ALL = {"Figure 3", "Figure 4", "Table 2"}


def best_of_each(rows):
    """By number of agents, the settings with the most trainings per second, the best first."""
    groups = {}
    for row in rows:
        groups.setdefault(int(row["agents"]), []).append(row)
    order = {"key": lambda row: -float(row["trainings_per_second"])}
    return {agents: sorted(alike, **order)[:SHOWN] for agents, alike in sorted(groups.items())}


def draw_settings(axes, groups, column, title, scale=1.0):
    """Three bars for each number of agents, with N_P and N_T below each."""
    ticks, labels, middles = [], [], []
    for i, rows in enumerate(groups.values()):
        places = [i * (SHOWN + 1) + k for k in range(len(rows))]
        heights = [float(row[column]) * scale for row in rows]
        axes.bar(places, heights, color=COLOURS[i % len(COLOURS)], width=0.85)
        ticks += places
        labels += [f"{row['predictors']},{row['trainers']}" for row in rows]
        middles.append(sum(places) / len(places))
    axes.set_xticks(ticks, labels, fontsize=8)
    for middle, agents in zip(middles, groups, strict=True):
        axes.annotate(
            f"$N_A$ = {agents}",
            (middle, 0),
            (0, -24),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=9,
        )
    axes.set_title(title, loc="left", fontsize=11)
    plain(axes, "y")


def draw_networks(axes, rows):
    """Steps a second of each system by network, and GA3C's rate relative to the others'."""
    systems = list(dict.fromkeys(row["system"] for row in rows))
    nets = list(dict.fromkeys(row["net"] for row in rows))
    rate = {(row["system"], row["net"]): float(row["predictions_per_second"]) for row in rows}
    width = 0.8 / len(systems)
    for i, system in enumerate(systems):
        heights = [rate.get((system, net), 0) for net in nets]
        places = [k + (i - (len(systems) - 1) / 2) * width for k in range(len(nets))]
        axes.bar(places, heights, width * 0.95, color=COLOURS[i], label=system.upper())
        if system == "ga3c":
            continue
        for place, net, height in zip(places, nets, heights, strict=True):
            if height and ("ga3c", net) in rate:
                times = f"{rate['ga3c', net] / height:.2f}"
                axes.text(place, height, times, ha="center", va="bottom", fontsize=7)
    axes.set_yscale("log")
    axes.set_xticks(range(len(nets)), nets)
    axes.set_title(
        "Table 2: steps per second by network\n(numbers: GA3C's by it)", loc="left", fontsize=11
    )
    axes.legend(frameon=False, fontsize=8)
    plain(axes, "y")


def draw_trainings(axes, groups):
    fastest = max(float(rows[0]["trainings_per_second"]) for rows in groups.values()) or 1
    title = f"Figure 3: trainings per second, of the most ({fastest:.1f})\nbelow: $N_P$, $N_T$"
    draw_settings(axes, groups, "trainings_per_second", title, 1 / fastest)


def draw_trainings_by_network(axes, rows):
    """The rates of GA3C's larger networks: "Larger DNN models are also shown"."""
    rows = [row for row in rows if row["system"] == "ga3c"]
    rates = [float(row["trainings_per_second"]) for row in rows]
    axes.bar([row["net"] for row in rows], rates, 0.6, color=COLOURS[0])
    axes.set_title("Figure 3: trainings per second by network", loc="left", fontsize=11)
    plain(axes, "y")


def draw_queue(axes, groups):
    draw_settings(axes, groups, "training_queue", "Figure 4: experiences in the training queue")


def draw_batch(axes, groups):
    draw_settings(axes, groups, "prediction_batch", "Figure 4: samples of a prediction")


def panels_of(folder, shown):
    """The panels of the paper's figures and table that are shown: functions that draw on axes."""
    panels = []
    if shown != {"Table 2"}:
        groups = best_of_each(read_table(folder / "grid.csv", "ga3c-grid"))
        named = {"Figure 3": [draw_trainings], "Figure 4": [draw_queue, draw_batch]}
        wanted = [draw for name in named if name in shown for draw in named[name]]
        panels += [functools.partial(draw, groups=groups) for draw in wanted]
    named = {"Figure 3": draw_trainings_by_network, "Table 2": draw_networks}
    file = folder / "networks.csv"  # comes after grid.csv, and an item may have been stopped
    wanted = [named[name] for name in named if name in shown and (file.exists() or not panels)]
    if wanted:
        rows = read_table(file, "ga3c-grid")
        panels += [functools.partial(draw, rows=rows) for draw in wanted]
    return panels


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    described = folder / "picture.json"
    item = json.loads(described.read_text()) if described.exists() else None
    own = {item["title"].partition(":")[0]} if item else set()
    panels = panels_of(folder, own & ALL or ALL)
    rows = math.ceil(len(panels) / 2)
    columns = min(2, len(panels))
    size = (6 * max(columns, 1.5), 4 * rows + bool(item))
    figure, places = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for draw, axes in zip(panels, places.flat, strict=False):
        draw(axes)
    for axes in places.flat[len(panels) :]:
        axes.set_axis_off()
    out = folder / "ga3c-grid.png"
    if item:
        finish(figure, item, out)
    else:
        figure.savefig(out, dpi=150)


if __name__ == "__main__":
    main()

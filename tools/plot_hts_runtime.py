#!/usr/bin/env python3
"""Draws the results of `tandem experiment hts-runtime`: Figures 3 a to c of HTS-RL's paper.

Reads runtime.csv and latency.csv of its folder and writes hts-runtime.png there.
"""

import argparse
from pathlib import Path

from plot import COLOURS, plain, plt, read_table

STATES = 10_000  # steps whose time the figure shows
KINDS = [("claimed", "-", None), ("simulated", "--", None), ("measured", "none", "o")]


def draw(axes, x, values, colour, label):
    """Draws a quantity as claimed, simulated and measured; `values` are the numbers by kind."""
    for kind, line, marker in KINDS:
        shape = {"linestyle": line, "marker": marker, "markersize": 5}
        axes.plot(x, values[kind], color=colour, label=f"{label}, {kind}", **shape)


def run_times(rows):
    return {
        kind: [STATES / float(row[f"{kind}_steps_per_second"]) for row in rows]
        for kind, _, _ in KINDS
    }


def draw_means(axes, rows):
    for colour, system, label in ((COLOURS[1], "paac", "A2C"), (COLOURS[0], "hts", "HTS-RL")):
        own = [row for row in rows if row["system"] == system]
        variances = [float(row["mean_ms"]) ** 2 for row in own]
        if system == "hts" and own:
            label += rf" $\alpha$={own[0]['alpha']}"
        draw(axes, variances, run_times(own), colour, label)
    axes.set_xlabel("variance of a step's time (ms²)")
    axes.set_title("a: exponential step times", loc="left", fontsize=11)


def draw_alphas(axes, rows):
    own = [row for row in rows if row["system"] == "hts"]
    draw(axes, [int(row["alpha"]) for row in own], run_times(own), COLOURS[0], "HTS-RL")
    for row in rows:
        if row["system"] == "paac":
            measured = STATES / float(row["measured_steps_per_second"])
            axes.axhline(measured, color=COLOURS[1], linewidth=1, label="A2C, measured")
    axes.set_xscale("log", base=2)
    axes.set_xlabel(r"steps between two synchronisations ($\alpha$)")
    mean = f"{float(own[0]['mean_ms']):g} ms" if own else "?"
    axes.set_title(f"b: steps of {mean} on average", loc="left", fontsize=11)


def draw_latency(axes, rows):
    actors = [int(row["actors"]) for row in rows]
    columns = {
        "claimed": "claimed_updates",
        "simulated": "simulated_updates",
        "measured": "measured_queue",
    }
    values = {kind: [float(row[name]) for row in rows] for kind, name in columns.items()}
    draw(axes, actors, values, COLOURS[2], "queue of IMPALA")
    lag = [float(row["measured_lag_updates"]) for row in rows]
    axes.plot(actors, lag, "s", color=COLOURS[3], ms=5, label="lag of IMPALA, measured")
    axes.axhline(1, color=COLOURS[0], label="HTS-RL")
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("actors")
    axes.set_ylabel("updates")
    axes.set_title("c: how far the policy is behind", loc="left", fontsize=11)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    runtime = read_table(folder / "runtime.csv", "hts-runtime")
    latency = read_table(folder / "latency.csv", "hts-runtime")
    figure, panels = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    draw_means(panels[0], [row for row in runtime if row["figure"] == "a"])
    draw_alphas(panels[1], [row for row in runtime if row["figure"] == "b"])
    draw_latency(panels[2], latency)
    for axes in panels:
        plain(axes)
        axes.legend(frameon=False, fontsize=8)
    for axes in panels[:2]:
        axes.set_ylabel(f"seconds for {STATES:,} steps")
        axes.set_ylim(bottom=0)
    figure.savefig(folder / "hts-runtime.png", dpi=150)


if __name__ == "__main__":
    main()

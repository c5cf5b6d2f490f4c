#!/usr/bin/env python3
"""Draws the results of `tandem experiment hts-step-times`: Figure 4, left, of HTS-RL's paper.

Reads step_times.csv of its folder and writes hts-step-times.png there.
"""

import argparse
from pathlib import Path

from plot import COLOURS, plain, plt, read_table

KINDS = [  # of the speed-up: its column, marker, size and filling
    ("claimed", "_", 13, COLOURS[1]),
    ("simulated", "o", 8, "none"),
    ("measured", "o", 5, COLOURS[0]),
]


def draw(axes, rows):
    """Draws the speed-up of each scenario over the variance of its step times."""
    variances = [float(row["step_variance_ms2"]) for row in rows]
    for kind, marker, size, filling in KINDS:
        speedups = [float(row[f"{kind}_speedup"]) for row in rows]
        edge = COLOURS[1] if kind == "claimed" else COLOURS[0]
        label = "by Claim 1" if kind == "claimed" else kind
        shape = {"linestyle": "none", "marker": marker, "markersize": size, "label": label}
        axes.plot(variances, speedups, **shape, markerfacecolor=filling, markeredgecolor=edge)
    for row, variance in zip(rows, variances, strict=True):
        place = (variance, float(row["measured_speedup"]))
        axes.annotate(
            row["scenario"], place, xytext=(8, -3), textcoords="offset points", fontsize=9
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    rows = read_table(folder / "step_times.csv", "hts-step-times")
    figure, axes = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
    draw(axes, rows)
    axes.set_xscale("log")
    axes.margins(0.15)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("variance of a step's time (ms²)")
    axes.set_ylabel(rf"times A2C's steps, $\alpha$={rows[0]['alpha']}")
    axes.set_title(f"HTS-RL with {rows[0]['envs']} environments", loc="left", fontsize=11)
    plain(axes)
    axes.legend(frameon=False, fontsize=9)
    figure.savefig(folder / "hts-step-times.png", dpi=150)


if __name__ == "__main__":
    main()

"""Draws the curves of `tandem speedup`; plot_sweep.py calls this.

Each combination of listed values other than the number of threads has a row of panels. They show
the score against data (Figure 6 of the A3C paper) and against wall-clock time (its Figure 7), with
a colour for each number of threads, and evaluations as points. The thick line is the mean of the
runs that count in speedup.csv.
"""

import csv

from matplotlib.ticker import EngFormatter
from plot import (
    RETURN,
    Curve,
    draw,
    draw_evaluations,
    plt,
    read_run,
    refuse,
    style,
    tidy,
    time_unit,
)


def curve_of(folder, row):
    """The curve of one line of speedup.csv, or None if its runs were too short to draw."""
    runs = [read_run(folder / "runs" / name, least_lines=0) for name in row["counted"].split()]
    runs = [run for run in runs if len(run.columns[RETURN]) >= 2]
    threads = f"{row['threads']} thread{'' if row['threads'] == '1' else 's'}"
    return Curve(f"{threads}  ({count_words(row)})", runs) if runs else None


def count_words(row):
    """The number of all runs that reach the score, and the runs that count if they are not all.
    Tables of older versions know only of the latter."""
    counted, every = row["runs"], row.get("all_runs", row["runs"])
    reached = row.get("all_reached", row["reached"])
    if counted == every:
        return f"{reached} of {every} reach it"
    soonest = "the soonest" if counted == "1" else f"the {counted} soonest"
    return f"{soonest} of {every}; {reached} reach it"


def plot_speedup(folder, description, out):
    try:
        with (folder / "speedup.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        refuse(
            f"{folder} has no speedup.csv yet: `tandem speedup` writes it when it ends or is "
            "stopped, and the same command goes on"
        )
    except OSError as error:
        refuse(f"cannot read the table of {folder}: {error}")
    groups = {}
    for row in rows:
        if curve := curve_of(folder, row):
            groups.setdefault(row["group"], []).append(curve)
    if not groups:
        refuse(f"the runs in {folder} are too short for curves: lower run.log_seconds")
    runs = [run for curves in groups.values() for curve in curves for run in curve.runs]
    longest = max(run.columns["seconds"][-1] for run in runs)
    unit, seconds = time_unit(longest)
    figure, panels = plt.subplots(
        len(groups),
        2,
        figsize=(10, 3.6 * len(groups) + 0.8),
        sharey="row",
        squeeze=False,
        layout="constrained",
    )
    for (group, curves), (left, right) in zip(groups.items(), panels, strict=True):
        for i, curve in enumerate(curves):
            draw(left, curve, "frames", 1, style(i))
            draw(right, curve, "seconds", seconds, style(i))
            draw_evaluations(left, curve, "frames", 1, style(i)["color"])
            draw_evaluations(right, curve, "seconds", seconds, style(i)["color"])
        for axes in (left, right):
            tidy(axes)
            axes.axhline(description["score"], color="#888888", linewidth=1, linestyle="--")
        left.xaxis.set_major_formatter(EngFormatter(sep=""))
        left.set_xlabel("data (frames)")
        right.set_xlabel(f"wall-clock time ({unit})")
        left.set_ylabel("mean return of 100 training games; points: evaluations")
        left.set_title(group, loc="left")
        right.legend(loc="best", frameon=False, fontsize=8)
    env, score, cores = (
        description["config"].get("env.id", ""),
        description["score"],
        description["cores"],
    )
    figure.suptitle(f"{env} to a mean return of {score:g} (dashed), {cores} cores", fontsize=12)
    figure.savefig(out, dpi=150)

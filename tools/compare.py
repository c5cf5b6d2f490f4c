"""Compares runs by the metrics of HTS-RL's paper (section 5, "Evaluation protocol").

Runs of one config with several seeds are one row. A run's return at some moment is the mean of the
last 100 training games that it had finished by then; the paper plays 10 games with each of the last
ten policies instead. Each row has three metrics, with a bootstrapped 95% interval:

- the final metric: at equal steps;
- the final time metric: at equal wall-clock time;
- the required time metric: how long a run took to some return.

Writes compare.png, compare.csv and compare.md into a folder. `tandem compare` calls this.
"""

import argparse
import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import plot
from plot import RETURN, refuse

RESAMPLES = 10_000  # of the bootstrap, as in the paper
DEFAULT_SHARES = (0.5, 0.9)  # of the way from the first return to the best: the returns to reach


@dataclass
class Limits:
    """The limits at which all rows are compared."""

    steps: float | None  # None: each run's end
    seconds: float
    returns: list[float]


@dataclass
class Estimate:
    """The mean over the runs of a row, with its interval if there are several."""

    mean: float
    low: float
    high: float

    def text(self, scale=1.0):
        digits = 1 if abs(self.mean / scale) >= 10 else 2
        mean, low, high = (f"{x / scale:.{digits}f}" for x in (self.mean, self.low, self.high))
        return mean if low == high else f"{mean} [{low}, {high}]"


@dataclass
class Row:
    label: str
    runs: int
    final: Estimate | None  # None: not every run came so far
    final_time: Estimate | None
    required: list[tuple[Estimate | None, int]]  # seconds, and how many runs came there


def estimate(values):
    """The mean of all values and its bootstrapped interval; None when one is missing."""
    if any(value is None for value in values):
        return None
    values = np.array(values)
    draws = np.random.default_rng(1).integers(len(values), size=(RESAMPLES, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return Estimate(values.mean(), low, high)


def return_at(run, column, limit):
    """The last return at or before the limit, or of the whole run without a limit; None if the
    run had ended earlier."""
    if limit is None:
        return run.columns[RETURN][-1]
    moments = run.columns[column]
    if moments[-1] < limit or moments[0] > limit:
        return None
    return run.columns[RETURN][np.searchsorted(moments, limit, side="right") - 1]


def seconds_to(run, wanted):
    reached = np.flatnonzero(run.columns[RETURN] >= wanted)
    return run.columns["seconds"][reached[0]] if reached.size else None


def row_of(curve, limits):
    required = []
    for wanted in limits.returns:
        seconds = [seconds_to(run, wanted) for run in curve.runs]
        required.append((estimate(seconds), sum(s is not None for s in seconds)))
    return Row(
        curve.label,
        len(curve.runs),
        estimate([return_at(run, "steps", limits.steps) for run in curve.runs]),
        estimate([return_at(run, "seconds", limits.seconds) for run in curve.runs]),
        required,
    )


def default_returns(runs):
    first = min(run.columns[RETURN][0] for run in runs)
    best = max(run.columns[RETURN].max() for run in runs)
    return sorted({float(f"{first + share * (best - first):.3g}") for share in DEFAULT_SHARES})


def limits_of(runs, steps, minutes, returns, at_end=False):
    """The requested limits, or those that every run has reached."""
    return Limits(
        None if at_end else steps or min(run.columns["steps"][-1] for run in runs),
        60 * minutes if minutes else min(run.columns["seconds"][-1] for run in runs),
        returns or default_returns(runs),
    )


def time_unit(rows, limits):
    times = [time.mean for row in rows for time, _ in row.required if time] + [limits.seconds]
    return next((unit for unit in plot.TIME_UNITS if max(times) >= 2 * unit[1]), ("seconds", 1))


def table(rows, limits):
    """Lines of cells, the names first."""
    unit, scale = time_unit(rows, limits)
    final = "at the end" if limits.steps is None else f"final, {limits.steps:,.0f} steps"
    lines = [
        ["runs of one config", "number", final]
        + [f"final time, {limits.seconds / scale:.1f} {unit}"]
        + [f"{unit} to {wanted:g}" for wanted in limits.returns]
    ]
    for row in rows:
        cells = [row.label, str(row.runs)]
        cells += [value.text() if value else "-" for value in (row.final, row.final_time)]
        for seconds, reached in row.required:
            missed = "-" if row.runs == 1 else f"{reached} of {row.runs} runs"
            cells.append(seconds.text(scale) if seconds else missed)
        lines.append(cells)
    return lines


def aligned(lines):
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    texts = (
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "\n".join(text.rstrip() for text in texts)


def markdown(lines):
    head, *body = lines
    rows = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def comma_separated(rows, limits):
    """All numbers without rounding, times in seconds."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = ["label", "runs"]
    for name in ["final", "final_time", *(f"seconds_to_{r:g}" for r in limits.returns)]:
        names += [name, f"{name}_low", f"{name}_high"]
    writer.writerow([*names, "steps", "seconds"])
    for row in rows:
        values = [row.final, row.final_time, *(seconds for seconds, _ in row.required)]
        numbers = [x for v in values for x in ((v.mean, v.low, v.high) if v else ("", "", ""))]
        writer.writerow([row.label, row.runs, *numbers, limits.steps, limits.seconds])
    return out.getvalue()


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--out", type=Path, default=Path())
    parser.add_argument("--steps", type=float)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--return", dest="returns", type=float, action="append")
    parser.add_argument("--at-end", action="store_true", help="the final metric: of whole runs")
    parser.add_argument("--measure", default=RETURN, help="a key of the log")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    runs = [plot.read_run(folder, measure=arguments.measure) for folder in arguments.runs]
    envs = sorted({str(run.config.get("env.id", "?")) for run in runs})
    if len(envs) > 1:
        refuse(f"these runs are of {' and '.join(envs)}: compare runs of one environment")
    curves = plot.group_runs(runs)
    limits = limits_of(
        runs, arguments.steps, arguments.minutes, arguments.returns, arguments.at_end
    )
    rows = [row_of(curve, limits) for curve in curves]
    lines = table(rows, limits)
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        names = {} if arguments.measure == RETURN else {"measure": arguments.measure}
        plot.plot(curves, "steps", arguments.out / "compare.png", **names)
        (arguments.out / "compare.csv").write_text(comma_separated(rows, limits))
        (arguments.out / "compare.md").write_text(markdown(lines))
    except OSError as error:
        refuse(f"cannot write into {arguments.out}: {error}")
    print(aligned(lines))
    print(f"\n{arguments.out / 'compare.png'}, compare.csv, compare.md")


if __name__ == "__main__":
    main()

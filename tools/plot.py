"""Draws the learning curves of runs: return against steps (or frames) and against wall-clock.

Reads config.toml and metrics.jsonl of each run's folder. Runs of one config with several seeds are
one curve: their mean, and a band from the least to the greatest of them. Evaluations during the
training (evaluations.jsonl) are points. `tandem plot` calls this.
"""

import argparse
import csv
import importlib
import json
import sys
import textwrap
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from run_files import flatten, read_lines


def refuse(message):
    """Ends with the exit code of errors that the user can mend."""
    print(f"tandem: error: {message}", file=sys.stderr)
    sys.exit(2)


try:
    import matplotlib
    import numpy as np

    tomllib = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
except ImportError as missing:
    refuse(
        f"{sys.executable} has no package '{missing.name}': run `make setup` and unset "
        f"TANDEM_PYTHON, or install {missing.name} there"
    )
# Older versions place no legend outside of all panels.
if [int(part) for part in matplotlib.__version__.split(".")[:2]] < [3, 7]:
    refuse(
        f"{sys.executable} has matplotlib {matplotlib.__version__}, and pictures need 3.7 or "
        "later: run `make setup` and unset TANDEM_PYTHON, or install a later matplotlib there"
    )

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import EngFormatter, MaxNLocator  # noqa: E402

RETURN = "episode/return_mean_100"
POINTS = 500  # of a curve
SMOOTHED = 10  # lines of the log, for a measure that is no mean over games already
SEVERAL_RUNS = "thin: each run; thick: their mean; band: least to greatest"
WIDEST_LABEL = 110  # letters across the picture
LINE_OF_LEGEND = 0.2  # inches
# Keys in which the runs of one curve may differ, run.steps only if no rate falls until the end.
NOT_OF_THE_CONFIG = {
    "run.seed",
    "run.steps",
    "run.until_return",
    "run.until_evaluations",
    "run.checkpoint_minutes",
    "run.log_seconds",
    "run.evaluate_steps",
    "run.evaluate_episodes",
    "run.evaluate_protocol",
    "run.evaluate_start",
    "env.observation_mean",  # older runs do not say whether they have measured it
    "env.observation_deviation",
}
OF_THE_MACHINE = {"env.python", "env.workers", "env.timeout_seconds"}
# Okabe and Ito's colours, which people with any colour vision tell apart.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
TIME_UNITS = [("hours", 3600), ("minutes", 60), ("seconds", 1)]


@dataclass
class Run:
    folder: Path
    config: dict[str, object]  # by full key: "optimizer.lr"
    # "steps", "frames", "seconds", RETURN; "episodes" with the return of training games
    columns: dict[str, np.ndarray]
    diverged: bool = False  # its parameters were no longer finite, which ended it


@dataclass
class Curve:
    label: str
    runs: list[Run]


def read_metrics(file, measure):
    rows = [row for row in read_lines(file) if measure in row]
    columns = {
        name: np.array([row[name] for row in rows], float)
        for name in ("steps", "frames", "seconds")
    }
    values = np.array([row[measure] for row in rows], float)
    if measure == RETURN:  # a mean over the games so far, until there are enough
        columns["episodes"] = np.array([row.get("episodes", np.inf) for row in rows], float)
    else:
        values = np.array(
            [values[max(0, i - SMOOTHED + 1) : i + 1].mean() for i in range(len(rows))]
        )
    return {**columns, RETURN: values}


def measured_keys(folder):
    """The keys of a run's config whose values the run has measured."""
    file = folder / "measured.txt"
    return file.read_text().split() if file.exists() else []


def has_diverged(folder):
    try:
        why = json.loads((folder / "result.json").read_text())["why_ended"]
    except (OSError, ValueError, KeyError):
        return False
    return why.startswith("diverged")


def distinct(folders):
    """The folders without those that are named twice, as overlapping patterns name them."""
    return list({folder.resolve(): folder for folder in folders}.values())


def read_run(folder, least_lines=2, measure=RETURN):
    """Reads a run. A measure other than the return of the last 100 games takes that return's
    column, as a mean over lines of the log. A run that diverged may have no line at all."""
    try:
        config = dict(flatten(tomllib.loads((folder / "config.toml").read_text())))
        columns = read_metrics(folder / "metrics.jsonl", measure)
    except FileNotFoundError as error:
        refuse(
            f"{folder} is not the folder of a run: there is no {error.filename}; name the folder "
            "that `tandem train` made"
        )
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        refuse(f"cannot read the run in {folder}: {error}")
    for key in measured_keys(folder):  # they differ from seed to seed
        config[key] = "measured"
    if str(config.get("env.pickle", "")).startswith("base64:"):
        config["env.pickle"] = "base64"  # a function has another text in each process
    diverged = has_diverged(folder)
    if len(columns["steps"]) < least_lines and not diverged:
        refuse(
            f"the run in {folder} has fewer than two log lines with a finished game: let it go on"
        )
    return Run(folder, config, columns, diverged)


def read_runs(folders, measure=RETURN):
    """Reads the runs of these folders, but for those that diverged before any game ended."""
    runs = [read_run(folder, measure=measure) for folder in distinct(folders)]
    for run in runs:
        if not len(run.columns["steps"]):
            print(f"{run.folder} diverged before a game ended: left out", file=sys.stderr)
    runs = [run for run in runs if len(run.columns["steps"])]
    return runs or refuse("no run has a finished game")


def read_table(file, experiment):
    """The rows of a table that `tandem experiment` wrote, by column."""
    try:
        with file.open(newline="") as lines:
            return list(csv.DictReader(lines))
    except OSError as error:
        refuse(f"cannot read {file}: {error}; `tandem experiment {experiment}` writes it")


def name_of(config, over_games=False):
    env = "" if over_games else f"{str(config.get('env.id', '?')).split(':')[-1]}  "
    return f"{str(config.get('system', '?')).upper()}  {env}{config.get('net.arch', '?')}"


def number(config, key):
    value = config.get(key, 0)
    return value if isinstance(value, int | float) else 0


def differing(config, configs):
    """The keys in which a config differs from another one, with their values, as words."""
    return [
        f"{key.split('.')[-1]}={value}"
        for key, value in config.items()
        # A key that a run lacks came with a later version.
        if any(other.get(key, value) != value for other in configs)
    ]


def follows_machine(key):
    """Whether a key is an option of the machine, as is_of_machine() of env_config.h says it."""
    return key in OF_THE_MACHINE or (key.startswith("env.") and key.endswith("_dir"))


def group_runs(runs, free=frozenset(NOT_OF_THE_CONFIG), over_games=False):
    """Groups of runs with the same config but for the free keys, each with a label that tells them
    apart; without the environment's name where a group has runs of several."""
    groups = defaultdict(list)
    for run in runs:
        config = {k: v for k, v in run.config.items() if k not in free and not follows_machine(k)}
        if number(run.config, "optimizer.anneal_steps") < 0:  # the rate falls until the run's end
            config["run.steps"] = run.config.get("run.steps")
        groups[json.dumps(config, sort_keys=True)].append(run)
    same_name = defaultdict(list)
    for config, members in groups.items():
        name = name_of(members[0].config, over_games)
        same_name[name].append((json.loads(config), members))
    curves = []
    for name, alike in same_name.items():
        configs = [config for config, _ in alike]
        details = [differing(config, configs) for config in configs]
        for (config, members), words in zip(alike, details, strict=True):
            same = [other for other, its in zip(configs, details, strict=True) if its == words]
            older = any(set(other) - set(config) for other in same)
            label = "  ".join([name, *words, *["(older config)"] * older])
            if len(members) > 1 and not over_games:
                seeds = len({run.config.get("run.seed") for run in members})
                label += f"  ({len(members)} {'seeds' if seeds == len(members) else 'runs'})"
            curves.append(Curve(label, members))
    return curves


def style(i):
    """Lines take all colours solid first, then dashed, then dotted."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": ("-", "--", ":")[i // len(COLOURS) % 3],
    }


def draw(axes, curve, column, scale, line):
    """Draws each run, and the mean and band of all where all have values."""
    xs = [run.columns[column] / scale for run in curve.runs]
    ys = [run.columns[RETURN] for run in curve.runs]
    start, end = max(x[0] for x in xs), min(x[-1] for x in xs)
    have_mean = len(xs) > 1 and start < end
    if have_mean:
        grid = np.linspace(start, end, POINTS)
        values = np.array([np.interp(grid, x, y) for x, y in zip(xs, ys, strict=True)])
        axes.plot(grid, values.mean(axis=0), label=curve.label, **line)
        low, high = values.min(axis=0), values.max(axis=0)
        axes.fill_between(grid, low, high, color=line["color"], alpha=0.2, linewidth=0)
    thin = {"alpha": 0.5, "linewidth": 0.7} if have_mean else {}
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        label = curve.label if i == 0 and not have_mean else None
        axes.plot(x, y, label=label, marker="o" if len(x) == 1 else None, **thin, **line)


def moments_of(run, rows, column):
    """The steps, frames or seconds of a run's evaluations. These may come before the first line of
    the log that has a return."""
    steps = np.array([row["step"] for row in rows], float)
    logged = run.columns
    if column != "seconds":  # the frames of a step are always as many
        return steps * logged[column][-1] / logged["steps"][-1]
    seconds = np.interp(steps, logged["steps"], logged["seconds"])
    own = [row.get("training_seconds") for row in rows]  # older records have none
    return np.array([its or at for its, at in zip(own, seconds, strict=True)])


def draw_evaluations(axes, curve, column, scale, colour):
    """Draws the evaluations during each run as points. Returns whether there are any."""
    drawn = False
    for run in curve.runs:
        file = run.folder / "evaluations.jsonl"
        rows = read_lines(file) if file.exists() else []
        places = moments_of(run, rows, column) / scale
        axes.plot(places, [row["mean"] for row in rows], "o", color=colour, markersize=3.5)
        drawn = drawn or bool(rows)
    return drawn


def time_unit(longest):
    """The unit in which so many seconds are at least two, and its seconds."""
    return next((unit for unit in TIME_UNITS if longest >= 2 * unit[1]), TIME_UNITS[-1])


def plain(axes, grid="both"):
    """Draws the axes without a frame, and with a light grid behind all."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)


def tidy(axes):
    plain(axes)
    axes.margins(x=0.01)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(6))


def plot_settings(axes, folder, unit, seconds):
    """Draws GA3C's Figure 2: the numbers of threads tried, and the trainings per second."""
    rows = read_lines(folder / "metrics.jsonl")
    time = [row["seconds"] / seconds for row in rows]
    for name, colour in zip(("agents", "predictors", "trainers"), COLOURS, strict=False):
        numbers = [row[f"ga3c/{name}"] for row in rows]
        axes.plot(time, numbers, color=colour, drawstyle="steps-pre", label=name)
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter(EngFormatter())
    axes.set_ylabel("threads")
    axes.set_xlabel(f"wall-clock time ({unit})")
    rates = axes.twinx()
    updates = [row["rate/updates_per_second"] for row in rows]
    rates.plot(time, updates, color="#888888", linewidth=0.8, label="trainings per second (right)")
    rates.set_ylim(bottom=0)
    rates.spines[["top"]].set_visible(False)
    lines = [line for each in (axes, rates) for line in each.get_lines()]
    axes.legend(lines, [line.get_label() for line in lines], frameon=False, ncols=4, fontsize=8)


def plot(curves, by, out, measure="mean return of the last 100 games", points=True):
    """`points`: whether evaluations are drawn beside the curves."""
    longest = max(run.columns["seconds"][-1] for curve in curves for run in curve.runs)
    unit, seconds = time_unit(longest)
    plt.rcParams.update({"font.size": 10, "lines.linewidth": 1.6, "axes.titlesize": 10})
    runs = [run for curve in curves for run in curve.runs]
    searched = len(runs) == 1 and runs[0].config.get("ga3c.adjust_seconds", 0) > 0
    rooms = [["left", "right"], ["settings", "settings"]] if searched else [["left", "right"]]
    labels = [textwrap.fill(curve.label, WIDEST_LABEL) for curve in curves]
    columns = 2 if max(map(len, labels)) <= WIDEST_LABEL / 2 else 1
    lines = sum(label.count("\n") + 1 for label in labels) / columns
    figure, panels = plt.subplot_mosaic(
        rooms,
        figsize=(10, (7.4 if searched else 4.0) + LINE_OF_LEGEND * lines),
        layout="constrained",
    )
    left, right = panels["left"], panels["right"]
    right.sharey(left)
    right.tick_params(labelleft=False)
    figure.get_layout_engine().set(w_pad=0.1)
    evaluated = False
    for i, curve in enumerate(curves):
        for axes, column, scale in ((left, by, 1), (right, "seconds", seconds)):
            draw(axes, curve, column, scale, style(i))
            if points:
                evaluated |= draw_evaluations(axes, curve, column, scale, style(i)["color"])
    for axes in (left, right):
        tidy(axes)
    left.xaxis.set_major_formatter(EngFormatter(sep=""))
    left.set_xlabel(by)
    left.set_ylabel(measure)
    right.set_xlabel(f"wall-clock time ({unit})")
    if searched:
        plot_settings(panels["settings"], runs[0].folder, unit, seconds)
        tidy(panels["settings"])
    envs = sorted({str(curve.runs[0].config.get("env.id", "?")) for curve in curves})
    figure.suptitle(f"Learning curves: {', '.join(envs)}", fontsize=12)
    banded = any(len(curve.runs) > 1 for curve in curves)
    words = [SEVERAL_RUNS] if banded else []
    words += ["points: evaluations during the training"] if evaluated else []
    handles, _ = left.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        title="; ".join(words) or None,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
    )
    figure.savefig(out, dpi=150)


def picture(text):
    """The file of a picture; matplotlib would add the end of its name without a word."""
    file = Path(text)
    if file.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is a folder; name a file, such as curves.png")
    return file if file.suffix else file.with_name(file.name + ".png")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--out", type=picture, default=Path("curves.png"))
    parser.add_argument("--by", choices=("steps", "frames"), default="steps")
    arguments = parser.parse_args()
    curves = group_runs(read_runs(arguments.runs))
    try:
        plot(curves, arguments.by, arguments.out)
    except (OSError, ValueError) as error:
        refuse(f"cannot write {arguments.out}: {error}")
    print(arguments.out)


if __name__ == "__main__":
    main()

"""The table and the picture of time_to_score.py."""

import math
import statistics
import textwrap

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# No game has this score, so contenders are compared at the cap. From 1e15 on a run has no target.
NO_GOAL = 1e14
LABEL_LETTERS = 40  # of a line


def minutes(found):
    """The median over seeds; infinite where half of them or more did not reach the score."""
    return statistics.median(one["seconds"] / 60 if one["seconds"] else math.inf for one in found)


def texts(found, with_cap):
    """The table's cells: the median, and each seed. `with_cap`: scores at a cap tell it."""
    failed = sum("failed" in one for one in found)
    if failed:
        ended = [one for one in found if "failed" not in one]
        words = f"{failed} of {len(found)} failed" if ended else "failed"
        return [words, texts(ended, with_cap)[1] if ended else ""]
    unfinished = [one["last_score"] for one in found if one["seconds"] is None]
    scores = [score for score in unfinished if score is not None]
    mean = f"{statistics.fmean(scores):.1f}" if scores else ""
    if found[0]["goal"] >= NO_GOAL:
        each = ["-" if (x := one["last_score"]) is None else f"{x:.1f}" for one in found]
        words = f"{mean or 'no game'} after {cap_of(found):.3g} minutes" if with_cap else mean
        return [words or "no game", ", ".join(each)]
    each = [f"{one['seconds'] / 60:.1f}" if one["seconds"] else "-" for one in found]
    median = minutes(found)
    last = f"at {mean}" if mean else "no game"
    words = f"{median:.1f}" if median < math.inf else f"{beyond(found)} ({last})"
    return [words, ", ".join(each)]


def cap_of(found):
    """The minutes after which they were stopped."""
    return min(one["cap_seconds"] for one in found) / 60


def beyond(found):
    return f"more than {cap_of(found):g}"


def of(results, *case):
    """The results of one contender, game and goal."""
    return [r for r in results if (r["contender"], r["game"], r["goal"]) == case]


def table(results, goals, labels):
    """Markdown. `labels`: the contenders' names in it, by their own."""
    head = ["contender"]
    for game, goal in goals:
        at_cap = f"score at the cap in {game}"
        head += [at_cap if goal >= NO_GOAL else f"minutes to {goal:g} in {game}", "each seed"]
    lines = [head, ["---"] * len(head)]
    with_cap = len({one["cap_seconds"] for one in results}) > 1
    for name in labels:
        line = [labels[name]]
        for game, goal in goals:
            found = of(results, name, game, goal)
            line += texts(found, with_cap) if found else ["", ""]
        lines.append(line)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def draw(results, goals, labels, peers, out):
    """A bar for the median of each contender, with a point for each seed."""
    figure, panels = plt.subplots(
        1, len(goals), figsize=(2 + 5.2 * len(goals), 0.4 * len(labels) + 1.4), layout="constrained"
    )
    for (game, goal), axes in zip(goals, [panels] if len(goals) == 1 else panels, strict=True):
        ends = []
        for place, name in enumerate(labels):
            found = of(results, name, game, goal)
            if not found or any("failed" in one for one in found):
                continue
            median, cap = minutes(found), cap_of(found)
            colour = "#888888" if name in peers else "#0072b2"
            axes.barh(place, min(median, cap), color=colour, alpha=1 if median < math.inf else 0.3)
            words = f"{median:.1f}" if median < math.inf else beyond(found)
            seeds = [one["seconds"] / 60 for one in found if one["seconds"]]
            if len(found) > 1:
                axes.plot(seeds, [place] * len(seeds), "o", color="black", markersize=3)
            ends.append(max([min(median, cap), *seeds]))
            axes.text(ends[-1], place, f"  {words}", va="center", fontsize=8)
        axes.set_yticks(
            range(len(labels)), [textwrap.fill(labels[name], LABEL_LETTERS) for name in labels]
        )
        axes.invert_yaxis()
        axes.set_xlim(0, 1.35 * max(ends, default=1))
        axes.set_xlabel(f"minutes until the mean of {game} is {goal:g}")
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out / "time_to_score.png", dpi=150)
    plt.close(figure)

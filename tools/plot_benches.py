"""Draws measurements of `tandem bench` beside each other."""

import re

from plot import COLOURS, np


def draw_benches(rates, shares, benches):
    """Steps a second, and where the threads' time goes, a bar for each measurement. Rates by a
    number that was varied are lines."""
    places = np.arange(len(benches))
    varied = [re.fullmatch(r"(.*), (\d+) (\w+)", name) for name in benches]
    if all(varied):
        draw_rates(rates, varied, benches)
    else:
        rates.barh(places, [row["steps_per_second"] for row in benches.values()], color=COLOURS[0])
        rates.set_yticks(places, list(benches), fontsize=7)
        rates.invert_yaxis()
    rates.set_title("steps a second", loc="left")
    left = np.zeros(len(benches))
    for colour, kind in zip(
        COLOURS, ("stepping", "inferring", "learning", "waiting"), strict=False
    ):
        widths = np.array([row[f"time/{kind}"] for row in benches.values()])
        shares.barh(places, widths, left=left, color=colour, label=kind)
        left += widths
    shares.set_yticks(places, list(benches) if all(varied) else [""] * len(benches), fontsize=7)
    shares.invert_yaxis()
    shares.set_title("shares of the threads' time", loc="left")
    shares.legend(frameon=False, fontsize=7, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 0))
    shares.set_xticks([])
    for axes in (rates, shares):
        axes.spines[["top", "right"]].set_visible(False)


def draw_rates(axes, varied, benches):
    """A line for each system and network, by the number that was varied."""
    lines = {}
    for match, row in zip(varied, benches.values(), strict=True):
        lines.setdefault(match[1], []).append((int(match[2]), row["steps_per_second"]))
    for (label, points), colour in zip(lines.items(), COLOURS, strict=False):
        axes.plot(*zip(*sorted(points), strict=True), "o-", color=colour, label=label)
    axes.set_xlabel(f"number of {varied[0][3]}")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=7)

"""Parts of the panels of scores that plot_item.py draws as bars."""

from plot import COLOURS, np, tidy


def end_at_ours(axes, ours):
    """Ends the axis at four times the largest of our values, so that trainings of a thousand times
    as long do not make ours invisible. Longer bars are cut there, and tell their value."""
    most = 4 * max(ours, default=0)
    if 0 < most < axes.get_xlim()[1]:
        axes.set_xlim(right=most)


def label_bar(axes, place, value):
    """Writes the value beside the bar, or within it where the axis ends."""
    low, high = axes.get_xlim()
    text = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    text += " \N{RIGHTWARDS ARROW}" if value > high else ""
    outside = max(value, 0) < low + 0.75 * (high - low)
    x = max(value, 0) if outside else min(value, high)
    style = {"ha": "left"} if outside else {"ha": "right", "color": "white"}
    axes.text(x, place, f" {text} ", va="center", fontsize=6, **style)


def draw_intervals(axes, item, column, names):
    """Lines over the bars whose values have intervals. Returns the bars' names, with the number of
    games behind each value where rows have different ones."""
    found = {label: row.get(column) for label, row in item.get("intervals", {}).items()}
    several = len({one["games"] for one in found.values() if one}) > 1
    named = []
    for place, name in enumerate(names):
        one = found.get(name)
        if one:
            axes.plot(one["range"], [place, place], color="black", linewidth=1)
        named.append(f"{name} ({one['games']} games)" if one and several else name)
    return named


def draw_profiles(axes, profiles):
    """The share of runs whose human-normalised score is above tau, by tau (Agarwal et al. 2021,
    section 4.3), in percent as the interquartile means are. A run without a score is above no tau,
    so the curve of its label begins below 1."""
    known = {label: profile for label, profile in profiles.items() if profile["runs"]}
    first = min([0, *(score for profile in known.values() for score in profile["scores"])])
    for i, (label, profile) in enumerate(known.items()):
        scores, runs = profile["scores"], profile["runs"]
        shares = np.arange(len(scores), -1, -1) / runs
        lost = runs - len(scores)
        name = f"{label}, {lost} of {runs} runs without a score" if lost else label
        colour = COLOURS[i % len(COLOURS)]
        taus = [100 * score for score in [first, *sorted(scores)]]
        axes.step(taus, shares, where="post", color=colour, label=name)
    axes.set_xlabel("human-normalised score tau (%)")
    axes.set_title("share of runs above tau", loc="left")
    if known:
        axes.legend(frameon=False, fontsize=7)
    tidy(axes)
    axes.set_xlim(left=100 * first)
    axes.set_ylim(-0.05, 1.05)  # a curve that begins below 1 is then seen to begin there

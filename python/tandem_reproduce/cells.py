"""The trainings of an item within a budget."""

import itertools
import math
import re
from dataclasses import dataclass

from tandem_reproduce.budget import PAPER, hours, planned
from tandem_reproduce.item import Arm, Item, Reduction, slug

TRAINING_SHARE = 0.9  # of a budget; the rest is for evaluations and starts
FEWEST_STEPS = 2_000  # of a run, however little time there is

# Each is a number in a formula that takes as long whatever the number is. optimizer.kind chooses
# another formula, and an optimizer.clip_norm of 0 saves one.
KEEP_SPEED = {
    "run.seed",
    *("optimizer.lr", "optimizer.lr_end", "optimizer.anneal_steps"),
    *("optimizer.lr_choice", "optimizer.lr_low", "optimizer.lr_high"),
    *("optimizer.decay", "optimizer.epsilon", "optimizer.initial_square"),
    *("optimizer.momentum", "optimizer.beta1", "optimizer.beta2"),
    *("a2c.gamma", "ppo.gamma", "q.gamma", "dqn.gamma", "dpg.gamma", "ppo.lambda"),
    *("a2c.entropy", "a2c.entropy_end", "a2c.entropy_steps", "ppo.entropy"),
    *("a2c.value_loss", "ppo.value_loss", "a2c.loss_scale", "q.loss_scale"),
    *("a2c.reward_scale", "ppo.reward_scale", "q.reward_scale"),
}


@dataclass(frozen=True)
class Cell:
    """The runs of an arm in one environment, which one command trains."""

    arm: Arm
    env: str
    repetitions: int
    vary: tuple[str, ...]
    threads: tuple[int, ...]  # of a speed-up; empty in other forms
    threads_key: str = ""  # the config key that they set

    @property
    def folder(self) -> str:
        return f"{slug(self.arm.label)}/{slug(self.env)}"

    @property
    def runs(self) -> int:
        count = self.repetitions * max(1, len(self.threads))
        for text in self.vary:
            if not is_range(text):
                count *= len(values_of(text))
        return count

    @property
    def paces(self) -> list[tuple[str, ...]]:
        """The combinations of listed values that may differ in speed, each as KEY=VALUE, ...,
        without the values that leave the speed alone."""
        lists = [values_of(text) for text in self.vary if may_change_speed(text)]
        lists += [[(f"{self.threads_key}={n}",) for n in self.threads]] if self.threads else []
        combinations = [itertools.chain(*one) for one in itertools.product(*lists)]
        return [tuple(filter(may_change_speed, one)) for one in combinations]


def may_change_speed(text: str) -> bool:
    """Whether the speed of a training may depend on a setting, KEY=VALUE, or on which of the listed
    values it has, KEY+KEY=.... A range has no value that could be measured."""
    keys = text.partition("=")[0].split("+")
    return not is_range(text) and not KEEP_SPEED.issuperset(keys)


def values_of(vary: str) -> list[tuple[str, ...]]:
    """A list's values as KEY=VALUE, ...: of A+B=1+2,3+4 these are A=1, B=2 and A=3, B=4."""
    names, _, values = vary.partition("=")
    keys = names.split("+")
    rows = [value.split("+") if len(keys) > 1 else [value] for value in values.split(",")]
    return [tuple(map("=".join, zip(keys, row, strict=True))) for row in rows]


def is_range(vary: str) -> bool:
    return re.search(r"=(log_)?uniform\(", vary) is not None


def cells_of(item: Item, budget: str) -> list[Cell]:
    """The cells in the order in which they train: all arms in the first environment first, so that
    a stopped item has something to compare."""
    part = planned(budget)
    less = Reduction() if part == PAPER else item.reduced.get(part, Reduction())
    envs = list(dict.fromkeys(env for arm in item.arms for env in arm.envs))
    cells = []
    for env in envs:
        for arm in item.arms:
            if part not in arm.budgets or env not in arm.envs:
                continue
            if less.envs is not None and env not in less.envs:
                continue
            if less.arms is not None and arm.label not in less.arms:
                continue
            cells.append(
                Cell(
                    arm=arm,
                    env=env,
                    repetitions=less.repetitions or arm.repetitions,
                    vary=arm.vary if less.vary is None else less.vary,
                    threads=less.threads or item.threads,
                    threads_key=item.threads_key,
                )
            )
    return cells


def steps_within(cells: list[Cell], budget: str, rates: dict[str, float]) -> dict[str, int]:
    """The steps of each cell's runs, by its folder. All runs have equal time; no run has more steps
    than the paper's. `rates`: steps a second, by the cell's folder; a cell without a rate has no
    steps, but a share of the time."""
    if budget == PAPER:
        return {cell.folder: cell.arm.steps for cell in cells}
    # Runs that need less than their share leave the rest to the others.
    left = hours(budget) * 3600 * TRAINING_SHARE
    runs_left = sum(cell.runs for cell in cells)
    steps = {}

    def needed(cell: Cell) -> float:
        return cell.arm.steps / rates[cell.folder] if cell.folder in rates else math.inf

    for cell in sorted(cells, key=needed):
        seconds = min(left / runs_left, needed(cell))
        if cell.folder in rates:
            wanted = max(FEWEST_STEPS, rounded(rates[cell.folder] * seconds))
            steps[cell.folder] = min(cell.arm.steps, wanted)
        left -= seconds * cell.runs
        runs_left -= cell.runs
    return steps


def rounded(steps: float) -> int:
    """Two digits, so that the number can be said."""
    return int(float(f"{steps:.1e}"))


def seconds_of(cells: list[Cell], steps: dict[str, int], rates: dict[str, float]) -> float:
    return sum(cell.runs * steps[cell.folder] / rates[cell.folder] for cell in cells)

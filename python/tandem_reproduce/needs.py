"""The environments and the hardware that an item needs, and whether this machine has them."""

import importlib
import re
import sys
from collections.abc import Iterable

from tandem_reproduce.budget import BUDGETS
from tandem_reproduce.cells import cells_of
from tandem_reproduce.errors import ReproduceError
from tandem_reproduce.item import Command, Item
from tandem_reproduce.machine import cores, gpu_name
from tandem_reproduce.programs import Tandem

PLUGINS = ("atari", "mujoco", "football", "doom", "torcs")  # of tandem
FEW = 3  # names before "and 5 more"
MATPLOTLIB = (3, 7)  # the oldest version that places legends as the pictures have them


class Environments:
    """The environments that the program has here. It is asked once, and only if need be."""

    def __init__(self, tandem: Tandem) -> None:
        self._tandem = tandem
        self._text = ""

    def lacking(self, env: str) -> str:
        """The reason why an environment cannot be played, with the remedy; empty if it can."""
        self._text = self._text or self._tandem.tell(["envs"])
        family, colon, _ = env.partition(":")
        if family == "gym" or env in self._text.split():
            return ""
        if not colon:
            return "tandem has no such environment; `tandem envs` lists all"
        broken = re.search(
            rf"^plug-in {re.escape(family)} cannot be used: (.*)$", self._text, re.MULTILINE
        )
        if broken:
            return f"the plug-in {family} cannot be used: {broken[1]}"
        if re.search(rf"^plug-in {re.escape(family)}, ", self._text, re.MULTILINE):
            if family == "atari":
                return "no ROM; tools/build_ale.sh brings it, or $TANDEM_ROM_DIR names its folder"
            return f"the plug-in {family} has no such environment; `tandem envs` lists all"
        remedy = "name its folder in $TANDEM_PLUGIN_PATH"
        if family in PLUGINS:
            remedy = f"`tandem install {family}` builds it"
        return f"no plug-in {family}; {remedy}"

    def all_lacking(self, envs: Iterable[str]) -> dict[str, str]:
        """The environments that are not here, with the reasons."""
        reasons = {env: self.lacking(env) for env in envs}
        return {env: reason for env, reason in reasons.items() if reason}


def envs_of_command(command: Command, budget: str) -> list[str]:
    """The environments that a command plays."""
    words = command.words_within(budget)
    named = [env for word, env in zip(words, words[1:], strict=False) if word == "--env"]
    return [*named, *command.envs]


def envs_of(item: Item) -> list[str]:
    """All environments of an item within any budget."""
    found: dict[str, None] = {}
    for budget in BUDGETS:
        found.update(dict.fromkeys(cell.env for cell in cells_of(item, budget)))
        for command in item.commands:
            found.update(dict.fromkeys(envs_of_command(command, budget)))
    return list(found)


def told(lacking: dict[str, str]) -> list[str]:
    """The environments that are not here, by reason, in words."""
    by_reason: dict[str, list[str]] = {}
    for env, reason in lacking.items():
        by_reason.setdefault(reason, []).append(env)
    return [f"{some_of(envs)} ({reason})" for reason, envs in by_reason.items()]


def some_of(names: list[str]) -> str:
    few = ", ".join(names[:FEW])
    return f"{few} and {len(names) - FEW} more" if len(names) > FEW else few


def lacking_hardware(item: Item) -> list[str]:
    """The paper's hardware that is not here, in words. Runs need none of it, but their times do."""
    lacking = []
    if item.gpus and not gpu_name():
        lacking.append("the paper's GPU" if item.gpus == 1 else f"the paper's {item.gpus} GPUs")
    if item.cores > cores():
        lacking.append(f"{item.cores - cores()} of the paper's {item.cores} cores")
    return lacking


def lacking_package() -> str:
    """The reason why nothing can be drawn, with the remedy; empty if it can."""
    try:
        version: str = importlib.import_module("matplotlib").__version__
    except ImportError as error:
        return (
            f"the pictures need the Python package matplotlib ({error}): install it with pip, or "
            "name a Python that has it with TANDEM_PYTHON=/path/to/python"
        )
    if tuple(int(part) for part in version.split(".")[:2]) < MATPLOTLIB:
        return (
            f"the pictures need matplotlib 3.7 or later, and {sys.executable} has {version}: "
            "install a later one with pip, or name a Python that has it with "
            "TANDEM_PYTHON=/path/to/python"
        )
    return ""


def require_package() -> None:
    """Raises ReproduceError where nothing can be drawn."""
    reason = lacking_package()
    if reason:
        raise ReproduceError(reason)

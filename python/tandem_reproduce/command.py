"""The command line: `tandem reproduce [PAPER [ITEM]]`, as the program hands it over."""

import argparse
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

from tandem_reproduce.budget import read_budget
from tandem_reproduce.errors import (
    FAILED,
    IN_PART,
    MixedRatesError,
    OtherPlanError,
    ReproduceError,
    complain,
    say,
)
from tandem_reproduce.folder import ItemFolder
from tandem_reproduce.item import Item
from tandem_reproduce.listing import list_items
from tandem_reproduce.making import make
from tandem_reproduce.needs import Environments, require_package, told
from tandem_reproduce.plan import read_items
from tandem_reproduce.programs import Stopped, Tandem
from tandem_reproduce.rates import Rates
from tandem_reproduce.report import write_report


def read_words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tandem reproduce")
    parser.add_argument("paper", nargs="?", default="")
    parser.add_argument("item", nargs="?", default="")
    parser.add_argument("--budget", default="1h")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--plans", type=Path, required=True)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--drawing", type=Path, required=True)
    return parser.parse_args()


def one_of(items: list[Item], name: str, paper: str) -> Item:
    wanted = name.replace("_", "-")
    for item in items:
        if item.name == wanted:
            return item
    names = ", ".join(item.name for item in items)
    raise ReproduceError(f"{paper} has no item {name}: its items are {names}")


class Maker:
    """Makes items with the options of the command line."""

    def __init__(self, options: argparse.Namespace, tandem: Tandem) -> None:
        self._options = options
        self._tandem = tandem
        self._rates = Rates(options.out / "rates.json", tandem)
        self._here = Environments(tandem)

    def list(self, items: list[Item]) -> None:
        options = self._options
        print(list_items(items, options.out, self._rates, self._here, options.times))

    def make(self, item: Item) -> bool:
        """Returns whether the item is whole. Raises ReproduceError and Stopped."""
        if item.absent:
            raise ReproduceError(f"{item.place} cannot be made here: {item.absent}")
        folder = ItemFolder(self._options.out, item, self._options.budget)
        with folder.lock():
            options = self._options
            report = partial(write_report, folder)  # of what there is, since an item may take days
            try:
                make(folder, self._rates, self._here, self._tandem, options.jobs, report)
            except (OtherPlanError, MixedRatesError):  # the results stay as they are
                raise
            except (Stopped, ReproduceError):
                if folder.has_parts():
                    report()
                    draw(folder, options.drawing)
                raise
            text = report()
            if not draw(folder, options.drawing):
                raise ReproduceError("the same command draws the picture")
            folder.finish()
        print(f"{item.title}\n\n{text}\n\nThe rest is in {folder.path}; begin with item.md.")
        missing = told(folder.missing())
        if missing:
            say(f"{item.place} is made in part; missing: {'; '.join(missing)}")
        return not missing


def draw(folder: ItemFolder, drawing: Path) -> bool:
    """Draws item.png by the item's own script, or by the one of all forms. Returns whether that
    went well; a picture of an earlier table goes. Some items have none."""
    script = folder.item.drawing
    if script:
        drawing = drawing.with_name(f"{script}.py")
    folder.drop_picture()
    if subprocess.run([sys.executable, str(drawing), str(folder.path)]).returncode != 0:
        say(f"there is no picture, but the table is in {folder.path}")
        return False
    if script:
        name = script.removeprefix("plot_").replace("_", "-")
        (folder.path / f"{name}.png").replace(folder.path / "item.png")
    return True


def reproduce(options: argparse.Namespace, tandem: Tandem) -> bool:
    """Returns whether the items are whole."""
    options.budget = read_budget(options.budget)
    items = read_items(options.plans, options.paper)
    if options.item:
        items = [one_of(items, options.item, options.paper)]
    maker = Maker(options, tandem)
    if options.list:
        maker.list(items)
        return True
    require_package()  # an error before hours of training
    if options.item:
        return maker.make(items[0])
    failed = []
    whole = True
    for item in items:
        if item.absent:
            say(f"{item.place} is left out: {item.absent}")
            continue
        try:
            whole = maker.make(item) and whole
        except ReproduceError as error:  # the other items go on
            complain(error)
            failed.append(item.name)
    if failed:
        raise ReproduceError(f"not made, for the reasons above: {', '.join(failed)}")
    return whole


def main() -> int:
    options = read_words()
    try:
        return 0 if reproduce(options, Tandem(options.program)) else IN_PART
    except Stopped:
        for number in (signal.SIGINT, signal.SIGTERM):  # a second one lets the end be
            signal.signal(number, signal.SIG_IGN)
        say("stopped; the same command goes on")
    except ReproduceError as error:
        complain(error)
        return FAILED
    except BrokenPipeError:  # the reader of the list, such as `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print(f"tandem: error: {error}; check the path and the disk", file=sys.stderr)
        return FAILED
    return 0

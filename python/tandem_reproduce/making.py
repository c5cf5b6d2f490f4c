"""Makes an item: trains its runs, evaluates them, and writes table and picture."""

import json
import time
from collections.abc import Callable
from pathlib import Path

from tandem_reproduce.cells import Cell
from tandem_reproduce.errors import MixedRatesError, ReproduceError, complain, say
from tandem_reproduce.folder import (
    AND_THEN,
    DONE,
    EVALUATION,
    NOT_YET,
    SECONDS,
    ItemFolder,
    ended_runs,
)
from tandem_reproduce.item import Command, Item
from tandem_reproduce.needs import Environments, envs_of_command, told
from tandem_reproduce.programs import Stopped, Tandem, replace
from tandem_reproduce.rates import Rates, config_words

PLACE = "{item}"  # in the words of a command: the folder of the item
OUTPUT = "output.txt"  # of a command
BUILD = "build.txt"  # the program that ran it

AfterPart = Callable[[], object]


def train(
    folder: ItemFolder, steps: dict[str, int], tandem: Tandem, jobs: int, after_part: AfterPart
) -> None:
    """Trains and evaluates the missing runs. Raises Stopped."""
    item = folder.item
    sharing = (item, folder.source.item)  # the tables of both have these runs
    if any(one.compares_times for one in sharing) and jobs > 1:
        say("runs whose times or rates are compared train one at a time, whatever --jobs is")
        jobs = 1
    for number, cell in enumerate(folder.cells, 1):
        if folder.done(cell):
            continue
        if cell.folder in folder.source.lacking:
            say(f"{item.place}, part {number} of {len(folder.cells)} is left out")
            continue
        part = f"{item.place}, part {number} of {len(folder.cells)}: {cell.arm.label} on {cell.env}"
        out = folder.place(cell)
        if folder.trained(cell):  # no sweep, because a preset may have other numbers since
            say(f"{part}, the evaluations that are missing")
            evaluate(folder.unevaluated(cell), item, tandem)
            after_part()
            continue
        folder.note(tandem.build(), jobs)
        say(f"{part}, {cell.runs} runs of {steps[cell.folder]:,} steps")
        words = training_words(item, cell, steps[cell.folder], out, jobs)
        tandem.run(words)
        if len(ended_runs(out)) < cell.runs:  # a signal reached the command alone
            raise Stopped
        evaluate(folder.unevaluated(cell), item, tandem)
        replace(out / DONE, " ".join(words) + "\n")
        after_part()


def check_made(
    folder: ItemFolder, steps: dict[str, int], here: Environments, tandem: Tandem
) -> None:
    """Compares the config of whole parts with today's before further ones train, because a preset
    may have other numbers since. Raises ReproduceError where it has."""
    lacking = folder.source.lacking
    if all(folder.trained(cell) or cell.folder in lacking for cell in folder.cells):
        return
    for cell in folder.cells:
        if not folder.trained(cell) or here.lacking(cell.env):
            continue
        out = folder.place(cell)
        words = training_words(folder.item, cell, steps[cell.folder], out, 1)
        try:
            tandem.run([*words, "--check"])
        except ReproduceError as error:
            complain(error)
            raise ReproduceError(
                f"{cell.arm.label} on {cell.env} was trained with other numbers than the missing "
                f"parts would be: name another --out, or remove {out}"
            ) from error


def training_words(item: Item, cell: Cell, steps: int, out: Path, jobs: int) -> list[str]:
    words = [*config_words(cell), "--steps", str(steps), "--runs", str(cell.repetitions)]
    for text in cell.vary:
        words += ["--vary", text]
    words += ["--out", str(out)]
    if item.form == "speedup":
        words += ["--score", f"{item.goals[cell.env]:g}", "--threads", threads_text(cell)]
        words += ["--key", item.threads_key]
        words += ["--best", str(item.best)] if item.best else []
        return ["speedup", *words]
    return ["sweep", *words, "--keep-lr", "--jobs", str(jobs)]


def threads_text(cell: Cell) -> str:
    return ",".join(map(str, cell.threads))


def evaluate(runs: list[Path], item: Item, tandem: Tandem) -> None:
    """Plays the games of runs."""
    for run in runs:
        words = ["eval", str(run), "--json", "--episodes", str(item.episodes)]
        words += ["--protocol", "noop"] if item.reads == "noop" else []
        games = json.dumps(tandem.ask(words)) + "\n"
        replace(run / EVALUATION.format(item.reads), games)


def measure(folder: ItemFolder, tandem: Tandem, after_part: AfterPart) -> None:
    """Runs the item's commands. Each leaves a file when its results are whole."""
    build = tandem.build() if folder.item.commands else ""
    for number, command in enumerate(folder.item.commands, 1):
        out = folder.command(number)
        done = out / DONE
        if done.exists():
            tell_of_another_build(out, build)
        if done.exists() or out.name in folder.source.lacking:
            continue
        out.mkdir(parents=True, exist_ok=True)
        words = command.words_within(folder.budget)
        words = [word.replace(PLACE, str(folder.source.path)) for word in words]
        words += ["--out", str(out)] if command.tables else []
        folder.note(build)
        say(f"{folder.item.place}: tandem {' '.join(words)}")
        for table in out.glob("*.csv"):  # of a command that was stopped
            table.unlink()
        began = time.monotonic()
        try:
            tandem.run(words, out / OUTPUT)
        finally:
            replace(out / SECONDS, f"{folder.seconds(number) + time.monotonic() - began:.0f}\n")
        require_results(command, out, words)
        replace(out / BUILD, build + "\n")
        replace(done, " ".join(words) + "\n")
        after_part()


def tell_of_another_build(out: Path, build: str) -> None:
    """Its presets may have other numbers than those with which this part was made."""
    file = out / BUILD
    before = file.read_text().strip() if file.exists() else build
    if before != build:
        say(f"{out} was made by {before}, and this is {build}: if presets differ, remove it")


def require_results(command: Command, out: Path, words: list[str]) -> None:
    """Raises ReproduceError unless a command has left all of its results. A command that a signal
    stopped by itself ends in order and without them."""
    files = [out / name for name in command.tables or (OUTPUT,)]
    lost = [file.name for file in files if not file.exists() or not file.read_text()]
    if lost:
        raise ReproduceError(
            f"there is no {' and no '.join(lost)} of tandem {' '.join(words)}: it was stopped, or "
            "its last words say why; the same command goes on"
        )


def find_missing(folder: ItemFolder, here: Environments) -> None:
    """Notes which parts cannot be made, because their environments are not here. Raises
    ReproduceError if there is no other part."""
    source = folder.source
    for cell in source.cells:
        reason = "" if source.done(cell) else here.lacking(cell.env)
        if reason:
            source.lacking[cell.folder] = reason
    ended = dict(folder.ended_commands())
    for number, command in enumerate(folder.item.commands, 1):
        envs = [] if number in ended else envs_of_command(command, folder.budget)
        reasons = told(here.all_lacking(envs))
        if reasons:
            source.lacking[source.command(number).name] = "; ".join(reasons)
    missing = folder.missing()
    if missing and NOT_YET not in missing.values() and not folder.has_parts():
        raise ReproduceError(
            f"{folder.item.place} cannot be made here: it lacks {'; '.join(told(missing))}"
        )


def check_rates(folder: ItemFolder) -> None:
    """The runs may have been trained for an item without times and rates, and so on two machines or
    several at a time. Raises MixedRatesError for two machines, and tells of several at a time."""
    if not folder.item.compares_times:
        return
    described = folder.described()
    if AND_THEN in described["machine"]:
        raise MixedRatesError(
            f"the runs in {folder.source.path} were trained on {described['machine']}. Times and "
            "rates of two machines do not compare: name another --out"
        )
    most = max(described["jobs"], default=1)
    if most > 1:
        say(
            f"runs in {folder.source.path} trained {most} at a time, so their rates are lower than "
            "those of one run at a time; with another --out they train alone"
        )


def make(
    folder: ItemFolder,
    rates: Rates,
    here: Environments,
    tandem: Tandem,
    jobs: int,
    after_part: AfterPart,
) -> None:
    """Makes the missing parts that can be made here, but neither table nor picture. Raises Stopped,
    and ReproduceError."""
    find_missing(folder, here)
    steps = folder.begin(rates)
    if folder.item.commands:
        measure(folder, tandem, after_part)
    else:
        check_rates(folder)
        check_made(folder, steps, here, tandem)
        train(folder, steps, tandem, jobs, after_part)

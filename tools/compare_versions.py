"""Compares two builds of tandem, to show that a change changes nothing.

usage: compare_versions.py BEFORE AFTER [--bits] [--forward] [--rates]

BEFORE and AFTER are `tandem` programs, as the build leaves them, with their plug-ins beside them.
There are three checks; the default is --bits:

  --bits     Both train the same small runs from one seed. The parameters, the checkpoint's tensors,
             the fingerprints of all updates (updates.bin), steps, episodes and returns are the
             same. So are the resolved configs (config.toml) of these runs, of all presets of this
             repository, and of systems without one; comments may differ. It takes two minutes.
  --forward  AFTER continues the runs that BEFORE began. It plays BEFORE's agents with the same
             returns, reads the same parameters, verifies BEFORE's runs of PAAC and HTS-RL, and
             resumes a run to the same bits as BEFORE itself. Where the threads' timing changes a
             system's bits, the check is only that the run goes on. It takes one minute.
  --rates    Both train the six systems on Pong, in rounds of one run of each build, in alternating
             order. The median of the rounds' ratios, after to before, is at least 0.98. Ape-X has
             a row for its updates, too. Ten rounds of ten seconds take 20 minutes, in which the
             machine should do nothing else.

Prints one row a case. DIFFERENT, FAILED (a command that ends with an error) and SLOWER are
findings. `ok` is a case without bits to compare, `new` one that BEFORE refuses and AFTER knows, and
`skipped` one whose environment BEFORE does not have. Exits with 1 if there are findings or nothing
was compared, and with 2 where it was called wrongly.

Both builds must use the same backend for networks, or bits differ. All runs are in a temporary
folder.
"""

import argparse
import itertools
import json
import os
import statistics
import sys
import tempfile
import tomllib
from dataclasses import asdict, dataclass, field
from pathlib import Path

import version_cases
from run_files import flatten
from version_runs import Program, Refusal, bits_of

PRESETS = Path(__file__).resolve().parents[1] / "configs"
LEAST_RATIO = 0.98
LONGER = 2  # a case of --forward ends with this many times its steps
CHECKS = ("bits", "forward", "rates")
PASSED, FINDINGS = ("same", "ok"), ("DIFFERENT", "FAILED", "SLOWER")
MOST_NAMED = 4  # differences of one case


@dataclass
class Row:
    check: str
    case: str
    status: str
    what: str = ""
    values: dict = field(default_factory=dict)


def short(value):
    return value[:12] if isinstance(value, str) else str(value)


def row_of_values(check, case, before, after):
    """Compares two dictionaries that should be equal; the row shows the first value for all."""
    parts = [key for key in before | after if before.get(key) != after.get(key)]
    if not parts:
        return Row(check, case, "same", short(next(iter(before.values()))), before)
    changes = [f"{key}: {short(before.get(key))} -> {short(after.get(key))}" for key in parts]
    more = [f"and {len(parts) - MOST_NAMED} more"] if len(parts) > MOST_NAMED else []
    what = ", ".join(changes[:MOST_NAMED] + more)
    return Row(check, case, "DIFFERENT", what, {"before": before, "after": after})


def row_of_configs(case, texts):
    before, after = (dict(flatten(tomllib.loads(text))) for text in texts)
    row = row_of_values("config", case, before, after)
    if row.status == "same":
        row.what = f"{len(before)} keys" + ("" if texts[0] == texts[1] else "; comments differ")
        row.values = {}
    return row


def row_of_rates(case, column, rounds):
    """`rounds` are pairs, before and after, of the rates of a case's columns."""
    pairs = [(before[column], after[column]) for before, after in rounds]
    ratios = [after / before for before, after in pairs]
    ratio = statistics.median(ratios)
    before, after = (statistics.median(rates) for rates in zip(*pairs, strict=True))
    spread = f"[{min(ratios):.3f}, {max(ratios):.3f}]"
    what = f"{ratio:.3f} {spread}  {before:,.1f} -> {after:,.1f} {column}/s"
    values = {"column": column, "ratio": ratio, "ratios": ratios, "pairs": pairs}
    return Row("rates", case, "SLOWER" if ratio < LEAST_RATIO else "ok", what, values)


def call(function, *arguments):
    """The function's result, or a refusal by the program. Damaged files count as a refusal."""
    try:
        return function(*arguments)
    except Refusal as refusal:
        return refusal
    except (OSError, KeyError, ValueError) as error:
        return Refusal(f"{type(error).__name__}: {error}")


def row_of_refusals(check, case, before, after):
    """None if neither is a refusal."""
    if isinstance(before, Refusal) and isinstance(after, Refusal):
        return Row(check, case, "FAILED", f"both refuse: {before}")
    if isinstance(after, Refusal):
        return Row(check, case, "FAILED", str(after))
    if isinstance(before, Refusal):
        return Row(check, case, "new" if before.mendable else "FAILED", f"before: {before}")
    return None


class Comparison:
    """The checks, each of which yields rows."""

    def __init__(self, folder, options):
        self.options = options
        self.before, self.after = (
            Program(name, path, options.threads, Path(folder))
            for name, path in (("before", options.before), ("after", options.after))
        )
        self.environments = self.before.environments()

    def bits(self):
        yield from self.rows("bits", version_cases.bit_cases(), self.bits_of_case)
        presets = version_cases.config_cases(self.options.presets)
        yield from self.rows("config", presets, self.configs_of_case)

    def forward(self):
        yield from self.rows("forward", version_cases.forward_cases(), self.forward_of_case)

    def rates(self):
        yield from self.rows("rates", version_cases.rate_cases(), self.rates_of_case)

    def rows(self, check, cases, rows_of):
        """The rows of the chosen cases whose environment is available."""
        for case in cases:
            if self.options.only not in f"{check} {case.name}":
                continue
            if case.env in self.environments:
                yield from rows_of(case)
            else:
                yield Row(check, case.name, "skipped", f"before has no {case.env}")

    def pair(self, check, case, outcome):
        """A row that compares the results of `outcome` with both programs."""
        found = [call(outcome, program) for program in (self.before, self.after)]
        return row_of_refusals(check, case.name, *found) or row_of_values(check, case.name, *found)

    def bits_of_case(self, case):
        """A row of bits; and one of configs, if they differ."""

        def outcome(program):
            run = program.train(case)
            return bits_of(run), (run / "config.toml").read_text()

        found = [call(outcome, program) for program in (self.before, self.after)]
        if row := row_of_refusals("bits", case.name, *found):
            yield row
            return
        bits, configs = zip(*found, strict=True)
        yield row_of_values("bits", case.name, *bits)
        row = row_of_configs(case.name, configs)
        if row.status != "same":
            yield row

    def configs_of_case(self, case):
        configs = [call(program.config, case) for program in (self.before, self.after)]
        row = row_of_refusals("config", case.name, *configs)
        yield row or row_of_configs(case.name, configs)

    def forward_of_case(self, case):
        run = call(self.before.train, case)
        if isinstance(run, Refusal):
            yield Row("begin", case.name, "FAILED", f"before: {run}")
            return
        yield self.pair("eval", case, lambda program: program.evaluate(run))
        # A run without a step left writes what it has read from the checkpoint.
        yield self.pair("read", case, lambda program: bits_of(program.resume(run)))
        if case.verify:
            said = call(self.after.verify, run)
            status = "FAILED" if isinstance(said, Refusal) else "same"
            yield Row("verify", case.name, status, str(said))
        yield self.resume(case, run)

    def resume(self, case, run):
        def outcome(program):
            return bits_of(program.resume(run, "--steps", LONGER * case.steps))

        if case.same_bits:
            return self.pair("resume", case, outcome)
        found = call(outcome, self.after)
        if isinstance(found, Refusal):
            return Row("resume", case.name, "FAILED", str(found))
        if found["steps"] < LONGER * case.steps:
            return Row("resume", case.name, "FAILED", f"ends at step {found['steps']}")
        return Row("resume", case.name, "ok", f"goes on to step {found['steps']}", found)

    def rates_of_case(self, case):
        rounds = []
        for number in range(self.options.rounds):
            found = call(self.round, case, number)
            if isinstance(found, Refusal):
                yield Row("rates", case.name, "FAILED", str(found))
                return
            rounds.append(found)
            rates = " and ".join(f"{rates['steps']:.0f}" for rates in found)
            print(f"  {case.name}, round {number + 1}: {rates} steps/s", file=sys.stderr)
        for column in case.columns:
            yield row_of_rates(case.name, column, rounds)

    def round(self, case, number):
        """The rates of BEFORE and AFTER, measured in an order that changes with each round."""
        programs = [self.before, self.after]
        order = programs if number % 2 == 0 else programs[::-1]
        found = {program.name: program.rates(case, self.options.seconds) for program in order}
        return found["before"], found["after"]


def program_of(text):
    path = Path(text).resolve()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{text} is no program; build it, or name another")
    return path


def positive(kind):
    def read(text):
        value = kind(text)
        if not 0 < value < 1e6:
            raise ValueError
        return value

    read.__name__ = "positive number"  # its name in error messages
    return read


def parser_of_words():
    summary, _, text = __doc__.partition("\n\nusage: ")
    usage, _, details = text.partition("\n\n")
    parser = argparse.ArgumentParser(
        usage=f"{usage} [OPTIONS]",
        description=f"{summary}\n\n{details}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("before", type=program_of, metavar="BEFORE", help="program of the version before")
    add("after", type=program_of, metavar="AFTER", help="program of the version after")
    add("--bits", action="store_true", help="compare results and configs (the default)")
    add("--forward", action="store_true", help="let AFTER take on runs of BEFORE")
    add("--rates", action="store_true", help="compare speed on Pong")
    add("--only", default="", metavar="TEXT", help="cases with this in 'CHECK CASE'")
    add("--threads", type=positive(int), default=2, metavar="N", help="of each run (2)")
    add("--rounds", type=positive(int), default=10, metavar="N", help="of --rates (10)")
    add("--seconds", type=positive(float), default=10, metavar="S", help="a run of --rates (10)")
    add(
        "--presets",
        type=Path,
        default=PRESETS,
        metavar="DIR",
        help="presets whose configs to compare",
    )
    add("--json", type=Path, metavar="FILE", help="write all rows there, too")
    return parser


def main():
    parser = parser_of_words()
    options = parser.parse_args()
    checks = [check for check in CHECKS if getattr(options, check)] or ["bits"]
    rows = []
    with tempfile.TemporaryDirectory(prefix="compare_versions_") as folder:
        try:
            comparison = Comparison(folder, options)
        except (Refusal, OSError) as error:
            parser.error(f"{options.before} does not run: {error}")
        for row in itertools.chain.from_iterable(getattr(comparison, check)() for check in checks):
            print(f"{row.status:9}  {row.check:7}  {row.case:46}  {row.what}", flush=True)
            rows.append(row)
    if not rows:
        parser.error(f"no case of {', '.join(checks)} has '{options.only}' in its name (--only)")
    counts = {status: sum(row.status == status for row in rows) for status in PASSED + FINDINGS}
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    if options.json:
        programs = {"before": str(options.before), "after": str(options.after)}
        text = json.dumps(programs | {"rows": [asdict(row) for row in rows]}, indent=1)
        options.json.write_text(text + "\n")
    compared = any(counts[status] for status in PASSED)
    return int(not compared or any(counts[status] for status in FINDINGS))


if __name__ == "__main__":
    sys.exit(main())

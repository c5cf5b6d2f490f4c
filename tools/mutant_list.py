"""The list of mutants of tools/mutate.py, and their verdicts."""

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass

SOURCES = "src/tandem"
LIST = "tools/mutants.toml"
NEEDED = {"name", "file", "old", "new", "tests"}
OPTIONAL = {"survives"}


class ListError(Exception):
    """The list of mutants, or the code without any, is wrong. The message says what to do."""


@dataclass(frozen=True)
class Mutant:
    """One bug. Tests are FOLDER or FOLDER:FILTER, the programs that should see it."""

    name: str
    file: str  # below src/tandem
    old: str
    new: str
    tests: tuple[str, ...]
    survives: str = ""  # the reason why no test can see it

    def digest(self):
        words = "\0".join((self.file, self.old, self.new, *self.tests))
        return hashlib.sha256(words.encode()).hexdigest()


@dataclass(frozen=True)
class Verdict:
    outcome: str  # killed, hung or survived
    test: str  # the first test that failed
    seconds: float

    @property
    def killed(self):
        return self.outcome != "survived"


def read_mutants(text):
    """The mutants of a list. Throws ListError where it is not as expected."""
    mutants = []
    for table in tomllib.loads(text).get("mutant", []):
        name = table.get("name", "a mutant without a name")
        missing, foreign = NEEDED - set(table), set(table) - NEEDED - OPTIONAL
        if missing or foreign:
            raise ListError(f"{name}: missing or unknown keys: {sorted(missing | foreign)}")
        mutants.append(Mutant(**{**table, "tests": tuple(table["tests"])}))
    names = [mutant.name for mutant in mutants]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ListError(f"two mutants have the same name: {sorted(twice)}")
    return mutants


def mutated(mutant, text):
    """The file's text with the mutant. Throws ListError unless the old text occurs once."""
    count = text.count(mutant.old)
    if count != 1:
        raise ListError(
            f"{mutant.name}: the old text occurs {count} times in {SOURCES}/{mutant.file}, not"
            " once; mend it in " + LIST
        )
    if mutant.new == mutant.old:
        raise ListError(f"{mutant.name}: the new text is the old one")
    return text.replace(mutant.old, mutant.new)


def complaints(mutants, root):
    """Yields what is wrong with the list for the code at `root`."""
    for mutant in mutants:
        file = root / SOURCES / mutant.file
        if not file.is_file():
            yield f"{mutant.name}: there is no {SOURCES}/{mutant.file}"
            continue
        try:
            mutated(mutant, file.read_text())
        except ListError as error:
            yield str(error)
        for test in mutant.tests:
            if not (root / "tests" / test.partition(":")[0]).is_dir():
                yield f"{mutant.name}: there is no folder of tests '{test.partition(':')[0]}'"


class Results:
    """The verdicts so far, in a file."""

    def __init__(self, file, fresh=False):
        self.file = file
        self.all = {} if fresh or not file.exists() else json.loads(file.read_text())

    def of(self, mutant):
        """The verdict of this very mutant, or None."""
        found = self.all.get(mutant.name)
        if found is None or found["digest"] != mutant.digest():
            return None
        return Verdict(**{key: found[key] for key in ("outcome", "test", "seconds")})

    def killed(self, mutant):
        verdict = self.of(mutant)
        return verdict is not None and verdict.killed

    def survived(self, mutant):
        verdict = self.of(mutant)
        return verdict is not None and not verdict.killed

    def keep(self, mutant, verdict):
        self.all[mutant.name] = {"digest": mutant.digest(), **asdict(verdict)}
        written = self.file.with_suffix(".new")
        written.write_text(json.dumps(self.all, indent=1))
        written.replace(self.file)


def cell(text):
    """A piece of code on one line of a Markdown table."""
    return "`" + " ".join(text.split()).replace("|", "\\|") + "`" if text.strip() else "nothing"


def table(mutants, results):
    """The results as Markdown."""
    verdicts = {mutant: results.of(mutant) for mutant in mutants}
    tried = [verdict for verdict in verdicts.values() if verdict]
    killed = sum(verdict.killed for verdict in tried)
    hung = sum(verdict.outcome == "hung" for verdict in tried)
    lines = [
        f"{killed} of {len(mutants)} mutants were killed, {hung} of them by a test that hung; "
        f"{len(tried) - killed} survived, and {len(mutants) - len(tried)} were not tried.",
        "",
        "| mutant | file | instead of | stands | outcome |",
        "|---|---|---|---|---|",
    ]
    for mutant, verdict in verdicts.items():
        if verdict is None:
            outcome = "not tried"
        elif verdict.killed:
            outcome = f"{verdict.outcome}: `{verdict.test}`"
        else:
            outcome = f"**survived**: {mutant.survives or 'a test is missing'}"
        words = (mutant.name, mutant.file, cell(mutant.old), cell(mutant.new), outcome)
        lines.append("| " + " | ".join(words) + " |")
    return "\n".join(lines) + "\n"


def page(mutants, results):
    """The results as a page of the documents."""
    return f"""# Mutants

A mutant is a small bug, planted in a copy of the code: a wrong sign, a dropped term, a call left
out. A mutant that no unit test sees shows that a test is missing. This command tries the mutants of
[tools/mutants.toml](../../tools/mutants.toml):

```sh
tools/mutate.py --markdown docs/results/mutants.md
```

{table(mutants, results)}"""

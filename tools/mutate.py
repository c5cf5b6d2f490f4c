#!/usr/bin/env python3
"""Plants small bugs in the code, one at a time, and reports the bugs that no unit test sees.

Each mutant of tools/mutants.toml replaces a piece of a file of src/tandem. The tool copies the
checkout into a folder of its own, plants one mutant there, builds the test programs that the
mutant names, and runs them. A mutant is killed if a test fails, crashes or hangs; else it has
survived, and a test is missing. Nothing changes in the checkout itself.

Verdicts are kept in FOLDER/results.json, so that an interrupted run goes on where it stopped.
Kills are kept; survivors are tried again, because a new test may see them. After a change of the
code, --fresh tries all mutants again.

usage: mutate.py                    tries all mutants and prints a table (half an hour)
       mutate.py --only 'hts-*'     tries some, whether or not they have a verdict
       mutate.py --check            checks only that each old text occurs once in its file
       mutate.py --list             lists the mutants
"""

import argparse
import contextlib
import fcntl
import fnmatch
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from mutant_list import (
    LIST,
    SOURCES,
    ListError,
    Results,
    Verdict,
    complaints,
    mutated,
    page,
    read_mutants,
    table,
)

ROOT = Path(__file__).resolve().parents[1]
# A quick build: the tests need no speed, and a mutant may leave a variable unused.
CONFIGURE = (
    "cmake -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DTANDEM_WERROR=OFF"
    " -DTANDEM_TORCH=OFF -DTANDEM_PYTHON=OFF -DTANDEM_BUILD_PLUGINS=OFF"
)
# A test hangs if it takes this much longer than without a mutant.
SPARE_SECONDS, SPARE_FACTOR = 30, 4
BASELINE_SECONDS = 600
MOST_MEMORY = 12 << 30  # bytes of addresses: a mutant may ask for memory without end
MOST_OUTPUT = 256 << 20  # bytes of a file: or write without end


def copy_checkout(root, to):
    """Makes `to` a copy of the files that git knows or would take. Equal files stay untouched, so
    that they are not compiled again."""
    words = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    names = {name for name in listed.split("\0") if (root / name).is_file()}
    for name in names:
        target = to / name
        content = (root / name).read_bytes()
        if target.is_file() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    for file in [*to.rglob("*")]:
        if file.is_file() and file.relative_to(to).as_posix() not in names:
            file.unlink()


def failed_test(output):
    """The name of the first test that failed in a program's output, or of the one that ran last."""
    failed = re.search(r"^\[  FAILED  \] ([\w/.]+)", output, re.MULTILINE)
    begun = re.findall(r"^\[ RUN      \] ([\w/.]+)", output, re.MULTILINE)
    return failed[1] if failed else begun[-1] if begun else "its start"


def limit_resources():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_OUTPUT, MOST_OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Workshop:
    """The copy of the checkout, and its build. One process at a time may use a folder."""

    def __init__(self, folder, lock=None):
        self.tree, self.build_folder = folder / "tree", folder / "build"
        self.programs = folder / "programs"  # of mutants that are built and not yet tested
        self.lock = lock
        self.temporary = folder / "temporary"  # of tests, which may be killed
        self.log = folder / "log.txt"
        self.build_words = ["cmake", "--build", self.build_folder]

    def prepare(self, root, mutants):
        """Copies the checkout and configures the build. Files with mutants are compiled alone."""
        self.tree.mkdir(parents=True, exist_ok=True)
        copy_checkout(root, self.tree)
        alone = sorted({f"{SOURCES}/{m.file}" for m in mutants if m.file.endswith(".cc")})
        words = [*shlex.split(CONFIGURE), f"-DTANDEM_ALONE={';'.join(alone)}"]
        words += ["-S", self.tree, "-B", self.build_folder]
        if self.run(words, None) != 0:
            raise ListError(f"the configuration failed:\n{self.log.read_text()[-3000:]}")

    def run(self, words, timeout, **options):
        """The exit status of a command, None if it took too long. Its output goes to the log."""
        with self.log.open("w") as log:
            process = subprocess.Popen(
                words, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, **options
            )
            try:
                return process.wait(timeout)
            except subprocess.TimeoutExpired:
                return None
            finally:
                # Also ends a test's own processes, and all of them after an interrupt.
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()

    @contextlib.contextmanager
    def turn(self):
        """Waits until no other build holds the lock, and then holds it."""
        if self.lock is None:
            yield
            return
        with self.lock.open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def build(self, folders, name):
        """Whether the test programs of these folders could be built; they are kept by the name."""
        targets = [f"{folder}_tests" for folder in folders]
        if self.run([*self.build_words, "--target", *targets], None) != 0:
            return False
        kept = self.programs / name
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for target in targets:
            shutil.copy2(self.build_folder / "tests" / target, kept)
        return True

    def plant(self, mutant):
        """Builds the test programs with the mutant. Returns whether it compiles."""
        file = self.tree / SOURCES / mutant.file
        original = file.read_text()
        file.write_text(mutated(mutant, original))
        try:
            return self.build(folders_of(mutant.tests), mutant.name)
        finally:
            file.write_text(original)

    def test(self, test, name, timeout):
        """Runs a test program that was built under this name. Returns its verdict."""
        folder, _, chosen = test.partition(":")
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir()
        begin = time.monotonic()
        status = self.run(
            [
                self.programs / name / f"{folder}_tests",
                "--gtest_fail_fast",
                f"--gtest_filter={chosen or '*'}",
            ],
            timeout,
            preexec_fn=limit_resources,
            env={**os.environ, "TMPDIR": str(self.temporary)},
        )
        seconds = time.monotonic() - begin
        output = self.log.read_text(errors="replace")
        if status == 0 and "[  PASSED  ] 0 tests" in output:
            raise ListError(f"no test of {folder}_tests is named '{chosen}'")
        if status == 0:
            return Verdict("survived", "", seconds)
        return Verdict("hung" if status is None else "killed", failed_test(output), seconds)


def folders_of(tests):
    return sorted({test.partition(":")[0] for test in tests})


def baseline(workshop, mutants):
    """The seconds that each test takes without a mutant. Throws ListError if one fails."""
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    say(f"building {', '.join(folders_of(tests))} without a mutant")
    with workshop.turn():
        if not workshop.build(folders_of(tests), "baseline"):
            raise ListError(f"the code without a mutant cannot be built: see {workshop.log}")
    seconds = {}
    for test in tests:
        verdict = workshop.test(test, "baseline", BASELINE_SECONDS)
        if verdict.killed:
            raise ListError(f"{test}: {verdict.test} fails without a mutant: see {workshop.log}")
        seconds[test] = verdict.seconds
        say(f"{test} passes without a mutant ({verdict.seconds:.0f} s)")
    return seconds


def try_mutant(workshop, mutant, seconds):
    """Tests a mutant that was built, and removes its programs."""
    begin = time.monotonic()
    for test in mutant.tests:
        limit = SPARE_SECONDS + SPARE_FACTOR * seconds[test]
        verdict = workshop.test(test, mutant.name, limit)
        if verdict.killed:
            break
    shutil.rmtree(workshop.programs / mutant.name)
    return Verdict(verdict.outcome, verdict.test, time.monotonic() - begin)


def say(text):
    print(text, file=sys.stderr, flush=True)


def try_all(workshop, mutants, results, batch=1):
    """Tries mutants, of which `batch` are built at a time. Throws ListError if one is no code."""
    seconds = baseline(workshop, mutants)
    begin = time.monotonic()
    broken, done = [], 0
    for first in range(0, len(mutants), batch):
        now = mutants[first : first + batch]
        with workshop.turn():
            built = [mutant for mutant in now if workshop.plant(mutant)]
        broken += [mutant.name for mutant in now if mutant not in built]
        for mutant in built:
            verdict = try_mutant(workshop, mutant, seconds)
            results.keep(mutant, verdict)
            done += 1
            left = (time.monotonic() - begin) / done * (len(mutants) - done)
            by = f" by {verdict.test}" if verdict.killed else ""
            say(
                f"[{done}/{len(mutants)}] {mutant.name}: {verdict.outcome}{by} "
                f"({verdict.seconds:.0f} s; {left / 60:.0f} min left)"
            )
    if broken:
        raise ListError(f"{', '.join(broken)}: does not compile; mend {LIST}")


def chosen_from(mutants, patterns):
    chosen = [m for m in mutants if any(fnmatch.fnmatch(m.name, p) for p in patterns)]
    if not chosen:
        raise ListError(f"no mutant is named {' or '.join(patterns)}; see --list")
    return chosen


def parse(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="check the list, and build nothing")
    parser.add_argument("--list", action="store_true", help="list the mutants")
    parser.add_argument("--only", metavar="NAMES", help="mutants, or patterns of them, with commas")
    parser.add_argument("--fresh", action="store_true", help="forget the verdicts so far")
    parser.add_argument("--folder", type=Path, default=ROOT / "build-mutants")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout")
    parser.add_argument("--batch", type=int, default=1, help="mutants that are built at a time")
    parser.add_argument("--lock", type=Path, metavar="FILE", help="as of flock(1), held by builds")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write a page with the table")
    return parser.parse_args(words)


def run(arguments):
    mutants = read_mutants((arguments.root / LIST).read_text())
    wrong = list(complaints(mutants, arguments.root))
    if wrong:
        raise ListError("\n".join(wrong))
    if arguments.check:
        print(f"{len(mutants)} mutants fit the code")
        return 0
    if arguments.list:
        for mutant in mutants:
            print(f"{mutant.name:32} {mutant.file:36} {' '.join(mutant.tests)}")
        return 0
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with (arguments.folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ListError(f"another run uses {arguments.folder}: give --folder") from None
        results = Results(arguments.folder / "results.json", arguments.fresh)
        if arguments.only:
            chosen = chosen_from(mutants, arguments.only.split(","))
        else:
            chosen = [mutant for mutant in mutants if not results.killed(mutant)]
        if chosen:
            workshop = Workshop(arguments.folder, arguments.lock)
            workshop.prepare(arguments.root, mutants)
            try_all(workshop, chosen, results, arguments.batch)
    text = table(mutants, results)
    print(text, end="")
    if arguments.markdown:
        arguments.markdown.write_text(page(mutants, results))
    return int(any(results.survived(m) and not m.survives for m in mutants))


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    # A run in the background may be deaf to Ctrl-C; either signal ends the tests at work, too.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, interrupt)
    try:
        return run(parse(sys.argv[1:]))
    except ListError as error:
        say(f"mutate.py: {error}")
        return 2
    except KeyboardInterrupt:
        say("mutate.py: interrupted; the same command goes on")
        return 130


if __name__ == "__main__":
    sys.exit(main())

"""Tests of tools/mutate.py, and that the mutants of tools/mutants.toml fit the code.

Stand-ins take the place of compiler and tests: a source is a shell script, the build copies it to
be a test program.
"""

import contextlib
import dataclasses
import io
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import mutant_list  # noqa: E402
import mutate  # noqa: E402
from mutant_list import ListError, Mutant  # noqa: E402

PASSES = "[ RUN      ] Sum.IsRight"
MUTANT = Mutant("sum", "algo/sum.cc", "two=2", "two=3", ("algo",))
SOURCE = f"""#!/bin/sh
two=2
echo '{PASSES}'
[ $((two + two)) = 4 ] && exit 0
echo '[  FAILED  ] Sum.IsRight (0 ms)'
exit 1
"""


class List(unittest.TestCase):
    # Must fail when an old text is gone or occurs twice; then mend tools/mutants.toml.
    def test_the_mutants_fit_the_code(self):
        mutants = mutant_list.read_mutants((ROOT / mutant_list.LIST).read_text())
        self.assertGreaterEqual(len(mutants), 60)
        self.assertEqual(list(mutant_list.complaints(mutants, ROOT)), [])

    def test_an_old_text_must_be_there_once(self):
        self.assertIn("two=3", mutant_list.mutated(MUTANT, SOURCE))
        for text, count in ((SOURCE * 2, 2), ("", 0)):
            with self.assertRaisesRegex(ListError, f"sum: the old text occurs {count} times"):
                mutant_list.mutated(MUTANT, text)
        with self.assertRaisesRegex(ListError, "the new text is the old one"):
            mutant_list.mutated(dataclasses.replace(MUTANT, new="two=2"), SOURCE)

    def test_files_and_tests_must_be_there(self):
        wrong = [
            dataclasses.replace(MUTANT, file="algo/none.cc"),
            Mutant("tests", "algo/a2c.cc", "value_factor * -2.0f", "", ("algos:A2c*",)),
        ]
        complaints = list(mutant_list.complaints(wrong, ROOT))
        self.assertEqual(
            complaints,
            [
                "sum: there is no src/tandem/algo/none.cc",
                "tests: there is no folder of tests 'algos'",
            ],
        )

    def test_keys_and_names_are_checked(self):
        good = '[[mutant]]\nname="a"\nfile="f"\nold="o"\nnew="n"\ntests=["algo"]\n'
        self.assertEqual(mutant_list.read_mutants(good)[0].tests, ("algo",))
        for text, words in (
            (good.replace("tests", "test"), r"a: missing or unknown keys: \['test', 'tests'\]"),
            (good * 2, r"the same name: \['a'\]"),
        ):
            with self.assertRaisesRegex(ListError, words):
                mutant_list.read_mutants(text)


class Copying(unittest.TestCase):
    def test_a_copy_has_the_checkouts_files_and_keeps_equal_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            root, copy = Path(folder) / "root", Path(folder) / "copy"
            subprocess.run(["git", "init", "-q", root], check=True)
            for name, text in ((".gitignore", "built\n"), ("a/kept", "1"), ("new", "2")):
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(text)
            (root / "built").touch()
            subprocess.run(["git", "-C", root, "add", "a"], check=True)
            copy.mkdir()
            mutate.copy_checkout(root, copy)
            files = {p.relative_to(copy).as_posix() for p in copy.rglob("*") if p.is_file()}
            self.assertEqual(files, {".gitignore", "a/kept", "new"})
            before = (copy / "a/kept").stat().st_mtime_ns
            (copy / "new").write_text("mutated")
            (root / ".gitignore").unlink()
            mutate.copy_checkout(root, copy)
            self.assertEqual((copy / "a/kept").stat().st_mtime_ns, before)
            self.assertEqual((copy / "new").read_text(), "2")
            self.assertFalse((copy / ".gitignore").exists())


class Trying(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.workshop = mutate.Workshop(self.folder)
        self.source = self.workshop.tree / "src/tandem/algo/sum.cc"
        self.source.parent.mkdir(parents=True)
        self.source.write_text(SOURCE)
        program = self.workshop.build_folder / "tests/algo_tests"
        program.parent.mkdir(parents=True)
        copy = f"! grep -q syntax {self.source} && cp {self.source} {program} && chmod +x {program}"
        self.workshop.build_words = ["sh", "-c", copy]
        self.results = mutant_list.Results(self.folder / "results.json")

    def try_all(self, *mutants):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            mutate.try_all(self.workshop, mutants, self.results)
        self.assertEqual(self.source.read_text(), SOURCE)
        return said.getvalue()

    def outcome(self, mutant):
        self.try_all(mutant)
        verdict = self.results.of(mutant)
        return verdict.outcome, verdict.test

    def test_a_test_that_fails_kills(self):
        self.assertEqual(self.outcome(MUTANT), ("killed", "Sum.IsRight"))

    def test_a_crash_kills(self):
        crash = dataclasses.replace(MUTANT, old="[ $", new="kill -SEGV $$; [ $")
        self.assertEqual(self.outcome(crash), ("killed", "Sum.IsRight"))

    def test_a_mutant_that_no_test_sees_survives(self):
        unseen = dataclasses.replace(MUTANT, old="exit 0", new="exit $((two - two))")
        self.assertEqual(self.outcome(unseen), ("survived", ""))
        self.assertIn("**survived**: a test is missing", mutant_list.table([unseen], self.results))

    # Seen failing when only the test program itself was ended.
    def test_a_test_that_hangs_is_ended_with_its_children(self):
        late, go = self.folder / "late", self.folder / "go"
        wait = f"until [ -e {go} ]; do sleep 0.05; done"
        hang = f"({wait}; touch {late}) & sleep 60; exit 0"
        hangs = dataclasses.replace(MUTANT, old="exit 0", new=hang)
        with unittest.mock.patch.object(mutate, "SPARE_SECONDS", 0.3):
            self.assertEqual(self.outcome(hangs), ("hung", "Sum.IsRight"))
        go.touch()
        time.sleep(0.5)
        self.assertFalse(late.exists())

    def test_mutants_of_a_batch_are_built_before_they_are_tested(self):
        unseen = dataclasses.replace(MUTANT, name="unseen", old="exit 0", new="exit $((1 - 1))")
        broken = dataclasses.replace(MUTANT, name="broken", new="two=2 syntax")
        silence = contextlib.redirect_stderr(io.StringIO())
        with silence, self.assertRaisesRegex(ListError, "broken: does not compile"):
            mutate.try_all(self.workshop, [unseen, broken, MUTANT], self.results, batch=3)
        self.assertTrue(self.results.survived(unseen))
        self.assertTrue(self.results.killed(MUTANT))
        self.assertEqual(self.source.read_text(), SOURCE)

    def test_builds_wait_for_their_turn(self):
        self.workshop.lock = self.folder / "builds"
        with self.workshop.turn():
            busy = ["flock", "--nonblock", self.workshop.lock, "true"]
            self.assertEqual(subprocess.run(busy).returncode, 1)
        self.assertEqual(self.outcome(MUTANT), ("killed", "Sum.IsRight"))

    def test_a_mutant_must_compile(self):
        with self.assertRaisesRegex(ListError, "sum: does not compile"):
            self.try_all(dataclasses.replace(MUTANT, new="two=2 syntax"))
        self.assertEqual(self.source.read_text(), SOURCE)

    def test_the_code_itself_must_pass(self):
        self.source.write_text(SOURCE.replace("= 4", "= 5"))
        silence = contextlib.redirect_stderr(io.StringIO())
        with silence, self.assertRaisesRegex(ListError, "Sum.IsRight fails without a mutant"):
            mutate.try_all(self.workshop, [MUTANT], self.results)

    def test_verdicts_are_kept_for_the_same_mutant(self):
        said = self.try_all(MUTANT)
        self.assertIn("[1/1] sum: killed by Sum.IsRight", said)
        kept = mutant_list.Results(self.folder / "results.json")
        self.assertTrue(kept.killed(MUTANT))
        self.assertIsNone(kept.of(dataclasses.replace(MUTANT, new="two=4")))
        self.assertIn("1 of 1 mutants were killed, 0 of", mutant_list.table([MUTANT], kept))
        self.assertIsNone(mutant_list.Results(kept.file, fresh=True).of(MUTANT))


if __name__ == "__main__":
    unittest.main()

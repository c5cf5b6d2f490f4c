"""Tests of tools/check_prose.py: each pattern finds its bad sentence and lets a good one pass."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import check_prose
import prose_text

# For each pattern, sentences that it refuses and sentences that it lets pass.
EXAMPLES: dict[str, tuple[list[str], list[str]]] = {
    "what as a subject": (
        [
            "What acted was already another policy.",
            "The loop waits; what it wrote is seen.",
            "Whatever a preset names, no other one claims as much.",
        ],
        ["Another policy acted.", "What is a rollout?", "It says what is wrong."],
    ),
    "who as a subject": (
        [
            "Whoever asks first is answered first.",
            "A lock; whoever holds it sees the actor.",
            "Who adds to a full queue waits.",
        ],
        ["A thread that asks first is answered first.", "Who has to compile?"],
    ),
    "those as a subject": (
        ["Those too many rest.", "Those of the cases that were asked for."],
        ["Those two settings differ.", "It reads floats; those of a row lie together."],
    ),
    "none for NaN": (
        ["A sample with a number that is none gives none.", "The loss is none."],
        ["If an input is NaN, its outputs are NaN.", "The value is none of these."],
    ),
    "a relative clause as a sentence": (
        [
            "Which environments ended.",
            "Of which none is left.",
            "The rest waits. Whose turn it is.",
        ],
        ["The environments that ended.", "Which one is it?"],
    ),
    "a sentence without a verb": (
        ["To that comes the environment.", "Of each of them between two times.", "Of a sample."],
        [
            "The environment's cost is added.",
            "Of a hundred runs, three failed.",
            "One actor's inference request.",
        ],
    ),
}


def names(text: str) -> list[str]:
    return [pattern.name for pattern, _ in check_prose.offences(text)]


def texts(path: str, text: str) -> list[str]:
    return [passage.text for passage in prose_text.passages(path, text)]


class CheckProse(unittest.TestCase):
    def test_every_pattern_has_examples(self) -> None:
        self.assertEqual([p.name for p in check_prose.PATTERNS], list(EXAMPLES))

    def test_a_pattern_finds_the_bad_and_passes_the_good(self) -> None:
        for name, (bad, good) in EXAMPLES.items():
            for sentence in bad:
                self.assertEqual(names(sentence), [name], sentence)
            for sentence in good:
                self.assertEqual(names(sentence), [], sentence)

    def test_comments_of_cpp(self) -> None:
        code = 'int a = 1\'000;  // one\n                // two\n/// three\n/// four\nf("// 5");\n'
        self.assertEqual(texts("tests/a.cc", code), ["one two", "three four"])

    def test_literals_of_the_program(self) -> None:
        code = 'throw Error("set x "\n            "to 1");\nuse("key");\n'
        self.assertEqual(texts("src/tandem/app/a.cc", code), ["set x to 1"])
        self.assertEqual(texts("tests/a.cc", code), [])

    def test_python(self) -> None:
        code = '"""One.\n\nTwo."""\n\nx = "three"  # four\n\n\ndef f():\n    """Five."""\n'
        self.assertEqual(sorted(texts("tools/a.py", code)), ["Five.", "One.", "Two.", "four"])

    def test_hashes(self) -> None:
        toml = '# One\n# two.\nkey = "a # b"  # three\n'
        self.assertEqual(texts("configs/a.toml", toml), ["One two.", "three"])
        self.assertEqual(texts("tools/a.sh", "echo ${#x} # four\n"), ["four"])

    def test_markdown(self) -> None:
        text = "# What it is\n\nOne\ntwo.\n- three\n\n```sh\n# What?\n```\n"
        text += "| what | is |\n|---|---|\n| a | b |\n"
        self.assertEqual(texts("a.md", text), ["One two.", "three", "a", "b"])

    def test_an_offence_names_the_line_of_its_sentence(self) -> None:
        text = "// One thing\n// happens. What\n// acts is hidden.\n"
        (passage,) = prose_text.passages("tests/a.cc", text)
        ((_, sentence),) = check_prose.offences(passage.text)
        self.assertEqual(sentence, "What acts is hidden.")
        self.assertEqual(check_prose.line_of(passage, sentence), 2)


if __name__ == "__main__":
    unittest.main()

"""Checks the help of the program and of each command: groups, one line each, and examples.

The program itself parses each example together with an option that does not exist. So nothing runs,
and the error names every word that the program does not know. Systems, presets, environments and
keys are looked up in its listings. The commands of README.md, docs/everyday.md and docs/tracking.md
must pass the same checks. Seen failing with a command without an example, options --episods and
--outt, an example without its --out, with the names a3c/cartpol (a preset), atari:Pang, paacs (a
system), recancy (a study) and entropi (a key), with a command evil, with a command in no group, and
with a line too long.

Needs $TANDEM, the path of the program.
"""

import functools
import json
import os
import re
import shlex
import sys
import unittest
from pathlib import Path

from program import HAS_ATARI, tandem

os.environ.setdefault("TANDEM_PYTHON", sys.executable)  # environments gym:ID run there

ROOT = Path(__file__).parents[2]
GROUPS = [
    "Train agents",
    "Watch agents and environments",
    "Measure speed",
    "Experiment with many runs",
]
DOCUMENTS = [ROOT / "docs" / name for name in ("everyday.md", "tracking.md")]
NOT_THERE = "--this-option-is-not-there"


@functools.cache
def output(*words):
    result = tandem(*words)
    assert result.returncode == 0, result.stderr
    return result.stdout


@functools.cache
def help_of(*command):
    return output(*command, "--help")


def listed(text, headings):
    """The commands that a help lists under these headings, and its lines about them."""
    heading, found = "", {}
    for line in text.splitlines():
        if re.fullmatch(r"[A-Z].*:", line):
            heading = line.removesuffix(":")
        elif heading in headings and (entry := re.match(r"  ([a-z][a-z0-9-]*) +\S", line)):
            found[entry[1]] = line
        elif not line:
            heading = ""
    return found


def commands():
    """All commands as tuples of words, each nested one after its parent."""
    for name in listed(help_of(), GROUPS):
        yield (name,)
        for nested in listed(help_of(name), ["Subcommands"]):
            yield (name, nested)


def command_lines(text):
    """The lines of shell text as words; a line that ends in a backslash is joined with the next."""
    lines = text.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def examples(text):
    """The command lines with which a help ends, as words."""
    end = re.search(r"\nExamples?:\n((?:  .*\n)+)\Z", text)
    return command_lines(end[1]) if end else []


def blocks(document):
    """The command lines of the document's shell blocks that call tandem."""
    text = "".join(re.findall(r"^```sh\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL))
    return [
        ["tandem", *line[1:]]
        for line in command_lines(text)
        if line[0] in ("tandem", "build/tandem", "$tandem")
    ]


def values(words, *options):
    """The values that these options are given."""
    return [value for option, value in zip(words, words[1:], strict=False) if option in options]


@functools.cache
def systems():
    table = output("systems").partition("\n\n")[0]
    return set(re.findall(r"^[a-z]\S*", table, re.MULTILINE))


@functools.cache
def presets():
    return set(re.findall(r"^\w+/\w+", output("presets"), re.MULTILINE))


@functools.cache
def environments():
    return set(re.sub(r"^.*:$", "", output("envs"), flags=re.MULTILINE).split())


@functools.cache
def keys(system, *env):
    """The system's keys for an environment, each also by its last part."""
    found = [entry["key"] for entry in json.loads(output("keys", system, *env, "--json"))]
    return {*found, *(key.rpartition(".")[2] for key in found)}


def system_of(words):
    """The SYSTEM of a command line, in a list, or an empty list."""
    if "[SYSTEM]" not in help_of(words[1]):
        return []
    nested = listed(help_of(words[1]), ["Subcommands"])
    return [word for word in words[2:3] if not word.startswith("-") and word not in nested]


class Help(unittest.TestCase):
    def assert_works(self, words):
        """Checks a command line that begins with the program's name."""
        self.assertEqual(words[0], "tandem")
        if not HAS_ATARI and any(word.startswith("atari:") for word in words):
            return
        if words[-1] == "--help":
            output(*words[1:])
            return
        self.assert_parses(words)
        for preset in values(words, "--config"):
            self.assertIn(preset, presets())
        for env in values(words, "--env"):
            self.assertIn(env, environments())
        for system in system_of(words):
            self.assertIn(system, systems())
        env = [word for env in values(words, "--env") for word in ("--env", env)]
        known = set().union(*(keys(each, *env) for each in system_of(words) or systems()))
        for setting in values(words, "--set", "--vary", "--sweep"):
            for key in setting.partition("=")[0].split("+"):
                self.assertIn(key, known)

    def assert_parses(self, words):
        result = tandem(*words[1:], NOT_THERE)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(f"The following argument was not expected: {NOT_THERE};", result.stderr)

    def test_each_command_is_in_a_group_and_has_one_line(self):
        self.assertEqual(listed(help_of(), ["Subcommands"]), {})
        for group in GROUPS:
            lines = listed(help_of(), [group])
            self.assertTrue(lines, group)
            for line in lines.values():
                self.assertLessEqual(len(line), 80, line)

    def test_each_help_ends_with_examples_that_work(self):
        for command in [(), *commands()]:
            with self.subTest(" ".join(("tandem", *command))):
                found = examples(help_of(*command))
                self.assertIn(len(found), (1, 2))
                for words in found:
                    self.assertEqual(tuple(words[1 : 1 + len(command)]), command)
                    self.assert_works(words)

    def test_the_documents_commands_work(self):
        for document in (ROOT / "README.md", *DOCUMENTS):
            lines = blocks(document)
            self.assertTrue(lines, document)
            for words in lines:
                with self.subTest(shlex.join(words)):
                    self.assert_works(words)


if __name__ == "__main__":
    unittest.main()

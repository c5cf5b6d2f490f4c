"""The valid command lines of tandem, read from the sources: no program is run."""

import re
from functools import cached_property
from pathlib import Path

# For each table, the files in src/tandem whose fields() are its keys.
TABLES = {
    "a2c": ["algo/a2c.cc"],
    "dpg": ["algo/dpg.cc"],
    "dqn": ["algo/dqn.cc"],
    "env": ["trainer/env_config.cc", "env/builtin.cc"],
    "net": ["nn/architecture.cc"],
    "optimizer": ["learn/optimizer.cc"],
    "ppo": ["algo/ppo.cc"],
    "q": ["algo/q_learning.cc", "algo/exploration.cc"],
    "replay": ["replay/table.cc"],
    "run": ["run/run_config.cc"],
}
FIELD = re.compile(r'(?:\.key = |\bchance\(\s*)"(\w+)"')
OPTION = re.compile(r'(\w+)\(\s*"(--[\w-]+)"\s*,')
COMMAND = re.compile(r'(\w+)\s*(?:\.|->)add_subcommand\(\s*"([\w-]+)"')
# The classes that add options to several commands, and their files.
SHARED = {
    "ConfigOptions": "config_options.cc",
    "EnvOptions": "config_options.cc",
    "AgentOptions": "agent_options.cc",
}


class Command:
    """One subcommand, from the text of the file that adds it."""

    def __init__(self, app: Path, text: str) -> None:
        self.options: dict[str, bool] = {}  # by name: whether a value follows
        self.text = text
        for kind in SHARED:
            if re.search(rf"\b{kind}\b", text):
                shared = (app / SHARED[kind]).read_text()
                self.add_options(shared)
                self.text += shared
        left_out = re.search(r"add_to\(\*\w+, \{([^}]*)\}", text)
        for name in re.findall(r"--[\w-]+", left_out[1] if left_out else ""):
            self.options.pop(name, None)
        self.add_options(text)

    def add_options(self, text: str) -> None:
        for call, name in OPTION.findall(text):
            self.options[name] = call != "add_flag"

    def positional(self) -> str | None:
        """The command's positional argument, as its file names it."""
        if "ConfigOptions config;" in self.text:
            return "SYSTEM"
        names = re.findall(r'add_option\(\s*"([A-Z]+)"', self.text)
        return next((name for name in names if name != "SYSTEM"), None)


class Commands:
    """All commands, with the systems, presets, keys and environments that they take."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sources = root / "src" / "tandem"

    def read(self, file: str) -> str:
        return (self.sources / file).read_text()

    @cached_property
    def systems(self) -> set[str]:
        return set(re.findall(r"tandem/systems/(\w+)/", self.read("systems/catalogue.cc")))

    @cached_property
    def algorithms(self) -> set[str]:
        text = self.read("algo/catalogue.cc")
        return set(re.findall(r'(?:\.name = |value_method\()"(\w+)"', text))

    @cached_property
    def studies(self) -> set[str]:
        return set(re.findall(r'^    \{"(\w+)",', self.read("study/apex/apex_studies.cc"), re.M))

    @cached_property
    def all(self) -> dict[str, Command]:
        found = {}
        for file in (self.sources / "app").glob("cmd_*.cc"):
            text = file.read_text()
            for parent, name in COMMAND.findall(text):
                words = name if parent == "program" else f"{parent} {name}"
                found[words] = Command(file.parent, text)
        return found

    def all_options(self) -> set[str]:
        return {name for command in self.all.values() for name in command.options}

    def has_preset(self, name: str) -> bool:
        return (self.root / "configs" / f"{name}.toml").is_file()

    @cached_property
    def keys(self) -> set[str]:
        tables = {name: [self.sources / file for file in files] for name, files in TABLES.items()}
        tables["env"] += self.root.glob("plugins/*/*_family.cc")
        for system in self.systems:
            tables[system] = [self.sources / "systems" / system / f"{system}_config.cc"]
        keys = {"algo"}
        for table, files in tables.items():
            for file in files:
                keys.update(f"{table}.{key}" for key in FIELD.findall(file.read_text()))
        return keys

    @cached_property
    def plans(self) -> list[list[str]]:
        """The words of `tandem reproduce`: a paper, or a paper and an item."""
        files = (self.root / "configs/studies").glob("*/*.toml")
        items = [[file.parent.name, file.stem.replace("_", "-")] for file in files]
        return items + [[paper] for paper in {item[0] for item in items}]

    def has_key(self, key: str) -> bool:
        return key in self.keys

    def has_env(self, env: str) -> bool:
        family, _, name = env.partition(":")
        if not name:
            return f'Builtin{{"{family}"' in self.read("env/builtin.cc")
        if family == "atari":
            return f'{{"{name}",' in self.read("run/atari_scores.cc")
        # The names of these come from packages.
        page = {
            "football": "plugins/football/README.md",
            "doom": "docs/doom.md",
            "torcs": "docs/torcs.md",
        }.get(family)
        if page:
            return f"`{name}`" in (self.root / page).read_text()
        tasks = (self.root / "plugins" / family / "tasks").glob("*.cc")
        return any(f'"{name}"' in file.read_text() for file in tasks)

    def problem(self, words: list[str]) -> str | None:
        """The problem with the words after `tandem`, or None."""
        names = [" ".join(words[:2]), words[0]]
        name = next((each for each in names if each in self.all), None)
        if name is None:
            return f"no command {words[0]}"
        command = self.all[name]
        rest = words[len(name.split()) :]
        if any(each.startswith(f"{name} ") for each in self.all) and not command.positional():
            return f"{name} has no command {' '.join(rest[:1])}"
        positionals = []
        while rest:
            word = rest.pop(0)
            if not word.startswith("--"):
                positionals.append(word)
                continue
            if word not in command.options:
                return f"{name} has no option {word}"
            if not command.options[word]:
                continue
            if not rest:
                return f"{word} has no value"
            if problem := self.value_problem(word, rest.pop(0)):
                return problem
        return self.positional_problem(command, positionals)

    def positional_problem(self, command: Command, words: list[str]) -> str | None:
        what = command.positional()
        if what and not words:
            return f"a {what} is missing"
        for word in words:
            if what == "SYSTEM":
                known = word in self.systems
            elif what == "STUDY":
                known = word in self.studies
            elif what == "PAPER":
                known = words in self.plans
            else:
                known = what == word and word in ("RUN", "FILE")
            if not known:
                return f"{word} is no {what or 'option'}"
        return None

    def value_problem(self, option: str, value: str) -> str | None:
        if option == "--config" and not self.has_preset(value):
            return f"no preset {value} in configs"
        if option == "--env" and not self.has_env(value):
            return f"no environment {value}"
        if option in ("--set", "--vary", "--sweep"):
            keys, _, values = value.partition("=")
            for key in keys.split("+"):
                if not self.has_key(key):
                    return f"no config key {key}"
            if keys == "algo":
                return next(
                    (f"no algorithm {a}" for a in values.split(",") if a not in self.algorithms),
                    None,
                )
        return None

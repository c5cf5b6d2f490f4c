"""The cases on which compare_versions.py compares two builds of tandem.

A name begins with the system and the environment, so that --only selects by either. Networks and
budgets are small: a case of training takes a second or two.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

CATCH, CARTPOLE, PENDULUM = "catch", "cartpole", "pendulum"
LABYRINTH, PONG, WALKER = "labyrinth", "atari:Pong", "mujoco:walker-walk"
SYSTEMS = ("paac", "a3c", "ga3c", "hts", "impala", "apex")


@dataclass(frozen=True)
class Case:
    """A command `tandem train WORDS`, without seed, threads, steps and folder."""

    name: str
    env: str
    words: tuple[str, ...]
    steps: int = 0


@dataclass(frozen=True)
class ForwardCase(Case):
    """A run that one build begins, and another ends with more steps."""

    same_bits: bool = False  # it gives the same bits each time
    verify: bool = False  # `tandem verify` takes it


@dataclass(frozen=True)
class RateCase(Case):
    """A command whose speed is measured, as the growth of these columns of its metrics."""

    columns: tuple[str, ...] = ("steps",)


def settings(*pairs):
    return tuple(word for pair in pairs for word in ("--set", pair))


MLP = settings("net.arch=mlp", "net.hidden=64")
ALGORITHMS = {
    "a2c": (),
    "ppo": settings("algo=ppo"),
    "n_step_q": settings("algo=n_step_q"),
    "one_step_q": settings("algo=one_step_q"),
    "one_step_sarsa": settings("algo=one_step_sarsa"),
    "a2c lstm": settings("net.lstm=32"),
}
STATISTICS = settings("env.normalise=running", "env.normalise_rewards=true")
CONTINUOUS = ("a2c", "ppo", "a2c lstm")  # the others need discrete actions
STEPS = {CATCH: 8_000, CARTPOLE: 8_000, PONG: 4_000, WALKER: 4_000}


def training(system, algorithms, *more, note=""):
    """Each algorithm on each environment whose actions it can choose."""
    for env, steps in STEPS.items():
        if env == WALKER:
            words = (system, "--env", env, *MLP)
        else:
            preset = "atari" if env == PONG else env
            words = (system, "--config", f"{system}/{preset}", "--env", env)
        for algorithm in algorithms:
            if env == WALKER and algorithm not in CONTINUOUS:
                continue
            name = " ".join([system, env, algorithm, note]).strip()
            yield Case(name, env, (*words, *ALGORITHMS[algorithm], *more), steps)


def bit_cases():
    """Runs that give the same bits when repeated: PAAC, HTS-RL, and A3C with one learner."""
    eight = ("envs=8", "envs_per_group=4")
    paac = settings(*(f"paac.{pair}" for pair in eight))
    hts = settings(*(f"hts.{pair}" for pair in eight))
    q = ("n_step_q", "one_step_q", "one_step_sarsa")
    yield from training("paac", ("a2c", "ppo", "n_step_q", "a2c lstm"), *paac)
    yield from training("hts", ("a2c", "ppo"), *hts)
    falling = settings("ppo.clip_end=0.01", "ppo.clip_steps=6000")
    yield from training("paac", ("ppo",), *paac, *falling, note="falling clip")
    yield from training("hts", ("ppo",), *hts, *falling, note="falling clip")
    actors = settings("hts.executors=3", "hts.actors=2")
    yield from training("hts", ("a2c",), *hts, *actors, note="actors")
    alone = settings("a3c.learners=1")
    yield from training("a3c", ("a2c", *q, "a2c lstm"), *alone, note="alone")
    for system, more in (("paac", paac), ("hts", hts), ("a3c", alone)):
        words = (system, "--config", f"{system}/{LABYRINTH}", *more)
        yield Case(f"{system} {LABYRINTH} a2c lstm", LABYRINTH, words, STEPS[PONG])
        words = (system, "--config", f"{system}/cartpole", "--env", CARTPOLE, *more, *STATISTICS)
        yield Case(f"{system} {CARTPOLE} statistics", CARTPOLE, words, STEPS[CARTPOLE])


def config_cases(presets):
    """Each preset of the folder `presets`, and each system's config when no preset is named."""
    # An algorithm's preset (algo/ppo) is no preset of a system; the cases with `algo` below use it.
    files = [file for file in Path(presets).glob("*/*.toml") if file.parent.name in SYSTEMS]
    for file in sorted(files):
        system, name = file.parent.name, f"{file.parent.name}/{file.stem}"
        env = tomllib.loads(file.read_text()).get("env", {}).get("id", PONG)
        yield Case(name, env, (system, "--config", name))
    algorithms = {
        "paac": ("a2c", "ppo", "n_step_q"),
        "a3c": ("a2c", "n_step_q", "one_step_q", "one_step_sarsa"),
        "hts": ("a2c", "ppo"),
        "ga3c": ("a2c",),
        "impala": ("a2c",),
        "apex": ("dqn",),
    }
    for system in SYSTEMS:
        yield Case(f"{system} without a word", PONG, (system,))
        for algorithm in algorithms[system]:
            algo = settings(f"algo={algorithm}")
            name = f"{system} {{}} {algorithm} without a preset"
            yield Case(name.format(PONG), PONG, (system, "--env", PONG, *algo))
            words = (system, "--env", CARTPOLE, *MLP, *algo)
            yield Case(name.format(CARTPOLE), CARTPOLE, words)
    dpg = ("apex", "--env", PENDULUM, *settings("algo=dpg"))
    yield Case("apex pendulum dpg without a preset", PENDULUM, dpg)


def forward_cases():
    """Small runs of all systems."""

    def case(system, env, *words, steps=4_000, note="", **what):
        preset = "atari" if env == PONG else env
        command = (system, "--config", f"{system}/{preset}", *words)
        return ForwardCase(f"{system} {env} {note}".strip(), env, command, steps, **what)

    exact = {"same_bits": True, "verify": True}
    small = settings("paac.envs=8", "paac.envs_per_group=4")
    ppo, lstm, q = ALGORITHMS["ppo"], ALGORITHMS["a2c lstm"], ALGORITHMS["n_step_q"]
    yield case("paac", CATCH, **exact)
    yield case("paac", CARTPOLE, *lstm, note="lstm", **exact)
    yield case("paac", CARTPOLE, *q, note="n_step_q", **exact)
    yield case("paac", PONG, *small, *ppo, steps=2_000, note="ppo", **exact)
    yield case("hts", CATCH, **exact)
    yield case("hts", CARTPOLE, *ppo, note="ppo", **exact)
    alone = settings("a3c.learners=1")
    yield case("a3c", CATCH, *alone, note="alone", same_bits=True)
    yield case("a3c", CARTPOLE, *alone, *q, note="alone, n_step_q", same_bits=True)
    for system in ("a3c", "ga3c", "impala", "apex"):
        yield case(system, CATCH)
        yield case(system, CARTPOLE)
    yield case("apex", PENDULUM, note="dpg", steps=2_500)


def rate_cases():
    """The six systems on Pong, as their presets have them."""
    # With these settings Ape-X learns from its first seconds on, and makes many small updates.
    replay = ("replay.min_fill=2000", "replay.capacity=100k", "apex.keep_replay=false")
    apex = {"more": settings(*replay, "apex.batch=16"), "columns": ("steps", "updates")}
    for system in SYSTEMS:
        yield rate_case(system, **(apex if system == "apex" else {}))


def rate_case(system, more=(), **what):
    words = (system, "--config", f"{system}/atari", "--env", PONG, *more)
    return RateCase(f"{system} {PONG}", PONG, words, **what)

#!/usr/bin/env python3
"""Compares football with EnvPool's, and draws the right half of HTS-RL's Figure 4.

usage: football.py env|figure-4|all [--rounds N] [--seconds S] [--out DIR]

env: steps per second of one game on one core with random actions, tandem and EnvPool by turns,
round after round, so that other work on the machine affects both alike. Both show the mini map and
reward goals. Only ratios of one run mean anything.

figure-4: steps per second of whole training by the number of environments, of HTS-RL with PPO and
of PPO alone, on "counterattack hard", beside the rates that `tandem advise` foresees.

The first time, the peers of peers/requirements.txt are installed into .venv-peers.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from machine import machine_name
from peer_environments import PEERS, ROOT, Missing, Turns, peers_python

SCENARIOS = ["academy_3_vs_1_with_keeper", "academy_counterattack_easy"]
SCENARIOS += ["academy_counterattack_hard", "11_vs_11_stochastic"]
FIGURE_4 = "academy_counterattack_hard"
ENVS = [1, 2, 4, 8, 16]
CORE = "0"  # on which games are stepped


def run_json(*words):
    """The JSON that a command prints."""
    done = subprocess.run([*words, "--json"], stdout=-1, check=True, text=True)
    return json.loads(done.stdout)


def own_rate(program, scenario, seconds):
    """Steps per second of one game of tandem's."""
    words = ["bench", "env", "--env", f"football:{scenario}", "--seconds", str(seconds)]
    words += ["--set", "env.stack=1", "--set", "env.rewards=scoring"]
    pinned = ["taskset", "--cpu-list", CORE, program]
    return run_json(*pinned, *words)["steps_per_second"]


def rate(peer, seconds):
    """Steps per second of a peer in its next turn."""
    steps, passed, _ = peer.turn(seconds)
    return steps / passed


def print_row(scenario, turns):
    """Prints both rates of a scenario and their ratio, the medians over the rounds."""
    own, other = (statistics.median(column) for column in zip(*turns, strict=True))
    ratios = [mine / theirs for mine, theirs in turns]
    times = f"{statistics.median(ratios):.2f}"
    each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"| {scenario} | {own:,.0f} | {other:,.0f} | {times} | {each} |", flush=True)


def print_head():
    """Prints the head of the table that print_row() fills."""
    print("| scenario | tandem, steps/s | EnvPool, steps/s | times | of each round |")
    print("|---|---|---|---|---|")


def compare_games(program, python, rounds, seconds):
    """Prints a row for each scenario."""
    print_head()
    pinned = ["taskset", "--cpu-list", CORE]
    for scenario in SCENARIOS:
        turns = []
        for _ in range(rounds):
            own = own_rate(program, scenario, seconds)
            peer = Turns([*pinned, python, PEERS / "football_rate.py", scenario])  # new, as ours
            turns.append((own, rate(peer, seconds)))
            peer.close()
        print_row(scenario, turns)


def candidate(system, envs):
    """A system with so many environments, as `tandem advise --candidate` takes it."""
    half = max(1, envs // 2)
    words = [system, f"{system}.envs={envs}", f"{system}.envs_per_group={half}"]
    cores = len(os.sched_getaffinity(0))
    return " ".join(words + [f"hts.executors={cores}", "hts.actors=0"] * (system == "hts"))


def figure_4(program, seconds, out):
    """Measures and draws the right half of Figure 4, and prints it beside the forecasts."""
    curves = {"HTS-RL (PPO)": "hts", "PPO": "paac"}
    words = ["advise", "--env", f"football:{FIGURE_4}", "--check", "--seconds", str(seconds)]
    for system in curves.values():
        words += [word for envs in ENVS for word in ("--candidate", candidate(system, envs))]
    advice = run_json(program, *words)
    rows = advice["forecasts"]
    print(f"\nA step takes {advice['t_env_us']:.0f} us +- {advice['t_env_deviation_us']:.0f} us.\n")
    print("| system | environments | steps/s | foreseen | error |\n|---|---|---|---|---|")
    rates = {}
    for name, system in curves.items():
        own = [row for row in rows if row["system"] == system]
        rates[name] = [row["measured_steps_per_second"] for row in own]
        for envs, row in zip(ENVS, own, strict=True):
            measured, foreseen = row["measured_steps_per_second"], row["steps_per_second"]
            error = foreseen / measured - 1
            print(f"| {name} | {envs} | {measured:,.0f} | {foreseen:,.0f} | {error:+.0%} |")
    out.mkdir(parents=True, exist_ok=True)
    draw(rates, out / "football-figure-4.png")


def draw(rates, file):
    """A line for each system, as in the paper."""
    import matplotlib  # noqa: PLC0415

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    _, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
    for name, values in rates.items():
        axes.plot(ENVS, values, marker="o", label=name)
    axes.set_xscale("log", base=2)
    axes.set_xticks(ENVS, map(str, ENVS))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("environments")
    axes.set_ylabel("steps per second of training")
    axes.set_title(f"counterattack hard\n{machine_name()}", fontsize=9)
    axes.legend()
    plt.savefig(file, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["env", "figure-4", "all"])
    parser.add_argument("--program", type=Path, default=ROOT / "build/tandem")
    parser.add_argument("--python", type=Path, help="a Python that has EnvPool 1.2.5")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--out", type=Path, default=ROOT / "runs/football-bench")
    args = parser.parse_args()
    print(f"CPU: {machine_name()}\n")
    if args.part in ("env", "all"):
        compare_games(args.program, peers_python(args.python), args.rounds, args.seconds)
    if args.part in ("figure-4", "all"):
        figure_4(args.program, 3 * args.seconds, args.out)


if __name__ == "__main__":
    try:
        main()
    except Missing as reason:
        sys.exit(f"football: {reason}")

#!/usr/bin/env python3
"""Loads the replay of a cluster as the paper's Ape-X does, and says what each part costs.

The paper's actors insert 12,500 transitions/s, and its learner draws 19 batches of 512 a second and
returns their priorities. Here a local Ray cluster has the shards, messages and carriers of `tandem
cluster train`; its actors send play that they recorded once, at a given rate, and its learner
computes nothing. Exits with 1 if a rate stays below 95% of the asked one, or if a transition is
lost or counted twice.

--most removes the limits: inserts alone, draws alone, then both. --peer takes turns with RLlib's
prioritized replay buffer in a Ray actor (peers/rllib_replay.py), which gets the same transitions;
the first time, RLlib is installed into .venv-rllib.
"""

import argparse
import importlib.util
import math
import os
import sys
import time

from peer_environments import ROOT, Missing

ENOUGH = 0.95  # of a rate that was asked for
LINE_SECONDS = 10
SETTLE_SECONDS = 2  # after a change of rates
FILL_RATE = 20_000  # transitions/s
WAYS = {
    "inserts alone": (math.inf, 0),
    "draws alone": (0, math.inf),
    "both": (math.inf, math.inf),
}
PEER_WAYS = WAYS | {"both, inserts at about RLlib's rate": (6_000, math.inf)}


def use_own_python():
    """Starts again with the Python and the package of the build, unless this one has them."""
    if importlib.util.find_spec("tandem") and importlib.util.find_spec("ray"):
        return
    python, package = ROOT / ".venv/bin/python", ROOT / "build/python"
    if os.environ.get("TANDEM_BENCHMARK") or not python.exists():
        sys.exit("cluster_replay: this needs the built Python package and Ray (make setup)")
    path = os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "TANDEM_BENCHMARK": "1"}
    os.execve(python, [str(python), *sys.argv], environment)


def mega(value):
    return f"{value / 1e6:,.0f}"


def rates(begin, end, seconds, batch):
    """The rates between two looks."""
    done = end - begin
    return {
        "transitions/s in": done.inserted / seconds,
        "batches/s out": done.batches / seconds,
        "samples/s out": done.batches * batch / seconds,
        "MB/s in": done.sent_bytes / seconds / 1e6,
        "MB/s of observations out": done.sample_bytes / seconds / 1e6,
    }


def rates_text(found):
    return ", ".join(
        f"{value:,.{1 if name == 'batches/s out' else 0}f} {name}" for name, value in found.items()
    )


def cores_text(cores, others):
    parts = [f"{role} {share:.2f}" for role, share in sorted(cores.items())]
    return f"cores: {', '.join(parts)}; other programs {others:.2f}"


def use_table(use, cores):
    from python_envs import markdown

    lines = [["role", "cores", "own memory, MB", "shared memory, MB"]]
    for role in sorted(use):
        one = use[role]
        lines.append([role, f"{cores.get(role, 0):.2f}", mega(one.own), mega(one.shared)])
    return markdown(lines)


def fill(load, transitions):
    """Inserts without draws until the replay has so many transitions."""
    load.set_rates(FILL_RATE, 0)
    while load.totals().transitions < transitions:
        time.sleep(0.2)


def settle(load, transitions, batches):
    load.set_rates(transitions, batches)
    time.sleep(SETTLE_SECONDS)


def watch(load, seconds, args):
    """Prints a line each some seconds; returns the rates, and the cores and use of each role."""
    from cluster_use import Shares, use_by_role

    lines, whole = Shares(), Shares()
    first = before = load.totals()
    begin = last = time.monotonic()
    while last < begin + seconds:
        time.sleep(min(LINE_SECONDS, begin + seconds - last))
        now, moment = load.totals(), time.monotonic()
        found = rates(before, now, moment - last, args.batch)
        print(
            f"{moment - begin:.0f} s: {rates_text(found)}, {now.transitions:,} transitions in the "
            f"replay; {cores_text(*lines.look())}",
            flush=True,
        )
        before, last = now, moment
    cores, others = whole.look()
    return rates(first, before, last - begin, args.batch), cores, others, use_by_role()


def losses(load):
    """The transitions that got lost or counted twice, in words, and whether there are none."""
    end = load.rest()
    missing = end.sent - end.inserted
    text = (
        f"{end.sent:,} transitions sent, {end.inserted:,} inserted; {end.unheard} messages without "
        f"an answer, {end.repeated} came twice, {end.lost_batches} batches lost"
    )
    return text, missing == 0 and end.open == 0


def hold_rate(load, args):
    """The load at the asked rates."""
    fill(load, args.min_fill)
    settle(load, args.rate, args.batches)
    found, cores, others, use = watch(load, args.seconds, args)
    text, whole = losses(load)
    print(f"\n{setting(args)}\n\n{args.seconds:g} s: {rates_text(found)}; {text}\n")
    print(use_table(use, cores))
    print(f"\nother programs of the machine: {others:.2f} cores")
    reached = (found["transitions/s in"] / args.rate, found["batches/s out"] / args.batches)
    if min(reached) >= ENOUGH and whole:
        print("the rates held, and every transition came once")
        return 0
    print(f"NOT HELD: {reached[0]:.1%} of the inserts, {reached[1]:.1%} of the batches; {text}")
    return 1


def find_most(load, args):
    """The rates without a limit."""
    fill(load, args.min_fill)
    tables = []
    for way, limits in WAYS.items():
        settle(load, *limits)
        print(f"{way}:", flush=True)
        found, cores, others, use = watch(load, args.seconds / len(WAYS), args)
        load.rest()
        tables.append(f"{way}: {rates_text(found)}\n\n{use_table(use, cores)}\n")
        tables.append(f"other programs of the machine: {others:.2f} cores\n")
    text, whole = losses(load)
    print("\n".join(["", setting(args), "", *tables, text]))
    return 0 if whole else 1


def setting(args):
    from machine import cpu_name

    return (
        f"{args.env}, {args.actors} actors of {args.envs} environments each, {args.shards} shards, "
        f"{args.capacity:,} transitions at most, batches of {args.batch}; {cpu_name()}, "
        f"{len(os.sched_getaffinity(0))} cores; {time.strftime('%Y-%m-%d')}"
    )


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--actors", type=int, default=4, help="processes")
    parser.add_argument("--envs", type=int, default=90, help="of each actor: the paper has 360")
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--rate", type=float, default=12_500, help="transitions/s")
    parser.add_argument("--batches", type=float, default=19, help="batches/s")
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--capacity", type=int, help="transitions; default: the paper's 2,000,000")
    parser.add_argument("--min-fill", type=int, default=50_000)
    parser.add_argument("--compression", default="lz4")
    parser.add_argument("--env", default="atari:Pong")
    parser.add_argument("--most", action="store_true")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--rounds", type=int, default=5, help="of --peer")
    parser.add_argument("--peer-python", help="a Python that has RLlib; installs nothing")
    args = parser.parse_args()
    if args.capacity is None:
        # The peer keeps 56 kB for each transition.
        args.capacity = 50_000 if args.peer else 2_000_000
    args.min_fill = min(args.min_fill, args.capacity)
    return args


def main():
    args = arguments()
    use_own_python()
    from cluster_load import Load

    load = Load(args)
    try:
        if args.peer:
            from cluster_peer import compare

            return compare(load, args, PEER_WAYS, setting(args))
        return find_most(load, args) if args.most else hold_rate(load, args)
    finally:
        load.end()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("cluster_replay: interrupted")
    except Missing as reason:
        sys.exit(f"cluster_replay: {reason}")

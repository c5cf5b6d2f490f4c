#!/usr/bin/env python3
"""Measures PAAC's speed with both of its networks, and over n_e as in the paper's Figures 2 to 4.

Prints Markdown tables; --out writes them to a file. It takes about six minutes. The machine should
do nothing else, or the numbers mean little.
"""

import argparse
import json
import subprocess
import time
from pathlib import Path

from machine import machine_name

ROOT = Path(__file__).resolve().parent.parent
NETS = ("nips", "nature")

# Columns: title, key in the program's JSON, format.
PARTS = (
    ("t_env, us", "t_env_us", "{:.0f}"),
    ("t_inf, us", "t_inference_us", "{:.0f}"),
    ("t_train, us", "t_train_us", "{:.0f}"),
    ("limit, steps/s", "limit_steps_per_second", "{:,.0f}"),
    ("reached, steps/s", "steps_per_second", "{:,.0f}"),
    ("of the limit", "fraction_of_limit", "{:.0%}"),
)
SHARES = (
    ("stepping", "time/stepping", "{:.0%}"),
    ("inferring", "time/inferring", "{:.0%}"),
    ("learning", "time/learning", "{:.0%}"),
    ("waiting", "time/waiting", "{:.0%}"),
)


def bench(args, net, *options):
    """The results of `tandem bench`, from its JSON."""
    command = [args.tandem, "bench", "paac", "--config", f"paac/paper_{net}", "--env", args.env]
    command += ["--seconds", str(args.seconds), "--json", *options]
    done = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def table(columns, rows):
    lines = [" | ".join(title for title, _, _ in columns), "|".join("---" for _ in columns)]
    for row in rows:
        lines.append(" | ".join(format.format(row[key]) for _, key, format in columns))
    return "\n".join(f"| {line} |" for line in lines)


def report(args):
    """Yields the parts of the Markdown text."""
    yield "# Speed of PAAC\n"
    rows = [bench(args, net) for net in NETS]
    threads = rows[0]["threads"]
    yield (
        f"Measured by `make bench` on {time.strftime('%Y-%m-%d')}: {args.env}, {threads} threads, "
        f"{machine_name()}.\n"
    )
    yield "## Parts and whole, n_e = 32\n"
    yield (
        "Costs of one step on one core; the limit is cores / (t_env + t_inf + t_train). The\n"
        "shares are those of all threads' time in whole training.\n"
    )
    yield table((("network", "net", "{}"), *PARTS, *SHARES), rows) + "\n"
    for net in NETS:
        yield f"## The number of environments, {net}\n"
        rows = bench(args, net, "--sweep", "paac.envs=16,32,64,128,256")
        yield table((("n_e", "paac.envs", "{}"), *PARTS, *SHARES), rows) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tandem", default=ROOT / "build/tandem", help="the program")
    parser.add_argument("--env", default="atari:Pong")
    parser.add_argument("--seconds", type=float, default=30, help="of each measurement")
    parser.add_argument("--out", type=Path, help="write the tables here, too")
    args = parser.parse_args()
    parts = []
    for part in report(args):
        print(part, flush=True)
        parts.append(part)
    if args.out:
        args.out.write_text("\n".join(parts))


if __name__ == "__main__":
    main()

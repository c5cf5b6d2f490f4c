#!/usr/bin/env python3
"""Writes the golden files: results of PyTorch for the C++ tests beside this script.

The script computes in float64, from inputs that both sides make by the formula of `numbers`, so
the files hold results alone. With --check it writes nothing: it compares the files in FOLDER with
the results of the installed PyTorch, and exits with 1 when they differ.

    python tests/golden/make_golden.py [FOLDER]
    python tests/golden/make_golden.py --check [FOLDER]
"""

import argparse
import json
import math
import pathlib
import sys

try:
    import torch
    from golden_dpg import dpg
    from golden_losses import a2c, dqn, gaussian, ppo, q_learning
    from golden_networks import lstm, networks
    from golden_optimizers import optimizers
except ImportError as error:
    print(f"needs numpy and torch: {error}")
    sys.exit(77)  # ctest: skipped

HERE = pathlib.Path(__file__).parent


def rounded(value):
    """Rounds to nine digits: far more than the tests need, and few enough for short files."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return value


def same(a, b):
    """Whether both are equal, up to the rounding of sums, which differs between processors."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-9)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return a == b


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=HERE)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args()
    torch.set_num_threads(1)
    different = []
    files = {
        "networks": networks,
        "ppo": ppo,
        "lstm": lstm,
        "a2c": a2c,
        "gaussian": gaussian,
        "q_learning": q_learning,
        "dqn": dqn,
        "dpg": dpg,
        "optimizers": optimizers,
    }
    for name, make in files.items():
        path = options.folder / f"{name}.json"
        cases = rounded(make())
        if not options.check:
            lines = ",\n".join(json.dumps(case) for case in cases)
            path.write_text(f"[\n{lines}\n]\n")
        elif not same(json.loads(path.read_text()), cases):
            different.append(str(path))
    if different:
        sys.exit(f"not what this PyTorch computes: {', '.join(different)}")


if __name__ == "__main__":
    main()

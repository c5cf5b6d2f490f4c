"""Draws docs/pictures: each system's threads, queues and parameters, and the way of the data.

usage: draw_figures.py [--check]
With --check it writes nothing, and exits with 1 if a picture in the folder differs from the one
drawn here or is hard to read (see diagram.py).
"""

import sys
from pathlib import Path

from diagram import Arrow, Box, Figure
from system_figures import a3c, apex, ga3c, hts, impala, paac

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"


def data_path() -> Figure:
    x, y = (44, 262, 480, 698), (80, 208, 350, 478)

    def part(name: str, kind: str, column: int, row: int, title: str, text: str, file: str) -> Box:
        return Box(name, kind, x[column], y[row], 190, 70, title, (text,), file)

    parts = (
        # name, kind, column, row, title, text, file
        (
            "emulate",
            "environment",
            0,
            0,
            "emulator",
            "four frames an action",
            "plugins/atari/ale_console.cc",
        ),
        (
            "observe",
            "environment",
            1,
            0,
            "observer",
            "84 x 84, brighter of two",
            "plugins/atari/observer.cc",
        ),
        ("stack", "environment", 2, 0, "frame stack", "the four newest", "env/env_record.cc"),
        ("row", "queue", 3, 0, "rollout row", "observation t + 1", "data/rollout.h"),
        ("step", "environment", 0, 1, "VecEnv", "steps each environment", "env/vec_env.cc"),
        ("bound", "step", 1, 1, "action", "within its bounds", "acting/env_actions.cc"),
        ("rule", "step", 2, 1, "acting rule", "draws from the policy", "algo/actor_critic_rule.h"),
        ("network", "step", 3, 1, "network", "policy and value", "nn/onednn/onednn_network.cc"),
        ("returns", "step", 0, 2, "returns", "from the last value back", "data/returns.cc"),
        ("loss", "step", 1, 2, "loss", "its gradient at the heads", "algo/a2c.cc"),
        (
            "backward",
            "step",
            2,
            2,
            "backward",
            "over all kept samples",
            "nn/onednn/onednn_network.cc",
        ),
        ("theta", "parameters", 3, 2, "parameters", "θ, one flat buffer", "learn/learner.h"),
        ("learner", "step", 2, 3, "learner", "sum, norm, clipping", "learn/learner.cc"),
        ("optimizer", "step", 3, 3, "optimizer", "RMSProp or another", "learn/optimizer_rules.h"),
    )
    return Figure(
        "The way of the data through PAAC",
        920,
        624,
        tuple(part(*each) for each in parts),
        (
            Arrow(("emulate.right", "observe.left")),
            Arrow(("observe.right", "stack.left")),
            Arrow(("stack.right", "row.left")),
            Arrow(("row.bottom", "network.top"), "bytes of a group", (783, 180), "end"),
            Arrow(("network.left", "rule.right")),
            Arrow(("rule.left", "bound.right")),
            Arrow(("bound.left", "step.right")),
            Arrow(("step.top", "emulate.bottom"), "t_max times", (149, 180), "start"),
            Arrow(
                ("row.top", (None, 56), (20, None), (None, 385), "returns.left@="),
                "the full rollout: rewards, ends, values",
                (560, 47),
            ),
            Arrow(("returns.right", "loss.left")),
            Arrow(("loss.right", "backward.left")),
            Arrow(
                ("network.bottom@30", (None, 310), (575, None), "backward.top@="),
                "kept activations",
                (650, 323),
            ),
            Arrow(("backward.bottom", "learner.top"), "gradient of each group", (567, 450), "end"),
            Arrow(("learner.right", "optimizer.left")),
            Arrow(("optimizer.top", "theta.bottom"), "new θ", (801, 450), "start"),
            Arrow(("theta.top", "network.bottom"), "reload", (801, 315), "start"),
        ),
        (),
        (
            "The upper half: each step, acting/collector.cc. The lower half: each update,"
            " systems/paac/paac.cc.",
            "Folders other than plugins lie in src/tandem.",
        ),
    )


FIGURES = (paac, a3c, ga3c, hts, impala, apex, data_path)


def main() -> bool:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    failed = False
    for make in FIGURES:
        figure, name = make(), make.__name__
        path = PICTURES / f"{name}.svg"
        for what in figure.offences():
            print(f"{name}: {what}")
            failed = True
        if not check:
            path.write_text(figure.svg())
        elif not path.exists() or path.read_text() != figure.svg():
            print(f"docs/pictures/{name}.svg is not what tools/draw_figures.py draws")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())

"""A run's folder as `tandem train` leaves it, for the tests of tools that read it."""

import json


def make_run(
    folder,
    seed=1,
    arch="nips",
    lr=0.01,
    returns=(0.0, 1.0, 2.0),
    env="atari:Pong",
    games=100,
    why_ended=None,
):
    """Logs a return every 1,000 steps and `games` games; a step takes a tenth of a second."""
    folder.mkdir()
    (folder / "config.toml").write_text(
        f"system = 'paac'\n[run]\nseed = {seed}\n[env]\nid = '{env}'\n"
        f"[net]\narch = '{arch}'\n[optimizer]\nlr = {lr}\n"
    )
    lines = [{"steps": 5, "frames": 20, "seconds": 0.5}]  # before the first game ended
    for i, value in enumerate(returns):
        steps = 1000 * (i + 1)
        line = {"steps": steps, "frames": 4 * steps, "seconds": steps / 10}
        line["episodes"] = games * (i + 1)
        lines.append(line | {"episode/return_mean_100": value})
    text = "\n".join(json.dumps(line) for line in lines)
    (folder / "metrics.jsonl").write_text(text + '\n{"steps": 99')  # being written
    if why_ended:
        (folder / "result.json").write_text(json.dumps({"why_ended": why_ended}))
    return folder

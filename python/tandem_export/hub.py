"""A folder in the convention of model hubs."""

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

from tandem_export.card import Games, as_games, card
from tandem_export.files import ExportError
from tandem_export.network import Agent
from tandem_export.onnx_file import write_onnx
from tandem_export.program import Program
from tandem_export.tensors import read, shapes
from tandem_export.torch_file import torch_source

EVENT_WORDS = 5  # events.out.tfevents.TIME.NUMBER


def _config(agent: Agent, description: dict[str, Any], games: Games) -> dict[str, Any]:
    result = {"mean_reward": games.mean, "std_reward": games.std, "episodes": games.episodes}
    return {"library_name": "tandem", **description, "result": result}


def _results(games: Games) -> dict[str, Any]:
    return {
        "mean_reward": games.mean,
        "std_reward": games.std,
        "is_deterministic": games.greedy,
        "n_eval_episodes": games.episodes,
        "eval_datetime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _without_own_machine(config: str) -> str:
    """A config without its machine's folders and without the code of a function that makes the
    environment.

    The code holds the paths of modules, and a reader of the folder should not have to run it.
    """
    own = re.compile(r"(pickle|python|workers|timeout_seconds|\w+_dir) = ")  # see is_of_machine()
    before, env, settings = config.partition("[env]\n")
    settings, table, after = settings.partition("\n[")
    lines = [line for line in settings.splitlines(keepends=True) if not own.match(line)]
    return "".join([before, env, *lines, table, after])


def _write_json(file: Path, data: dict[str, Any]) -> None:
    file.write_text(json.dumps(data, indent=2) + "\n")


def fill_hub(
    folder: Path, program: Program, parts: Path, agent: Agent, episodes: int
) -> tuple[Games, str]:
    """Writes all files of the agent in `parts` into an empty folder.

    Returns the result of the games, and why there is no video, or an empty text.
    """
    model = folder / "model.safetensors"
    shutil.copyfile(parts / "model.safetensors", model)
    write_onnx(agent, read(model), folder / "model.onnx")
    (folder / "model.py").write_text(torch_source(agent, shapes(model), "model"))
    config = (program.run / "config.toml").read_text()
    (folder / "config.toml").write_text(_without_own_machine(config))
    events = sorted(program.run.glob("events.out.tfevents.*"))
    for file in events:
        # The name ends with the machine's, which is nobody's business.
        shutil.copyfile(file, folder / ".".join(file.name.split(".")[:EVENT_WORDS]))
    played = program.evaluate(episodes)
    if played["checkpoint_steps"] != agent.steps:
        raise ExportError(
            "the training found a better checkpoint while the games were played; run the same "
            "command again"
        )
    games = as_games(played)
    complaint = program.record(folder / "replay.mp4")
    description = json.loads((parts / "network.json").read_text())
    _write_json(folder / "config.json", _config(agent, description, games))
    _write_json(folder / "results.json", _results(games))
    text = card(agent, games, video=not complaint, events=bool(events))
    (folder / "README.md").write_text(text)
    return games, complaint

"""The command `tandem export`, after the program has checked its words."""

import argparse
import importlib.util
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tandem_export.files import (
    ExportError,
    require_file_name,
    require_new_folder,
    size,
    unfinished,
)
from tandem_export.hub import fill_hub
from tandem_export.network import Agent, read_agent
from tandem_export.onnx_file import write_onnx
from tandem_export.program import Program, ProgramError
from tandem_export.tensors import read, shapes
from tandem_export.torch_file import torch_source


def _read_words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tandem export")
    parser.add_argument("--program", required=True)
    parser.add_argument("--onnx", type=Path)
    parser.add_argument("--torch", type=Path)
    parser.add_argument("--hub", type=Path)
    parser.add_argument("--episodes", type=int, default=30)
    parser.add_argument("agent", nargs="+")
    return parser.parse_args()


def _say(text: str) -> None:
    print(f"tandem export: {text}", flush=True)


def _require_onnx() -> None:
    if importlib.util.find_spec("onnx") is not None:
        return
    raise ExportError(
        f"the Python {sys.executable} has no package onnx; run: pip install 'tandem-rl[onnx]', or "
        "in a clone `make setup`; $TANDEM_PYTHON names another Python"
    )


def _check_targets(options: argparse.Namespace) -> None:
    """Raises ExportError before any work is done."""
    if options.onnx:
        require_file_name(options.onnx, ".onnx")
    if options.torch:
        require_file_name(options.torch, ".py")
        if not options.torch.stem.isidentifier():
            raise ExportError(
                f"{options.torch}: Python cannot import a module of this name; use letters, digits "
                "and _ alone"
            )
    if options.hub:
        require_new_folder(options.hub)
    if options.onnx or options.hub:
        _require_onnx()


def _export(options: argparse.Namespace, work: Path) -> None:
    program = Program(options.program, tuple(options.agent))
    parts = work / "parts"
    program.write_parts(parts)
    agent = read_agent(parts / "network.json")
    model = parts / "model.safetensors"
    if options.onnx:
        with unfinished(options.onnx) as file:
            write_onnx(agent, read(model), file)
        _say(f"{options.onnx}: ONNX, {size(options.onnx)}")
    if options.torch:
        _write_torch(agent, model, options.torch)
    if options.hub:
        _write_hub(program.at(agent.steps), parts, agent, options)


def _write_torch(agent: Agent, model: Path, module: Path) -> None:
    weights = module.with_suffix(".safetensors")
    with unfinished(weights) as file:
        shutil.copyfile(model, file)
    with unfinished(module) as file:
        file.write_text(torch_source(agent, shapes(model), module.stem))
    _say(f"{module}: a PyTorch module; {weights}: its weights, {size(weights)}")


def _write_hub(program: Program, parts: Path, agent: Agent, options: argparse.Namespace) -> None:
    _say(f"playing {options.episodes} games for the card ...")
    with unfinished(options.hub) as folder:
        folder.mkdir()
        games, complaint = fill_hub(folder, program, parts, agent, options.episodes)
    if complaint:
        _say(f"there is no video: {complaint}")
    _say(f"{options.hub}: a folder for a model hub; mean reward {games.reward}")


def _end(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def main() -> int:
    """Writes what the command line names. Returns the exit code: 2 for what a user can mend."""
    signal.signal(signal.SIGINT, _end)
    signal.signal(signal.SIGTERM, _end)
    options = _read_words()
    try:
        _check_targets(options)
        with tempfile.TemporaryDirectory(prefix="tandem-export-") as work:
            _export(options, Path(work))
    except ProgramError as error:
        return error.code
    except (ExportError, OSError) as error:
        print(f"tandem: error: cannot export the agent: {error}", file=sys.stderr)
        return 2
    return 0

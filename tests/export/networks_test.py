"""Exported networks compute what tandem computes, for the networks of all presets.

usage: networks_test.py TANDEM WRITE_AGENTS

The difference is at most 1e-5 of the largest output where that is above 1, else 1e-5. Seen failing
with the gates of the LSTM in ONNX's order, with the same half of a dueling network's features for
both heads, without the limit of normalised numbers, the mean of pixels and the bounds of actions,
with a critic of unscaled actions, and with states that are not reset.
"""

import dataclasses
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

try:
    import onnx
    import onnxruntime
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "python"))  # after that of the built package tandem

from tandem_export.network import read_agent  # noqa: E402
from tandem_export.onnx_file import write_onnx  # noqa: E402
from tandem_export.tensors import read, shapes  # noqa: E402
from tandem_export.torch_file import torch_source  # noqa: E402

PROGRAM, WRITE_AGENTS = sys.argv[1:3]
del sys.argv[1:3]
TOLERANCE = 1e-5


def far(ours, theirs):
    """The largest difference, relative to the largest of our outputs where that is above 1."""
    ours, theirs = np.float64(ours), np.float64(theirs)
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    return np.abs(ours - theirs).max() / max(1.0, np.abs(ours).max())


def torch_network(agent, model, file):
    """The network of the module that an export writes to this file."""
    file.write_text(torch_source(agent, shapes(model), file.stem))
    file.with_suffix(".safetensors").write_bytes(model.read_bytes())
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Network.load()


class Case:
    """One agent that write_agents has written."""

    def __init__(self, folder):
        self.folder = folder
        self.name = (folder / "preset.txt").read_text().strip()
        self.agent = read_agent(folder / "parts/network.json")
        self.model = folder / "parts/model.safetensors"
        self.observations = np.load(folder / "observations.npy")
        self.heads = {name: np.load(folder / f"{name}.npy") for name in self.agent.heads}
        self.actions = np.load(folder / "action.npy")
        self.recurrent = self.agent.state_size > 0
        self.states = np.load(folder / "state.npy") if self.recurrent else None

    def states_before(self):
        """The state with which each step begins; at the second one a game begins anew."""
        if not self.recurrent:
            return [None] * len(self.observations)
        before = np.concatenate([np.zeros_like(self.states[:1]), self.states[:-1]])
        before[1, 0] = 0
        return before


class Networks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        folder = Path(cls.temporary.name)
        done = subprocess.run([WRITE_AGENTS, folder], check=True, capture_output=True, text=True)
        cls.left_out = done.stderr
        cls.cases = [Case(one) for one in sorted(folder.iterdir())]

    def assert_near(self, ours, theirs, what):
        self.assertLess(far(ours, theirs), TOLERANCE, what)

    def assert_action(self, case, step, action):
        ours = case.actions[step]
        if case.agent.actions.count:
            np.testing.assert_array_equal(ours[:, 0], action)
        else:
            self.assert_near(ours, action, "action")

    def test_all_kinds_of_networks_are_there(self):
        agents = [case.agent for case in self.cases]
        self.assertTrue(any(a.deterministic for a in agents))
        self.assertTrue(any(a.state_size for a in agents))
        self.assertTrue(any(len(a.networks) == 2 and a.state_size for a in agents))
        self.assertTrue(any(a.networks[0].split for a in agents))
        kinds = {layer.kind for a in agents for layer in a.networks[0].torso}
        self.assertEqual(kinds, {"conv", "dense", "section"})
        meanings = {a.policy_head for a in agents}
        wanted = {"logits", "action values", "advantages", "mean and variance", "action"}
        if "atari:Pong" not in self.left_out:
            self.assertEqual(meanings, wanted)
        steps = {type(step).__name__ for a in agents for step in a.input_steps}
        self.assertIn("Normalise", steps)
        print(f"{len(agents)} networks; left out:\n{self.left_out}", file=sys.stderr)

    def test_onnx(self):
        worst = 0.0
        for case in self.cases:
            with self.subTest(case.name):
                file = case.folder / "agent.onnx"
                write_onnx(case.agent, read(case.model), file)
                model = onnx.load(file)
                self.assertEqual([(o.domain, o.version) for o in model.opset_import], [("", 17)])
                session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
                names = [output.name for output in session.get_outputs()]
                for step, before in enumerate(case.states_before()):
                    feed = {"observations": case.observations[step]}
                    if case.recurrent:
                        feed["state"] = before
                    results = dict(zip(names, session.run(names, feed), strict=True))
                    for head, values in case.heads.items():
                        self.assert_near(values[step], results[head], head)
                        worst = max(worst, far(values[step], results[head]))
                    self.assert_action(case, step, results["action"])
                    if case.recurrent:
                        self.assert_near(case.states[step], results["new_state"], "new_state")
                one = {name: rows[:1] for name, rows in feed.items()}
                self.assertEqual(session.run(["action"], one)[0].shape[0], 1)
        print(f"largest difference to onnxruntime: {worst:.2g}", file=sys.stderr)

    def test_torch(self):
        torch.set_num_threads(1)
        worst = 0.0
        for case in self.cases:
            with self.subTest(case.name):
                network = torch_network(case.agent, case.model, case.folder / "model.py")
                for step, before in enumerate(case.states_before()):
                    inputs = [torch.from_numpy(case.observations[step])]
                    if case.recurrent:
                        inputs.append(torch.from_numpy(before))
                    with torch.no_grad():
                        policy, value, *state = network(*inputs)
                    results = {"policy": policy, "value": value}
                    for head, values in case.heads.items():
                        self.assert_near(values[step], results[head].numpy(), head)
                        worst = max(worst, far(values[step], results[head].numpy()))
                    acted = network.act(*inputs)
                    action = acted[0] if case.recurrent else acted
                    self.assert_action(case, step, action.numpy())
                    if case.recurrent:
                        self.assert_near(case.states[step], state[0].numpy(), "state")
        print(f"largest difference to PyTorch: {worst:.2g}", file=sys.stderr)

    def test_actions_begin_where_their_space_does(self):
        case = next(one for one in self.cases if one.agent.actions.count and not one.recurrent)
        seen, counted = case.observations[0], case.actions[0][:, 0]
        for start in (5, -1):
            with self.subTest(start=start):
                actions = dataclasses.replace(case.agent.actions, start=start)
                agent = dataclasses.replace(case.agent, actions=actions)
                file = case.folder / "shifted.onnx"
                write_onnx(agent, read(case.model), file)
                session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
                (action,) = session.run(["action"], {"observations": seen})
                self.assertEqual(action.dtype, np.int64)
                np.testing.assert_array_equal(action, counted + start)
                module = case.folder / f"shifted_{start + 1}.py"
                network = torch_network(agent, case.model, module)
                action = network.act(torch.from_numpy(seen)).numpy()
                np.testing.assert_array_equal(action, counted + start)

    def test_the_agent_in_python_gives_the_same_bits(self):
        try:
            import tandem
        except ImportError:
            self.skipTest("the Python package is not built")
        for case in self.cases:
            with self.subTest(case.name):
                agent = tandem.Agent.load(case.folder / "run")
                for step, before in enumerate(case.states_before()):
                    heads = agent.heads(case.observations[step], before)
                    np.testing.assert_array_equal(heads.policy, case.heads["policy"][step])
                    if "value" in case.heads:
                        np.testing.assert_array_equal(heads.value, case.heads["value"][step])
                    actions, state = agent.act(case.observations[step], True, before)
                    wanted = case.actions[step]
                    np.testing.assert_array_equal(
                        actions, wanted[:, 0] if case.agent.actions.count else wanted
                    )
                    if case.recurrent:
                        np.testing.assert_array_equal(state, case.states[step])

    def test_modules_are_clean(self):
        ruff = Path(sys.executable).with_name("ruff")
        if not ruff.exists():
            self.skipTest("no ruff")
        for i, case in enumerate(self.cases):
            source = torch_source(case.agent, shapes(case.model), "model")
            (case.folder / f"clean_{i}.py").write_text(source)
        config = ["--config", str(ROOT / "ruff.toml")]
        files = [str(case.folder / f"clean_{i}.py") for i, case in enumerate(self.cases)]
        checked = subprocess.run([ruff, "check", *config, *files], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        formatted = subprocess.run(
            [ruff, "format", "--diff", *config, *files], capture_output=True, text=True
        )
        self.assertEqual(formatted.returncode, 0, formatted.stdout)


if __name__ == "__main__":
    unittest.main()

"""Executes the notebook, cell by cell, as Jupyter does."""

import importlib.util
import os
import pathlib
import sys
import unittest

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples/python/river.ipynb"
NEEDED = ("nbclient", "ipykernel", "matplotlib", "onnx", "onnxruntime")


def texts(notebook):
    """All lines that the cells print."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return "".join(output.text for output in outputs if output.output_type == "stream")


class Notebook(unittest.TestCase):
    def test_river(self):
        import nbclient
        import nbformat

        notebook = nbformat.read(NOTEBOOK, as_version=4)
        # The notebook's `!python` is the one that runs the test.
        folder = os.path.dirname(sys.executable)
        os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        printed = texts(notebook)
        self.assertRegex(printed, r"paac-1 +[2-4]\.")  # a boat that never lands gets less than 2
        self.assertIn("ONNX agrees", printed)
        pictures = [o for c in notebook.cells for o in c.get("outputs", ()) if "data" in o]
        self.assertGreaterEqual(len(pictures), 2)


if __name__ == "__main__":
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped: no", ", ".join(missing))
        sys.exit(77)
    unittest.main()

"""Plan files for the tests."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python"))

CURVES = """
title = "Figure 1: two rates"
section = "section 5"
shows = "A larger rate learns sooner."
budget = "many runs"
form = "curves"
envs = ["catch"]

[[arm]]
label = "PAAC"
system = "paac"
preset = "paac/catch"
steps = "4k"
set = ["run.threads=1", "run.log_seconds=0.1"]
vary = ["optimizer.lr=0.001,0.01"]
repetitions = 2

[reduced.1h]
repetitions = 1

[reduced.8h]

[numbers."PAAC lr=0.01"]
catch = 0.5
"""

# Another item with the runs of Figure 1.
SHARED = """
title = "Figure 2: two rates by time"
section = "section 5"
shows = "The same."
budget = "many runs"
form = "curves"
axis = "seconds"
runs_of = "figure_1"
"""


def write(folder, text, name="figure_1.toml", paper="paac"):
    file = folder / paper / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file

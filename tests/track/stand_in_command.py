"""The command `tandem track` with a tracker that keeps its points in the file $POINTS.

It tells its last step, so that a kill at any moment repeats nothing. With $REFUSE it does not open.
A call of log returns $SLOW seconds after the points are stored. The run is looked at every $POLL
seconds.
"""

import json
import os
import sys
import time
from pathlib import Path

import stand_ins  # noqa: F401, which finds the package
from tandem_track import command, follower

POINTS = Path(os.environ["POINTS"])


class FileTracker:
    def __init__(self, uri, run_id):
        self.uri = uri
        self.run_id = run_id

    def reached(self, name):
        entries = [json.loads(line) for line in POINTS.read_text().splitlines()]
        return max(
            (e[name] for e in entries if name in e and e["run"] == self.run_id), default=None
        )

    def log(self, points):
        lines = [json.dumps({"run": self.run_id, **point.values}) + "\n" for point in points]
        with POINTS.open("a") as stream:
            stream.write("".join(lines))
        time.sleep(float(os.environ.get("SLOW", 0)))

    def finish(self, result, step):
        print("finished:", result and result.why_ended, step, flush=True)

    def close(self):
        print("closed", flush=True)


def open_run(description, place, run_id):
    if "REFUSE" in os.environ:
        raise PermissionError("log in first")
    print("place:", place.project, place.name, place.uri, place.offline)
    print("tags:", *description.tags.values(), "lr:", description.config["optimizer.lr"])
    return FileTracker(place.uri, run_id or f"run-{os.getpid()}")


if __name__ == "__main__":
    POINTS.touch()
    follower.POLL_SECONDS = float(os.environ.get("POLL", follower.POLL_SECONDS))
    command.opener = lambda tracker: open_run
    sys.exit(command.main())

"""The first code of a worker process, before any import that takes time: from here on the process
ends with the trainer. Runs with `start`, the description of the work, as a global."""

from __future__ import annotations  # before Python 3.9, too, whose version is told below

import fcntl
import os
import select
import signal
import sys
import types

# The descriptors that the trainer gives to a worker (worker_process.h).
START, MEMORY, REQUESTS, ANSWERS, CONTROL, LIFE = range(3, 9)


def end_with_trainer() -> None:
    """The kernel kills the worker's process group when the trainer is gone, in any step.

    The trainer alone holds the other end of this pipe, and writes nothing. The kernel signals the
    pipe's owner when that end closes, however the trainer ended."""
    fcntl.fcntl(LIFE, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(LIFE, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(LIFE, fcntl.F_SETFL, fcntl.fcntl(LIFE, fcntl.F_GETFL) | os.O_ASYNC)
    poll = select.poll()
    poll.register(LIFE)
    if poll.poll(0):  # it was gone before
        os._exit(1)


def close_to_children() -> None:
    """Programs that an environment starts inherit nothing of the trainer."""
    for name in os.listdir("/proc/self/fd"):
        descriptor = int(name)
        if descriptor > LIFE:
            try:
                os.close(descriptor)  # the program around the trainer left it open
            except OSError:
                pass  # it was that of listdir
        elif descriptor >= START:
            os.set_inheritable(descriptor, False)


def load_modules(sources: dict[str, str]) -> None:
    """Makes the package tandem_worker from the texts that the library holds."""
    package = types.ModuleType("tandem_worker")
    package.__path__ = []
    sys.modules["tandem_worker"] = package
    for name, source in sources.items():
        full = f"tandem_worker.{name}"
        module = types.ModuleType(full)
        sys.modules[full] = module
        setattr(package, name, module)
        exec(compile(source, f"<{full}>", "exec"), module.__dict__)


def refuse(**facts: str) -> None:
    """Ends with a message in the format of control.py, which cannot be loaded here."""
    import json

    text = json.dumps(facts).encode()
    os.write(CONTROL, len(text).to_bytes(4, "little") + bytes(4) + text)
    os._exit(1)


end_with_trainer()
close_to_children()
if sys.version_info < (3, 10):  # noqa: UP036
    version = ".".join(map(str, sys.version_info[:2]))
    refuse(
        error=f"{sys.executable} is Python {version}, and environments need 3.10 or a later one; "
        "name another by env.python or TANDEM_PYTHON"
    )
try:
    load_modules(start["modules"])  # type: ignore[name-defined] # noqa: F821
except ImportError as error:
    refuse(missing=error.name or "a module", python=sys.executable, error=str(error))
sys.modules["tandem_worker.worker"].main(start)  # type: ignore[name-defined] # noqa: F821

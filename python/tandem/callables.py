"""Functions that make environments, on their way to other processes."""

import os
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any

import cloudpickle

from tandem.errors import Error

# The name of the user's script in a child of multiprocessing's "spawn" and "forkserver". The
# workers have no such module.
_SCRIPT = "__mp_main__"
# The lock of cloudpickle's register is reentrant: a user's __reduce__ may pickle within a pickling.
_registering = threading.RLock()


def pickled(make_env: Callable[..., Any]) -> bytes:
    """The function with all that other processes on this machine need to call it."""
    try:
        return bytes(cloudpickle.dumps(_with_path(make_env)))
    except Exception as error:  # a user's __reduce__ may raise any
        raise Error(
            f"the function that makes the environment cannot travel to its process: {error}. Make "
            "such objects inside of the function"
        ) from error


def env_id(make_env: Callable[..., Any]) -> str:
    """The id of environments that the function makes, which is only a label."""
    name = getattr(make_env, "__name__", type(make_env).__name__)
    return "gym:" + "".join(c if c.isalnum() else "_" for c in name)


class PickledCallable:
    """A function that makes an environment, on its way to other processes.

    It travels by cloudpickle in a file that has no name on disk, which goes away with this object
    and with the process at the latest. Not thread-safe.
    """

    def __init__(self, make_env: Callable[..., Any]) -> None:
        self._descriptor = os.memfd_create("tandem-env")
        with open(self._descriptor, "wb", closefd=False) as file:
            file.write(pickled(make_env))
        self.path = f"/proc/{os.getpid()}/fd/{self._descriptor}"
        self.id = env_id(make_env)

    def close(self) -> None:
        """Removes the file. More calls do nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()


def _with_path(make_env: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the modules' folders of this process, where it may have its code.

    The inner pickle is loaded after the folders are known. This function must be pickled as code:
    tandem need not be installed where it is called.
    """
    pickled, folders = _dumps(make_env), [os.path.abspath(p) for p in sys.path]
    interpreter = sys.prefix, sys.base_prefix, sys.version

    def make_with_path(*arguments: Any, **keywords: Any) -> Any:
        import sys

        if (sys.prefix, sys.base_prefix, sys.version) == interpreter:
            # A module of the same name may stand elsewhere, so the order counts.
            sys.path[:] = folders + [folder for folder in sys.path if folder not in folders]
        else:
            sys.path.extend(folder for folder in folders if folder not in sys.path)
        return pickle.loads(pickled)(*arguments, **keywords)

    make_with_path.__module__ = "__main__"  # cloudpickle then pickles its code
    return make_with_path


def _dumps(make_env: Callable[..., Any]) -> bytes:
    """The function's pickle, with the code of all that the user's script defines.

    cloudpickle treats `__main__` so by itself. It would name `__mp_main__` as a module to import.
    """
    script = sys.modules.get(_SCRIPT)
    with _registering:
        # In a process that is no such child, the same entry is `__main__`, which needs nothing.
        if (
            getattr(script, "__name__", None) != _SCRIPT
            or _SCRIPT in cloudpickle.list_registry_pickle_by_value()
        ):
            return bytes(cloudpickle.dumps(make_env))
        cloudpickle.register_pickle_by_value(script)
        try:
            return bytes(cloudpickle.dumps(make_env))
        finally:
            cloudpickle.unregister_pickle_by_value(script)

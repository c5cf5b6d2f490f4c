"""Names the machine that a benchmark ran on."""

import contextlib
import os
import platform
import re
from pathlib import Path


def cpu_name():
    """The name of the CPU as Linux gives it."""
    match = re.search(r"^model name\s*: (.*)$", _cpu_information(), re.M)
    return match[1] if match else platform.machine()


def machine_words():
    """The cores that this process may use, and the instructions that decide its speed, since
    virtual machines give several processors one name."""
    flags = _cpu_information()
    wide = "AVX-512" if "avx512f" in flags else "no AVX-512"
    tiles = ", AMX" if "amx_bf16" in flags else ""
    return f"{len(os.sched_getaffinity(0))} cores of {cpu_name()} ({wide}{tiles})"


def _cpu_information():
    with contextlib.suppress(OSError):
        return Path("/proc/cpuinfo").read_text()
    return ""

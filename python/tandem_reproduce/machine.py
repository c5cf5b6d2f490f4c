"""This machine."""

import os
import shutil
import subprocess
from pathlib import Path

# Instructions on which rates depend. Virtual machines give several processors one name.
WIDE = {"avx512f": "AVX-512", "avx512_bf16": "bf16", "amx_bf16": "AMX"}


def cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "an unknown CPU"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    flags = next((line.split() for line in lines if line.startswith("flags")), [])
    wide = [name for flag, name in WIDE.items() if flag in flags]
    name = names[0] if names else "an unknown CPU"
    return f"{name} ({', '.join(wide)})" if wide else name


def cores() -> int:
    return len(os.sched_getaffinity(0))


def machine_name() -> str:
    return f"{cores()} cores of {cpu_name()}"


def gpu_name() -> str:
    """The first GPU of NVIDIA; empty if there is none."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return ""
    words = [program, "--query-gpu=name", "--format=csv,noheader"]
    told = subprocess.run(words, capture_output=True, text=True)
    return told.stdout.partition("\n")[0].strip() if told.returncode == 0 else ""

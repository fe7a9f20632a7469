"""What a result was made with: versions and machine, to be kept beside every figure."""

import os
import platform
from functools import lru_cache
from typing import Any

_PACKAGES = ("numba", "llvmlite", "numpy", "polars")


@lru_cache(maxsize=1)
def package_version() -> str:
    """Return the version of this package, looked up once: it stands in a file."""
    from importlib import metadata  # 20 ms, and few results need it

    return metadata.version("ttt-fast")


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_model() -> str:
    """Return the name of the processor, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


@lru_cache(maxsize=1)
def environment() -> dict[str, Any]:
    """Return versions and machine as a flat dictionary that JSON can hold."""
    from importlib import metadata

    return {
        "ttt_fast": package_version(),
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in _PACKAGES},
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": cpu_model(),
        "cores": available_cores(),
    }

"""The versions and the machine that made a result, to be kept beside every figure."""

import os
import platform
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from ttt_fast.core.text import JsonObject

UNKNOWN_MEMORY = 4 << 30
"""Bytes that are taken for available where the system tells nothing."""
_PACKAGES = ("numba", "llvmlite", "numpy", "polars")


@lru_cache(maxsize=1)
def package_version() -> str:
    """Return the version of this package, looked up once: it is in a file."""
    from importlib import metadata  # 20 ms, and few results need it

    return metadata.version("ttt-fast")


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory(system: str | Path = "/proc", groups: str | Path = "/sys/fs/cgroup") -> int:
    """Return the bytes that this process may still take without swapping, as far as the system tells.

    What the system calls available, or the less that the control groups of the process leave; half of the memory
    where no more than its size is known, and `UNKNOWN_MEMORY` where not even that is.

    Parameters
    ----------
    system, groups
        Where Linux tells it.
    """
    return min([_memory_of_system(Path(system)), *_memory_of_groups(Path(system), Path(groups))])


def _memory_of_system(system: Path) -> int:
    with suppress(OSError, ValueError):
        for line in (system / "meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    with suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return UNKNOWN_MEMORY


def _memory_of_groups(system: Path, groups: Path) -> list[int]:
    """Return what each control group of this process leaves it: limit, less usage without the cache that is idle."""
    try:
        lines = (system / "self" / "cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    left = []
    for _, controllers, path in (line.split(":", 2) for line in lines if line.count(":") > 1):
        if not controllers:  # version 2
            top, names = groups, ("memory.max", "memory.current", "inactive_file ")
        elif "memory" in controllers.split(","):
            top, names = groups / "memory", ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ")
        else:
            continue
        inner = top / path.lstrip("/")
        for folder in [inner, *(one for one in inner.parents if one.is_relative_to(top))]:
            try:
                limit, used = (int((folder / name).read_text(encoding="ascii")) for name in names[:2])
                stat = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
                idle = sum(int(line.split()[1]) for line in stat if line.startswith(names[2]))
            except (OSError, ValueError):  # no limit, or not told here
                continue
            left.append(max(0, limit - used + idle))
    return left


def cpu_model() -> str:
    """Return the name of the processor, as far as the system tells."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


@lru_cache(maxsize=1)
def environment(kernel_cache: bool = False) -> JsonObject:
    """Return versions and machine as a flat dictionary that JSON can hold.

    With `kernel_cache` the folder of compiled kernels is in it, which numba must be imported for.
    """
    from importlib import metadata

    if kernel_cache:
        from ttt_fast.core.jit import cache_folder

        return {**environment(), "kernel_cache": str(cache_folder())}
    return {
        "ttt_fast": package_version(),
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in _PACKAGES},
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": cpu_model(),
        "cores": available_cores(),
    }

"""Software versions and hardware of a result, to be stored with every result."""

import os
import platform
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

JsonObject = dict[str, Any]
"""A JSON object, such as a description in a file or a manifest; readers must check its content."""
UNKNOWN_MEMORY = 4 << 30
"""Bytes assumed available if the system provides no information."""
_PACKAGES = ("numba", "llvmlite", "numpy", "polars")


@lru_cache(maxsize=1)
def package_version() -> str:
    """Return the version of this package, read once from its metadata file."""
    from importlib import metadata  # 20 ms, and few results need it

    return metadata.version("ttt-fast")


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory(system: str | Path = "/proc", groups: str | Path = "/sys/fs/cgroup") -> int:
    """Return the bytes that this process may still allocate without swapping, as far as the system reports them.

    This is the memory that the system reports as available, or less if the control groups of the process leave less.
    If only the total size is known, it is half of that, and otherwise `UNKNOWN_MEMORY`.

    Parameters
    ----------
    system, groups
        The folders in which Linux reports it.
    """
    return min([_memory_of_system(Path(system)), *_memory_of_groups(Path(system), Path(groups))])


def _memory_of_system(system: Path) -> int:
    with suppress(OSError, ValueError):
        for line in (system / "meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    with suppress(OSError, ValueError):
        if hasattr(os, "sysconf"):
            half: int = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
            return half
    return UNKNOWN_MEMORY


def _memory_of_groups(system: Path, groups: Path) -> list[int]:
    """Return the bytes left by each control group of this process: limit minus usage, without idle cache."""
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
            except (OSError, ValueError):  # no limit, or not reported here
                continue
            left.append(max(0, limit - used + idle))
    return left


def cpu_model() -> str:
    """Return the name of the processor, as far as the system reports it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


@lru_cache(maxsize=1)
def environment(kernel_cache: bool = False) -> JsonObject:
    """Return software versions and hardware as a flat, JSON-compatible dictionary.

    With `kernel_cache`, the folder of compiled kernels is included, which requires the import of numba.
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

"""Details of numba: registries without SciPy, the runtime of loaded code, types as text, options, a listener."""

import contextlib
import functools
import importlib.util
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

from ttt_fast.core.compilation import compiling

_SLOW_GATHERS = {
    "skylake", "skylake-avx512", "cascadelake", "cooperlake", "cannonlake", "icelake-client", "icelake-server",
    "tigerlake", "rocketlake",
}  # fmt: skip
"""LLVM's names of the processors whose gathers are slow under the mitigation of Downfall (Intel, August 2023)."""


@contextlib.contextmanager
def scipy_left_out() -> Iterator[None]:
    """Make numba's own check for SciPy fail while its registries are imported, and restore it in both modules."""
    if compiling.with_scipy or "numba.np.arraymath" in sys.modules:
        yield
        return
    from numba.np import linalg

    check = linalg.ensure_blas

    def refuse() -> None:
        raise ImportError

    linalg.ensure_blas = refuse
    try:
        yield
    finally:
        from numba.np import arraymath

        linalg.ensure_blas = check
        vars(arraymath).update(ensure_blas=check, _HAVE_BLAS=importlib.util.find_spec("scipy") is not None)


@functools.cache
def register_runtime(numba: ModuleType) -> None:
    """Register the functions of numba's runtime for loaded code, as numba does before it compiles.

    `numba.core.runtime.rtsys.initialize` does the same, and compiles functions (24 ms) that loaded code contains
    already.
    """
    from llvmlite.binding import add_symbol

    for name, address in numba.core.runtime._nrt_python.c_helpers.items():
        add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def listen(numba: ModuleType) -> None:
    """Report the compilations of kernels to `core.compilation`."""

    class Listener(numba.core.event.Listener):  # type: ignore[misc, name-defined]
        """Listener of numba's compilations, which its lock serializes."""

        def on_start(self, event: object) -> None:
            compiling.begin()

        def on_end(self, event: object) -> None:
            compiling.end()

    numba.core.event.register("numba:compile", Listener())


def described(kind: object) -> str:
    """Return a process-independent text of a numba type: numba's own text, and the modules of tuple classes."""
    inner = "".join(described(one) for one in getattr(kind, "types", ()))
    named = getattr(kind, "instance_class", None)
    place = f"{named.__module__}.{named.__qualname__}{getattr(named, '_fields', ())}" if named else ""
    return f"{kind}{place}[{inner}]" if place or inner else str(kind)


@functools.cache
def no_overlap_option(njit: Callable[..., Callable[..., object]]) -> dict[str, bool]:
    """Return the option that tells LLVM that array arguments do not overlap, if this numba version has it.

    numba has the flag, but `njit` does not expose it.  Without it LLVM must assume that a store into one array may
    change another array.  It then does not vectorise a loop that gathers from one array and writes to another.  The
    option affects only speed, never a result.
    """
    try:
        from numba.core.cpu import CPUTargetOptions
        from numba.core.options import TargetOptions

        if not hasattr(CPUTargetOptions, "noalias"):
            make: Callable[[str], object] = TargetOptions.Mapping
            CPUTargetOptions.noalias = make("noalias")
        njit(noalias=True)(lambda: 0)
        return {"noalias": True}
    except (ImportError, AttributeError, TypeError, KeyError):
        return {}


def avoid_slow_gathers(numba: ModuleType) -> None:
    """Make LLVM read numbers one by one instead of gathering them, if the processor gathers slowly: the same bits.

    Random games on a Cascade Lake: 43 instead of 15.8 million a second.
    """
    from llvmlite.binding import get_host_cpu_name

    config = numba.config
    if (config.CPU_NAME or get_host_cpu_name()) in _SLOW_GATHERS and config.CPU_FEATURES is None:
        config.CPU_FEATURES = f"{numba.core.codegen.get_host_cpu_features()},+prefer-no-gather"

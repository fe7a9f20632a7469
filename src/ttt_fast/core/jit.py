"""The one place that calls `numba.njit`, and the one that decides where compiled kernels are cached.

numba's disk cache sees edits in the file of a cached function but not in the files of the functions that it
calls: a cached caller would go on using an old helper.  The cache folder is therefore named by a hash of the
sources that kernels can reach, and of the settings that change the code without changing the source.
"""

import atexit
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import numba.core.config
import numba.core.event

Function = TypeVar("Function", bound=Callable[..., Any])

numba_config: Any = numba.core.config  # its settings are attributes made at import
numba_events: Any = numba.core.event  # has no types
_PACKAGE = Path(__file__).resolve().parent.parent
_FOLDERS_KEPT = 3  # caches of older sources that stay, for switching between two checkouts' branches


_IMPORT = re.compile(rb"^ *from ttt_fast(?:\.([\w.]+))? import +(\([^)]*\)|[^\n]*)", re.MULTILINE)


_DECORATED = re.compile(rb"^ *@(?:\w*kernel\w*|.*implements\()", re.MULTILINE)


def _imported(source: bytes) -> set[str]:
    """Return the modules of the package that a source names in its imports, and names that may be no modules."""
    found = set()
    for base, names in _IMPORT.findall(source):
        module = base.decode()
        inner = re.findall(r"\w+", re.sub(r"#.*", "", names.decode()))
        found |= {module, *(f"{module}.{name}".lstrip(".") for name in inner)}
    return found


def kernel_sources() -> dict[str, bytes]:
    """Return the source of every module that has kernels, and of those that they import, by the module's name."""
    sources = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(_PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        sources[name] = path.read_bytes()
    imports = {name: _imported(source) & sources.keys() for name, source in sources.items()}
    waiting = [
        name for name, source in sources.items() if re.search(rb"^ *@(?:\w*kernel\w*|.*implements\()", source, re.M)
    ]
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += imports[name]
    return {name: sources[name] for name in sorted(reached)}


def kernel_source_hash() -> str:
    """Return 16 hex digits that change with any source that a kernel reaches and with numba's code settings."""
    digest = hashlib.sha256()
    settings = (numba.__version__, numba_config.BOUNDSCHECK, numba_config.OPT, numba_config.DISABLE_JIT)
    digest.update(repr(settings).encode())
    for name, source in kernel_sources().items():
        digest.update(name.encode())
        digest.update(source)
    return digest.hexdigest()[:16]


def _candidate_folders() -> Iterator[Path]:
    """Yield the parents of the cache folder, best first (a private temporary one stands behind them all)."""
    if numba_config.CACHE_DIR:  # NUMBA_CACHE_DIR
        yield Path(numba_config.CACHE_DIR)
    yield _PACKAGE / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not home.startswith("~"):  # no HOME
        yield Path(home) / "ttt_fast"


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _remove_stale(parent: Path, keep: Path) -> None:
    """Delete all but the latest caches of earlier sources; a failure only costs disk space."""
    try:
        others = [path for path in parent.glob("kernels-*") if path != keep]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return
    for path in others[_FOLDERS_KEPT:]:
        shutil.rmtree(path, ignore_errors=True)


def choose_cache_folder() -> Path:
    """Return the first writable folder for compiled kernels, named by `kernel_source_hash`.

    The order is NUMBA_CACHE_DIR, the package's own `__pycache__`, the user's cache folder, and a private
    temporary folder (read-only site-packages and no HOME: kernels are then compiled again in each process).
    """
    name = f"kernels-{kernel_source_hash()}"
    for parent in _candidate_folders():
        if _is_writable(parent / name):
            _remove_stale(parent, keep=parent / name)
            return parent / name
    private = Path(tempfile.mkdtemp(prefix="ttt_fast-"))
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    return private / name


CACHE_FOLDER = choose_cache_folder()


class _FirstCompilation(numba.core.event.Listener):
    """Calls a function when numba begins to compile what the disk cache does not hold; once, then no more."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self._tell: Callable[[], object] | None = tell

    def on_start(self, event: Any) -> None:
        """Tell, unless it has been told."""
        tell, self._tell = self._tell, None
        if tell is not None:
            tell()

    def on_end(self, event: Any) -> None:
        """Say nothing."""


def at_first_compilation(tell: Callable[[], object]) -> None:
    """Call `tell` once, as soon as a kernel must be compiled; not at all if the disk cache holds all that is used."""
    numba_events.register("numba:compile", _FirstCompilation(tell))


def _cached_njit(**options: Any) -> Callable[[Function], Function]:
    """Return `numba.njit(cache=True, nogil=True, …)` that caches in CACHE_FOLDER whatever others set."""

    def decorate(function: Function) -> Function:
        # numba reads the setting when a function is decorated; it is global, so it is put back at once.
        before = numba_config.CACHE_DIR
        numba_config.CACHE_DIR = str(CACHE_FOLDER)
        try:
            compiled: Function = numba.njit(cache=True, nogil=True, error_model="python", **options)(function)
            return compiled
        finally:
            numba_config.CACHE_DIR = before

    return decorate


kernel = _cached_njit()
"""Decorator of every kernel: cached on disk, runs without the GIL."""


def _no_overlap_option() -> dict[str, bool]:
    """Return the option that tells LLVM that array arguments do not overlap, if this numba has it.

    numba has the flag but no spelling for it in `njit`.  Without it LLVM must fear that a store into one array
    changes another, and does not vectorise a loop that gathers from one and writes to the next.  Only speed
    depends on it, never a result.
    """
    try:
        from numba.core.cpu import CPUTargetOptions
        from numba.core.options import TargetOptions

        flags: Any = CPUTargetOptions
        options: Any = TargetOptions
        if not hasattr(flags, "noalias"):
            flags.noalias = options.Mapping("noalias")
        njit: Any = numba.njit
        njit(noalias=True)(lambda: 0)
        return {"noalias": True}
    except (ImportError, AttributeError, TypeError, KeyError):
        return {}


kernel_without_overlap = _cached_njit(**_no_overlap_option())
"""Decorator of kernels whose array arguments never overlap: their loops become gathers and wide stores."""

inlined_kernel = _cached_njit(inline="always")
"""Decorator of small helpers whose call must vanish (random numbers, rules of a move)."""

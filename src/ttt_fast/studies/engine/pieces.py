"""Pieces of work: calls of a module's function, done once on any machine, and kept as files named by a hash."""

import hashlib
import importlib
import inspect
import io
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import FileFormatError, TttFastError, __version__
from ttt_fast.core.archive import load_arrays
from ttt_fast.files import make_folder
from ttt_fast.running.api import Executor, Piece, run_to_files

Arrays = dict[str, NDArray[Any]]
Worker = Callable[..., Mapping[str, Any]]
Say = Callable[[str], None]

_SECONDS = "seconds"
_SECONDS_BETWEEN_NEWS = 5.0


class KeptPiece(NamedTuple):
    """A finished piece of work.

    Attributes
    ----------
    name
        Name of its file: a hash of the function, the source of its module, the settings and the version of the package.
    seconds
        Seconds that it took.
    arrays
        The results of the function, by name.
    """

    name: str
    seconds: float
    arrays: Arrays


def kept_pieces(
    folder: Path, worker: Worker, settings: Sequence[Mapping[str, object]], executor: Executor, say: Say
) -> list[KeptPiece]:
    """Return the results of a function for each of several settings, in order; finished pieces are read from files.

    Parameters
    ----------
    folder
        The folder of the files.
    worker
        A function of a module; it returns arrays, numbers and texts by name.
    settings
        The keyword arguments of each call, as JSON-compatible values.
    executor
        Runs the pieces; it stays open.
    say
        Called with a message about the number of finished pieces.

    Raises
    ------
    RunInterrupted
        If the work was interrupted; finished pieces are kept.
    """
    payloads = [_payload(worker, one) for one in settings]
    paths = [folder / f"{hashlib.sha256(one).hexdigest()[:24]}.npz" for one in payloads]
    missing = {path: Piece(path, one, 1) for path, one in zip(paths, payloads, strict=True) if not _is_there(path)}
    if missing:
        _do(f"{worker.__name__}: ", folder, list(missing.values()), executor, say)
    return [_read(path) for path in paths]


def _do(name: str, folder: Path, missing: list[Piece], executor: Executor, say: Say) -> None:
    make_folder(folder)
    told, last = time.monotonic(), 0

    def tell(done: int, _: int) -> None:
        nonlocal told, last
        if done > last and time.monotonic() - told > _SECONDS_BETWEEN_NEWS:
            told, last = time.monotonic(), done
            say(f"{name}{done} of {len(missing)}")

    work = _work_watched if executor.shares_memory else _work
    run_to_files(executor, work, missing, tell)
    say(f"{name}{len(missing)} done")


def _payload(worker: Worker, settings: Mapping[str, object]) -> bytes:
    source = hashlib.sha256(inspect.getsource(importlib.import_module(worker.__module__)).encode()).hexdigest()
    described = {
        "module": worker.__module__, "function": worker.__qualname__, "settings": dict(settings), "source": source,
        "package": __version__,
    }  # fmt: skip
    return json.dumps(described, sort_keys=True).encode()


def _work(payload: bytes) -> bytes:
    """Do a piece of work on any machine that has this package, and return the content of its file."""
    described = json.loads(payload)
    if described["package"] != __version__:
        raise TttFastError(f"expected workers with ttt-fast {described['package']}, got one with {__version__}")
    worker = getattr(importlib.import_module(described["module"]), described["function"])
    started = time.perf_counter()
    made = {name: np.asarray(value) for name, value in worker(**described["settings"]).items()}
    stream = io.BytesIO()
    np.savez(stream, **made, **{_SECONDS: np.float64(time.perf_counter() - started)})  # type: ignore[arg-type]
    return stream.getvalue()


def _work_watched(payload: bytes, watch: Callable[[int], None]) -> bytes:
    watch(0)
    return _work(payload)


def _read(path: Path) -> KeptPiece:
    """Return a piece from its file.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged.
    """
    arrays = load_arrays(path)
    seconds = arrays.pop(_SECONDS, np.zeros(1))
    if seconds.shape or seconds.dtype != np.float64:
        raise FileFormatError(f"expected a piece of work in {str(path)!r}, found another file")
    return KeptPiece(path.name, float(seconds), arrays)


def _is_there(path: Path) -> bool:
    """Return whether the file of a piece exists and is undamaged."""
    try:
        return path.exists() and bool(_read(path))
    except Exception:  # an unreadable file is computed again
        return False

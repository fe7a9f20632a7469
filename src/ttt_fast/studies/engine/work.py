"""The work of a study: pieces that are kept by a hash, go on after a kill, and run in threads or on a cluster.

A piece is a function of its own settings that returns arrays.  Its file is named by a hash of the settings, of the
function's name, of the source of its module and of the version, so that what is there is not done again.
"""

import hashlib
import importlib
import inspect
import io
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import make_folder, read_bytes
from ttt_fast.core.errors import FileFormatError, TttFastError
from ttt_fast.core.manifest import package_version
from ttt_fast.learn.checkpoint import Training
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.kept_runs import kept_runs, name_of
from ttt_fast.running.executors import Executor, Piece, ThreadExecutor, run_to_files

Arrays = dict[str, NDArray[Any]]
Worker = Callable[..., Mapping[str, Any]]
Say = Callable[[str], None]

_SECONDS = "seconds"
_SECONDS_BETWEEN_NEWS = 5.0


@dataclass
class Work:
    """The place where the measures of a study get their pieces.

    Attributes
    ----------
    kept
        The folder of their files.
    quick
        Whether the measures are to be small.
    threads
        Threads over pieces; they change no bit.
    executor
        The place where pieces run instead; it stays open.
    say
        Told what is being done.
    seeds
        The most runs of a setting, where fewer are asked for.
    taken
        Seconds that each of the pieces asked for took when it was done, by its file.
    """

    kept: Path
    quick: bool
    threads: int
    executor: Executor | None = None
    say: Say = lambda news: None
    seeds: int | None = None
    taken: dict[str, float] = field(default_factory=dict)

    def pieces(self, worker: Worker, settings: Sequence[Mapping[str, Any]]) -> list[Arrays]:
        """Return what a function makes of each of some settings, in their order; what is kept is read.

        Parameters
        ----------
        worker
            A function of a module; it returns arrays, numbers and texts by name.
        settings
            Its keyword arguments, as JSON can hold them.

        Raises
        ------
        KeyboardInterrupt
            If it was interrupted; what is done is kept.
        """
        payloads = [_payload(worker, one) for one in settings]
        paths = [self.kept / f"{hashlib.sha256(one).hexdigest()[:24]}.npz" for one in payloads]
        missing = {path: Piece(path, one, 1) for path, one in zip(paths, payloads, strict=True) if not _is_there(path)}
        if missing:
            self._do(f"{worker.__name__}: ", list(missing.values()))
        found = [_read(path) for path in paths]
        self.taken |= {path.name: float(one.pop(_SECONDS)) for path, one in zip(paths, found, strict=True)}
        return found

    def _do(self, name: str, missing: list[Piece]) -> None:
        make_folder(self.kept)
        told, last = time.monotonic(), 0

        def tell(done: int, _: int) -> None:
            nonlocal told, last
            if done > last and time.monotonic() - told > _SECONDS_BETWEEN_NEWS:
                told, last = time.monotonic(), done
                self.say(f"{name}{done} of {len(missing)}")

        with closing(ThreadExecutor(self.threads)) as pool:
            executor = self.executor or pool
            work = _work_watched if executor.shares_memory else _work
            if run_to_files(executor, work, missing, tell) < len(missing):
                raise KeyboardInterrupt
        self.say(f"{name}{len(missing)} done")

    def trainings(self, configs: Sequence[TrainingConfig]) -> list[Training | None]:
        """Return training runs at their end, in the order of their settings; None for one that has diverged."""
        runs = kept_runs(configs, self.kept, self.threads, self.say)
        self.taken |= {name: training.seconds for name, training in runs.items()}
        return [runs.get(name_of(config)) for config in configs]

    def limited(self, size: Any) -> Any:
        """Return a size whose `runs` and `few_runs` are at most the seeds that were asked for."""
        most = {name: min(self.seeds or sys.maxsize, getattr(size, name)) for name in ("runs", "few_runs")}
        return size._replace(**most)


def _payload(worker: Worker, settings: Mapping[str, Any]) -> bytes:
    source = hashlib.sha256(inspect.getsource(importlib.import_module(worker.__module__)).encode()).hexdigest()
    described = {
        "module": worker.__module__, "function": worker.__qualname__, "settings": dict(settings), "source": source,
        "package": package_version(),
    }  # fmt: skip
    return json.dumps(described, sort_keys=True).encode()


def _work(payload: bytes) -> bytes:
    """Do a piece, anywhere that has this package; return its file."""
    described = json.loads(payload)
    if described["package"] != package_version():
        raise TttFastError(f"expected workers with ttt-fast {described['package']}, got one with {package_version()}")
    worker = getattr(importlib.import_module(described["module"]), described["function"])
    started = time.perf_counter()
    made = {name: np.asarray(value) for name, value in worker(**described["settings"]).items()}
    stream = io.BytesIO()
    np.savez(stream, **made, **{_SECONDS: np.float64(time.perf_counter() - started)})  # type: ignore[arg-type]
    return stream.getvalue()


def _work_watched(payload: bytes, watch: Callable[[int], None]) -> bytes:
    watch(0)
    return _work(payload)


def _read(path: Path) -> Arrays:
    """Return the arrays of a piece.

    Raises
    ------
    FileFormatError
        If the file is missing or damaged.
    """
    try:
        with np.load(io.BytesIO(read_bytes(path)), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError, EOFError, KeyError) as error:
        raise FileFormatError(f"expected a piece of a study in {str(path)!r}, found none: {error}") from None


def _is_there(path: Path) -> bool:
    """Return whether a piece is kept whole; a damaged file is none."""
    try:
        return path.exists() and _SECONDS in _read(path)
    except Exception:  # whatever is wrong with it, it is done again
        return False

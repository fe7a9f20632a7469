"""Places where pieces of work run: threads of this process, or a dask cluster, behind one small protocol.

Threads are handed the objects themselves.  To another machine a piece travels as bytes, and so does its result.  A
piece that is lost with its worker is run again; each result is handed over once.
"""

import logging
import queue
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from itertools import islice
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from ttt_fast.core.archive import write_atomically
from ttt_fast.core.errors import TttFastError, UsageError
from ttt_fast.core.manifest import available_cores
from ttt_fast.running.interrupts import OnInterrupt, check_interrupt, interrupted_by, stop_between_chunks

Key = TypeVar("Key")
Payload = TypeVar("Payload")
Result = TypeVar("Result")
_Value = TypeVar("_Value")

MAX_LOSSES = 3
"""Times that a piece is handed in again after dask gave it up (it has then died with several workers)."""

_SECONDS_BETWEEN_TICKS = 0.1
_SECONDS_TO_CONNECT = 10
_SECONDS_BETWEEN_COUNTS = 5.0


class Executor(Protocol):
    """A place that runs pieces of work."""

    shares_memory: bool
    """Whether the work sees the objects of the caller (threads), so that it can be watched and stopped."""
    losses: tuple[type[BaseException], ...]
    """Exceptions that mean that a worker was lost, not that the work failed."""

    def slots(self) -> int:
        """Return how many pieces can run at a time now, at least 1."""

    def submit(self, work: Callable[[Payload], Result], payload: Payload) -> "Future[Result]":
        """Start `work(payload)` as soon as there is room."""

    def close(self) -> None:
        """Cancel the pieces that have not begun and give everything back."""


class ThreadExecutor:
    """Threads of this process (default: one for each core): the kernels release the GIL.

    Examples
    --------
    >>> from contextlib import closing
    >>> with closing(ThreadExecutor(2)) as executor:
    ...     executor.shares_memory
    True
    """

    shares_memory = True
    losses: tuple[type[BaseException], ...] = ()

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or available_cores()
        self._pool = ThreadPoolExecutor(self._threads)

    def slots(self) -> int:
        """Return the number of threads."""
        return self._threads

    def submit(self, work: Callable[[Payload], Result], payload: Payload) -> "Future[Result]":
        """Start `work(payload)` as soon as a thread is free."""
        return self._pool.submit(work, payload)

    def close(self) -> None:
        """Cancel the pieces that have not begun and wait for the rest."""
        self._pool.shutdown(wait=True, cancel_futures=True)


class DaskExecutor:
    """Workers of a dask.distributed scheduler, which runs lost pieces again; they need this package, no disk."""

    shares_memory = False

    def __init__(self, address: str) -> None:
        try:
            import dask.distributed
        except ImportError:
            raise UsageError(
                "expected dask.distributed for the dask executor, found none; pip install 'ttt-fast[cluster]'"
            ) from None
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what goes wrong is said in one line
        cluster: Any = dask.distributed
        self.losses: tuple[type[BaseException], ...] = (cluster.KilledWorker, CancelledError)
        try:
            self._client: Any = cluster.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise TttFastError(f"cannot reach a dask scheduler at {address!r}: {reason}") from error
        self._pool: Any = self._client.get_executor(pure=False)
        self._address, self._counted, self._slots = address, 0.0, 1

    def slots(self) -> int:
        """Return the number of threads of all workers, asked for every few seconds: workers come and go."""
        if not self._counted or time.monotonic() - self._counted > _SECONDS_BETWEEN_COUNTS:
            with_threads: dict[str, int] = self._ask(self._client.nthreads)
            self._slots, self._counted = max(1, sum(with_threads.values())), time.monotonic()
        return self._slots

    def submit(self, work: Callable[[Payload], Result], payload: Payload) -> "Future[Result]":
        """Send `work(payload)` to the scheduler."""
        future: Future[Result] = self._ask(lambda: self._pool.submit(work, payload))
        return future

    def _ask(self, question: Callable[[], _Value]) -> _Value:
        """Return the scheduler's answer; a closed connection is one line to users."""
        try:
            if self._client.status != "running":
                raise OSError(f"the connection is {self._client.status}")
            return question()
        except (OSError, RuntimeError) as error:  # every CommError of distributed is an OSError
            raise TttFastError(f"lost the dask scheduler at {self._address!r}; what was done is kept") from error

    def close(self) -> None:
        """Cancel everything and leave; the cluster itself stays."""
        self._pool.shutdown(wait=False)
        self._client.close(timeout=5)


def completed(
    executor: Executor,
    work: Callable[[Payload], Result],
    pieces: Iterable[tuple[Key, Payload]],
    should_stop: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[Key, Result]]:
    """Yield the result of each piece once, as they come, with few in flight so that memory stays flat.

    Parameters
    ----------
    executor, work
        The place where they run, and the function that is called with each payload.  What threads still do when nobody
        waits for it any more ends at their next `check_interrupt`.
    pieces
        Pairs of a key and a payload, taken as there is room.
    should_stop
        Asked ten times a second; once it is true nothing more is begun, and the finished results are yielded.

    Raises
    ------
    TttFastError
        If a piece was lost with its worker too often.  Exceptions of the work itself pass through.

    Examples
    --------
    >>> pool = ThreadExecutor(2)
    >>> sorted(completed(pool, bytes.upper, [(1, b"one"), (2, b"two")]))
    [(1, b'ONE'), (2, b'TWO')]
    >>> pool.close()
    """
    # CPython's SimpleQueue waits for ever where a signal's handler returns after the time-out; this queue does not.
    results: queue.Queue[tuple[Key, Payload, Future[Result]]] = queue.Queue()
    flying: set[Future[Result]] = set()
    losses: dict[Key, int] = {}
    source = iter(pieces)
    abandoned = False

    def watch() -> None:
        if abandoned:
            raise _AbandonedError

    def watched(payload: Payload) -> Result:
        with interrupted_by(watch):
            return work(payload)

    def start(key: Key, payload: Payload) -> None:
        future = executor.submit(watched if executor.shares_memory else work, payload)
        flying.add(future)
        future.add_done_callback(lambda done: results.put((key, payload, done)))

    try:
        while not should_stop():
            for key, payload in islice(source, max(0, 2 * executor.slots() - len(flying))):
                start(key, payload)
            if not flying:
                return
            try:
                key, payload, future = results.get(timeout=_SECONDS_BETWEEN_TICKS)
            except queue.Empty:
                continue
            flying.discard(future)
            try:
                result = future.result()
            except executor.losses as error:
                losses[key] = losses.get(key, 0) + 1
                if losses[key] > MAX_LOSSES:
                    raise TttFastError(
                        f"a piece of work was lost with its worker {MAX_LOSSES + 1} times over"
                        f" ({type(error).__name__}); look at the logs of the workers"
                    ) from error
                start(key, payload)
                continue
            yield key, result
        while not results.empty():  # what has finished by now is kept
            key, _, future = results.get()
            if not future.cancelled() and future.exception() is None:
                yield key, future.result()
    finally:
        abandoned = True
        for future in flying:
            future.cancel()


class _AbandonedError(Exception):
    """Ends a piece of work that nobody waits for any more."""


class Piece(NamedTuple):
    """A piece of work, the file that its result goes to, and its amount, in any unit."""

    path: Path
    payload: bytes
    amount: int


def run_to_files(
    executor: Executor,
    work: Callable[..., bytes],
    pieces: Iterable[Piece],
    on_progress: Callable[[int, int], None],
    on_interrupt: OnInterrupt = "raise",
) -> int:
    """Write the result of each piece to its file, as they come, and return how many.

    Parameters
    ----------
    executor
        The place where the work runs; it stays open.
    work
        Called with the payload of each piece, and in threads of this process also with a function `watch` to call
        now and then with the amount done of that piece; `watch` raises when the piece is to be given up.
    pieces
        The pieces, taken as there is room.
    on_progress
        Called ten times a second with the number of files written and the amount done.
    on_interrupt
        After a signal: `raise`, or `return` the number of files that are written.

    Raises
    ------
    RunInterrupted
        If a signal has stopped the work; its `result` is the number of files that are written.
    """
    written, amount = 0, 0
    under_way: dict[bytes, int] = {}

    def watched(payload: bytes) -> bytes:
        def watch(done: int) -> None:
            check_interrupt()
            under_way[payload] = done

        try:
            return work(payload, watch)
        finally:
            under_way.pop(payload, None)

    with stop_between_chunks(on_interrupt) as stop:

        def should_stop() -> bool:
            on_progress(written, amount + sum(under_way.copy().values()))
            return stop.requested

        keyed = ((piece, piece.payload) for piece in pieces)
        for piece, content in completed(executor, watched if executor.shares_memory else work, keyed, should_stop):
            write_atomically(piece.path, methodcaller("write", content))
            written, amount = written + 1, amount + piece.amount
        stop.result = written
    return written

"""Work in pieces: chunks over threads in order, and executors of threads or a dask cluster in order of completion.

Threads receive the objects themselves.  For another machine a piece and its result are serialized to bytes.  A piece
that is lost with its worker is run again; each result is delivered once.
"""

import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ttt_fast.core.checks import whole_number
from ttt_fast.core.errors import TttFastError, UsageError
from ttt_fast.core.manifest import available_cores
from ttt_fast.running.interrupts import RunInterrupted, check_interrupt, interrupted_by

if TYPE_CHECKING:
    from concurrent.futures import Future

Key = TypeVar("Key")
Payload = TypeVar("Payload")
Result = TypeVar("Result")
_Value = TypeVar("_Value")

MAX_LOSSES = 3
"""Number of times a piece is resubmitted after dask gave it up (each time after several workers died with it)."""

_SECONDS_BETWEEN_TICKS = 0.1
_SECONDS_TO_CONNECT = 10
_SECONDS_TO_END = 1.0
_SECONDS_BETWEEN_COUNTS = 5.0


def run_chunks(work: Callable[[int], Result], first: int, last: int, threads: int) -> Iterator[Result]:
    """Yield `work(chunk)` for chunks `first` to `last - 1`, in order, computed by `threads` threads.

    The kernels release the GIL.  Only a few chunks are in flight at a time, so that memory use stays constant and an
    interrupted run loses little.  If the caller stops early, the chunks in flight end at their next `check_interrupt`.
    """
    if threads == 1:
        yield from (work(chunk) for chunk in range(first, last))
        return
    from concurrent.futures import wait

    pool, stops = ThreadExecutor(threads), threading.Event()
    work, waiting, following = _stopped_by(stops, work), deque["Future[Result]"](), first
    try:
        while waiting or following < last:
            while following < last and len(waiting) < 2 * threads:
                waiting.append(pool.submit(work, following))
                following += 1
            while not wait([waiting[0]], timeout=_SECONDS_BETWEEN_TICKS).done:
                check_interrupt()
            yield waiting.popleft().result()
    finally:
        stops.set()
        pool.close()


def attended(work: Callable[[], Result]) -> Result:
    """Return `work()`; if this is the main thread, another one does it, so that signals are handled meanwhile.

    Raises
    ------
    RunInterrupted
        If the work has not ended shortly after a signal; it then ends at its next `check_interrupt`.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    (result,) = run_chunks(lambda _: work(), 0, 1, threads=2)  # of which one begins
    return result


def _stopped_by(stops: threading.Event, work: Callable[[Payload], Result]) -> Callable[[Payload], Result]:
    """Return work that ends at its next `check_interrupt` after an event."""

    def watch() -> None:
        if stops.is_set():
            raise RunInterrupted

    def watched(payload: Payload) -> Result:
        with interrupted_by(watch):
            return work(payload)

    return watched


class Executor(Protocol):
    """An executor of pieces of work."""

    shares_memory: bool
    """Whether the work shares the caller's memory (threads), so that it can be monitored and stopped."""
    losses: tuple[type[BaseException], ...]
    """Exceptions that mean the loss of a worker, not a failure of the work."""

    def slots(self) -> int:
        """Return the number of pieces that can run at the same time now, at least 1."""

    def submit(self, work: Callable[[Payload], Result], payload: Payload) -> "Future[Result]":
        """Start `work(payload)` as soon as a slot is free."""

    def close(self) -> None:
        """Cancel the pieces that have not begun and release all resources."""


class ThreadExecutor:
    """Threads of this process (default: one for each core): the kernels release the GIL.

    Unlike the threads of `concurrent.futures`, these do not delay the end of the process.

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
        self._threads = available_cores() if threads is None else whole_number(threads, "threads", 1)
        self._begun = list[threading.Thread]()
        self._pieces: queue.SimpleQueue[tuple[Future[Any], Callable[..., Any], Any] | None] = queue.SimpleQueue()

    def slots(self) -> int:
        """Return the number of threads."""
        return self._threads

    def submit(self, work: Callable[[Payload], Result], payload: Payload) -> "Future[Result]":
        """Start `work(payload)` as soon as a thread is free."""
        from concurrent.futures import Future

        future: Future[Result] = Future()
        self._pieces.put((future, work, payload))
        if len(self._begun) < self._threads:
            self._begun.append(threading.Thread(target=self._work, daemon=True))
            self._begun[-1].start()
        return future

    def _work(self) -> None:
        while (piece := self._pieces.get()) is not None:
            future, work, payload = piece
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work(payload))
                except BaseException as error:
                    future.set_exception(error)
            del piece, future, work, payload  # which would be kept until the next piece

    def close(self) -> None:
        """Cancel the pieces that have not begun, and wait for the others, but not for long."""
        with suppress(queue.Empty):
            while piece := self._pieces.get_nowait():
                piece[0].cancel()
        for _ in self._begun:
            self._pieces.put(None)
        for thread in self._begun:
            thread.join(_SECONDS_TO_END / len(self._begun))


class DaskExecutor:
    """Workers of a dask.distributed scheduler, which reruns lost pieces; workers need this package but no disk."""

    shares_memory = False

    def __init__(self, address: str) -> None:
        import logging
        from concurrent.futures import CancelledError

        try:
            import dask.distributed
        except ImportError:
            raise UsageError("the dask executor needs dask.distributed: install 'ttt-fast[cluster]'") from None
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # errors are reported in one line
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
        """Return the number of threads of all workers, updated every few seconds because workers may join or leave."""
        if not self._counted or time.monotonic() - self._counted > _SECONDS_BETWEEN_COUNTS:
            with_threads: dict[str, int] = self._ask(self._client.nthreads)
            self._slots, self._counted = max(1, sum(with_threads.values())), time.monotonic()
        return self._slots

    def submit(self, work: Callable[[Payload], Result], payload: Payload) -> "Future[Result]":
        """Send `work(payload)` to the scheduler."""
        future: Future[Result] = self._ask(lambda: self._pool.submit(work, payload))
        return future

    def _ask(self, question: Callable[[], _Value]) -> _Value:
        """Return the scheduler's answer; convert a closed connection to an error of one line."""
        try:
            if self._client.status != "running":
                raise OSError(f"the connection to the dask scheduler is {self._client.status}")
            return question()
        except (OSError, RuntimeError) as error:  # every CommError of distributed is an OSError
            raise TttFastError(
                f"lost the connection to the dask scheduler at {self._address!r}; the finished work is saved"
            ) from error

    def close(self) -> None:
        """Cancel all pieces and disconnect; the cluster itself is left running."""
        self._pool.shutdown(wait=False)
        self._client.close(timeout=5)


def completed(
    executor: Executor,
    work: Callable[[Payload], Result],
    pieces: Iterable[tuple[Key, Payload]],
    should_stop: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[Key, Result]]:
    """Yield the result of each piece once, in order of completion; few pieces are in flight, to bound memory use.

    Parameters
    ----------
    executor, work
        The executor, and the function that is called with each payload.  Work that is abandoned in threads ends at its
        next `check_interrupt`.
    pieces
        Pairs of a key and a payload, consumed as slots become free.
    should_stop
        Called ten times a second.  Once it returns True, no further piece is started, and the finished results are
        yielded.

    Raises
    ------
    TttFastError
        If a piece was lost with its worker too often.  Exceptions of the work itself are propagated.

    Examples
    --------
    >>> pool = ThreadExecutor(2)
    >>> sorted(completed(pool, bytes.upper, [(1, b"one"), (2, b"two")]))
    [(1, b'ONE'), (2, b'TWO')]
    >>> pool.close()
    """
    # CPython's SimpleQueue waits forever if a signal handler returns after the time-out; this queue does not.
    results: queue.Queue[tuple[Key, Payload, Future[Result]]] = queue.Queue()
    flying: set[Future[Result]] = set()
    losses: dict[Key, int] = {}
    source = iter(pieces)
    abandoned = threading.Event()
    work = _stopped_by(abandoned, work) if executor.shares_memory else work

    def start(key: Key, payload: Payload) -> None:
        future = executor.submit(work, payload)
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
        while not results.empty():  # results that have finished by now are kept
            key, _, future = results.get()
            if not future.cancelled() and future.exception() is None:
                yield key, future.result()
    finally:
        abandoned.set()
        for future in flying:
            future.cancel()


def start_python(code: str) -> "subprocess.Popen[bytes]":
    """Start code in a new Python process that imports the same modules.

    Examples
    --------
    >>> with start_python("import ttt_fast") as process:
    ...     process.wait()
    0
    """
    words = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

"""Delayed handling of Ctrl-C: long runs check for a stop request between two chunks.

SIGTERM, and SIGHUP from a closed terminal, are handled like Ctrl-C.  A run that is stopped in this way raises
`RunInterrupted` after its cleanup, unless its caller requests the finished part (`on_interrupt="return"`).

Python handles signals in the main thread only, and not within a kernel.  Long work therefore runs in other threads
(`executors`), in blocks (`blocks`).  Between two blocks `check_interrupt` ends the work that nobody waits for any more.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Literal, get_args

from ttt_fast.core.errors import UsageError
from ttt_fast.core.signals import ENDING, HANGUP

SECONDS_TO_FINISH = 1.0
"""Time for a chunk in progress to end after a request to stop; then it is dropped."""
SECONDS_A_BLOCK = 0.5
"""Aim for the time of a kernel call, a quarter of what a signal may wait: the machine may become slower."""
_GROWTH = 8  # the rate of a small block may not be that of a large one
OnInterrupt = Literal["raise", "return"]
"""Behaviour of a stopped run: raise `RunInterrupted`, or return the finished part."""


class RunInterrupted(KeyboardInterrupt):
    """A run was stopped by SIGINT, SIGTERM or SIGHUP; its files are written.

    Attributes
    ----------
    result
        The return value of the run with `on_interrupt="return"`: the finished part, or the whole if the signal arrived
        during the last chunk (see `complete`).  None if a part would be useless.

    Examples
    --------
    >>> import signal, ttt_fast
    >>> config = ttt_fast.ContestConfig(3000, chunk_games=1000)
    >>> def stop(games, text):
    ...     signal.raise_signal(signal.SIGTERM)
    >>> try:
    ...     ttt_fast.contest("random", "random", config, threads=1, on_progress=stop)
    ... except ttt_fast.RunInterrupted as stopped:
    ...     stopped.result.rows[0]["games"], stopped.result.complete
    (1000, False)
    """

    def __init__(self, result: object = None) -> None:
        super().__init__("stopped by a signal")
        self.result = result


class StopRequest:
    """A request of a signal to stop the run (SIGINT, SIGTERM or SIGHUP), and the result of the run so far.

    Attributes
    ----------
    result
        Set by the run before it leaves the context, and passed on to `RunInterrupted`.
    """

    def __init__(self, outer: "StopRequest | None" = None) -> None:
        self._times: list[float] = [] if outer is None else outer._times  # of the signals
        self.result: Any = None

    @property
    def requested(self) -> bool:
        """Whether the run should stop."""
        return bool(self._times)

    def check(self) -> None:
        """Raise `RunInterrupted` if the work in progress has not ended within `SECONDS_TO_FINISH` after a request."""
        if self._times and time.monotonic() - self._times[0] > SECONDS_TO_FINISH:
            raise RunInterrupted

    def request(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal: record the first one as a request to stop."""
        if self._times and number != HANGUP:
            raise KeyboardInterrupt
        self._times.append(time.monotonic())


_active: list[StopRequest] = []


@contextmanager
def stop_between_chunks(on_interrupt: OnInterrupt = "raise") -> Iterator[StopRequest]:
    """Turn the first SIGINT, SIGTERM or SIGHUP into a request, so that no update is interrupted halfway.

    A second signal interrupts at once, except SIGHUP, which a closed terminal may send twice.  If SIGHUP is ignored
    (`nohup`), it remains ignored.  A nested run shares the request of the outer run.  Outside the main thread, where
    signals cannot be caught, nothing changes.

    Parameters
    ----------
    on_interrupt
        Action at the end of the context after a request: `raise`, or `return` as if there had been no request.

    Raises
    ------
    RunInterrupted
        At the end of the context, with the `result` of the request, after the previous signal handlers have been
        restored.
    """
    if on_interrupt not in get_args(OnInterrupt):
        raise UsageError(f"expected on_interrupt to be 'raise' or 'return', got {on_interrupt!r}")
    with _caught_signals() as stop:
        yield stop
    if stop.requested and on_interrupt == "raise":
        raise RunInterrupted(stop.result)


@contextmanager
def _caught_signals() -> Iterator[StopRequest]:
    """Let the signals set a request; the previous handlers are restored at the end."""
    if threading.current_thread() is not threading.main_thread():
        yield StopRequest()
        return
    if _active:
        yield StopRequest(_active[-1])
        return
    stop = StopRequest()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
    before = {number: known for number, known in before.items() if (number, known) != (HANGUP, signal.SIG_IGN)}

    _active.append(stop)
    try:
        for number in before:
            signal.signal(number, stop.request)
        yield stop
    finally:
        _active.pop()
        for number, handler in before.items():
            signal.signal(number, handler)


_of_thread = threading.local()


@contextmanager
def interrupted_by(watch: Callable[[], None] | None) -> Iterator[None]:
    """Let `check_interrupt` also call `watch` in this thread; an exception from `watch` ends the work in progress.

    With None, nothing is called.
    """
    before: Callable[[], None] | None = getattr(_of_thread, "watch", None)
    _of_thread.watch = watch if before is None or watch is None else lambda: (before(), watch())
    try:
        yield
    finally:
        _of_thread.watch = before


def check_interrupt() -> None:
    """Raise an exception if this thread should stop; searches call this between two kernel calls."""
    watch: Callable[[], None] | None = getattr(_of_thread, "watch", None)
    if watch is not None:
        watch()


def blocks(total: int, first: int) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of successive blocks of work, of about half a second each by the rate so far.

    Parameters
    ----------
    total
        Amount of work.
    first
        Amount of the first block, which should take less time at the slowest rate.

    Raises
    ------
    RunInterrupted
        Between two blocks, if this thread should stop (`check_interrupt`).

    Examples
    --------
    >>> list(blocks(10, 3))
    [(0, 3), (3, 10)]
    """
    begin, size = 0, max(first, 1)
    while begin < total:
        end, started = min(begin + size, total), time.perf_counter()
        yield begin, end
        rate = (end - begin) / max(time.perf_counter() - started, 1e-9)
        begin, size = end, int(max(1, min(_GROWTH * size, rate * SECONDS_A_BLOCK)))
        check_interrupt()

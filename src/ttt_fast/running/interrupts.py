"""Ctrl-C that waits for a good moment: long runs look between two chunks whether they should stop.

SIGTERM, and SIGHUP of a terminal that is closed, are taken as Ctrl-C is.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ttt_fast.core.signals import ENDING, HANGUP


class StopRequest:
    """Whether somebody has asked the run to stop (SIGINT, SIGTERM or SIGHUP)."""

    requested = False


_active: list[StopRequest] = []


@contextmanager
def stop_between_chunks() -> Iterator[StopRequest]:
    """Turn the first SIGINT, SIGTERM or SIGHUP into a request, so that no update is torn in two.

    A second one interrupts at once, but for SIGHUP, which a terminal that is closed may send twice.  Where SIGHUP is
    ignored (`nohup`) it stays so.  A run inside a run shares the request of the outer one.  Outside the main thread,
    where signals cannot be caught, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield StopRequest()
        return
    if _active:
        yield _active[-1]
        return
    stop = StopRequest()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
    before = {number: known for number, known in before.items() if (number, known) != (HANGUP, signal.SIG_IGN)}

    def request(number: int, frame: FrameType | None) -> None:
        if stop.requested and number != HANGUP:
            raise KeyboardInterrupt
        stop.requested = True

    _active.append(stop)
    try:
        for number in before:
            signal.signal(number, request)
        yield stop
    finally:
        _active.pop()
        for number, handler in before.items():
            signal.signal(number, handler)


_of_thread = threading.local()


@contextmanager
def interrupted_by(watch: Callable[[], None] | None) -> Iterator[None]:
    """Have `check_interrupt` call `watch` in this thread; `watch` may raise, which ends the work under way."""
    before, _of_thread.watch = getattr(_of_thread, "watch", None), watch
    try:
        yield
    finally:
        _of_thread.watch = before


def check_interrupt() -> None:
    """Raise if this thread is to give up; searches ask between two calls of a kernel."""
    watch: Callable[[], None] | None = getattr(_of_thread, "watch", None)
    if watch is not None:
        watch()

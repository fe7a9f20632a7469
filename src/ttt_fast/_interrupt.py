"""Ctrl-C that waits for a good moment: long runs look between two chunks whether they should stop."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class StopRequest:
    """Whether somebody has asked the run to stop (SIGINT or SIGTERM)."""

    requested = False


@contextmanager
def stop_between_chunks() -> Iterator[StopRequest]:
    """Turn the first SIGINT or SIGTERM into a request, so that no update is torn in two.

    A second SIGINT interrupts at once.  Outside the main thread, where signals cannot be caught, nothing changes.
    """
    stop = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def request(number: int, frame: FrameType | None) -> None:
        if stop.requested:
            raise KeyboardInterrupt
        stop.requested = True

    try:
        for number in before:
            signal.signal(number, request)
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""Signals that end a process, and cleanup before they do."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

HANGUP: signal.Signals | None = getattr(signal, "SIGHUP", None)  # not available on Windows
ENDING = [signal.SIGTERM, *([] if HANGUP is None else [HANGUP])]
"""Signals that end a process silently unless they are caught."""
TIDYING: list[Callable[[], object]] = []
"""Functions called before such a signal ends the process, in reverse order."""


@contextmanager
def ended_tidily() -> Iterator[None]:
    """Call all of `TIDYING` before SIGTERM or SIGHUP ends the process, unless another handler catches the signal."""
    caught = []
    if threading.current_thread() is threading.main_thread():
        caught = [number for number in ENDING if signal.getsignal(number) == signal.SIG_DFL]

    def end(number: int, frame: FrameType | None) -> None:
        for tidy in reversed(TIDYING):
            tidy()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    try:
        for number in caught:
            signal.signal(number, end)
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def tidied_up(tidy: Callable[[], object]) -> Iterator[None]:
    """Also call `tidy` if SIGTERM or SIGHUP ends the process inside this context."""
    TIDYING.append(tidy)
    try:
        with ended_tidily():
            yield
    finally:
        TIDYING.remove(tidy)

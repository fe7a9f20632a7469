"""Signals that end a process, and what is done before they do."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

HANGUP: signal.Signals | None = getattr(signal, "SIGHUP", None)  # Windows has none
ENDING = [signal.SIGTERM, *([] if HANGUP is None else [HANGUP])]
"""Signals that end a process without a word where nobody catches them."""
TIDYING: list[Callable[[], object]] = []
"""Functions that are called before such a signal ends the process, the last one first."""


@contextmanager
def ended_tidily() -> Iterator[None]:
    """Have all of `TIDYING` called before SIGTERM or SIGHUP ends the process, where nobody else catches them."""
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
    """Have `tidy` called, too, if SIGTERM or SIGHUP ends the process inside of this."""
    TIDYING.append(tidy)
    try:
        with ended_tidily():
            yield
    finally:
        TIDYING.remove(tidy)

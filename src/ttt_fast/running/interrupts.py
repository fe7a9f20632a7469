"""Ctrl-C that waits for a good moment: long runs look between two chunks whether they should stop.

SIGTERM, and SIGHUP of a terminal that is closed, are taken as Ctrl-C is.  A run that stops so raises `RunInterrupted`
when it has cleaned up, unless its caller asks for the part that is done (`on_interrupt="return"`).
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Literal, get_args

from ttt_fast.core.errors import UsageError
from ttt_fast.core.signals import ENDING, HANGUP

OnInterrupt = Literal["raise", "return"]
"""What a run does that was stopped: raise `RunInterrupted`, or return the part that is done."""


class RunInterrupted(KeyboardInterrupt):
    """A run was stopped by SIGINT, SIGTERM or SIGHUP; its files are written.

    Attributes
    ----------
    result
        What the run returns with `on_interrupt="return"`: the part that is done, or the whole, if the signal came
        during the last chunk (`complete` tells); None where no part is of use.

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
    """Whether a signal asks the run to stop (SIGINT, SIGTERM or SIGHUP), and what the run has done so far.

    Attributes
    ----------
    result
        Set by the run before it leaves the context; `RunInterrupted` hands it on.
    """

    def __init__(self, outer: "StopRequest | None" = None) -> None:
        self._outer, self._seen = outer, False
        self.result: Any = None

    @property
    def requested(self) -> bool:
        """Whether the run is to stop."""
        return self._seen if self._outer is None else self._outer.requested

    def request(self, number: int, frame: FrameType | None) -> None:
        """Take the first signal as a request; the handler of the signals."""
        if self._seen and number != HANGUP:
            raise KeyboardInterrupt
        self._seen = True


_active: list[StopRequest] = []


@contextmanager
def stop_between_chunks(on_interrupt: OnInterrupt = "raise") -> Iterator[StopRequest]:
    """Turn the first SIGINT, SIGTERM or SIGHUP into a request, so that no update is torn in two.

    A second one interrupts at once, but for SIGHUP, which a terminal that is closed may send twice.  Where SIGHUP is
    ignored (`nohup`) it stays so.  A run inside a run shares the request of the outer one.  Outside the main thread,
    where signals cannot be caught, nothing changes.

    Parameters
    ----------
    on_interrupt
        What happens at the end of the context after a request: `raise`, or `return` as if there had been none.

    Raises
    ------
    RunInterrupted
        At the end of the context, with the `result` of the request, when the handlers of signals are those of before.
    """
    if on_interrupt not in get_args(OnInterrupt):
        raise UsageError(f"expected on_interrupt to be 'raise' or 'return', got {on_interrupt!r}")
    with _caught_signals() as stop:
        yield stop
    if stop.requested and on_interrupt == "raise":
        raise RunInterrupted(stop.result)


@contextmanager
def _caught_signals() -> Iterator[StopRequest]:
    """Have the signals make a request; the handlers of before are set again at the end."""
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

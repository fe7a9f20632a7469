"""Progress reports from long calls, such as the enumeration of a table."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ttt_fast.core.signals import ended_tidily

Watcher = Callable[[str, int, int | None, str], None]
"""Called with the name of the work, the amount done, the total amount (None: unknown), and its unit."""

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


def report_progress(work: str, done: int, total: int | None, unit: str) -> None:
    """Report the progress of some work to the watcher of this thread.

    Examples
    --------
    >>> with watched_by(print):
    ...     report_progress("table of connect4", 3, 10, "states")
    table of connect4 3 10 states
    """
    watcher = _watcher.get()
    if watcher is not None:
        watcher(work, done, total, unit)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Let `report_progress` call `watcher` in this context.

    Signals that end the process allow for cleanup first.
    """
    token = _watcher.set(watcher)
    try:
        with ended_tidily():
            yield
    finally:
        _watcher.reset(token)

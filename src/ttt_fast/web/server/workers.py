"""Work beside the server: a few threads, each piece with a time limit, given up when nobody waits for it any more."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ttt_fast import TttFastError
from ttt_fast.running.api import interrupted_by

Result = TypeVar("Result")
THREADS, WAITING = 2, 16
"""Pieces of work at a time, and those that wait for their turn."""
PATIENCE = 120.0
"""Seconds after which an answer is given that work goes on, whatever it is: a kernel that is compiled, a table."""


class TooSlowError(TttFastError):
    """Work that has not come to its end in its time."""


class TooBusyError(TttFastError):
    """Work that is asked for while too much of it waits."""


class _GivenUpError(TttFastError):
    """Nobody waits for the work any more."""


class Workers:
    """Threads for work that asks `check_interrupt` from time to time.

    Parameters
    ----------
    threads, waiting
        Pieces of work at a time, and those that may wait.
    patience
        Seconds after which nobody waits any more.
    """

    def __init__(self, threads: int = THREADS, waiting: int = WAITING, patience: float = PATIENCE) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="answer")
        self._most, self._patience = threads + waiting, patience
        self._stopped = threading.Event()
        self._under_way = 0

    async def run(
        self, work: Callable[[], Result], seconds: float, gone: Callable[[], Coroutine[Any, Any, None]]
    ) -> Result | None:
        """Return the result of `work`, or None if that of `gone` came first.

        The time is counted from the first `check_interrupt` on: before it, kernels may be compiled.

        Raises
        ------
        TooSlowError
            If it takes longer than `seconds`, or its thread has not answered within the patience.
        TooBusyError
            If too much work waits.
        """
        if self._under_way >= self._most or self._stopped.is_set():
            raise TooBusyError(f"expected at most {self._most} questions at a time, got more; ask again later")
        given_up = threading.Event()
        self._under_way += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, self._watched, work, seconds, given_up)
        future.add_done_callback(self._finished)
        leaving = asyncio.ensure_future(gone())
        try:
            waiting: set[asyncio.Future[Any]] = {future, leaving}
            await asyncio.wait(waiting, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
        finally:
            given_up.set()
            leaving.cancel()
        if future.done():
            return future.result()
        if leaving.done():
            return None
        raise TooSlowError(f"expected an answer within {self._patience:g} s, got none; ask again later")

    def stop(self) -> None:
        """Give up all work, and take no more; takes no lock, since a signal handler calls it."""
        self._stopped.set()

    def close(self) -> None:
        """Give up all work, and end the threads without waiting for them."""
        self.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _finished(self, future: "asyncio.Future[Any]") -> None:
        self._under_way -= 1
        if not future.cancelled():
            future.exception()  # else asyncio complains about one that nobody has asked for

    def _watched(self, work: Callable[[], Result], seconds: float, given_up: threading.Event) -> Result:
        end = 0.0

        def watch() -> None:
            nonlocal end
            end = end or time.monotonic() + seconds
            if self._stopped.is_set() or given_up.is_set():
                raise _GivenUpError("given up")
            if time.monotonic() > end:
                raise TooSlowError(f"expected an answer within {seconds:g} s, got none: ask for a smaller search")

        if given_up.is_set():
            raise _GivenUpError("given up")
        with interrupted_by(watch):
            return work()

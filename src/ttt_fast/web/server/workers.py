"""Worker threads of the server: each task has a time limit, and is cancelled when its client disconnects."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from ttt_fast import TttFastError
from ttt_fast.running.api import interrupted_by

Result = TypeVar("Result")
THREADS, WAITING = 2, 16
"""Maximum numbers of running and of waiting tasks."""
PATIENCE = 120.0
"""Seconds after which a request is answered in any case, even during the compilation of a kernel or of a table."""


class TooSlowError(TttFastError):
    """A task exceeded its time limit."""


class TooBusyError(TttFastError):
    """A task was requested while too many tasks are waiting."""


class _GivenUpError(TttFastError):
    """The client no longer waits for the task."""


class Workers:
    """Threads for tasks that call `check_interrupt` regularly.

    A task counts until its thread is free again.  The limiter of anyio would admit the next task when a client leaves,
    so that any number of threads could run.  Brief tasks have threads of their own, and never wait for a search.

    Parameters
    ----------
    threads, waiting
        Maximum numbers of running and of waiting tasks, of brief ones and of others.
    patience
        Maximum number of seconds to wait for a task.
    """

    def __init__(self, threads: int = THREADS, waiting: int = WAITING, patience: float = PATIENCE) -> None:
        self._pools = [ThreadPoolExecutor(threads, thread_name_prefix=name) for name in ("answer", "brief")]
        self._most, self._patience = threads + waiting, patience
        self._stopped = threading.Event()
        self._under_way = [0, 0]

    async def run(
        self, work: Callable[[], Result], seconds: float, gone: Callable[[], Coroutine[Any, Any, None]],
        is_brief: bool = False,
    ) -> Result | None:  # fmt: skip
        """Return the result of `work`, or None if `gone` finishes first.

        The time limit starts at the first `check_interrupt`: before it, kernels may be compiled.

        Raises
        ------
        TooSlowError
            If the task takes longer than `seconds`, or its thread does not respond within `patience`.
        TooBusyError
            If too many tasks are waiting.
        """
        if self._under_way[is_brief] >= self._most or self._stopped.is_set():
            raise TooBusyError(f"expected at most {self._most} requests at a time, got more; try again later")
        given_up = threading.Event()
        self._under_way[is_brief] += 1
        pool = self._pools[is_brief]
        future = asyncio.get_running_loop().run_in_executor(pool, self._watched, work, seconds, given_up)
        future.add_done_callback(partial(self._finished, is_brief))
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
        raise TooSlowError(f"expected an answer within {self._patience:g} s, got none; try again later")

    def stop(self) -> None:
        """Cancel all tasks, and accept no more; acquires no lock, since a signal handler calls it."""
        self._stopped.set()

    def close(self) -> None:
        """Cancel all tasks, and end the threads without waiting for them."""
        self.stop()
        for pool in self._pools:
            pool.shutdown(wait=False, cancel_futures=True)

    def _finished(self, is_brief: bool, future: "asyncio.Future[Any]") -> None:
        self._under_way[is_brief] -= 1
        if not future.cancelled():
            future.exception()  # otherwise asyncio warns about an unretrieved exception

    def _watched(self, work: Callable[[], Result], seconds: float, given_up: threading.Event) -> Result:
        end = 0.0

        def watch() -> None:
            nonlocal end
            end = end or time.monotonic() + seconds
            if self._stopped.is_set() or given_up.is_set():
                raise _GivenUpError("given up")
            if time.monotonic() > end:
                raise TooSlowError(f"expected an answer within {seconds:g} s, got none; request a smaller search")

        if given_up.is_set():
            raise _GivenUpError("given up")
        with interrupted_by(watch):
            return work()

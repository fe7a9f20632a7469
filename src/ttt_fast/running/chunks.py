"""Chunks of work over threads, with results in the order of the chunks."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


def run_chunks(work: Callable[[int], Result], first: int, last: int, threads: int) -> Iterator[Result]:
    """Yield `work(chunk)` for chunks `first` to `last - 1`, in order, computed by `threads` threads.

    The kernels release the GIL.  Only a few chunks are in flight at a time, so that memory use stays constant and an
    interrupted run loses little.  If the caller stops early, the chunks in flight are finished and discarded.
    """
    if threads == 1:
        yield from (work(chunk) for chunk in range(first, last))
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Result]] = deque()
        following = first
        try:
            while waiting or following < last:
                while following < last and len(waiting) < 2 * threads:
                    waiting.append(pool.submit(work, following))
                    following += 1
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

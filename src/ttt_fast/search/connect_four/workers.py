"""Threads of a solver: together on one position, or each with a share of many."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.search.connect_four import search
from ttt_fast.search.connect_four.children import STACK_LENGTH, TARGET
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.positions import Words
from ttt_fast.search.connect_four.search import HIGH, LOW, NODES, SIGN, TOP, Work
from ttt_fast.search.connect_four.table import make_table

CHUNK_NODES = 1 << 19
"""Nodes between two looks at the clock and Ctrl-C: a quarter of a second or less."""
SHARED_CHUNK_NODES = 1 << 15
"""The same where threads wait for each other's answers."""
_SECONDS_BETWEEN_REPORTS = 0.1


class SearchProgress(NamedTuple):
    """State of a search: nodes so far, and the bounds of the score for the player to move."""

    nodes: int
    lower: int
    upper: int


def make_workers(size: BoardSize, table_mb: float, threads: int) -> list[Work]:
    """Return the arrays of each thread; the table, the board and the list of positions in work are those of all."""
    table, board = make_table(size, table_mb)
    busy = np.zeros(search.BUSY_SLOTS if threads > 1 else 1, np.uint64)
    return [
        Work(np.full(search.REGISTERS, -1, np.int64), np.zeros(STACK_LENGTH, np.uint64), table, board, busy)
        for _ in range(threads)
    ]


class SharedSearch:
    """One position, searched by all threads: the first to answer a question spares the others the rest.

    Attributes
    ----------
    lower, upper
        Bounds of the score for the player to move, as far as they are known.
    """

    def __init__(self, workers: list[Work], position: Words, window: tuple[int, int]) -> None:
        self.workers = workers
        workers[0].busy.fill(0)
        for worker in workers:
            search.begin(np.uint64(position[0]), np.uint64(position[1]), window, worker)
        registers = workers[0].registers
        self._low, self._high, self._sign = int(registers[LOW]), int(registers[HIGH]), int(registers[SIGN])
        self._finished = threading.Event()
        self._lock = threading.Lock()

    @property
    def progress(self) -> SearchProgress:
        """State of the search."""
        nodes = sum(int(worker.registers[NODES]) for worker in self.workers)
        bounds = (self._low, self._high) if self._sign > 0 else (-self._high, -self._low)
        return SearchProgress(nodes, *bounds)

    def run(self, on_progress: Callable[[SearchProgress], None] | None) -> None:
        """Search until the score is known; Ctrl-C ends it between two chunks."""

        def tell() -> None:
            if on_progress is not None:
                on_progress(self.progress)

        if len(self.workers) == 1:
            while not self._step(self.workers[0], CHUNK_NODES):
                tell()
            return
        with ThreadPoolExecutor(len(self.workers)) as pool:
            futures = [pool.submit(self._work, worker) for worker in self.workers]
            _wait_for(futures, tell, self._finished)

    def _work(self, worker: Work) -> None:
        while not self._finished.is_set():
            if self._step(worker, SHARED_CHUNK_NODES):
                self._finished.set()

    def _step(self, worker: Work, budget: int) -> bool:
        """Search a chunk, share its result, and return whether the score is known."""
        registers = worker.registers
        search.advance(budget, worker)
        with self._lock:
            self._low, self._high = max(self._low, int(registers[LOW])), min(self._high, int(registers[HIGH]))
            registers[LOW], registers[HIGH] = self._low, self._high
            if not self._low < int(worker.stack[TARGET].astype(np.int64)) <= self._high:
                registers[TOP] = -1  # the question that this thread is at has been answered
                worker.busy.fill(0)  # or what it has left unfinished would be put off by all
            return self._low >= self._high


def solve_shares(
    workers: list[Work],
    positions: NDArray[np.uint64],
    window: tuple[int, int],
    on_progress: Callable[[int, int], None] | None,
) -> NDArray[np.int64]:
    """Return the score of each position within a window, and its nodes, (N, 2); each thread has an equal share.

    Parameters
    ----------
    workers
        The threads.
    positions
        (N, 2) uint64, checked.
    window
        Scores beyond it are not told apart.
    on_progress
        Called with the number of positions done, and the nodes of those and of the ones in work.
    """
    count = len(workers)
    shares = [_Share(worker, positions[number::count], window) for number, worker in enumerate(workers)]
    stopped = threading.Event()

    def tell() -> None:
        if on_progress is not None:
            on_progress(sum(share.done for share in shares), sum(share.num_nodes for share in shares))

    workers[0].busy.fill(0)
    if count == 1:
        while shares[0].step():
            tell()
        tell()
    else:
        with ThreadPoolExecutor(count) as pool:
            futures = [pool.submit(share.run, stopped) for share in shares]
            _wait_for(futures, tell, stopped)
    found = np.empty((len(positions), 2), np.int64)
    for number, share in enumerate(shares):
        found[number::count] = share.found
    found[:, 0] = np.clip(found[:, 0], *window)
    return found


class _Share:
    """The positions of one thread."""

    def __init__(self, worker: Work, positions: NDArray[np.uint64], window: tuple[int, int]) -> None:
        self.worker, self.positions, self.window = worker, np.ascontiguousarray(positions), window
        self.found, self.done = np.zeros((len(positions), 2), np.int64), 0
        worker.registers[TOP] = -1

    @property
    def num_nodes(self) -> int:
        in_work = int(self.worker.registers[NODES]) if self.worker.registers[TOP] >= 0 else 0
        return int(self.found[:, 1].sum()) + in_work

    def step(self) -> bool:
        """Work for a chunk; return whether anything is left."""
        self.done = search.solve_batch(self.positions, self.done, self.window, CHUNK_NODES, self.found, self.worker)
        return self.done < len(self.positions)

    def run(self, stopped: threading.Event) -> None:
        while not stopped.is_set() and self.step():
            pass


def _wait_for(futures: list[Future[Any]], tell: Callable[[], None], stop: threading.Event) -> None:
    """Wait for threads and report their state; any exception that ends the wait stops them."""
    try:
        while wait(futures, timeout=_SECONDS_BETWEEN_REPORTS).not_done:
            tell()
    finally:
        stop.set()
    for future in futures:
        future.result()

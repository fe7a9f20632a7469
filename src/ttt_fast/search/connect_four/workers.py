"""Threads of a solver, which search one position together or share many positions."""

import threading
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.running.executors import ThreadExecutor, completed
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.search.connect_four import search
from ttt_fast.search.connect_four.children import STACK_LENGTH, TARGET
from ttt_fast.search.connect_four.geometry import BoardSize
from ttt_fast.search.connect_four.positions import Words
from ttt_fast.search.connect_four.search import HIGH, LOW, NODES, SIGN, TOP, SolverWork
from ttt_fast.search.connect_four.table import make_table

CHUNK_NODES = 1 << 19
"""Nodes between two checks of the clock and Ctrl-C: at most a quarter of a second."""
SHARED_CHUNK_NODES = 1 << 15
"""The same for threads that wait for each other's results."""


class SearchProgress(NamedTuple):
    """The state of a search: nodes so far, and the bounds of the score for the player to move."""

    nodes: int
    lower: int
    upper: int


def make_workers(size: BoardSize, table_mb: float, threads: int) -> list[SolverWork]:
    """Return the arrays of each thread, which share the table, the board and the list of positions in progress."""
    table, board = make_table(size, table_mb)
    busy = np.zeros(search.BUSY_SLOTS if threads > 1 else 1, np.uint64)
    return [
        SolverWork(np.full(search.REGISTERS, -1, np.int64), np.zeros(STACK_LENGTH, np.uint64), table, board, busy)
        for _ in range(threads)
    ]


def _work_together(steps: list[Callable[[], bool]], tell: Callable[[], object]) -> None:
    """Call each of `steps` repeatedly in its own thread until it returns False; call `tell` in between.

    Ctrl-C, or any exception, ends the threads between two steps.
    """
    if len(steps) == 1:
        while steps[0]():
            tell()
        return

    def work(step: Callable[[], bool]) -> None:
        while step():
            check_interrupt()

    with closing(ThreadExecutor(len(steps))) as pool:
        list(completed(pool, work, enumerate(steps), lambda: bool(tell() and False)))


def search_position(
    workers: list[SolverWork],
    position: Words,
    window: tuple[int, int],
    on_progress: Callable[[SearchProgress], None] | None,
) -> SearchProgress:
    """Search a position with all threads until its score within a window is known; return the last state.

    The first thread that solves the current target ends this search for the others.
    """
    for worker in workers:
        search.begin(np.uint64(position[0]), np.uint64(position[1]), window, worker)
    registers, lock = workers[0].registers, threading.Lock()
    workers[0].busy.fill(0)
    low, high, sign = int(registers[LOW]), int(registers[HIGH]), int(registers[SIGN])

    def step(worker: SolverWork) -> bool:
        """Search a chunk, share its result, and return whether the score is still unknown."""
        nonlocal low, high
        registers = worker.registers
        search.advance(CHUNK_NODES if len(workers) == 1 else SHARED_CHUNK_NODES, worker)
        with lock:
            low, high = max(low, int(registers[LOW])), min(high, int(registers[HIGH]))
            registers[LOW], registers[HIGH] = low, high
            if not low < int(worker.stack[TARGET].astype(np.int64)) <= high:
                registers[TOP] = -1  # the question that this thread is at has been answered
                worker.busy.fill(0)  # or what it has left unfinished would be put off by all
            return low < high

    def progress() -> SearchProgress:
        nodes = sum(int(worker.registers[NODES]) for worker in workers)
        return SearchProgress(nodes, *((low, high) if sign > 0 else (-high, -low)))

    _work_together([partial(step, worker) for worker in workers], lambda: on_progress and on_progress(progress()))
    return progress()


def solve_shares(
    workers: list[SolverWork],
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
        Bounds of the score; scores beyond a bound are not distinguished.
    on_progress
        Called with the number of solved positions, and the nodes of solved and unfinished positions.
    """
    count = len(workers)
    shares = [np.ascontiguousarray(positions[number::count]) for number in range(count)]
    found, done = [np.zeros((len(share), 2), np.int64) for share in shares], [0] * count

    def step(share: int) -> bool:
        """Search for one chunk; return whether any position is left."""
        done[share] = search.solve_batch(shares[share], done[share], window, CHUNK_NODES, found[share], workers[share])
        return done[share] < len(shares[share])

    def tell() -> None:
        if on_progress is not None:
            in_work = sum(int(worker.registers[NODES]) for worker in workers if worker.registers[TOP] >= 0)
            on_progress(sum(done), in_work + sum(int(rows[:, 1].sum()) for rows in found))

    for worker in workers:
        worker.registers[TOP] = -1
    workers[0].busy.fill(0)
    _work_together([partial(step, share) for share in range(count)], tell)
    tell()
    rows = np.empty((len(positions), 2), np.int64)
    for share in range(count):
        rows[share::count] = found[share]
    rows[:, 0] = np.clip(rows[:, 0], *window)
    return rows

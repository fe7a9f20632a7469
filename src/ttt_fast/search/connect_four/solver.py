"""Solving Connect 4 positions: one, each of its moves, or a batch; with a table, threads and progress."""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.errors import BoardError, UsageError
from ttt_fast.search.connect_four import kernels
from ttt_fast.search.connect_four.geometry import BOARD, BOTTOM, CENTRE_ORDER, COLUMNS, STANDARD, BoardSize, geometry
from ttt_fast.search.connect_four.kernels import HIGH, LOW, NODES, SIGN, TOP
from ttt_fast.search.connect_four.table import make_table

DEFAULT_TABLE_MB = 64.0
SMALL_TABLE_MB, SMALL_TABLE_EMPTY = 8.0, 28
"""Batches of positions with so few empty cells fit into a small table, which is quicker to make than a large one."""
NEAR_ZERO_STONES = 8
"""Early positions have scores near 0; later ones are bisected."""
CHUNK_NODES = 1 << 19
"""Nodes between two looks at the clock, Ctrl-C and the other threads: a quarter of a second or less."""
STRONG, WEAK = (-100, 100), (-1, 1)

Words = tuple[int, int]
"""A position: the stones of the player to move, and all stones (`geometry` has the order of the bits)."""


class SearchProgress(NamedTuple):
    """How a search stands: nodes so far, and the bounds of the score for the player to move."""

    nodes: int
    lower: int
    upper: int


class SolvedPosition(NamedTuple):
    """The score of a position, and what it took.

    Attributes
    ----------
    score
        For the player to move: 1 and more, the winner's stones left when it wins, plus one, under best play;
        0, a draw; below 0, the same for the opponent.  Of a weak search the sign alone: 1, 0 or -1.
    nodes
        Positions visited.
    seconds
        Wall time.
    """

    score: int
    nodes: int
    seconds: float


class SolvedAction(NamedTuple):
    """A legal action (column, from 0), its score for its player (None: below the best), and whether it is best."""

    action: int
    score: int | None
    is_best: bool


class SolvedActions(NamedTuple):
    """The legal actions of a position in ascending order, the nodes that they took together, and the wall time."""

    actions: list[SolvedAction]
    nodes: int
    seconds: float


class SolvedBatch(NamedTuple):
    """Scores, (N,) int64, visited nodes, (N,) int64, and the wall time of all."""

    scores: NDArray[np.int64]
    nodes: NDArray[np.int64]
    seconds: float


class _Worker:
    """The stack and registers of one thread."""

    def __init__(self, jitter: int) -> None:
        self.registers = np.zeros(kernels.REGISTERS, np.int64)
        self.stack = np.zeros(kernels.STACK_LENGTH, np.uint64)
        self.jitter = np.uint64(jitter)
        self.registers[TOP] = -1


class Solver:
    """A transposition table and the threads that share it; positions solved before make later ones faster.

    Parameters
    ----------
    size
        The board.
    table_mb
        Size of the table in MiB, rounded down to a power of two.
    threads
        Threads that search one position together.  Scores do not depend on it, node counts do.

    Examples
    --------
    >>> solver = Solver(BoardSize(5, 4), table_mb=1)
    >>> solver.score((0, 0)).score
    0
    """

    def __init__(self, size: BoardSize = STANDARD, *, table_mb: float = DEFAULT_TABLE_MB, threads: int = 1) -> None:
        if threads < 1:
            raise UsageError(f"expected at least one thread, got {threads!r}")
        self.size, self.threads = size, threads
        self.table, self.board = make_table(size, table_mb)
        # A thread of number 0 searches without jitter: one thread alone always visits the same nodes.
        self._workers = [_Worker(0x9E3779B97F4A7C15 * number % 2**64) for number in range(threads)]

    def score(
        self,
        position: Words,
        *,
        weak: bool = False,
        window: tuple[int, int] | None = None,
        on_progress: Callable[[SearchProgress], None] | None = None,
    ) -> SolvedPosition:
        """Return the score of a position of a game that has not ended.

        Parameters
        ----------
        position
            The stones of the player to move and all stones.
        weak
            Ask only who wins.
        window
            Ask only whether the score is at most the first, at least the second, or which one in between.
        on_progress
            Told now and then how the search stands.

        Raises
        ------
        BoardError
            If the words are no position of this board, or the game is over.
        """
        check_positions(np.array([position], np.uint64), self.size)
        low, high = window or (WEAK if weak else STRONG)
        started = time.perf_counter()
        me, stones = np.uint64(position[0]), np.uint64(position[1])
        for worker in self._workers:
            kernels.begin(me, stones, low, high, worker.registers, worker.stack, self.board)
            worker.registers[kernels.BISECT] = position[1].bit_count() > NEAR_ZERO_STONES
        search = _SharedSearch(self, on_progress)
        search.run()
        registers = self._workers[0].registers
        return SolvedPosition(
            max(low, min(high, search.low * int(registers[SIGN]))),
            sum(int(worker.registers[NODES]) for worker in self._workers),
            time.perf_counter() - started,
        )

    def action_scores(
        self,
        position: Words,
        *,
        weak: bool = False,
        best_only: bool = False,
        on_progress: Callable[[SearchProgress], None] | None = None,
    ) -> SolvedActions:
        """Return the legal actions of a position with their scores.

        Parameters
        ----------
        position, weak, on_progress
            As in `score`.
        best_only
            Ask of each action only if it is best, which takes less time; the score of the others is None.

        Examples
        --------
        >>> [one.score for one in Solver(BoardSize(4, 4), table_mb=1).action_scores((0, 0)).actions]
        [0, 0, 0, 0]
        """
        nodes, started = 0, time.perf_counter()
        best = None
        if best_only:
            solved = self.score(position, weak=weak, on_progress=on_progress)
            best, nodes = solved.score, solved.nodes
        scores: dict[int, int] = {}

        def show(progress: SearchProgress) -> None:
            if on_progress is not None:
                on_progress(progress._replace(nodes=nodes + progress.nodes))

        for action, child in children(position, self.size):
            if child is None:
                score = (self.size.cells + 1 - position[1].bit_count()) // 2
                scores[action] = 1 if weak else score
                continue
            if child[1].bit_count() == self.size.cells:
                scores[action] = 0
                continue
            # An action is best if its child's score is at most that of the opponent under best play.
            window = None if best is None else (-best, 1 - best)
            answer = self.score(child, weak=weak, window=window, on_progress=show)
            scores[action], nodes = -answer.score, nodes + answer.nodes
        top = max(scores.values()) if best is None else best
        actions = [
            SolvedAction(action, score if best is None or score >= top else None, score >= top)
            for action, score in sorted(scores.items())
        ]
        return SolvedActions(actions, nodes, time.perf_counter() - started)

    def scores(
        self,
        positions: NDArray[np.uint64],
        *,
        weak: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> SolvedBatch:
        """Return the scores of many positions, one thread each; `on_progress` is told positions and nodes.

        Parameters
        ----------
        positions
            (N, 2) uint64: the stones of the player to move and all stones.
        """
        given = np.ascontiguousarray(positions, np.uint64).reshape(-1, 2)
        check_positions(given, self.size)
        return _solve_shares(self, given, WEAK if weak else STRONG, on_progress)


class _SharedSearch:
    """One position, searched by all threads of a solver: who answers a question first spares the others the rest."""

    def __init__(self, solver: Solver, on_progress: Callable[[SearchProgress], None] | None) -> None:
        self.solver, self.on_progress = solver, on_progress
        registers = solver._workers[0].registers
        self.low, self.high, self.sign = int(registers[LOW]), int(registers[HIGH]), int(registers[SIGN])
        self.finished = threading.Event()
        self.lock = threading.Lock()

    def run(self) -> None:
        """Search until the score is known; Ctrl-C ends it between two chunks."""
        workers = self.solver._workers
        if len(workers) == 1:
            while not self._step(workers[0]):
                self._report()
            return
        with ThreadPoolExecutor(len(workers)) as pool:
            futures = [pool.submit(self._work, worker) for worker in workers]
            try:
                while wait(futures, timeout=0.1).not_done:
                    self._report()
            finally:
                self.finished.set()
            for future in futures:
                future.result()

    def _work(self, worker: _Worker) -> None:
        while not self.finished.is_set():
            if self._step(worker):
                self.finished.set()

    def _step(self, worker: _Worker) -> bool:
        """Search a chunk and share what it has shown."""
        solver, registers = self.solver, worker.registers
        chunk = CHUNK_NODES if len(solver._workers) == 1 else CHUNK_NODES >> 3
        kernels.advance(chunk, registers, worker.stack, solver.table, solver.board, worker.jitter)
        with self.lock:
            self.low, self.high = max(self.low, int(registers[LOW])), min(self.high, int(registers[HIGH]))
            registers[LOW], registers[HIGH] = self.low, self.high
        target = int(worker.stack[kernels.TARGET].astype(np.int64))
        if not self.low < target <= self.high:
            registers[TOP] = -1  # another thread has answered the question
        return self.low >= self.high

    def _report(self) -> None:
        if self.on_progress is not None:
            nodes = sum(int(worker.registers[NODES]) for worker in self.solver._workers)
            bounds = (self.low, self.high) if self.sign > 0 else (-self.high, -self.low)
            self.on_progress(SearchProgress(nodes, *bounds))


def _solve_shares(
    solver: Solver,
    positions: NDArray[np.uint64],
    window: tuple[int, int],
    on_progress: Callable[[int, int], None] | None,
) -> SolvedBatch:
    """Solve positions with the threads of a solver, each with an equal share of them."""
    scores, nodes = np.zeros(len(positions), np.int64), np.zeros(len(positions), np.int64)
    started = time.perf_counter()
    count = len(solver._workers)
    done = [0] * count
    stopped = threading.Event()

    def work(number: int) -> None:
        worker, share = solver._workers[number], slice(number, None, count)
        mine = np.ascontiguousarray(positions[share])
        my_scores, my_nodes = np.zeros(len(mine), np.int64), np.zeros(len(mine), np.int64)
        worker.registers[TOP] = -1
        while done[number] < len(mine) and not stopped.is_set():
            done[number] = kernels.solve_batch(
                mine,
                done[number],
                *window,
                NEAR_ZERO_STONES,
                CHUNK_NODES,
                my_scores,
                my_nodes,
                worker.registers,
                worker.stack,
                solver.table,
                solver.board,
            )
            nodes[share] = my_nodes
            if count == 1 and on_progress is not None:
                on_progress(done[0], int(nodes.sum()))
        scores[share] = my_scores

    if count == 1:
        work(0)
    else:
        with ThreadPoolExecutor(count) as pool:
            futures = [pool.submit(work, number) for number in range(count)]
            try:
                while wait(futures, timeout=0.1).not_done:
                    if on_progress is not None:
                        on_progress(sum(done), int(nodes.sum()))
            finally:
                stopped.set()
            for future in futures:
                future.result()
    return SolvedBatch(np.clip(scores, *window), nodes, time.perf_counter() - started)


def children(position: Words, size: BoardSize = STANDARD) -> Iterable[tuple[int, Words | None]]:
    """Yield (action, position after it, or None if it makes four), from the centre outwards.

    Examples
    --------
    >>> [action for action, child in children((0, 0))]
    [3, 2, 4, 1, 5, 0, 6]
    """
    board = geometry(size)
    playable = (position[1] + int(board[BOTTOM])) & int(board[BOARD])
    for order in range(size.width):
        action = int(board[CENTRE_ORDER + order])
        move = playable & int(board[COLUMNS + action])
        if move:
            won = _has_four(position[0] | move, size)
            yield action, None if won else (position[0] ^ position[1], position[1] | move)


def plies_to_end(score: int, ply: int, size: BoardSize = STANDARD) -> int:
    """Return the number of plies that are played until the end, if both play best.

    Examples
    --------
    >>> plies_to_end(1, 0), plies_to_end(0, 40), plies_to_end(-18, 5)
    (41, 2, 2)
    """
    if score == 0:
        return size.cells - ply
    winner = ply & 1 if score > 0 else 1 - (ply & 1)
    last = size.cells + 1 - 2 * abs(score)  # stones before the winning one, or one less
    last -= (last & 1) != winner
    return last + 1 - ply


def check_positions(positions: NDArray[np.uint64], size: BoardSize = STANDARD) -> None:
    """Raise BoardError unless each pair of words is a position of this board in a game that has not ended.

    Parameters
    ----------
    positions
        (N, 2) uint64: the stones of the player to move and all stones.
    size
        The board.
    """
    board = geometry(size)
    me, stones = positions[:, 0], positions[:, 1]
    # In a column whose stones leave no gap, stones + bottom has a single bit, above them.
    tops = stones + board[BOTTOM]
    wrong = (me & ~stones | stones & ~board[BOARD] | tops & stones) != 0
    wrong |= np.bitwise_count(tops & ~stones) != size.width
    counts = np.bitwise_count(stones).astype(np.int64)
    wrong |= np.bitwise_count(me) != counts // 2
    opponent = me ^ stones
    ended = counts == size.cells
    for step in (1, size.stride - 1, size.stride, size.stride + 1):
        for side in (me, opponent):
            pair = side & (side >> np.uint64(step))
            ended |= (pair & (pair >> np.uint64(2 * step))) != 0
    for bad, what in ((wrong, "a position of alternate moves"), (ended, "a game that has not ended")):
        if bad.any():
            index = int(np.flatnonzero(bad)[0])
            shown = tuple(hex(int(word)) for word in positions[index])
            raise BoardError(f"expected {what} on a board of {size.width}x{size.height}, got {shown!r}")


def _has_four(stones: int, size: BoardSize) -> bool:
    for step in (1, size.stride - 1, size.stride, size.stride + 1):
        pair = stones & (stones >> step)
        if pair & (pair >> 2 * step):
            return True
    return False


def load_kernels() -> None:
    """Compile the solver or load it from the disk cache, so that the next search is timed without that."""
    size = BoardSize(4, 4)
    solver = Solver(size, table_mb=1)
    solver.score((0, 0))
    solver.scores(np.zeros((1, 2), np.uint64))


def solve_positions(
    positions: NDArray[np.uint64],
    size: BoardSize = STANDARD,
    *,
    weak: bool = False,
    table_mb: float | None = None,
    threads: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> SolvedBatch:
    """Return the scores of many positions.

    Parameters
    ----------
    positions
        (N, 2) uint64: the stones of the player to move and all stones.
    size
        The board.
    weak
        Return who wins instead: 1, 0 or -1.
    table_mb
        Size of the transposition table in MiB (default: 64, or 8 if all positions are late ones).
    threads
        Threads that share the positions and the table.
    on_progress
        Told how many positions are done, and the nodes so far.

    Raises
    ------
    BoardError
        If a row is no position of this board, or its game has ended.

    Examples
    --------
    >>> first_two_plies = np.array([[0, 0], [0, 1]], np.uint64)
    >>> solve_positions(first_two_plies, BoardSize(5, 4), table_mb=1).scores
    array([0, 0])
    """
    given = np.ascontiguousarray(positions, np.uint64).reshape(-1, 2)
    if table_mb is None:
        empty = size.cells - (int(np.bitwise_count(given[:, 1]).min()) if len(given) else 0)
        table_mb = SMALL_TABLE_MB if empty <= SMALL_TABLE_EMPTY else DEFAULT_TABLE_MB
    return Solver(size, table_mb=table_mb, threads=threads).scores(given, weak=weak, on_progress=on_progress)

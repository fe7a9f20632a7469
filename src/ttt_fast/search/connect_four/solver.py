"""The Connect 4 solver for a position, each of its moves, or a batch, with a table, threads and progress reports."""

import time
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import whole_number
from ttt_fast.core.errors import UsageError
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.search.connect_four.book import Book, shipped_book
from ttt_fast.search.connect_four.geometry import STANDARD, BoardSize
from ttt_fast.search.connect_four.positions import Words, board_size, check_positions, children, plies_to_end
from ttt_fast.search.connect_four.workers import SearchProgress, make_workers, search_position, solve_shares

DEFAULT_TABLE_MB = 64.0
SMALL_TABLE_MB, SMALL_TABLE_EMPTY = 8.0, 28
"""Batches of positions with at most this many empty cells use a small table, which is faster to create."""
STRONG, WEAK = (-100, 100), (-1, 1)


class SolvedPosition(NamedTuple):
    """The score of a position, and its cost.

    Attributes
    ----------
    score
        Score for the player to move under best play.  A win scores the number of stones left to the winner plus one, a
        draw 0, and a loss minus the score of the winner.  A weak search gives only the sign: 1, 0 or -1.
    nodes
        Positions visited.
    seconds
        Wall time.
    """

    score: int
    nodes: int
    seconds: float


class SolvedAction(NamedTuple):
    """A legal action (column, from 0), its score for its player (None if not determined), and whether it is best."""

    action: int
    score: int | None
    is_best: bool


class SolvedActions(NamedTuple):
    """The legal actions of a position in ascending order, the total number of nodes, and the wall time."""

    actions: list[SolvedAction]
    nodes: int
    seconds: float


class SolvedBatch(NamedTuple):
    """Scores, (N,) int64, visited nodes, (N,) int64, and the total wall time."""

    scores: NDArray[np.int64]
    nodes: NDArray[np.int64]
    seconds: float


class Solver:
    """A transposition table and the threads that share it; earlier positions speed up later ones.

    Parameters
    ----------
    size
        The board: its size, or a game of Connect 4 with four in a row.
    table_mb
        Size of the table in MiB, rounded down to a power of two.
    threads
        Threads that search one position together.  They affect node counts, but not scores.
    book
        Whether to use the stored scores of the first positions of the standard board, which then need no search.

    Examples
    --------
    >>> solver = Solver("connect4:columns=5,rows=4", table_mb=1)
    >>> solver.score((0, 0)).score
    0
    """

    def __init__(
        self,
        size: BoardSize | Game | str = STANDARD,
        *,
        table_mb: float = DEFAULT_TABLE_MB,
        threads: int = 1,
        book: bool = True,
    ) -> None:
        threads = whole_number(threads, "threads", 1)
        if not isinstance(size, BoardSize):
            size = board_size(parse_game(size))
        self.size, self._uses_book = size, book and size == STANDARD
        self._workers = make_workers(size, table_mb, threads)

    @staticmethod
    def supports(game: Game) -> bool:
        """Return whether there is a solver for a game: Connect 4 with four in a row.

        Examples
        --------
        >>> [Solver.supports(parse_game(name)) for name in ("connect4", "connect4:length=5", "tic-tac-toe")]
        [True, False, False]
        """
        try:
            board_size(game)
        except UsageError:
            return False
        return True

    def __repr__(self) -> str:
        """Return a one-line description of the solver."""
        board = f"{self.size.width} x {self.size.height}"
        return f"<Solver of {board}: {len(self._workers)} threads, {self.memory_bytes:,} bytes>"

    @property
    def memory_bytes(self) -> int:
        """Bytes of the table."""
        return self._workers[0].table.nbytes

    @cached_property
    def _book(self) -> Book | None:
        return shipped_book() if self._uses_book else None

    def plies_to_end(self, score: int, ply: int) -> int:
        """Return the number of plies until the end of a game from a position with this score, if both play best.

        Examples
        --------
        >>> Solver(table_mb=1).plies_to_end(1, ply=0)
        41
        """
        return plies_to_end(score, ply, self.size)

    def score(
        self,
        position: Words,
        *,
        weak: bool = False,
        window: tuple[int, int] | None = None,
        on_progress: Callable[[SearchProgress], None] | None = None,
    ) -> SolvedPosition:
        """Return the score of an ongoing position.

        Parameters
        ----------
        position
            The stones of the player to move and all stones.
        weak
            Determine only the winner.
        window
            Determine the score only within these two bounds; a score beyond a bound is reported only as such.
        on_progress
            Called occasionally with the state of the search.

        Raises
        ------
        BoardError
            If the words are not a position of this board, or the game is over.
        """
        check_positions(np.array([position], np.uint64), self.size)
        low, high = window or (WEAK if weak else STRONG)
        started = time.perf_counter()
        known = None if self._book is None else self._book.score(position)
        if known is not None:
            return SolvedPosition(max(low, min(high, known)), 0, time.perf_counter() - started)
        nodes, score, _ = search_position(self._workers, position, (low, high), on_progress)
        return SolvedPosition(max(low, min(high, score)), nodes, time.perf_counter() - started)

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
            Determine only the best actions, which is faster; the score of the other actions is None.

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
            scores[action], nodes = -min(answer.score, 1 if weak else answer.score), nodes + answer.nodes
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
        """Return the scores of many positions, one thread each.

        Parameters
        ----------
        positions
            (N, 2) uint64: the stones of the player to move and all stones.
        weak
            Determine only the winners.
        on_progress
            Called with the number of positions done and the nodes so far.
        """
        given = np.ascontiguousarray(positions, np.uint64).reshape(-1, 2)
        check_positions(given, self.size)
        started, window = time.perf_counter(), WEAK if weak else STRONG
        found, searched = np.zeros((len(given), 2), np.int64), np.ones(len(given), np.bool_)
        if self._book is not None:
            known, scores = self._book.lookup(given)
            found[known, 0], searched[known] = np.clip(scores, *window), False
        left = int(np.count_nonzero(searched))

        def show(done: int, nodes: int) -> None:
            if on_progress is not None:
                on_progress(len(given) - left + done, nodes)

        found[searched] = solve_shares(self._workers, given[searched], window, show)
        return SolvedBatch(found[:, 0], found[:, 1], time.perf_counter() - started)


def load_kernels() -> None:
    """Compile the solver or load it from the disk cache, so that this is not part of the time of the next search."""
    size = BoardSize(4, 4)
    solver = Solver(size, table_mb=1, book=False)
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
        Return the winner instead: 1, 0 or -1.
    table_mb
        Size of the transposition table in MiB (default: 64, or 8 if all positions are late ones).
    threads
        Threads that share the positions and the table.
    on_progress
        Called with the number of positions done and the nodes so far.

    Raises
    ------
    BoardError
        If a row is not a position of this board, or its game has ended.

    Examples
    --------
    >>> first_two_plies = np.array([[0, 0], [0, 1]], np.uint64)
    >>> solve_positions(first_two_plies, BoardSize(5, 4), table_mb=1).scores
    array([0, 1])
    """
    given = np.ascontiguousarray(positions, np.uint64).reshape(-1, 2)
    if table_mb is None:
        empty = size.cells - (int(np.bitwise_count(given[:, 1]).min()) if len(given) else 0)
        table_mb = SMALL_TABLE_MB if empty <= SMALL_TABLE_EMPTY else DEFAULT_TABLE_MB
    solver = Solver(size, table_mb=table_mb, threads=threads)
    return solver.scores(given, weak=weak, on_progress=on_progress)

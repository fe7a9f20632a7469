"""The making of a book: the positions of its last ply are solved, and the scores of the others follow from theirs.

The scores are written to the file of the book every few seconds, so that an interrupted run continues where it was.
"""

import shutil
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import ArraySpec, load_archive, read_meta, save_archive
from ttt_fast.core.errors import FileFormatError, UsageError
from ttt_fast.core.manifest import available_memory
from ttt_fast.running.interrupts import StopRequest, stop_between_chunks
from ttt_fast.running.progress import report_progress
from ttt_fast.search.connect_four.book import (
    KIND,
    MAX_BOOK_BYTES,
    UNFINISHED,
    Book,
    description,
    game_of,
    kept_path,
    keys_of,
    load_book,
    positions_of,
    save_book,
)
from ttt_fast.search.connect_four.geometry import BOTTOM, CENTRE_ORDER, COLUMNS, BoardSize, geometry
from ttt_fast.search.connect_four.positions import have_four
from ttt_fast.search.connect_four.solver import DEFAULT_TABLE_MB, Solver
from ttt_fast.tables import large

BYTES_PER_POSITION = 9
"""Bytes of a position in a book."""
_WORK_BYTES = 32
"""Bytes of memory per position of a ply that is reached by some move, before equal ones are removed."""
_FIRST_CHUNK, _CHUNK_SECONDS = 64, 3.0
"""Positions of the first chunk, and the approximate duration of the others."""
_SAVE_SHARE = 20
"""Minimum ratio of the time between two writes to the time of a write."""
_SPECS = {UNFINISHED: {"scores": ArraySpec("int8", (-1,))}}


class _Moves(NamedTuple):
    """The moves in one column: which positions can make them, which of these win, and the keys after the others."""

    legal: NDArray[np.bool_]
    wins: NDArray[np.bool_]
    keys: NDArray[np.uint64]


def _moves(keys: NDArray[np.uint64], size: BoardSize) -> Iterator[_Moves]:
    """Yield the moves of positions, given by their keys, column by column."""
    board = geometry(size)
    own, stones = positions_of(keys, size).T
    for column in range(size.width):
        cells = (stones + board[BOTTOM]) & board[COLUMNS + column]
        legal = cells != 0
        mine, after = own[legal] | cells[legal], stones[legal] | cells[legal]
        wins = have_four(mine, size)
        yield _Moves(legal, wins, keys_of(np.stack([after ^ mine, after], axis=1)[~wins], size))


def next_ply(keys: NDArray[np.uint64], size: BoardSize) -> NDArray[np.uint64]:
    """Return the keys of the positions one ply later, ascending, without those in which the game has been won.

    Examples
    --------
    >>> len(next_ply(np.zeros(1, np.uint64), BoardSize()))
    4
    """
    found = np.concatenate([moves.keys for moves in _moves(keys, size)])
    found.sort()
    return found[np.concatenate([[True], found[1:] != found[:-1]])] if len(found) else found


def all_plies(size: BoardSize, plies: int) -> list[NDArray[np.uint64]]:
    """Return the keys of the positions of each ply up to a last one.

    Raises
    ------
    UsageError
        If their number is too large for the available memory.
    """
    found = [np.zeros(1, np.uint64)]
    for ply in range(1, plies + 1):
        needed = _WORK_BYTES * size.width * len(found[-1])
        if needed > available_memory():
            raise UsageError(
                f"expected a book that fits into memory, got {plies} plies of {game_of(size).spec}:"
                f" the positions of ply {ply} need up to {needed / 1e9:.1f} GB,"
                f" and {available_memory() / 1e9:.1f} GB are available"
            )
        found.append(next_ply(found[-1], size))
        report_progress(f"positions of {plies} plies", sum(map(len, found)), None, "positions")
    return found


def back_up(plies: list[NDArray[np.uint64]], last: NDArray[np.int8], size: BoardSize) -> list[NDArray[np.int8]]:
    """Return the scores of the positions of all plies, given those of the last one.

    Examples
    --------
    >>> size = BoardSize(4, 4)
    >>> plies = all_plies(size, 2)
    >>> [scores.tolist() for scores in back_up(plies, np.zeros(len(plies[2]), np.int8), size)[:2]]
    [[0], [0, 0]]
    """
    scores = [last]
    for ply in range(len(plies) - 2, -1, -1):
        best = np.full(len(plies[ply]), -128, np.int8)
        for moves in _moves(plies[ply], size):
            after = np.full(len(moves.wins), (size.cells + 1 - ply) // 2, np.int8)
            after[~moves.wins] = -scores[-1][np.searchsorted(plies[ply + 1], moves.keys)]
            best[moves.legal] = np.maximum(best[moves.legal], after)
        scores.append(best)
    return scores[::-1]


def assemble(plies: list[NDArray[np.uint64]], last: NDArray[np.int8], size: BoardSize) -> Book:
    """Return the book of the positions of all plies, given the scores of those of the last one."""
    keys, scores = np.concatenate(plies), np.concatenate(back_up(plies, last, size))
    order = np.argsort(keys)
    return Book(size, len(plies) - 1, keys[order], scores[order])


def search_order(keys: NDArray[np.uint64], size: BoardSize) -> NDArray[np.intp]:
    """Return the order in which positions are solved: by their central columns first, then outwards.

    Successive positions then have many descendants in common, which the transposition table knows.  On 6x6 with 12
    plies a sample of 4,000 successive positions took half the nodes of 4,000 random ones.
    """
    ordered, column = np.zeros_like(keys), np.uint64((1 << size.stride) - 1)
    for index in geometry(size)[CENTRE_ORDER : CENTRE_ORDER + size.width].tolist():
        ordered = (ordered << np.uint64(size.stride)) | ((keys >> np.uint64(index * size.stride)) & column)
    return np.argsort(ordered)


class BookRun:
    """The making of a book, from its beginning or from where an earlier run was interrupted.

    Parameters
    ----------
    size
        The board.
    plies
        Maximum number of stones of the positions of the book.
    path
        The file (default: one beside the large tables on disk, where the solver finds it).
    table_mb, threads
        As in `Solver`.

    Attributes
    ----------
    path
        The file.
    total, solved
        The number of positions of the last ply, and how many of them are solved.
    book
        The book; None as long as it is not finished.

    Raises
    ------
    UsageError
        If the board has no book of that many plies, the file contains something else, or the book is too large.
    FileFormatError
        If a file that the caller named is damaged.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = BookRun(BoardSize(4, 4), 3, Path(folder, "book.npz"))
    ...     run.total, run.run(), run.book.score((0, 0))
    (26, True, 0)
    """

    def __init__(
        self,
        size: BoardSize,
        plies: int,
        path: Path | None = None,
        *,
        table_mb: float | None = None,
        threads: int = 1,
    ) -> None:
        geometry(size)
        if not 1 <= plies < size.cells:
            wanted = f"a book of 1 to {size.cells - 1} plies on {game_of(size).spec}"
            raise UsageError(f"expected {wanted}, got {plies!r}")
        self._size, self._plies, self._is_kept = size, plies, path is None
        self._table_mb, self._threads = table_mb or DEFAULT_TABLE_MB, threads
        self.path = kept_path(size, plies) if path is None else path
        self.book: Book | None = None
        self._scores, self.total = np.zeros(0, np.int8), 0
        self._open()
        if self.book is not None:
            self.total = len(self._scores)
            return
        self._keys = all_plies(size, plies)
        self.total = len(self._keys[-1])
        if len(self._scores) > self.total:
            raise FileFormatError(f"{str(self.path)!r}: expected {self.total:,} positions at most; the file is damaged")
        self._check_disk()

    @property
    def solved(self) -> int:
        """The number of solved positions of the last ply."""
        return len(self._scores)

    def _open(self) -> None:
        """Read the book, or the scores of an unfinished one, from the file, if it exists."""
        if not self.path.exists():
            return
        try:
            kind, meta = read_meta(self.path).get("kind"), read_meta(self.path)
            if kind not in (KIND, UNFINISHED, None) or (kind and not self._is_ours(meta)):
                raise UsageError(
                    f"expected a new file, or one of this book, got {str(self.path)!r}, which contains something else"
                )
            if kind == UNFINISHED:
                self._scores = load_archive(self.path, _SPECS, MAX_BOOK_BYTES).arrays["scores"]
            else:
                self.book = load_book(self.path, self._size)
                last = np.bitwise_count(positions_of(self.book.keys, self._size)[:, 1]) == self._plies
                self._scores = self.book.scores[last]
        except FileFormatError as error:
            if not self._is_kept:
                raise
            warnings.warn(f"the kept book is made again: {error}", stacklevel=2)

    def _is_ours(self, meta: dict[str, object]) -> bool:
        return {**meta, **description(self._size, self._plies)} == meta

    def _check_disk(self) -> None:
        """Raise UsageError if there is no space for the file."""
        needed = BYTES_PER_POSITION * sum(map(len, self._keys))
        folder = self.path.resolve().parent
        fits = needed <= min(MAX_BOOK_BYTES, shutil.disk_usage(folder).free)
        if self._is_kept and not large.make_room(needed):
            raise UsageError(
                f"expected {needed:,} bytes for the book among the kept tables, got less:"
                f" set {large.QUOTA_VARIABLE}, or name a file with -o"
            )
        if not fits:
            raise UsageError(f"expected {needed:,} bytes for the book in {str(folder)!r}, got less")

    def run(self, on_progress: Callable[[int], None] = lambda solved: None) -> bool:
        """Solve the positions that are left and write the book; return whether it is finished.

        It is not if a signal has stopped the run: its file then contains the scores so far.

        Parameters
        ----------
        on_progress
            Called with the number of solved positions.
        """
        if self.book is not None:
            return True
        with stop_between_chunks("return") as stop:
            if not self._solve(stop, on_progress):
                return False
            last = np.empty(self.total, np.int8)
            last[search_order(self._keys[-1], self._size)] = self._scores
            self.book = assemble(self._keys, last, self._size)
            save_book(self.path, self.book)
        return True

    def _solve(self, stop: StopRequest, on_progress: Callable[[int], None]) -> bool:
        """Solve the positions of the last ply, and save the scores every few seconds; return whether all are solved."""
        solver = Solver(self._size, table_mb=self._table_mb, threads=self._threads, book=False)
        positions = positions_of(self._keys[-1][search_order(self._keys[-1], self._size)], self._size)
        first, chunk, saved = self.solved, _FIRST_CHUNK, time.perf_counter()
        pieces, spent = [self._scores], 0.0

        def show(done: int, nodes: int) -> None:
            on_progress(first + done)
            if stop.requested:
                raise _StoppedError

        while first < self.total and not stop.requested:
            try:
                found = solver.scores(positions[first : first + chunk], on_progress=show)
            except _StoppedError:
                break
            pieces.append(found.scores.astype(np.int8))
            first += len(found.scores)
            rate = len(found.scores) / max(found.seconds, 1e-6)
            chunk = int(max(1, min(4 * chunk, _CHUNK_SECONDS * rate)))
            if time.perf_counter() - saved > max(_CHUNK_SECONDS, _SAVE_SHARE * spent):
                begun = time.perf_counter()
                pieces = [self._save(pieces)]
                saved = time.perf_counter()
                spent = saved - begun
        self._save(pieces)
        return self.solved == self.total

    def _save(self, pieces: list[NDArray[np.int8]]) -> NDArray[np.int8]:
        """Write the scores so far to the file, and return them."""
        self._scores = np.concatenate(pieces)
        meta = {**description(self._size, self._plies), "positions": self.total}
        save_archive(self.path, UNFINISHED, {"scores": self._scores}, meta)
        return self._scores


class _StoppedError(Exception):
    """Ends the search of a chunk when a signal has requested the end of the run."""

"""Books: exact scores of all positions of up to some plies of one board, which are then known without a search.

A book contains one of two mirror images of each position.  A book of the standard board ships with the package.  Those
that a user makes (`book_making.py`) are files beside the large tables on disk, or anywhere else.
"""

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import ArraySpec, load_archive, read_meta, save_archive
from ttt_fast.core.errors import FileFormatError
from ttt_fast.core.manifest import JsonObject
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.search.connect_four.geometry import BOARD, BOTTOM, STANDARD, BoardSize, geometry
from ttt_fast.search.connect_four.positions import Words
from ttt_fast.tables import large

SHIPPED = Path(__file__).with_name("openings.npz")
"""The book of the standard board that ships with the package, made by bench/ship_openings.py."""
SHIPPED_PLIES = 6
"""Maximum number of stones of its positions."""
KIND, UNFINISHED = "connect4-book", "connect4-book-unfinished"
MAX_BOOK_BYTES = 1 << 33
"""Size limit of the file of a book."""
_SPECS = {KIND: {"keys": ArraySpec("uint64", (-1,)), "scores": ArraySpec("int8", (-1,))}}


def mirrored_keys(keys: NDArray[np.uint64], size: BoardSize) -> NDArray[np.uint64]:
    """Return keys, (N,) uint64, with their columns in reverse order."""
    found, column = np.zeros_like(keys), np.uint64((1 << size.stride) - 1)
    for index in range(size.width):
        here = (keys >> np.uint64(index * size.stride)) & column
        found |= here << np.uint64((size.width - 1 - index) * size.stride)
    return found


def keys_of(positions: NDArray[np.uint64], size: BoardSize = STANDARD) -> NDArray[np.uint64]:
    """Return the canonical key of each position, (N,) uint64, which mirror images share.

    The sum of its two words identifies a position.

    Parameters
    ----------
    positions
        (N, 2) uint64: the stones of the player to move and all stones.
    size
        The board.

    Examples
    --------
    >>> keys_of(np.array([[0, 0], [0, 1], [0, 1 << 42]], np.uint64)).tolist()
    [0, 1, 1]
    """
    keys: NDArray[np.uint64] = positions[:, 0] + positions[:, 1]
    canonical: NDArray[np.uint64] = np.minimum(keys, mirrored_keys(keys, size))
    return canonical


def positions_of(keys: NDArray[np.uint64], size: BoardSize = STANDARD) -> NDArray[np.uint64]:
    """Return the positions of keys, (N, 2) uint64: the stones of the player to move and all stones.

    Examples
    --------
    >>> positions_of(np.array([0, 1], np.uint64)).tolist()
    [[0, 0], [0, 1]]
    """
    board = geometry(size)
    stones = keys + board[BOTTOM]  # the highest bit of each column is now that of its lowest empty cell
    for _ in range(size.height):
        stones |= (stones >> np.uint64(1)) & board[BOARD]
    stones = (stones >> np.uint64(1)) & board[BOARD]
    return np.stack([keys - stones, stones], axis=1)


@dataclass(frozen=True)
class Book:
    """The exact scores of all positions of a board, up to some number of plies, in games that have not ended.

    Attributes
    ----------
    size
        The board.
    plies
        Maximum number of stones of its positions.
    keys, scores
        (N,) uint64 and (N,) int8: the canonical keys in ascending order, and the scores, as in `Solver.score`.
    """

    size: BoardSize
    plies: int
    keys: NDArray[np.uint64]
    scores: NDArray[np.int8]

    def lookup(self, positions: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
        """Return the indices of those positions that are in the book, in ascending order, and their scores.

        Parameters
        ----------
        positions
            (N, 2) uint64: the stones of the player to move and all stones.

        Examples
        --------
        >>> places, scores = load_book(SHIPPED).lookup(np.array([(0, 0), (0, 1 << 21), (0, 1)], np.uint64))
        >>> places.tolist(), scores.tolist()
        ([0, 1, 2], [1, -1, 2])
        """
        early = np.flatnonzero(np.bitwise_count(positions[:, 1]) <= self.plies)
        if not len(early):
            return early, np.zeros(0, np.int8)
        keys = keys_of(positions[early], self.size)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = self.keys[places] == keys
        return early[known], self.scores[places[known]]

    def score(self, position: Words) -> int | None:
        """Return the score of a position; None if it is not in the book.

        Examples
        --------
        >>> load_book(SHIPPED).score((0, 0))
        1
        """
        if position[1].bit_count() > self.plies:
            return None
        _, scores = self.lookup(np.array([position], np.uint64))
        return int(scores[0]) if len(scores) else None

    def counts(self) -> list[JsonObject]:
        """Return a row for each ply: its positions, and how many of them the player to move wins, draws and loses."""
        plies = np.bitwise_count(positions_of(self.keys, self.size)[:, 1])
        rows = []
        for ply in range(self.plies + 1):
            scores = self.scores[plies == ply]
            counts = {"wins": scores > 0, "draws": scores == 0, "losses": scores < 0}
            rows.append(
                {"ply": ply, "positions": len(scores), **{name: int(one.sum()) for name, one in counts.items()}}
            )
        return rows


def game_of(size: BoardSize) -> Game:
    """Return the game of a board."""
    return parse_game(f"connect4:columns={size.width},rows={size.height}")


def description(size: BoardSize, plies: int) -> JsonObject:
    """Return the description of a book in its file: a book of another description is another book."""
    game = game_of(size)
    return {"game": game.spec, "rules": game.version, "columns": size.width, "rows": size.height, "plies": plies}


def save_book(path: Path, book: Book) -> None:
    """Write a book to a file, atomically."""
    arrays: dict[str, NDArray[np.generic]] = {"keys": book.keys, "scores": book.scores}
    save_archive(path, KIND, arrays, {**description(book.size, book.plies), "positions": len(book.keys)})


def load_book(path: Path, size: BoardSize | None = None) -> Book:
    """Read a book.

    Parameters
    ----------
    path
        The file.
    size
        The expected board (default: any).

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, unfinished, of another board or of another version.

    Examples
    --------
    >>> book = load_book(SHIPPED)
    >>> book.plies, len(book.keys)
    (6, 11094)
    """
    if read_meta(path).get("kind") == UNFINISHED:
        raise FileFormatError(f"{str(path)!r}: expected a finished book, got one that `solve --book` has to complete")
    _, arrays, meta = load_archive(path, _SPECS, MAX_BOOK_BYTES)
    try:
        found, plies = BoardSize(int(meta["columns"]), int(meta["rows"])), int(meta["plies"])
        matches = all(meta[name] == value for name, value in description(found, plies).items())
    except (KeyError, TypeError, ValueError):
        matches = False
    if not matches:
        raise FileFormatError(
            f"{str(path)!r}: expected a book of these rules, got one of another version; make it again"
        )
    if size not in (None, found):
        raise FileFormatError(f"{str(path)!r}: expected a book of {game_of(size or found).spec}, got {meta['game']!r}")
    book = Book(found, plies, arrays["keys"], arrays["scores"])
    in_order = len(book.keys) == len(book.scores) > 0 and bool((book.keys[1:] > book.keys[:-1]).all())
    if not in_order or int(np.abs(book.scores.astype(np.int16)).max()) > (found.cells + 1) // 2:
        raise FileFormatError(f"{str(path)!r}: expected scores of positions in order; the file is damaged")
    return book


def kept_path(size: BoardSize, plies: int) -> Path:
    """Return the file of a book beside the large tables on disk."""
    return large.folder() / f"{game_of(size).file_name}-{plies}{large.BOOK_SUFFIX}"


def kept_books(size: BoardSize) -> Iterator[Path]:
    """Yield the finished books of a board beside the large tables on disk, the largest first."""
    found = []
    for path in large.folder().glob(f"{game_of(size).file_name}-*{large.BOOK_SUFFIX}"):
        plies = path.name.removesuffix(large.BOOK_SUFFIX).rpartition("-")[2]
        if plies.isdecimal() and (size != STANDARD or int(plies) > SHIPPED_PLIES):
            found.append((-int(plies), path))
    for _, path in sorted(found):
        if read_meta(path).get("kind") != UNFINISHED:
            yield path


@lru_cache(maxsize=4)
def _loaded(path: Path, size: BoardSize, written: int) -> Book:
    return load_book(path, size)


def find_book(size: BoardSize) -> Book | None:
    """Return the largest book of a board: one that is kept on disk, or the one that ships; None if there is none.

    A damaged file is ignored, with a warning that gives the reason.
    """
    for path in kept_books(size):
        try:
            return _loaded(path, size, os.stat(path).st_mtime_ns)
        except (FileFormatError, OSError) as error:
            warnings.warn(f"a kept book is ignored: {error}", stacklevel=2)
    return _loaded(SHIPPED, STANDARD, 0) if size == STANDARD else None

"""The opening book: exact scores of the first positions of the standard board, which are known without a search."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import ArraySpec, load_archive
from ttt_fast.search.connect_four.geometry import STANDARD, BoardSize
from ttt_fast.search.connect_four.positions import Words

SHIPPED = Path(__file__).with_name("openings.npz")
"""The file of the book, made by bench/ship_openings.py."""
SHIPPED_PLIES = 6
"""Maximum number of stones of its positions."""
KIND = "connect4-book"
_SPECS = {KIND: {"keys": ArraySpec("uint64", (-1,)), "scores": ArraySpec("int8", (-1,))}}


def stored_plies(size: BoardSize) -> int:
    """Return the last ply up to which the scores of all positions of a board are stored; 0 without a book."""
    return SHIPPED_PLIES if size == STANDARD else 0


def keys_of(positions: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the canonical key of each position of the standard board, (N,) uint64, which mirror images share.

    The sum of its two words identifies a position.

    Parameters
    ----------
    positions
        (N, 2) uint64: the stones of the player to move and all stones.

    Examples
    --------
    >>> keys_of(np.array([[0, 0], [0, 1], [0, 1 << 42]], np.uint64)).tolist()
    [0, 1, 1]
    """
    keys: NDArray[np.uint64] = positions[:, 0] + positions[:, 1]
    mirrored, column = np.zeros_like(keys), np.uint64((1 << STANDARD.stride) - 1)
    for index in range(STANDARD.width):
        here = (keys >> np.uint64(index * STANDARD.stride)) & column
        mirrored |= here << np.uint64((STANDARD.width - 1 - index) * STANDARD.stride)
    canonical: NDArray[np.uint64] = np.minimum(keys, mirrored)
    return canonical


@dataclass(frozen=True)
class Book:
    """The exact scores of all positions of the standard board up to some ply, in games that have not ended.

    Attributes
    ----------
    keys, scores
        (N,) uint64 and (N,) int8: the canonical keys in ascending order, and the scores, as in `Solver.score`.
    """

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
        >>> places, scores = shipped_book().lookup(np.array([(0, 0), (0, 1 << 21), (0, 1)], np.uint64))
        >>> places.tolist(), scores.tolist()
        ([0, 1, 2], [1, -1, 2])
        """
        early = np.flatnonzero(np.bitwise_count(positions[:, 1]) <= SHIPPED_PLIES)
        if not len(early):
            return early, np.zeros(0, np.int8)
        keys = keys_of(positions[early])
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = self.keys[places] == keys
        return early[known], self.scores[places[known]]

    def score(self, position: Words) -> int | None:
        """Return the score of a position; None if it is not in the book.

        Examples
        --------
        >>> shipped_book().score((0, 0))
        1
        """
        if position[1].bit_count() > SHIPPED_PLIES:
            return None
        _, scores = self.lookup(np.array([position], np.uint64))
        return int(scores[0]) if len(scores) else None


@cache
def shipped_book() -> Book:
    """Return the book that ships with the package, of one of two mirror images of each position.

    Examples
    --------
    >>> len(shipped_book().keys)
    11094
    """
    arrays = load_archive(SHIPPED, _SPECS).arrays
    return Book(arrays["keys"], arrays["scores"])

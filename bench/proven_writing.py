"""Weights of proven players: new ones without exceptions, and their files."""

import os
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import save_archive
from ttt_fast.core.bits import popcount
from ttt_fast.core.errors import UsageError
from ttt_fast.games.game import Game
from ttt_fast.games.registry import parse_game
from ttt_fast.proven.values import PROVEN_KIND, ProvenValues, check_proven
from ttt_fast.proven.weights import COLUMN_BITS, ProvenWeights


def weights_from(
    game: Game | str,
    seat: int,
    tuples: NDArray[np.integer] | None = None,
    weights: NDArray[np.integer] | None = None,
) -> ProvenWeights:
    """Return weights without exceptions.

    Parameters
    ----------
    game
        Connect 4 on a board of at most eight columns.
    seat
        The seat of the player: 1 for X, 2 for O.
    tuples : (T, N) integer
        The cells of each tuple (default: no tuples).
    weights : (T, 4**N) integer
        Their weights, in int8 if they fit, otherwise int16 (default: zeros).

    Raises
    ------
    UsageError
        If an array does not fit the board, or the game is not Connect 4.

    Examples
    --------
    >>> weights_from("connect4", 1, np.array([[0, 1], [7, 8]])).weights.shape
    (2, 16)
    """
    state = (parse_game(game) if isinstance(game, str) else game).initial_state
    bottom, rows, length = (getattr(state, name, 0) for name in ("bottom", "rows", "length"))
    if not bottom:
        raise UsageError(f"expected connect4, got {game!r}")
    cells = np.zeros((0, 1), np.uint8) if tuples is None else np.asarray(tuples)
    numbers = np.zeros((len(cells), 4 ** cells.shape[1]), np.int8) if weights is None else np.asarray(weights)
    narrow = numbers.astype(np.int8)
    stored = narrow if np.array_equal(narrow, numbers) else numbers.astype(np.int16)
    board = np.array([popcount(bottom), rows, length, seat], np.int32)
    bare = np.zeros((0, 0), np.uint8), np.zeros((COLUMN_BITS, 0), np.uint8), np.zeros((2, 3), np.int32)
    made = ProvenWeights(board, cells.astype(np.uint8), stored, *bare)
    if not np.array_equal(made.tuples, cells) or not np.array_equal(made.weights, numbers):
        raise UsageError("expected cells of the board, and weights of 16 bits, got others")
    check_proven(made)
    return made


def save_proven(path: str | os.PathLike[str], weights: ProvenWeights, meta: Mapping[str, object] | None = None) -> None:
    """Write a file, atomically.

    Parameters
    ----------
    path
        The file.
    weights
        Its arrays.
    meta
        Further entries of its description, such as how it was made.

    Raises
    ------
    UsageError
        If the arrays do not fit one another, or are larger than a megabyte.
    FileWriteError
        If the file cannot be written.
    """
    check_proven(weights)
    arrays, described = ProvenValues(weights).to_arrays()
    save_archive(path, PROVEN_KIND, arrays, {**(meta or {}), **described})

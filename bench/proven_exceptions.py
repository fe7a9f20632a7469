"""The exceptions of a proven player: the positions in which it must not follow its n-tuples, without their keys."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from static_functions import build, values_of
from ttt_fast.core.bits import as_int
from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import kernel
from ttt_fast.games import api
from ttt_fast.games.connect_four import completing_cells, next_cells
from ttt_fast.proven.retrieval import SlotShape
from ttt_fast.proven.values import MAX_FILTER_BITS
from ttt_fast.proven.weights import (
    COLUMN_BITS,
    ProvenTables,
    ProvenWeights,
    canonical,
    choose_columns,
    fingerprint_of,
    tables_of,
)


class Exceptions(NamedTuple):
    """The arrays of a file that make its exceptions, and how many there are.

    Attributes
    ----------
    filter, columns, shape
        The arrays of the file.
    exceptions
        Number of positions in which the n-tuples alone choose another column.
    false_positives
        Number of other positions that match the filter.
    """

    filter: NDArray[np.uint8]
    columns: NDArray[np.uint8]
    shape: NDArray[np.int32]
    exceptions: int
    false_positives: int


def no_exceptions() -> Exceptions:
    """Return arrays without an exception."""
    return Exceptions(
        np.zeros((0, 0), np.uint8), np.zeros((COLUMN_BITS, 0), np.uint8), np.zeros((2, 3), np.int32), 0, 0
    )


def with_exceptions(weights: ProvenWeights, made: Exceptions) -> ProvenWeights:
    """Return weights with these exceptions in place of their own."""
    return weights._replace(filter=made.filter, columns=made.columns, shape=made.shape)


@kernel
def _make_canonical(
    tables: ProvenTables, keys: NDArray[np.uint64], columns: NDArray[np.uint8], legal: NDArray[np.bool_],
    wins: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Replace keys and their columns by canonical ones; find legal columns, and positions that win at once."""
    width = tables.order.size
    for index in range(keys.size):
        state, key, mirrored = canonical(api.state_of_key(tables.like, keys[index]))
        keys[index] = key
        if mirrored:
            columns[index] = width - 1 - columns[index]
        legal[index] = api.is_legal(state, as_int(columns[index]))
        wins[index] = completing_cells(state.own, state.rows, state.length) & next_cells(state) != 0


@kernel
def _fill_fingerprints(keys: NDArray[np.uint64], bits: int, prints: NDArray[np.uint8]) -> None:
    """Write the fingerprints of canonical keys."""
    for index in range(keys.size):
        prints[index] = fingerprint_of(keys[index], bits)


def make_exceptions(
    weights: ProvenWeights, keys: NDArray[np.uint64], wanted: NDArray[np.integer], *, small: bool = True
) -> Exceptions:
    """Return the exceptions with which the player chooses given columns in a closed set of positions.

    Of the filters of 0 to 8 bits, the one of the smallest total size is built.  Positions in which the player wins at
    once are left out, since exceptions do not apply to them.

    Parameters
    ----------
    weights
        The weights; their exceptions are ignored.
    keys : (N,) uint64
        All positions that the player may meet, in any orientation.
    wanted : (N,) integer
        The column to choose in each of them, in the orientation of its key.
    small
        Search for the smallest static functions, as in `static_functions.build`.

    Raises
    ------
    UsageError
        If a column is full, or a position and its mirror image have different columns.

    Examples
    --------
    >>> from proven_writing import weights_from
    >>> start = weights_from("connect4:columns=4,rows=4,length=3", 1)
    >>> key = np.array([api.state_key(start.start)], np.uint64)
    >>> made = make_exceptions(start, key, np.array([1]))
    >>> choose_columns(start, key), choose_columns(with_exceptions(start, made), key)
    (array([2], dtype=uint8), array([1], dtype=uint8))
    """
    keys, columns = np.array(keys, np.uint64), np.array(wanted, np.uint8)
    if keys.shape != columns.shape or keys.ndim != 1 or not np.array_equal(columns, wanted):
        raise UsageError("expected one column for each position, got others")
    legal, wins = np.zeros(keys.size, np.bool_), np.zeros(keys.size, np.bool_)
    _make_canonical(tables_of(weights), keys, columns, legal, wins)
    if not legal.all():
        raise UsageError(f"expected columns that are not full, got {(~legal).sum()} others")
    keys, first, inverse = np.unique(keys[~wins], return_index=True, return_inverse=True)
    columns, given = columns[~wins][first], columns[~wins]
    if (columns[inverse] != given).any():
        raise UsageError("expected one column for a position and its mirror image, got two")
    bare = with_exceptions(weights, no_exceptions())
    differs = choose_columns(bare, keys) != columns
    found = int(differs.sum())
    if not found:
        return no_exceptions()
    sizes = [
        bits * found * (bits > 0) + COLUMN_BITS * (found + (keys.size - found) / 2**bits)
        for bits in range(MAX_FILTER_BITS + 1)
    ]
    bits, shapes = int(np.argmin(sizes)), np.zeros((2, 3), np.int32)
    planes, match = np.zeros((0, 0), np.uint8), np.ones(keys.size, np.bool_)
    if bits:
        prints = np.empty(keys.size, np.uint8)
        _fill_fingerprints(keys, bits, prints)
        planes, shapes[0] = build(keys[differs], prints[differs], bits, small=small)
        match = values_of(planes, SlotShape(*shapes[0].tolist()), keys) == prints
    stored, shapes[1] = build(keys[match], columns[match], COLUMN_BITS, small=small)
    return Exceptions(planes, stored, shapes, found, int(match.sum()) - found)

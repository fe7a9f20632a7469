"""The transposition table: buckets of two 64-bit entries; the entry of the smaller search is replaced.

A position's key is hashed by a bijection, so that bucket and tag together determine the key: an entry never matches
another position.  An entry is one word, read and written at once, so that threads can share a table without locks.

    bits 0-5    lower bound of the score + 31 (0: empty)      bits 12-17   log2 of the nodes below it
    bits 6-11   upper bound of the score + 31                 bits 22-63   tag
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.plain import frozen
from ttt_fast.search.connect_four.geometry import KEY_MASK, TABLE_SHIFT, BoardSize, geometry

TAG_BITS = 42
MEBIBYTE = 1 << 20
MAX_TABLE_MB = 1 << 16
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_OFFSET = 31
_FIELD = np.uint64(63)
_TAG_SHIFT = np.uint64(22)


def make_table(size: BoardSize, mebibytes: float) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return an empty table of a given size in MiB, at most, and the numbers of the board with the table's own.

    Returns
    -------
    table, board
        (2 B,) uint64 for a power of two B of buckets; (LENGTH,) uint64.

    Raises
    ------
    UsageError
        If the table would be too small to distinguish the positions of this board, or too large.

    Examples
    --------
    >>> make_table(BoardSize(), 64)[0].nbytes
    67108864
    """
    key_bits = size.width * size.stride
    smallest = max(0, key_bits - TAG_BITS)
    if not (mebibytes > 0 and 16 << smallest <= mebibytes * MEBIBYTE <= MAX_TABLE_MB * MEBIBYTE):
        least = max(1, (16 << smallest) // MEBIBYTE)
        raise UsageError(f"expected a transposition table of {least} to {MAX_TABLE_MB} MiB, got {mebibytes!r}")
    bucket_bits = min(int(mebibytes * MEBIBYTE).bit_length() - 5, key_bits - 1)
    board = geometry(size).copy()
    board[TABLE_SHIFT] = key_bits - bucket_bits
    return np.zeros(2 << bucket_bits, np.uint64), frozen(board)


@inlined_kernel
def hash_key(key: np.uint64, board: NDArray[np.uint64]) -> np.uint64:
    """Return the hash of a key: its upper bits are the index of the bucket, the others are the tag."""
    hashed: np.uint64 = (key * _MULTIPLIER) & board[KEY_MASK]
    return hashed


@inlined_kernel
def bucket_of(hashed: np.uint64, board: NDArray[np.uint64]) -> np.uint64:
    """Return the first index of the bucket of a hash."""
    first: np.uint64 = (hashed >> board[TABLE_SHIFT]) << _ONE
    return first


@inlined_kernel
def tag_of(hashed: np.uint64, board: NDArray[np.uint64]) -> np.uint64:
    """Return the tag of a hash."""
    tag: np.uint64 = hashed & ((_ONE << board[TABLE_SHIFT]) - _ONE)
    return tag


@inlined_kernel
def find_bounds(
    hashed: np.uint64, lower: int, upper: int, table: NDArray[np.uint64], board: NDArray[np.uint64]
) -> tuple[int, int]:
    """Return the bounds of a position, narrowed by the bounds in the table."""
    bucket, tag = bucket_of(hashed, board), tag_of(hashed, board)
    for entry in (table[bucket], table[bucket + _ONE]):
        if entry >> _TAG_SHIFT == tag and entry & _FIELD != np.uint64(0):
            lower = max(lower, as_int(entry & _FIELD) - _OFFSET)
            upper = min(upper, as_int((entry >> np.uint64(6)) & _FIELD) - _OFFSET)
    return lower, upper


@kernel
def store_bounds(
    hashed: np.uint64, lower: int, upper: int, nodes: int, table: NDArray[np.uint64], board: NDArray[np.uint64]
) -> None:
    """Store the bounds of a position and its number of nodes."""
    bucket, tag = bucket_of(hashed, board), tag_of(hashed, board)
    work = np.uint64(0)
    while (nodes >> as_int(work)) > 1:
        work += _ONE
    first, second = table[bucket], table[bucket + _ONE]
    place = bucket
    if first >> _TAG_SHIFT != tag:
        first_work, second_work = (first >> np.uint64(12)) & _FIELD, (second >> np.uint64(12)) & _FIELD
        if second >> _TAG_SHIFT == tag or second_work < first_work:
            place = bucket + _ONE
    table[place] = (
        np.uint64(lower + _OFFSET)
        | (np.uint64(upper + _OFFSET) << np.uint64(6))
        | (work << np.uint64(12))
        | (tag << _TAG_SHIFT)
    )

"""Own positions of a player of Connect 4: canonical words, legal cells, and whether a column keeps the win.

A position is the stones of the player to move and all stones, as in the solver.  The canonical one of a position and
its mirror image has the smaller key.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.search.connect_four import geometry as at
from ttt_fast.search.connect_four.bits import four_spots
from ttt_fast.search.connect_four.search import HIGH, LOW, SIGN, TOP, SolverWork, advance, begin
from ttt_fast.search.connect_four.static import mirror

ZERO, ONE = np.uint64(0), np.uint64(1)
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
CHOSEN, CACHED, STAMP = np.uint64(16), np.uint64(20), np.uint64(24)
"""Shifts of the facts of a position, above 8 columns known and 8 that win: the column fixed, plus one; the column
cached, and the stamp for which it holds."""


@inlined_kernel
def canonical(me: np.uint64, stones: np.uint64, board: NDArray[np.uint64]) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the key and the words of the position or its mirror image, whichever has the smaller key."""
    key = me + stones + board[at.BOTTOM]
    image = mirror(key, board)
    if image < key:
        return image, mirror(me, board), mirror(stones, board)
    return key, me, stones


@inlined_kernel
def key_words(key: np.uint64, board: NDArray[np.uint64]) -> tuple[np.uint64, np.uint64]:
    """Return the words of a key."""
    below_tops = ~board[at.SPARE]
    filled = key
    for _ in range(as_int(board[at.HEIGHT])):
        filled |= (filled >> ONE) & below_tops
    stones = (filled >> ONE) & below_tops
    return key ^ filled ^ stones, stones


@inlined_kernel
def slot_of(key: np.uint64, keys: NDArray[np.uint64]) -> int:
    """Return the slot of a key in an open hash table of a power of two of slots: its own or an empty one."""
    mask = len(keys) - 1
    hashed = key * MULTIPLIER
    slot = as_int((hashed ^ (hashed >> np.uint64(29))) >> np.uint64(8)) & mask
    while keys[slot] != ZERO and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@inlined_kernel
def candidates(me: np.uint64, stones: np.uint64, board: NDArray[np.uint64]) -> np.uint64:
    """Return the cells that can win for a player without a win at once: all others lose at once."""
    stride, full = board[at.STRIDE], board[at.BOARD]
    playable = (stones + board[at.BOTTOM]) & full
    theirs = four_spots(me ^ stones, stride) & full
    forced = playable & theirs
    if forced != ZERO:
        playable = forced
        if forced & (forced - ONE) != ZERO:
            return ZERO
    return playable & ~(theirs >> ONE)


@kernel
def keeps_win(me: np.uint64, stones: np.uint64, move: np.uint64, work: SolverWork) -> bool:
    """Return whether the player to move wins after a move that does not end the game."""
    after = stones | move
    if after == work.board[at.BOARD]:
        return False
    work.registers[TOP] = -1
    begin(me ^ stones, after, (-1, 0), work)
    while not advance(1 << 40, work):
        pass
    return bool(work.registers[LOW] * work.registers[SIGN] < 0)


@inlined_kernel
def column_of(cell: np.uint64, board: NDArray[np.uint64]) -> int:
    """Return the column of a cell."""
    column = 0
    while cell & board[at.COLUMNS + column] == ZERO:
        column += 1
    return column

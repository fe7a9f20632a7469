"""Own positions of a player of Connect 4: canonical words, candidates, a hash table of keys, and the solver's verdict.

A position is the stones of the player to move and all stones, as in the solver.  The canonical one of a position and
its mirror image has the smaller key.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.search.connect_four import geometry as at
from ttt_fast.search.connect_four.bits import four_spots
from ttt_fast.search.connect_four.search import LOW, SIGN, TOP, SolverWork, advance, begin
from ttt_fast.search.connect_four.static import mirror

ZERO, ONE = np.uint64(0), np.uint64(1)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_BUDGET = 1 << 40


@inlined_kernel
def canonical_key(me: np.uint64, stones: np.uint64, board: NDArray[np.uint64]) -> np.uint64:
    """Return the smaller of the keys of a position and of its mirror image."""
    key = me + stones + board[at.BOTTOM]
    return min(key, mirror(key, board))


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
def playable_cells(stones: np.uint64, board: NDArray[np.uint64]) -> np.uint64:
    """Return the cells in which the next stone of each column lands."""
    return (stones + board[at.BOTTOM]) & board[at.BOARD]


@inlined_kernel
def wins_at_once(me: np.uint64, stones: np.uint64, board: NDArray[np.uint64]) -> bool:
    """Return whether the player to move completes four."""
    return bool(playable_cells(stones, board) & four_spots(me, board[at.STRIDE]) != ZERO)


@inlined_kernel
def candidates(me: np.uint64, stones: np.uint64, board: NDArray[np.uint64]) -> np.uint64:
    """Return the cells after which the opponent cannot win at once, for a player who cannot either."""
    playable = playable_cells(stones, board)
    theirs = four_spots(me ^ stones, board[at.STRIDE]) & board[at.BOARD]
    forced = playable & theirs
    if forced != ZERO:
        if forced & (forced - ONE) != ZERO:
            return ZERO
        playable = forced
    return playable & ~(theirs >> ONE)


@inlined_kernel
def column_of(cell: np.uint64, board: NDArray[np.uint64]) -> int:
    """Return the column of a cell."""
    column = 0
    while cell & board[at.COLUMNS + column] == ZERO:
        column += 1
    return column


@inlined_kernel
def slot_of(key: np.uint64, keys: NDArray[np.uint64]) -> int:
    """Return the slot of a key, its own or an empty one, in an open hash table of a power of two of slots."""
    mask = len(keys) - 1
    hashed = key * _MULTIPLIER
    slot = as_int((hashed ^ (hashed >> np.uint64(29))) >> np.uint64(8)) & mask
    while keys[slot] != ZERO and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def keeps_win(me: np.uint64, stones: np.uint64, move: np.uint64, work: SolverWork) -> bool:
    """Return whether the player to move wins after a move that does not end the game, or only fills the board."""
    after = stones | move
    if after == work.board[at.BOARD]:
        return False
    work.registers[TOP] = -1
    begin(me ^ stones, after, (-1, 0), work)
    while not advance(_BUDGET, work):
        pass
    return bool(work.registers[LOW] * work.registers[SIGN] < 0)

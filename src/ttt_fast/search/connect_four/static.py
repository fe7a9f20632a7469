"""Static analysis of a position: forced moves, bounds of the score, and the canonical key."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, highest_bit, popcount
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.search.connect_four import geometry as at
from ttt_fast.search.connect_four.bits import four_spots, has_four, in_fours

QUIET, WINS, LOSES, DRAWN = 0, 1, 2, 3
UNBOUNDED = 100
"""A number beyond every score."""
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@inlined_kernel
def win_score(cells: int, played: int) -> int:
    """Return the score of a win with the stone played after `played` other stones."""
    return (cells + 1 - played) >> 1


@inlined_kernel
def final_score(status: int, played: int, cells: int) -> int:
    """Return the score for the player to move after `play_forced` has returned a status other than QUIET."""
    if status == WINS:
        return win_score(cells, played)
    if status == LOSES:
        return -win_score(cells, played + 1)
    return 0


@kernel
def play_forced(
    me: np.uint64, stones: np.uint64, mine: np.uint64, theirs: np.uint64, board: NDArray[np.uint64]
) -> tuple[int, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Play moves while there is exactly one move that does not lose at once.

    Parameters
    ----------
    me, stones
        The stones of the player to move, and all stones.
    mine, theirs
        The cells, including occupied ones, that complete four for the player to move and for the opponent.
    board
        The numbers of the board.

    Returns
    -------
    status, me, stones, mine, theirs
        The status is QUIET if at least two moves do not lose at once, and DRAWN if the board is full.  WINS or LOSES:
        the player to move in the final position wins with this move, or loses with the next one.
    """
    stride, bottom, full = board[at.STRIDE], board[at.BOTTOM], board[at.BOARD]
    while True:
        playable = (stones + bottom) & full
        if playable & mine != _ZERO:
            return WINS, me, stones, mine, theirs
        allowed = playable & ~(theirs >> _ONE)
        forced = playable & theirs
        if forced != _ZERO:
            if forced & (forced - _ONE) != _ZERO:
                return LOSES, me, stones, mine, theirs
            allowed &= forced
        if allowed == _ZERO:
            return (DRAWN if playable == _ZERO else LOSES), me, stones, mine, theirs
        if allowed & (allowed - _ONE) != _ZERO:
            return QUIET, me, stones, mine, theirs
        me, stones = me ^ stones, stones | allowed
        mine, theirs = theirs, four_spots(me ^ stones, stride) & full


@kernel
def _follower_bound(me: np.uint64, stones: np.uint64, theirs: np.uint64, upper: int, board: NDArray[np.uint64]) -> int:
    """Return an upper bound of the score of the player to move, if the opponent always follows.

    An even number of cells is empty.  The follower replies in the column of the leader's move, above it; the lowest
    empty cells of columns with an odd number of empty cells are paired with each other.  The leader thus gets at most
    the lower cell of each pair and those lowest cells, and nothing at or above a threat of the follower.
    """
    stride, full, bottom = board[at.STRIDE], board[at.BOARD], board[at.BOTTOM]
    empty = full & ~stones
    playable = (stones + bottom) & full
    threats = theirs & empty & ~board[at.LEADER_ROWS]
    marked = threats | board[at.SPARE]
    below = (marked - bottom) & ~marked
    reach = me | (empty & below & (board[at.LEADER_ROWS] | playable))
    if has_four(reach, stride):
        return upper
    if threats != _ZERO:
        # The leader finally has to play below one of the threats; all cells above the threats are empty then.
        left = popcount(empty & ~below) + popcount((below + bottom) & threats) - 1
        return min(upper, -((left + 1) >> 1))
    if has_four((me ^ stones) | (empty & ~board[at.LEADER_ROWS] & ~playable), stride):
        return min(upper, -1)
    return min(upper, 0)


@kernel
def _zugzwang_bound(me: np.uint64, stones: np.uint64, theirs: np.uint64, upper: int, board: NDArray[np.uint64]) -> int:
    """Return an upper bound of the score of the player to move, if the opponent has a threat and follows.

    An odd number of cells is empty.  The follower's threat is in a column with an odd number of empty cells, and an odd
    number of them is below the threat.  In all columns the follower replies as in `_follower_bound`, until the leader
    has to play below the threat.
    """
    stride, full = board[at.STRIDE], board[at.BOARD]
    empty = full & ~stones
    playable = (stones + board[at.BOTTOM]) & full
    threats = theirs & empty & board[at.LEADER_ROWS]
    while threats != _ZERO:
        threat = threats & (_ZERO - threats)
        threats ^= threat
        lowest = highest_bit(playable & (threat - _ONE))
        above = board[at.SPARE] & (_ZERO - threat)
        top = above & (_ZERO - above)
        threats &= ~(top - threat)  # a higher one in the same column adds nothing
        if lowest & board[at.LEADER_ROWS] != _ZERO:
            continue
        elsewhere = empty & ~(top - lowest) & (board[at.LEADER_ROWS] | playable)
        if not has_four(me | elsewhere | ((threat - lowest) & ~board[at.LEADER_ROWS]), stride):
            upper = min(upper, -((popcount(top - threat) + 1) >> 1))
    return upper


@inlined_kernel
def mirror(key: np.uint64, board: NDArray[np.uint64]) -> np.uint64:
    """Return a key with its columns in reverse order."""
    width = as_int(board[at.WIDTH])
    mirrored: np.uint64 = key & board[at.MIDDLE]
    distance = np.uint64(width - 1) * board[at.STRIDE]
    column = (_ONE << board[at.STRIDE]) - _ONE
    for _ in range(width >> 1):
        mirrored |= ((key >> distance) & column) | ((key & column) << distance)
        distance -= board[at.STRIDE] + board[at.STRIDE]
        column <<= board[at.STRIDE]
    return mirrored


@inlined_kernel
def parity_bounds(
    me: np.uint64, stones: np.uint64, theirs: np.uint64, played: int, board: NDArray[np.uint64]
) -> tuple[int, int]:
    """Return bounds of the score of a quiet position for the player to move, by its ply and by following strategies."""
    cells = as_int(board[at.CELLS])
    upper, lower = win_score(cells, played + 2), -win_score(cells, played + 3)
    if (cells - played) & 1 == 0:
        return lower, _follower_bound(me, stones, theirs, upper, board)
    return lower, _zugzwang_bound(me, stones, theirs, upper, board)


@inlined_kernel
def lines_and_key(me: np.uint64, stones: np.uint64, board: NDArray[np.uint64]) -> tuple[int, int, np.uint64]:
    """Return bounds of the score from the lines open to each player, and the canonical key of a position.

    Positions with the same canonical key have the same score: mirror images, and positions that differ only in the
    colour of dead stones.  A stone is recoloured if each line of four through it contains both colours among the stones
    that are not candidates themselves.  No line is thus opened or closed.
    """
    stride, full = board[at.STRIDE], board[at.BOARD]
    opponent = me ^ stones
    empty = full & ~stones
    my_lines, their_lines = in_fours(me | empty, stride), in_fours(opponent | empty, stride)
    lower = 0 if their_lines == _ZERO else -UNBOUNDED
    upper = 0 if my_lines == _ZERO else UNBOUNDED
    dead = stones & ~((me & my_lines) | (opponent & their_lines))
    if dead != _ZERO:
        dead &= ~(in_fours(full & ~(me & ~dead), stride) | in_fours(full & ~(opponent & ~dead), stride))
    key = (me & ~dead) + stones
    return lower, upper, min(key, mirror(key, board))

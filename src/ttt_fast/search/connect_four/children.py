"""The children of a position: each is examined statically before any of them is searched."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, popcount
from ttt_fast.core.instructions import prefetch
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.search.connect_four.bits import four_spots
from ttt_fast.search.connect_four.geometry import BOARD, BOTTOM, CELLS, CENTRE_ORDER, COLUMNS, STRIDE, WIDTH
from ttt_fast.search.connect_four.static import QUIET, final_score, lines_and_key, parity_bounds, play_forced
from ttt_fast.search.connect_four.table import bucket_of, find_bounds, hash_key

# A frame of the stack: a quiet position, the question whether its score is at least TARGET, and its children.
ME, ALL, TARGET, BEST, HASH, STARTED, COUNT, FAIL_LOW = range(8)  # FAIL_LOW: 1 if no is expected
CHILD_ME = 8
CHILD_ALL = CHILD_ME + 16
CHILD_HASH = CHILD_ALL + 16
CHILD_SAME = CHILD_HASH + 16  # 1 if the same player is to move in the child
FRAME = CHILD_SAME + 16
FRAMES = 66
# After the frames: data that is needed only while a position is examined.
RANK = FRAMES * FRAME
LOWER = RANK + 16
UPPER = LOWER + 16
STACK_LENGTH = UPPER + 16
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@inlined_kernel
def _promise(move: np.uint64, mine: np.uint64, stones: np.uint64, board: NDArray[np.uint64]) -> int:
    """Return the rank of a move by the player's threats after it, especially two cells above a column's stones."""
    threats = mine & ~stones
    next_cells = (stones + board[BOTTOM]) & board[BOARD]
    return 64 * popcount(threats) + 16 * popcount(threats & next_cells) + 48 * popcount(threats & (next_cells << _ONE))


@kernel
def _insert(
    frame: int,
    count: int,
    rank: int,
    mover: np.uint64,
    stones: np.uint64,
    hashed: np.uint64,
    same: np.uint64,
    lower: int,
    upper: int,
    stack: NDArray[np.uint64],
) -> None:
    """Insert a child among the `count` children of a frame, ascending by rank, before children of the same rank."""
    place = count
    while place > 0 and as_int(stack[RANK + place - 1]) >= rank:
        before = place - 1
        for field in (CHILD_ME, CHILD_ALL, CHILD_HASH, CHILD_SAME):
            stack[frame + field + place] = stack[frame + field + before]
        for field in (RANK, LOWER, UPPER):
            stack[field + place] = stack[field + before]
        place = before
    stack[frame + CHILD_ME + place], stack[frame + CHILD_ALL + place] = mover, stones
    stack[frame + CHILD_HASH + place], stack[frame + CHILD_SAME + place] = hashed, same
    stack[RANK + place] = np.uint64(rank)
    stack[LOWER + place], stack[UPPER + place] = np.uint64(lower), np.uint64(upper)


@kernel
def expand(frame: int, stack: NDArray[np.uint64], table: NDArray[np.uint64], board: NDArray[np.uint64]) -> int:
    """Examine the children of a quiet position; return the best known value of a child.

    If this value reaches the target, the frame is solved.  Otherwise the frame contains the children that need a
    search, the most promising one last.
    """
    stride, full, cells = board[STRIDE], board[BOARD], as_int(board[CELLS])
    me, stones, target = stack[frame + ME], stack[frame + ALL], as_int(stack[frame + TARGET])
    opponent = me ^ stones
    parity = popcount(stones) & 1
    theirs = four_spots(opponent, stride) & full
    allowed = (stones + board[BOTTOM]) & full & ~(theirs >> _ONE)
    best = -100
    count = as_int(0)
    for order in range(as_int(board[WIDTH])):
        move = allowed & board[COLUMNS + as_int(board[CENTRE_ORDER + order])]
        if move == _ZERO:
            continue
        mine = four_spots(me | move, stride) & full
        status, mover, after, _, others = play_forced(opponent, stones | move, theirs, mine, board)
        played = popcount(after)
        same = played & 1 == parity
        if status == QUIET:
            lower, upper = parity_bounds(mover, after, others, played, board)
        else:
            lower = upper = final_score(status, played, cells)
        if not same:
            lower, upper = -upper, -lower
        if lower >= target:
            return lower
        if upper < target:
            best = max(best, upper)
            continue
        low, high, key = lines_and_key(mover, after, board)
        if not same:
            low, high = -high, -low
        lower, upper = max(lower, low), min(upper, high)
        if lower >= target:
            return lower
        if upper < target:
            best = max(best, upper)
            continue
        hashed = hash_key(key, board)
        prefetch(table, bucket_of(hashed, board))
        rank = _promise(move, mine, stones | move, board)
        _insert(frame, count, rank, mover, after, hashed, np.uint64(same), lower, upper, stack)
        count += 1
    return _probe_children(frame, count, best, stack, table, board)


@inlined_kernel
def _probe_children(
    frame: int, count: int, best: int, stack: NDArray[np.uint64], table: NDArray[np.uint64], board: NDArray[np.uint64]
) -> int:
    """Look up the children in the table, and remove the solved ones; return the same value as `expand`."""
    target = as_int(stack[frame + TARGET])
    kept = 0
    for place in range(count):
        lower, upper = as_int(stack[LOWER + place]), as_int(stack[UPPER + place])
        same, hashed = stack[frame + CHILD_SAME + place], stack[frame + CHILD_HASH + place]
        if same != _ZERO:
            lower, upper = find_bounds(hashed, lower, upper, table, board)
        else:
            low, high = find_bounds(hashed, -upper, -lower, table, board)
            lower, upper = -high, -low
        if lower >= target:
            return lower
        if upper < target:
            best = max(best, upper)
            continue
        stack[frame + CHILD_ME + kept] = stack[frame + CHILD_ME + place]
        stack[frame + CHILD_ALL + kept] = stack[frame + CHILD_ALL + place]
        stack[frame + CHILD_HASH + kept], stack[frame + CHILD_SAME + kept] = hashed, same
        kept += 1
    stack[frame + COUNT] = np.uint64(kept)
    return best

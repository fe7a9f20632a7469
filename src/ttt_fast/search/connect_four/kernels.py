"""The search: null windows with an explicit stack, every child looked at before any of them is searched."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast._bits import as_int
from ttt_fast._jit import inlined_kernel, kernel
from ttt_fast.search.connect_four.bits import four_spots
from ttt_fast.search.connect_four.geometry import (
    BOARD,
    BOTTOM,
    CELLS,
    CENTRE_ORDER,
    COLUMNS,
    STRIDE,
    WIDTH,
)
from ttt_fast.search.connect_four.intrinsics import popcount, prefetch
from ttt_fast.search.connect_four.static import (
    QUIET,
    final_score,
    lines_and_key,
    parity_bounds,
    play_forced,
    win_score,
)
from ttt_fast.search.connect_four.table import bucket_of, find_bounds, hash_key, store_bounds

# A frame of the stack: a quiet position, the question whether its score is at least TARGET, and its children.
ME, ALL, TARGET, BEST, HASH, STARTED, COUNT, NEXT = range(8)
CHILD_ME = 8
CHILD_ALL = CHILD_ME + 16
CHILD_HASH = CHILD_ALL + 16
CHILD_INFO = CHILD_HASH + 16  # 1 if the same player is to move in the child; column << 1
FRAME = CHILD_INFO + 16
FRAMES = 66
# Behind the frames: what is only needed while a position is looked at.
RANK = FRAMES * FRAME
LOWER = RANK + 16
UPPER = LOWER + 16
STACK_LENGTH = UPPER + 16
# What the search keeps between two calls.
TOP, OPENING, NODES, COLUMN, LOW, HIGH, SIGN, BISECT = range(8)
REGISTERS = 8
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@inlined_kernel
def _promise(move: np.uint64, mine: np.uint64, stones: np.uint64, board: NDArray[np.uint64]) -> int:
    """Return how promising a move is: the player's threats after it, above all those two above a column's stones."""
    threats = mine & ~stones
    next_cells = (stones + board[BOTTOM]) & board[BOARD]
    return (
        64 * as_int(popcount(threats))
        + 16 * as_int(popcount(threats & next_cells))
        + 48 * as_int(popcount(threats & (next_cells << _ONE)))
    )


@kernel
def _insert(
    frame: int,
    count: int,
    rank: int,
    mover: np.uint64,
    stones: np.uint64,
    hashed: np.uint64,
    info: np.uint64,
    lower: int,
    upper: int,
    stack: NDArray[np.uint64],
) -> None:
    """Put a child among the `count` others of a frame, ascending by rank, before those of the same rank."""
    place = count
    while place > 0 and as_int(stack[RANK + place - 1]) >= rank:
        before = place - 1
        for field in (CHILD_ME, CHILD_ALL, CHILD_HASH, CHILD_INFO):
            stack[frame + field + place] = stack[frame + field + before]
        for field in (RANK, LOWER, UPPER):
            stack[field + place] = stack[field + before]
        place = before
    stack[frame + CHILD_ME + place], stack[frame + CHILD_ALL + place] = mover, stones
    stack[frame + CHILD_HASH + place], stack[frame + CHILD_INFO + place] = hashed, info
    stack[RANK + place], stack[LOWER + place], stack[UPPER + place] = (
        np.uint64(rank),
        np.uint64(lower),
        np.uint64(upper),
    )


@kernel
def _expand(
    frame: int, stack: NDArray[np.uint64], table: NDArray[np.uint64], board: NDArray[np.uint64], jitter: np.uint64
) -> tuple[int, int]:
    """Look at the children of a quiet position; return (best value known, column or -1).

    If the best known value reaches the target, the column has it.  Otherwise the children that need a search
    stand in the frame, the most promising last.
    """
    stride, full, cells = board[STRIDE], board[BOARD], as_int(board[CELLS])
    me, stones, target = stack[frame + ME], stack[frame + ALL], as_int(stack[frame + TARGET])
    opponent = me ^ stones
    parity = as_int(popcount(stones)) & 1
    theirs = four_spots(opponent, stride) & full
    allowed = (stones + board[BOTTOM]) & full & ~(theirs >> _ONE)
    best = -100
    count = 0
    for order in range(as_int(board[WIDTH])):
        column = as_int(board[CENTRE_ORDER + order])
        move = allowed & board[COLUMNS + column]
        if move == _ZERO:
            continue
        mine = four_spots(me | move, stride) & full
        status, mover, after, _, others = play_forced(opponent, stones | move, theirs, mine, board)
        played = as_int(popcount(after))
        same = played & 1 == parity
        if status == QUIET:
            lower, upper = parity_bounds(mover, after, others, played, board)
        else:
            lower = upper = final_score(status, played, cells)
        if not same:
            lower, upper = -upper, -lower
        if lower >= target:
            return lower, column
        if upper < target:
            best = max(best, upper)
            continue
        low, high, key = lines_and_key(mover, after, board)
        if not same:
            low, high = -high, -low
        lower, upper = max(lower, low), min(upper, high)
        if lower >= target:
            return lower, column
        if upper < target:
            best = max(best, upper)
            continue
        hashed = hash_key(key, board)
        prefetch(table, bucket_of(hashed, board))
        rank = _promise(move, mine, stones | move, board) + as_int((hashed * jitter) >> np.uint64(58))
        info = np.uint64(same) | np.uint64(column << 1)
        _insert(frame, count, rank, mover, after, hashed, info, lower, upper, stack)
        count += 1
    return _probe_children(frame, count, best, stack, table, board)


@inlined_kernel
def _probe_children(
    frame: int, count: int, best: int, stack: NDArray[np.uint64], table: NDArray[np.uint64], board: NDArray[np.uint64]
) -> tuple[int, int]:
    """Ask the table about the children; return as `_expand` does, and close the gaps."""
    target = as_int(stack[frame + TARGET])
    kept = 0
    for place in range(count):
        lower, upper = as_int(stack[LOWER + place]), as_int(stack[UPPER + place])
        info, hashed = stack[frame + CHILD_INFO + place], stack[frame + CHILD_HASH + place]
        if info & _ONE != _ZERO:
            lower, upper = find_bounds(hashed, lower, upper, table, board)
        else:
            low, high = find_bounds(hashed, -upper, -lower, table, board)
            lower, upper = -high, -low
        if lower >= target:
            return lower, as_int(info >> _ONE)
        if upper < target:
            best = max(best, upper)
            continue
        stack[frame + CHILD_ME + kept] = stack[frame + CHILD_ME + place]
        stack[frame + CHILD_ALL + kept] = stack[frame + CHILD_ALL + place]
        stack[frame + CHILD_HASH + kept], stack[frame + CHILD_INFO + kept] = hashed, info
        kept += 1
    stack[frame + COUNT] = np.uint64(kept)
    return best, -1


@kernel
def search(
    budget: int,
    registers: NDArray[np.int64],
    stack: NDArray[np.uint64],
    table: NDArray[np.uint64],
    board: NDArray[np.uint64],
    jitter: np.uint64,
) -> tuple[bool, int, int]:
    """Go on with the search whose root stands in the first frame for at most `budget` nodes.

    Returns (True, value, column) when the question of the root is answered: the value is a lower bound of its
    score if it is at least the target, and the column has it; else it is an upper bound.
    """
    cells = as_int(board[CELLS])
    frame, nodes, opening = registers[TOP], registers[NODES], registers[OPENING] != 0
    last = nodes + budget
    value = 0
    column = as_int(-1)
    while nodes < last:
        closing = False
        if opening:
            nodes += 1
            stack[frame + STARTED] = np.uint64(nodes)
            value, column = _expand(frame, stack, table, board, jitter)
            stack[frame + BEST] = np.uint64(value)
            opening = False
            closing = column >= 0
        if not closing:
            count = as_int(stack[frame + COUNT])
            if count == 0:
                value = as_int(stack[frame + BEST])
                closing = True
            else:
                count -= 1
                stack[frame + COUNT] = np.uint64(count)
                target = as_int(stack[frame + TARGET])
                child = frame + FRAME
                stack[child + ME] = stack[frame + CHILD_ME + count]
                stack[child + ALL] = stack[frame + CHILD_ALL + count]
                stack[child + HASH] = stack[frame + CHILD_HASH + count]
                same = stack[frame + CHILD_INFO + count] & _ONE != _ZERO
                stack[child + TARGET] = np.uint64(target if same else 1 - target)
                frame = child
                opening = True
        while closing:
            # The frame's question is answered by `value`: remember it, and tell the frame below.
            played = as_int(popcount(stack[frame + ALL]))
            lower, upper = -win_score(cells, played + 3), win_score(cells, played + 2)
            if value >= as_int(stack[frame + TARGET]):
                lower = value
            else:
                upper = value
            spent = nodes - as_int(stack[frame + STARTED]) + 1
            hashed = stack[frame + HASH]
            lower, upper = find_bounds(hashed, lower, upper, table, board)
            store_bounds(hashed, lower, upper, spent, table, board)
            if frame == 0:
                registers[TOP], registers[NODES] = -1, nodes
                return True, value, column
            frame -= FRAME
            info = stack[frame + CHILD_INFO + as_int(stack[frame + COUNT])]
            if info & _ONE == _ZERO:
                value = -value
            closing = value >= as_int(stack[frame + TARGET])
            column = as_int(info >> _ONE) if closing else as_int(-1)
            if value > as_int(stack[frame + BEST]):
                stack[frame + BEST] = np.uint64(value)
    registers[TOP], registers[NODES], registers[OPENING] = frame, nodes, opening
    return False, 0, -1


@kernel
def begin(
    me: np.uint64,
    stones: np.uint64,
    low: int,
    high: int,
    registers: NDArray[np.int64],
    stack: NDArray[np.uint64],
    board: NDArray[np.uint64],
) -> None:
    """Set up the search of a position's score between `low` and `high` (bounds that the caller cares for)."""
    stride, full, cells = board[STRIDE], board[BOARD], as_int(board[CELLS])
    mine, theirs = four_spots(me, stride) & full, four_spots(me ^ stones, stride) & full
    status, mover, after, _, theirs = play_forced(me, stones, mine, theirs, board)
    played = as_int(popcount(after))
    sign = 1 - 2 * ((played - as_int(popcount(stones))) & 1)
    registers[TOP], registers[OPENING], registers[NODES], registers[COLUMN], registers[SIGN] = -1, 0, 0, -1, sign
    if status == QUIET:
        lower, upper = parity_bounds(mover, after, theirs, played, board)
        _, _, key = lines_and_key(mover, after, board)
        stack[ME], stack[ALL], stack[HASH] = mover, after, hash_key(key, board)
    else:
        lower = upper = final_score(status, played, cells)
    if sign < 0:
        low, high = -high, -low
    registers[LOW], registers[HIGH] = max(lower, min(low, upper)), min(upper, max(high, lower))


@inlined_kernel
def _next_target(low: int, high: int, bisect: bool) -> int:
    """Return which score to ask for, low < target <= high: near 0 first, or by bisection that begins near 0."""
    if not bisect:
        return low + 1 if low >= 0 else min(high, 1)
    middle = low + (high - low) // 2
    if middle <= 0 and -(-low // 2) < middle:
        middle = -(-low // 2)
    elif middle >= 0 and high // 2 > middle:
        middle = high // 2
    return middle + 1


@kernel
def advance(
    budget: int,
    registers: NDArray[np.int64],
    stack: NDArray[np.uint64],
    table: NDArray[np.uint64],
    board: NDArray[np.uint64],
    jitter: np.uint64,
) -> bool:
    """Work for about `budget` nodes at the score that `begin` has set up; return whether it is known."""
    last = registers[NODES] + budget
    while True:
        if registers[TOP] < 0:
            low, high = registers[LOW], registers[HIGH]
            if low >= high:
                return True
            stack[TARGET] = np.uint64(_next_target(low, high, registers[BISECT] != 0))
            registers[TOP], registers[OPENING] = 0, 1
        answered, value, column = search(last - registers[NODES], registers, stack, table, board, jitter)
        if not answered:
            return False
        if value >= as_int(stack[TARGET]):
            registers[LOW], registers[COLUMN] = value, column
        else:
            registers[HIGH] = value


@kernel
def solve_batch(
    positions: NDArray[np.uint64],
    first: int,
    low: int,
    high: int,
    near_zero: int,
    budget: int,
    scores: NDArray[np.int64],
    nodes: NDArray[np.int64],
    registers: NDArray[np.int64],
    stack: NDArray[np.uint64],
    table: NDArray[np.uint64],
    board: NDArray[np.uint64],
) -> int:
    """Write the score of each position (stones of the player to move, all stones) and the nodes it took.

    Begins at `first`, or goes on with it if it was left unfinished; stops after about `budget` nodes and returns
    the position to go on with.  Positions of up to `near_zero` stones are asked near 0 first, others by bisection.
    """
    left = budget
    for index in range(first, len(positions)):
        if left <= 0:
            return index
        if registers[TOP] < 0:
            begin(positions[index, 0], positions[index, 1], low, high, registers, stack, board)
            registers[BISECT] = as_int(popcount(positions[index, 1])) > near_zero
        before = registers[NODES]
        known = advance(left, registers, stack, table, board, _ZERO)
        left -= registers[NODES] - before
        if not known:
            return index
        scores[index] = registers[LOW] * registers[SIGN]
        nodes[index] = registers[NODES]
    return len(positions)

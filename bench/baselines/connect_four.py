"""The plain solver: alpha-beta with the rules that P. Pons has published, the reference of the fast one.

The search skips positions with a win in one and moves that lose at once.  It orders moves by the number of cells
that would complete four, then from the centre; bounds come from the number of stones.  A table of prime size has one
slot and one bound a position; the score is found by bisection that begins near 0.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, popcount
from ttt_fast.core.jit import kernel
from ttt_fast.search.connect_four.bits import four_spots
from ttt_fast.search.connect_four.geometry import (
    BOARD,
    BOTTOM,
    CELLS,
    CENTRE_ORDER,
    COLUMNS,
    STANDARD,
    STRIDE,
    WIDTH,
    BoardSize,
    geometry,
)

DEFAULT_SLOTS = (1 << 24) + 43  # the first prime above 2**24
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
# A frame of the stack.
_ME, _ALL, _ALPHA, _BETA, _COUNT, _MOVES = 0, 1, 2, 3, 4, 5
_FRAME = _MOVES + 16


class PlainResult(NamedTuple):
    """Scores, (N,) int64, and visited nodes, (N,) int64."""

    scores: NDArray[np.int64]
    nodes: NDArray[np.int64]


@kernel
def _open_node(
    me: np.uint64,
    stones: np.uint64,
    alpha: int,
    beta: int,
    frame: int,
    stack: NDArray[np.uint64],
    table: NDArray[np.uint64],
    board: NDArray[np.uint64],
) -> tuple[bool, int]:
    """Look at a position without a win in one: (True, value), or (False, _) with its moves on the stack."""
    stride, cells = board[STRIDE], as_int(board[CELLS])
    played = popcount(stones)
    theirs = four_spots(me ^ stones, stride) & board[BOARD]
    possible = (stones + board[BOTTOM]) & board[BOARD]
    forced = possible & theirs
    if forced != _ZERO:
        if forced & (forced - _ONE) != _ZERO:
            possible = _ZERO
        else:
            possible = forced
    possible &= ~(theirs >> _ONE)
    if possible == _ZERO:
        return True, -((cells - played) // 2)
    if played >= cells - 2:
        return True, 0
    alpha = max(alpha, -((cells - 2 - played) // 2))
    if alpha >= beta:
        return True, alpha
    highest = (cells - 1 - played) // 2
    lowest_score, highest_score = 3 - cells // 2, (cells + 1) // 2 - 3
    word = me + stones
    slots = np.uint64(len(table))
    entry = table[word % slots]
    if entry != _ZERO and entry >> np.uint64(8) == word // slots:
        bound = as_int(entry & np.uint64(255))
        if bound > highest_score - lowest_score + 1:
            alpha = max(alpha, bound + 2 * lowest_score - highest_score - 2)
            if alpha >= beta:
                return True, alpha
        else:
            highest = min(highest, bound + lowest_score - 1)
    beta = min(beta, highest)
    if alpha >= beta:
        return True, beta
    count = 0
    ranks = stack[frame + _FRAME :]  # the frame above is free: the ranks stand there while the moves are sorted
    for order in range(as_int(board[WIDTH]) - 1, -1, -1):
        move = possible & board[COLUMNS + as_int(board[CENTRE_ORDER + order])]
        if move == _ZERO:
            continue
        rank = np.uint64(popcount(four_spots(me | move, stride) & board[BOARD] & ~stones))
        place = count
        while place > 0 and ranks[place - 1] > rank:
            ranks[place] = ranks[place - 1]
            stack[frame + _MOVES + place] = stack[frame + _MOVES + place - 1]
            place -= 1
        ranks[place] = rank
        stack[frame + _MOVES + place] = move
        count += 1
    stack[frame + _ME], stack[frame + _ALL] = me, stones
    stack[frame + _ALPHA], stack[frame + _BETA] = np.uint64(alpha), np.uint64(beta)
    stack[frame + _COUNT] = np.uint64(count)
    return False, 0


@kernel
def _store(
    frame: int,
    bound: int,
    is_lower: int,
    stack: NDArray[np.uint64],
    table: NDArray[np.uint64],
    board: NDArray[np.uint64],
) -> None:
    """Remember a lower or an upper bound of the position of a frame; the old entry of its slot is lost."""
    cells = as_int(board[CELLS])
    lowest_score, highest_score = 3 - cells // 2, (cells + 1) // 2 - 3
    coded = bound + highest_score - 2 * lowest_score + 2 if is_lower != 0 else bound - lowest_score + 1
    word = stack[frame + _ME] + stack[frame + _ALL]
    slots = np.uint64(len(table))
    table[word % slots] = ((word // slots) << np.uint64(8)) | np.uint64(coded)


@kernel
def _negamax(
    me: np.uint64,
    stones: np.uint64,
    alpha: int,
    beta: int,
    stack: NDArray[np.uint64],
    table: NDArray[np.uint64],
    board: NDArray[np.uint64],
) -> tuple[int, int]:
    """Return (value, nodes) of a position without a win in one, by alpha-beta with this window."""
    nodes = 1
    finished, value = _open_node(me, stones, alpha, beta, as_int(0), stack, table, board)
    frame = -_FRAME if finished else 0
    while frame >= 0:
        count = as_int(stack[frame + _COUNT])
        alpha, beta = as_int(stack[frame + _ALPHA]), as_int(stack[frame + _BETA])
        if count == 0:  # every move has been tried
            _store(frame, alpha, as_int(0), stack, table, board)
            finished, value = True, alpha
            frame -= _FRAME
        else:
            stack[frame + _COUNT] = np.uint64(count - 1)
            move = stack[frame + _MOVES + count - 1]
            nodes += 1
            finished, value = _open_node(
                stack[frame + _ME] ^ stack[frame + _ALL],
                stack[frame + _ALL] | move,
                -beta,
                -alpha,
                frame + _FRAME,
                stack,
                table,
                board,
            )
            if not finished:
                frame += _FRAME
        while finished and frame >= 0:
            value = -value
            finished = False
            if value >= as_int(stack[frame + _BETA]):
                _store(frame, value, as_int(1), stack, table, board)
                finished = True
                frame -= _FRAME
            elif value > as_int(stack[frame + _ALPHA]):
                stack[frame + _ALPHA] = np.uint64(value)
    return value, nodes


@kernel
def _solve_batch(
    positions: NDArray[np.uint64],
    scores: NDArray[np.int64],
    nodes: NDArray[np.int64],
    stack: NDArray[np.uint64],
    table: NDArray[np.uint64],
    board: NDArray[np.uint64],
) -> None:
    """Write the score of each position (stones of the player to move, all stones) and the nodes it took."""
    cells = as_int(board[CELLS])
    for index in range(len(positions)):
        me, stones = positions[index, 0], positions[index, 1]
        played = popcount(stones)
        nodes[index] = 0
        if four_spots(me, board[STRIDE]) & (stones + board[BOTTOM]) & board[BOARD] != _ZERO:
            scores[index] = (cells + 1 - played) // 2
            continue
        low, high = -((cells - played) // 2), (cells + 1 - played) // 2
        while low < high:
            middle = low + (high - low) // 2
            # Towards 0 first; `//` rounds down, and halves of negative numbers are meant to round up.
            if middle <= 0 and -(-low // 2) < middle:
                middle = -(-low // 2)
            elif middle >= 0 and high // 2 > middle:
                middle = high // 2
            value, visited = _negamax(me, stones, middle, middle + 1, stack, table, board)
            nodes[index] += visited
            if value <= middle:
                high = value
            else:
                low = value
        scores[index] = low


def solve_plain(positions: NDArray[np.uint64], size: BoardSize = STANDARD, slots: int = DEFAULT_SLOTS) -> PlainResult:
    """Solve positions with the plain solver, one after another with one table.

    Parameters
    ----------
    positions
        (N, 2) uint64: the stones of the player to move and all stones, of games that have not ended.
    size
        The board.
    slots
        Slots of the table of 8 bytes each, a prime.

    Returns
    -------
    PlainResult
        The scores for the player to move, and the nodes.

    Examples
    --------
    >>> solve_plain(np.zeros((1, 2), np.uint64), BoardSize(4, 4), slots=10007).scores
    array([0])
    """
    given = np.ascontiguousarray(positions, np.uint64).reshape(-1, 2)
    scores, nodes = np.zeros(len(given), np.int64), np.zeros(len(given), np.int64)
    stack, table = np.zeros(66 * _FRAME, np.uint64), np.zeros(slots, np.uint64)
    _solve_batch(given, scores, nodes, stack, table, geometry(size))
    return PlainResult(scores, nodes)

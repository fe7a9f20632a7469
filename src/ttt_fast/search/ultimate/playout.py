"""Random games of Ultimate tic-tac-toe, three times as fast as move by move on the bitboards.

The next board depends on the cell just drawn, so a random game is one long chain of dependent steps.
Here the next cell of every small board is drawn in advance, at the previous move on this board.  The chain is then one
load per ply, and drawing, marking and counting run in parallel.  The distribution of the games is unchanged: the cells
of a board are played in uniformly random order, and a free move selects a board in proportion to its free cells.  Wins
and blocks are considered only while a player lacks a single board of a line.
"""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, bit_index_of_9, lowest_bit_index, popcount
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.core.rng import next_word
from ttt_fast.core.vectors import pointer
from ttt_fast.games import api
from ttt_fast.games.api import DRAW, ONGOING
from ttt_fast.games.tic_tac_toe import completing_cells
from ttt_fast.games.ultimate.rules import ANYWHERE, TIE_DRAW, UltimateState, board_of, status as ultimate_status
from ttt_fast.games.ultimate.stay import StayState
from ttt_fast.search.rollouts import LINES, RANDOM, RolloutEvaluator, any_rollout, rollout

Scratch = NDArray[np.uint16]
_LANES = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_FREE, _NEXT = 32, 48  # where the free cells and next cells stand in the work space; marks stand at 0 and 16


@inlined_kernel
def _in_lane(number: int, board: int) -> int:
    """Return the number in the byte of a board; nothing for board 8 (a shift by 64 at once is undefined)."""
    return (number << 4 * board) << 4 * board


@inlined_kernel
def _draw(half: np.uint64, count: int) -> np.uint64:
    """Return an integer below `count`, from 32 random bits."""
    return (half * np.uint64(count)) >> np.uint64(32)


@inlined_kernel
def _board_of_free_move(counts: int, total: int, half: np.uint64) -> int:
    """Return a board, in proportion to its free cells; `counts` has those of boards 0 to 7, a byte each.

    A multiplication makes the running sums of all lanes, and one subtraction compares them with the draw.
    """
    sums = np.uint64(counts) * _LANES
    above = ((sums | _HIGH_BITS) - (_draw(half, total) + np.uint64(1)) * _LANES) & _HIGH_BITS
    return 8 - popcount(as_int(above))


@inlined_kernel
def _line_cell(boards: int, marks: int, scratch: Scratch) -> int:
    """Return 16 * board + cell of the first cell that wins one of `boards` for the player of `marks`, or -1."""
    while boards:
        board = lowest_bit_index(boards)
        cells = completing_cells(as_int(scratch[marks + board])) & as_int(scratch[_FREE + board])
        if cells:
            return (board << 4) + lowest_bit_index(cells)
        boards &= boards - 1
    return -1


@inlined_kernel
def _unpack(state: UltimateState, stream: np.uint64, scratch: Scratch) -> tuple[int, int, np.uint64]:
    """Write the boards into the work space; return the free cells of boards 0 to 7, a byte each, and of all."""
    counts, total, word = as_int(0), as_int(0), np.uint64(0)
    for board in range(9):
        scratch[board] = board_of(state.own_low, state.own_high, board)
        scratch[16 + board] = board_of(state.other_low, state.other_high, board)
        free = ~board_of(state.blocked_low, state.blocked_high, board) & 511
        count = popcount(free)
        if board & 1 == 0:  # one random word for two boards
            stream, word = next_word(stream)
        drawn = as_int(_draw(word & _LOW_HALF, count))
        word >>= np.uint64(32)
        scratch[_FREE + board] = free
        scratch[_NEXT + board] = bit_index_of_9(free, drawn)
        counts += _in_lane(count, board)
        total += count
    return counts, total, stream


@inlined_kernel
def _play(state: UltimateState, stream: np.uint64, careful: bool, work: RolloutEvaluator) -> tuple[int, np.uint64]:
    """Play an ongoing game to the end; return the status, and the stream."""
    scratch = pointer(work.scratch)  # no negative indices: their checks are in the chain of dependent steps
    counts, total, stream = _unpack(state, stream, scratch)
    mine, others, marks = state.own_boards & 511, state.other_boards & 511, 0
    keys, other_keys = as_int(0), as_int(0)  # boards that would complete a line
    if careful:
        keys, other_keys = completing_cells(mine), completing_cells(others)
    board = state.target
    is_free = board == ANYWHERE
    if is_free:
        stream, word = next_word(stream)
        board = _board_of_free_move(counts, total, word >> np.uint64(32))
    while True:
        cell = as_int(scratch[_NEXT + board])
        if careful and keys | other_keys:
            allowed = 511 if is_free else 1 << board
            if _line_cell(keys & allowed, marks, scratch) >= 0:
                return (state.player if marks == 0 else 3 - state.player), stream
            blocking = _line_cell(other_keys & allowed, marks ^ 16, scratch)
            if blocking >= 0:
                board, cell = blocking >> 4, blocking & 15
        marked = as_int(scratch[marks + board]) | 1 << cell
        scratch[marks + board] = marked
        free = as_int(scratch[_FREE + board])
        before = popcount(free)
        free &= ~(1 << cell)
        won = as_int(scratch[LINES + marked])  # no branch: the moves that win a board are unpredictable
        mine |= won << board
        free &= won - 1
        if scratch[LINES + mine]:
            return (state.player if marks == 0 else 3 - state.player), stream
        if careful:
            keys = completing_cells(mine)
        count = popcount(free)
        scratch[_FREE + board] = free
        total -= before - count
        counts -= _in_lane(before - count, board)
        if total == 0:
            break
        stream, word = next_word(stream)
        scratch[_NEXT + board] = bit_index_of_9(free, as_int(_draw(word >> np.uint64(32), count)))
        marks ^= 16
        mine, others = others, mine
        keys, other_keys = other_keys, keys
        board = cell
        is_free = scratch[_FREE + board] == 0
        if is_free:
            board = _board_of_free_move(counts, total, word & _LOW_HALF)
    lead = popcount(mine) - popcount(others)
    if state.tie == TIE_DRAW or lead == 0:
        return DRAW, stream
    return (state.player if (lead > 0) == (marks == 0) else 3 - state.player), stream


@api.implements(rollout, UltimateState)
def play_out(state: UltimateState, stream: np.uint64, evaluator: RolloutEvaluator) -> tuple[int, np.uint64]:
    """Play to the end, at random or winning and blocking lines of boards; return the status, and the stream."""
    result = ultimate_status(state)
    if result != ONGOING:
        return result, stream
    if evaluator.policy == RANDOM:  # compiled twice: without the search for lines random games are a tenth faster
        return _play(state, stream, False, evaluator)
    return _play(state, stream, True, evaluator)


@api.implements(rollout, StayState)
def play_out_move_by_move(state: StayState, stream: np.uint64, evaluator: RolloutEvaluator) -> tuple[int, np.uint64]:
    """Play to the end as any other game, where won boards stay in play."""
    return any_rollout(state, stream, evaluator)

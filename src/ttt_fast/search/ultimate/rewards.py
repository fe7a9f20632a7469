"""Rewards of Ultimate tic-tac-toe (Bichot): the result alone, simple and complex, as written and as coded.

A grid of nine cells, small or large, has a value for each player: 5 for each way to complete a line (10 at most).  A
mark adds 2 in the centre, 1.5 in a corner, and 1 on a side.  As written every line counts, and every mark.  The
published program counts the *cells* that complete a line, and only marks that are in no such line.

- complex: 400 for the game; for a board 20 times (as written: once) the change of the large grid's value; for any
  other move the change of the small grid's value times the change of the large one's if that board were won.
- simple: 100 for the game, 10 for a board.  As written these are values of positions: the reward of the winning move
  is 100 minus 10 for each board of its player's lead.  The program adds rewards.

Neither the text nor the program defines draws: a move that ends the game in a draw has the reward of its board or cell
like any other move.  Neither defines won boards that stay in play: a move in such a board has no reward.

(The published formula for cells multiplies by the actual change of the large grid, which is zero.  This module follows
the sentence above that formula, which gives the meaning.)
"""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, lowest_bit_index, popcount
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.core.plain import frozen
from ttt_fast.games import api
from ttt_fast.games.tic_tac_toe import LINES, completing_cells, contains_line
from ttt_fast.games.ultimate import rules
from ttt_fast.games.ultimate.duplicates import DuplicatesState
from ttt_fast.games.ultimate.rules import UltimateState, board_of
from ttt_fast.games.ultimate.stay import StayState, is_decided
from ttt_fast.search.rewards import api as rewards
from ttt_fast.search.rewards.api import Evaluation

SIMPLE, SIMPLE_WRITTEN, COMPLEX = 1, 2, 3
"""Modes of the rewards besides RESULT."""
_CELL_HALVES = (3, 2, 3, 2, 4, 2, 3, 2, 3)
_LINE_HALVES, _MOST_LINES = 10, 2
_QUARTERS = 4
_DIGITS: Final = 3**9
_MOST_GAIN: Final = 3**9 + 512
"""Starts of the parts of `Evaluation.tables`; the values of grids come first."""


@cache
def grid_values(as_coded: bool) -> NDArray[np.int8]:
    """Return the value of every grid for the first player, in halves: (19683,) int8.

    Cell c of grid g is digit c of g in base 3: 0 empty (or drawn), 1 the first player's, 2 the second's.

    Examples
    --------
    >>> centre, top_left_pair = 3**4, 3**0 + 3**1
    >>> [int(grid_values(coded)[grid]) for coded in (True, False) for grid in (centre, top_left_pair)]
    [4, 10, 4, 15]
    """
    cells = np.arange(3**9)[:, None] // 3 ** np.arange(9) % 3
    values = np.zeros(3**9, np.int64)
    for who, sign in ((1, 1), (2, -1)):
        completing = np.zeros((3**9, 9), np.int64)
        in_line = np.zeros((3**9, 9), bool)
        for line in LINES:
            here = cells[:, line]
            live = ((here == who).sum(axis=1) == 2) & ((here == 0).sum(axis=1) == 1)
            in_line[:, line] |= live[:, None]
            completing[:, line] += (here == 0) & live[:, None]
        ways = (completing > 0).sum(axis=1) if as_coded else completing.sum(axis=1)
        counted = (cells == who) & ~in_line if as_coded else cells == who
        values += sign * (_LINE_HALVES * np.minimum(ways, _MOST_LINES) + counted @ np.array(_CELL_HALVES))
    return values.astype(np.int8)


@cache
def _tables(as_coded: bool) -> NDArray[np.int16]:
    """Return the look-up tables of the rewards: values of grids, the digits of nine bits, and largest changes.

    The last are the largest change of each grid's value by a mark of the first player that completes no line.
    """
    values = grid_values(as_coded).astype(np.int64)
    bits = np.arange(512)[:, None] >> np.arange(9) & 1
    digits = bits @ 3 ** np.arange(9)
    cells = np.arange(3**9)[:, None] // 3 ** np.arange(9) % 3
    completing = np.array([completing_cells(marks) for marks in range(512)])
    completes = completing[(cells == 1) @ (1 << np.arange(9))][:, None] >> np.arange(9) & 1 == 1
    marked = np.where(cells == 0, np.arange(3**9)[:, None] + 3 ** np.arange(9), np.arange(3**9)[:, None])
    gains = np.abs(values[marked] - values[:, None])  # 0 where the cell is taken
    most = np.where(completes, 0, gains).max(axis=1)
    return frozen(np.concatenate([values, digits, most]).astype(np.int16))


@cache
def ultimate_evaluations() -> dict[str, Evaluation]:
    """Return the evaluations by name: `simple` and `complex` as coded, `simple-written` and `complex-written`."""
    coded, written = _tables(True), _tables(False)
    return {
        "simple": Evaluation(SIMPLE, 1, 100, 10, coded),
        "simple-written": Evaluation(SIMPLE_WRITTEN, 1, 100, 10, coded),
        "complex": Evaluation(COMPLEX, _QUARTERS, 400 * _QUARTERS, 20 * _QUARTERS // 2, coded),
        "complex-written": Evaluation(COMPLEX, _QUARTERS, 400 * _QUARTERS, _QUARTERS // 2, written),
    }


rewards.NAMED.update(dict.fromkeys((UltimateState, StayState), ultimate_evaluations))


@inlined_kernel
def _grid_row(own: int, other: int, tables: NDArray[np.int16]) -> int:
    """Return the base-3 number of a grid with these cells."""
    return as_int(tables[_DIGITS + own]) + 2 * as_int(tables[_DIGITS + other])


@inlined_kernel
def _gain(row: int, cell: int, tables: NDArray[np.int16]) -> int:
    """Return the change, up or down, of a grid's value by an own mark on the empty `cell`, a single bit."""
    return abs(as_int(tables[row + tables[_DIGITS + cell]]) - as_int(tables[row]))


@api.implements(rewards.reward, UltimateState)
def ultimate_reward(state: UltimateState, action: int, evaluation: Evaluation) -> int:
    """Return the reward of a move for its player."""
    action = as_int(action)
    board = rules.divide_by_9(action)
    own = board_of(state.own_low, state.own_high, board)
    other = board_of(state.other_low, state.other_high, board)
    marked = own | 1 << (action - 9 * board)
    takes_board = contains_line(marked)
    boards = state.own_boards | 1 << board
    lead = popcount(state.own_boards) - popcount(state.other_boards)
    before = evaluation.board * lead if evaluation.mode == SIMPLE_WRITTEN else 0
    if takes_board and contains_line(boards):
        return evaluation.win - before
    if state.tie != rules.TIE_DRAW and (takes_board or marked | other == 511):
        low, high = state.blocked_low, state.blocked_high
        if board < 7:
            low |= 511 << 9 * board
        else:
            high |= 511 << 9 * (board - 7)
        lead += as_int(takes_board)
        if low == rules.ALL_LOW and high == rules.ALL_HIGH and lead != 0:  # the last move of the game
            return (evaluation.win if lead > 0 else -evaluation.win) - before
    return _reward_of_cell(state, board, 1 << (action - 9 * board), evaluation)


@inlined_kernel
def _reward_of_cell(state: UltimateState, board: int, cell: int, evaluation: Evaluation) -> int:
    """Return the reward of a mark on a cell, a single bit, of an undecided board, if the game continues."""
    own = board_of(state.own_low, state.own_high, board)
    takes_board = contains_line(own | cell)
    if evaluation.mode == COMPLEX:
        tables = evaluation.tables
        large = _gain(_grid_row(state.own_boards, state.other_boards, tables), 1 << board, tables)
        if takes_board:
            return evaluation.board * large
        return large * _gain(_grid_row(own, board_of(state.other_low, state.other_high, board), tables), cell, tables)
    return evaluation.board if takes_board else 0


@api.implements(rewards.best_reward, UltimateState)
def best_ultimate_reward(state: UltimateState, enough: int, evaluation: Evaluation) -> tuple[int, int]:
    """Return the largest reward, from a table; the cells of a board are examined only if one is enough."""
    tables, is_complex = evaluation.tables, evaluation.mode == COMPLEX
    best, looked_at = -rewards.LARGE, 0
    free_move = state.target == rules.ANYWHERE
    for board in range(0 if free_move else state.target, 9 if free_move else state.target + 1):
        free = ~board_of(state.blocked_low, state.blocked_high, board) & 511
        if free == 0:
            continue
        own = board_of(state.own_low, state.own_high, board)
        # winning the board has the same reward with every cell, and so has any move to its last cell
        special = free if free & (free - 1) == 0 else free & completing_cells(own)
        row, large, special_value, most = 0, 0, -rewards.LARGE, -rewards.LARGE
        if special:
            special_value = ultimate_reward(state, 9 * board + lowest_bit_index(special), evaluation)
        if is_complex:
            row = _grid_row(own, board_of(state.other_low, state.other_high, board), tables)
            large = _gain(_grid_row(state.own_boards, state.other_boards, tables), 1 << board, tables)
        if special != free:
            most = large * as_int(tables[_MOST_GAIN + row]) if is_complex else 0
        if max(special_value, most) < enough:
            looked_at += popcount(free)
            best = max(best, special_value, most)
            continue
        while best < enough:
            cell = free & -free
            value = special_value
            if special & cell == 0:
                value = large * _gain(row, cell, tables) if is_complex else 0
            looked_at += 1
            best = max(best, value)
            free ^= cell
        break
    return best, looked_at


@api.implements(rewards.result_bounds, UltimateState)
def result_bounds(state: UltimateState) -> tuple[int, int]:
    """Return bounds of the result, from the boards that each player may still win."""
    if rules.winning_action(state) != api.NO_ACTION:
        return 1, 1
    own, other = as_int(state.own_boards), as_int(state.other_boards)
    for board in range(9):
        blocked = board_of(state.blocked_low, state.blocked_high, board)
        if (state.own_boards | state.other_boards) >> board & 1 == 0 and blocked != rules.ALL_OF_BOARD:
            other_marks = board_of(state.other_low, state.other_high, board)
            own |= as_int(contains_line(rules.ALL_OF_BOARD & ~other_marks)) << board
            other |= as_int(contains_line(rules.ALL_OF_BOARD & ~(blocked & ~other_marks))) << board
    best = as_int(state.tie != rules.TIE_DRAW) * (popcount(own) - popcount(state.other_boards))
    worst = as_int(state.tie != rules.TIE_DRAW) * (popcount(state.own_boards) - popcount(other))
    high = as_int(1) if contains_line(own) else max(as_int(-1), min(best, as_int(1)))
    low = as_int(-1) if contains_line(other) else max(as_int(-1), min(worst, as_int(1)))
    return low, high


@api.implements(rewards.reward, StayState)
def reward_where_won_boards_stay(state: StayState, action: int, evaluation: Evaluation) -> int:
    """Return the reward of a move for its player: 0 in a won board, unless the move decides the game."""
    action = as_int(action)
    board = rules.divide_by_9(action)
    result = api.status(api.play(state, action))
    if result == api.X_WINS or result == api.O_WINS:
        lead = popcount(state.own_boards) - popcount(state.other_boards)
        before = evaluation.board * lead if evaluation.mode == SIMPLE_WRITTEN else 0
        return (evaluation.win if result == state.player else -evaluation.win) - before
    return 0 if is_decided(state, board) else _reward_of_cell(state, board, 1 << (action - 9 * board), evaluation)


@api.implements(rewards.best_reward, StayState)
def best_reward_where_won_boards_stay(state: StayState, enough: int, evaluation: Evaluation) -> tuple[int, int]:
    """Return the largest reward, action by action."""
    return rewards.best_of_all_rewards(state, enough, evaluation)


@api.implements(rewards.listed, UltimateState)
def listed(state: UltimateState) -> DuplicatesState:
    """Return the state with the published list: board by board, its k free cells, k times over on a free move."""
    return DuplicatesState(state)

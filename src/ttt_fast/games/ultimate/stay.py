"""Ultimate tic-tac-toe with the rule that a won board stays in play: it keeps its winner and closes only when full.

A player sent to a won board with free cells must play there, although nothing more can be won in it.  Under this rule X
wins in at most 43 plies and at least 29, beginning in the centre of the centre board.  (See Bertholon, Géraud-Stewart,
Kugelmann, Lenoir and Naccache, "At Most 43 Moves, At Least 29: Optimal Strategies and Bounds for Ultimate Tic-Tac-Toe",
2020, https://arxiv.org/abs/2006.02353.)

The state type is derived from that of the standard rules, whose functions apply unless this module overrides them.  The
performance-critical kernels of the standard rules therefore contain no test of the rule.
"""

import numpy as np

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.games import api
from ttt_fast.games.ultimate import rules
from ttt_fast.games.ultimate.rules import ANYWHERE, UltimateState, board_of


class StayState(UltimateState):
    """A position as in `UltimateState`, except that only marks block the cells of won boards."""

    __slots__ = ()


def initial_state(tie: int = rules.TIE_DRAW) -> StayState:
    """Return the empty board, with X to move in any cell.

    Examples
    --------
    >>> type(initial_state()).__name__
    'StayState'
    """
    return StayState(*rules.initial_state(tie))


@inlined_kernel
def is_decided(state: StayState, board: int) -> bool:
    """Return whether a board has been won."""
    return (state.own_boards | state.other_boards) >> board & 1 != 0


@api.implements(api.play, StayState)
def play(state: StayState, action: int) -> StayState:
    """Return the state after a mark: as under the standard rules, but winners stay and won boards remain open."""
    action = as_int(action)
    after = rules.play(state, action)
    cell = action - 9 * rules.divide_by_9(action)
    decided = is_decided(state, rules.divide_by_9(action))
    low, high = after.own_low | after.other_low, after.own_high | after.other_high
    free = ~board_of(low, high, cell) & rules.ALL_OF_BOARD
    return StayState(
        after.own_low, after.own_high, after.other_low, after.other_high, low, high, after.own_boards,
        state.own_boards if decided else after.other_boards, 0 if decided else after.line,
        cell if free else ANYWHERE, free, action, after.player, after.tie,
    )  # fmt: skip


@api.implements(api.play_random, StayState)
def play_random(state: StayState, word: np.uint64) -> StayState:
    """Return the state after a random mark."""
    return play(state, api.random_action(state, word))


@api.implements(api.transform, StayState)
def transform(state: StayState, symmetry: int) -> StayState:
    """Return the boards and their cells rotated or reflected."""
    return StayState(*rules.transform(state, symmetry))

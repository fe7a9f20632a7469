"""Ultimate tic-tac-toe with the duplicated moves of Bichot's program.

On a free move, except the first move of a game, that program lists each small board once per free cell.  Every cell of
a board with k free cells therefore occurs k times.  Its search creates a child for each copy and draws random moves
from the same lists.  This module reproduces the lists with a separate state type under the rules of Ultimate.  The
general search works on it as on any game, and `mcts:formula=log-ratio` provides the rest of the emulation.

The type is defined here and not in the study of that program.  The reason is that loading a cached kernel imports the
types for which it was compiled.  An import of this module during a compilation would modify `api.play` while it is in
use.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import bit_index, fill_bits, popcount
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.core.rng import below
from ttt_fast.games import api
from ttt_fast.games.ultimate import rules
from ttt_fast.games.ultimate.rules import ANYWHERE, NO_MOVE, UltimateState, board_of

LONGEST_LIST: Final = 8 * 81
"""The maximum length of a list: on a free move at least one board is closed."""


class DuplicatesState(NamedTuple):
    """A position of Ultimate.

    Attributes
    ----------
    position
        The position as a state of `games.ultimate`.
    """

    position: UltimateState


def initial_state(tie: int = rules.TIE_DRAW) -> DuplicatesState:
    """Return the empty board.

    Examples
    --------
    >>> type(initial_state()).__name__
    'DuplicatesState'
    """
    return DuplicatesState(rules.initial_state(tie))


@inlined_kernel
def _has_duplicates(position: UltimateState) -> bool:
    return position.target == ANYWHERE and position.last != NO_MOVE


@inlined_kernel
def _free_of_board(position: UltimateState, board: int) -> int:
    return ~board_of(position.blocked_low, position.blocked_high, board) & 511


@api.implements(api.play, DuplicatesState)
def play(state: DuplicatesState, action: int) -> DuplicatesState:
    """Return the state after a mark."""
    return DuplicatesState(api.play(state.position, action))


@api.implements(api.status, DuplicatesState)
def status(state: DuplicatesState) -> int:
    """Return the status."""
    return rules.status(state.position)


@api.implements(api.player, DuplicatesState)
def player(state: DuplicatesState) -> int:
    """Return the player to move."""
    return state.position.player


@api.implements(api.num_legal_actions, DuplicatesState)
def num_legal_actions(state: DuplicatesState) -> int:
    """Return the length of the move list."""
    if not _has_duplicates(state.position):
        return rules.num_legal_actions(state.position)
    count = 0
    for board in range(9):
        free = popcount(_free_of_board(state.position, board))
        count += free * free
    return count


@api.implements(api.fill_legal_actions, DuplicatesState)
def fill_legal_actions(state: DuplicatesState, actions: NDArray[np.uint8]) -> int:
    """Write the move list; the length of `actions` is at least LONGEST_LIST."""
    if not _has_duplicates(state.position):
        return rules.fill_legal_actions(state.position, actions)
    count = 0
    for board in range(9):
        free = _free_of_board(state.position, board)
        for _ in range(popcount(free)):
            count = fill_bits(actions, count, free, 9 * board)
    return count


@api.implements(api.random_action, DuplicatesState)
def random_action(state: DuplicatesState, word: np.uint64) -> int:
    """Return a random entry of the move list."""
    if not _has_duplicates(state.position):
        return rules.random_action(state.position, word)
    entry, board = below(word, num_legal_actions(state)), 0
    free = _free_of_board(state.position, board)
    while entry >= popcount(free) * popcount(free):
        entry -= popcount(free) * popcount(free)
        board += 1
        free = _free_of_board(state.position, board)
    return 9 * board + bit_index(free, entry % popcount(free))


@api.implements(api.winning_action, DuplicatesState)
def winning_action(state: DuplicatesState) -> int:
    """Return the first move that makes a line of boards, or -1."""
    return rules.winning_action(state.position)


@api.implements(api.threat_action, DuplicatesState)
def threat_action(state: DuplicatesState) -> int:
    """Return the first move by which the opponent would make a line of boards, or -1."""
    return rules.threat_action(state.position)


@api.implements(api.num_actions, DuplicatesState)
def num_actions(state: DuplicatesState) -> int:
    """Return the maximum length of a move list."""
    return LONGEST_LIST


@api.implements(api.max_plies, DuplicatesState)
def max_plies(state: DuplicatesState) -> int:
    """Return 81."""
    return rules.NUM_CELLS

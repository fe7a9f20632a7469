"""Ultimate tic-tac-toe with the duplicated moves of Bichot's program.

On a free move (but not on the first of a game) that program lists a small board once for each of its free cells,
and so every cell of a board with k free cells k times.  Its search makes a child of each copy and draws its random
moves from the same lists.  Here that is a type of state of its own, whose rules are those of Ultimate: the one
search takes it as it takes any game, and `mcts:formula=log-ratio` does the rest of the emulation.

The type stands here and not with the study of that program: cached kernels know the types that they were compiled
for, and loading one imports them.  Were this module imported then, in the middle of a compilation, `api.play` would
change under it.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import bit_index, fill_bits, popcount
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.core.rng import below
from ttt_fast.games import api, ultimate
from ttt_fast.games.ultimate import ANYWHERE, NO_MOVE, UltimateState, board_of

LONGEST_LIST: Final = 8 * 81
"""No list is longer: a free move finds one board closed at least."""


class DuplicatesState(NamedTuple):
    """A position of Ultimate.

    Attributes
    ----------
    position
        As `games.ultimate` has it.
    """

    position: UltimateState


def initial_state(tie: int = ultimate.TIE_DRAW) -> DuplicatesState:
    """Return the empty board.

    Examples
    --------
    >>> api.num_legal_actions(initial_state())
    81
    """
    return DuplicatesState(ultimate.initial_state(tie))


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
    return ultimate.status(state.position)


@api.implements(api.player, DuplicatesState)
def player(state: DuplicatesState) -> int:
    """Return who is to move."""
    return state.position.player


@api.implements(api.num_legal_actions, DuplicatesState)
def num_legal_actions(state: DuplicatesState) -> int:
    """Return the length of the list."""
    if not _has_duplicates(state.position):
        return ultimate.num_legal_actions(state.position)
    count = 0
    for board in range(9):
        free = popcount(_free_of_board(state.position, board))
        count += free * free
    return count


@api.implements(api.fill_legal_actions, DuplicatesState)
def fill_legal_actions(state: DuplicatesState, actions: NDArray[np.uint8]) -> int:
    """Write the list; `actions` has room for LONGEST_LIST."""
    if not _has_duplicates(state.position):
        return ultimate.fill_legal_actions(state.position, actions)
    count = 0
    for board in range(9):
        free = _free_of_board(state.position, board)
        for _ in range(popcount(free)):
            count = fill_bits(actions, count, free, 9 * board)
    return count


@api.implements(api.random_action, DuplicatesState)
def random_action(state: DuplicatesState, word: np.uint64) -> int:
    """Return an entry of the list."""
    if not _has_duplicates(state.position):
        return ultimate.random_action(state.position, word)
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
    return ultimate.winning_action(state.position)


@api.implements(api.threat_action, DuplicatesState)
def threat_action(state: DuplicatesState) -> int:
    """Return the first move by which the other player would make a line of boards, or -1."""
    return ultimate.threat_action(state.position)


@api.implements(api.num_actions, DuplicatesState)
def num_actions(state: DuplicatesState) -> int:
    """Return the longest that a list can be."""
    return LONGEST_LIST


@api.implements(api.max_plies, DuplicatesState)
def max_plies(state: DuplicatesState) -> int:
    """Return 81."""
    return ultimate.NUM_CELLS

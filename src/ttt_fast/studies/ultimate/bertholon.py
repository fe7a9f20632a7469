"""The first player's winning strategy by the rule that won boards stay in play, as a player of a few rules.

Bertholon, Géraud-Stewart, Kugelmann, Lenoir and Naccache, "At Most 43 Moves, At Least 29: Optimal Strategies and
Bounds for Ultimate Tic-Tac-Toe" (2020), https://arxiv.org/abs/2006.02353, prove that X wins within 43 moves of both.
"""

from typing import Any, Final

from ttt_fast.core.errors import AgentError
from ttt_fast.games import api
from ttt_fast.games.tic_tac_toe import contains_line
from ttt_fast.games.ultimate import ALL_OF_BOARD, ANYWHERE, board_of
from ttt_fast.games.ultimate_stay import StayState, is_decided
from ttt_fast.search.player import DrawingPlayer, Thought

NAME: Final = "bertholon"
_CENTRE: Final = 4


def winning_move(state: StayState) -> int:
    """Return the move of the strategy, in a position that it has come to.

    X sends O to the centre board until that is full.  O's last mark there sends X to a board k, in which X marks
    cell k.  From then on X sends O to board k, and where O sends X to a board in which X holds cell k and the centre,
    X completes that line by the opposite cell: O is sent to the opposite board, whatever it does there wins boards
    for X, and three of them stand in a line.

    Raises
    ------
    AgentError
        If the strategy does not come to such a position.

    Examples
    --------
    >>> from ttt_fast.games import ultimate_stay
    >>> winning_move(ultimate_stay.initial_state())
    40
    """
    own = [board_of(state.own_low, state.own_high, board) for board in range(9)]
    other = [board_of(state.other_low, state.other_high, board) for board in range(9)]
    free = [ALL_OF_BOARD & ~(mine | theirs) for mine, theirs in zip(own, other, strict=True)]
    for action in api.legal_actions(state):  # the game is won
        board, cell = divmod(action, 9)
        takes = contains_line(own[board] | 1 << cell) and not is_decided(state, board)
        if takes and contains_line(state.own_boards | 1 << board):
            return int(action)
    here = int(state.target)
    if free[_CENTRE]:
        return 9 * _CENTRE + _CENTRE if here == ANYWHERE else 9 * here + _CENTRE
    key = next((b for b in range(9) if own[b] >> b & 1 and b != _CENTRE and not own[b] >> _CENTRE & 1), here)
    opposite = 8 - key
    wanted = [(opposite, key), (opposite, opposite)]
    if here != ANYWHERE:
        is_prepared = own[here] >> key & own[here] >> _CENTRE & 1
        wanted = [(here, cell) for cell in ((opposite,) if is_prepared else ()) + (key, opposite)]
    for board, cell in wanted:
        if free[board] >> cell & 1:
            return 9 * board + cell
    raise AgentError(f"expected a position that {NAME!r} comes to, got another one")


class BertholonPlayer(DrawingPlayer):
    """X by the winning strategy."""

    def think(self, state: Any) -> Thought:
        """Return the move of the strategy, whose value is a win."""
        if not isinstance(state, StayState) or state.player != api.X:
            raise AgentError(f"expected {NAME!r} as X of ultimate:closed=stay, got another seat or game")
        return Thought(winning_move(state), 1.0, 1)

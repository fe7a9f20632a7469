"""The first player's winning strategy under the rule that won boards stay in play, as a rule-based player.

Bertholon, Géraud-Stewart, Kugelmann, Lenoir and Naccache, "At Most 43 Moves, At Least 29: Optimal Strategies and Bounds
for Ultimate Tic-Tac-Toe" (2020), https://arxiv.org/abs/2006.02353, prove that X wins within 43 moves of both players.
"""

from typing import Any, Final

from ttt_fast import AgentError, parse_game
from ttt_fast.agents.api import DrawingPlayer, SearchResult
from ttt_fast.games import api

NAME: Final = "bertholon"
GAME: Final = parse_game("ultimate:closed=stay")
_CENTRE: Final = 4


def winning_move(state: Any) -> int:
    """Return the move of the strategy in a position that it can reach.

    X sends O to the centre board until that is full.  O's last mark there sends X to a board k, in which X marks cell
    k.  From then on X sends O to board k.  If O sends X to a board in which X holds cell k and the centre, X completes
    that line with the opposite cell.  This sends O to the opposite board.  Each reply of O there wins boards for X, and
    three of them form a line.

    Raises
    ------
    AgentError
        If the strategy cannot reach this position.
    """
    actions = api.legal_actions(state)
    for action in actions:
        if api.status(api.play(state, action)) == api.X_WINS:
            return action
    marks, here = marks_of(state), actions[0] // 9
    is_sent = actions[-1] // 9 == here
    if "." in marks[_CENTRE]:
        return 9 * (here if is_sent else _CENTRE) + _CENTRE
    key = next((b for b in range(9) if marks[b][b] == "X" and b != _CENTRE and marks[b][_CENTRE] != "X"), here)
    opposite = 8 - key
    wanted = [(opposite, key), (opposite, opposite)]
    if is_sent:
        is_prepared = marks[here][key] == marks[here][_CENTRE] == "X"
        wanted = [(here, cell) for cell in ((opposite,) if is_prepared else ()) + (key, opposite)]
    for board, cell in wanted:
        if marks[board][cell] == ".":
            return 9 * board + cell
    raise AgentError(f"expected a position that {NAME!r} comes to, got another one")


def marks_of(state: Any) -> list[str]:
    """Return the nine cells of each small board, as `X`, `O` and `.`."""
    rows, corners = GAME.board(state).rows, [(row, column) for row in (0, 3, 6) for column in (0, 3, 6)]
    return ["".join(rows[row + line][column : column + 3] for line in range(3)) for row, column in corners]


class BertholonPlayer(DrawingPlayer):
    """A player of X that follows the winning strategy."""

    def search(self, state: Any) -> SearchResult:
        """Return the move of the strategy, whose value is a win."""
        if not isinstance(state, type(GAME.initial_state)) or api.player(state) != api.X:
            raise AgentError(f"expected {NAME!r} as X of ultimate:closed=stay, got another seat or game")
        return SearchResult(winning_move(state), 1.0, 1)

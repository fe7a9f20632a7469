"""The display of a game in a terminal: its board, and its moves in words."""

from collections.abc import Mapping

from rich.text import Text

from ttt_fast import Game, Seat
from ttt_fast.games import api

_STYLES = {
    "": "",
    "x": "bold red",
    "o": "bold blue",
    "x last": "bold red reverse",
    "o last": "bold blue reverse",
    "faint": "dim",
    "strong": "bold",
    "note": "green",
    "open": "bold green",
}
"""The rich styles of a drawing."""
_RESULTS = {api.X_WINS: "X has won", api.O_WINS: "O has won", api.DRAW: "drawn"}
_FIRST_LETTER_COMMAND = 17
"""Number of columns from which one of them is named h, like a command."""


class BoardView:
    """The display of a game in a terminal.

    Attributes
    ----------
    move_help
        The instruction for typing a move.
    tells_turn
        Whether the drawing contains the player to move.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("connect4:columns=4,rows=3")
    >>> print(BoardView(game).draw(game.state_after("221"), {}).plain, end="")
    │ · · · · │
    │ · O · · │
    │ X X · · │
    └─────────┘
      1 2 3 4
    """

    def __init__(self, game: Game) -> None:
        self.game, board = game, game.board(game.initial_state)
        self.tells_turn = board.kind == "boards"
        self.move_help = {
            "cells": f"a cell 0 to {game.num_actions - 1} to play there",
            "columns": f"a column 1 to {board.moves[-1]} to drop a stone",
            "boards": "a board and a cell of it, both 1 to 9 row by row (53: board 5, cell 3)",
            "text": "a move in the game's own spelling",
        }[board.kind]
        if board.kind == "columns" and game.num_actions >= _FIRST_LETTER_COMMAND:
            self.move_help += " (a letter is a column first: write hint, undo, new and quit)"

    def draw(self, state: api.GameState, values: Mapping[int, str], last: int | None = None) -> Text:
        """Return the board of a state, with a short text at or below it for each of the actions in `values`.

        The action `last`, which led to the state, is shown as (X); the line that ended the game as [X].
        """
        text = Text()
        for part, style in self.game.drawing(state, values, last):
            text.append(part, _STYLES[style])
        return text.append(f"{self._turn(state)}\n") if self.tells_turn else text

    def _turn(self, state: api.GameState) -> str:
        """Return a line about a state of Ultimate: the last move, the player to move, the boards of a winning line."""
        board = self.game.board(state)
        moved = "" if board.small.last is None else f"last move {board.moves[board.small.last]}; "
        lined = sorted({board.number_of(place) // 9 + 1 for place in board.line})
        line = f" with boards {', '.join(map(str, lined))}" if lined else ""
        return f"{moved}{turn_text(self.game, state)}{line}"


def turn_text(game: Game, state: api.GameState) -> str:
    """Return the player to move, with the required board in Ultimate, or the result of the game.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("connect4")
    >>> turn_text(game, game.state_after("445")), turn_text(game, game.state_after("1212121"))
    ('O to move', 'the game is over: X has won')
    """
    status = int(api.status(state))
    if status != api.ONGOING:
        return f"the game is over: {_RESULTS[status]}"
    board = game.board(state)
    target = board.small.target
    anywhere = " anywhere" if board.kind == "boards" else ""
    return f"{Seat(api.player(state)).name} to move{anywhere if target is None else f' in board {target + 1}'}"

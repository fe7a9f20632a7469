"""The report of `ttt-fast solve` for a person."""

from collections.abc import Sequence

from ttt_fast.games.api import GameState
from ttt_fast.games.registry import Game
from ttt_fast.report.console import render, rich_table
from ttt_fast.report.rows import Row
from ttt_fast.terminal.boards import turn_text


def solve_report(game: Game, state: GameState, rows: Sequence[Row]) -> str:
    """Return the report of one position: the board, who is to move, and the rows."""
    board = game.format_position(state).replace("/", "\n")
    digits = game.format_moves(range(game.num_actions))
    shown = [{key: value for key, value in row.items() if key != "position"} for row in rows]
    return render([f"{board}\n{digits}\n", turn_text(game, state), rich_table(shown)])

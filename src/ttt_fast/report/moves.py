"""Rows of a game move by move: the player, the views of both agents, and the exact values."""

from math import isnan
from typing import Any

from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.core.text import printable
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat
from ttt_fast.play.narrated import Move
from ttt_fast.play.record import GameRecord

_EXACT = ("value_x", "distance", "optimal", "fastest")
"""Exact columns of a move; empty where its value is not known."""


def move_row(game: Game, move: Move, agents: tuple[str, str], exact: ExactAnalysis) -> dict[str, Any]:
    """Return the row of a move.

    `x_value` and `o_value` are the agents' values for X before the move, in their own units; `x_probability` and
    `o_probability` are the probabilities with which they play it; `value_x`, `distance` and `optimal` are exact.
    """
    views = {"x": move.x, "o": move.o}
    known = exact.move(move.before, move.action) or dict.fromkeys(_EXACT)
    return {
        "ply": move.number,
        "player": Seat(move.seat).text,
        "agent": agents[move.seat - 1],
        "action": move.action,
        "move": game.format_moves([move.action]),
        "board": game.format_position(move.after),
        **{f"{side}_value": None if isnan(view.value) else view.value for side, view in views.items()},
        **{f"{side}_probability": None if isnan(view.share) else view.share for side, view in views.items()},
        **{name: known[name] for name in _EXACT},
    }


def game_rows(records: list[GameRecord]) -> list[dict[str, Any]]:
    """Return a row for each game of a file, numbered from 1; texts of the file without control characters."""
    return [
        {
            "game": number, "x": printable(one.x), "o": printable(one.o), "result": one.result, "plies": one.plies,
            "opening": one.opening, "moves": printable(one.moves),
        }
        for number, one in enumerate(records, 1)
    ]  # fmt: skip

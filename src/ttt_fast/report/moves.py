"""Rows of a game move by move: who moves, what both agents think, and what is exactly true."""

from math import isnan
from typing import Any

from ttt_fast.core.text import printable
from ttt_fast.games import api
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat
from ttt_fast.play.narrated import Move
from ttt_fast.play.record import GameRecord
from ttt_fast.report.results import exact_move_rows
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.search.connect_four.positions import board_size, plies_to_end
from ttt_fast.search.connect_four.solver import Solver
from ttt_fast.tables import find_table

_EXACT = ("value_x", "distance", "optimal", "fastest")


class Truth:
    """What is known exactly of the moves of a game: by its table, or by a solver.

    Parameters
    ----------
    game
        The game.
    solved
        Whether moves of Connect 4 without a table are solved, which takes seconds early in the game.
    """

    def __init__(self, game: Game, solved: bool = False) -> None:
        self._table = find_table(game)
        self._solver = Solver(board_size(game)) if solved and self._table is None else None

    def of(self, move: Move) -> dict[str, Any]:
        """Return the value for X after a move, the plies to the end from before it, and whether the move is best.

        Examples
        --------
        >>> from ttt_fast.games.registry import parse_game
        >>> from ttt_fast.play.narrated import recorded_game
        >>> game = parse_game("tic-tac-toe")
        >>> [Truth(game).of(move)["value_x"] for move in recorded_game([0, 1, 4], game.initial_state)]
        [0, 1, 1]
        """
        rows = self.of_all(move.before)
        found = next((row for row in rows if row["action"] == move.action), dict.fromkeys(_EXACT))
        return {name: found[name] for name in _EXACT}

    def of_all(self, state: Any) -> list[dict[str, Any]]:
        """Return a row for each move of an ongoing state: its `action`, and as `of` says; none if nothing is known.

        A search for it may be given up between two chunks of nodes (`running/interrupts.py`).

        Examples
        --------
        >>> from ttt_fast.games.registry import parse_game
        >>> game = parse_game("tic-tac-toe")
        >>> [row["action"] for row in Truth(game).of_all(game.parse_position("XX.OO....")) if row["fastest"]]
        [2]
        """
        if self._table is not None:
            rows = exact_move_rows(self._table, self._table.index_of(state))
            return [{name: row[name] for name in ("action", *_EXACT)} for row in rows]
        if self._solver is None:
            return []
        words, seat = (int(state.own), int(state.occupied)), api.player(state)
        solved = self._solver.action_scores(words, on_progress=lambda _: check_interrupt())
        scores = {one.action: one.score or 0 for one in solved.actions}
        best, rows = max(scores.values()), []
        for action, score in scores.items():
            sign = (score > 0) - (score < 0)
            rows.append(
                {
                    "action": action,
                    "value_x": sign if seat == api.X else -sign,
                    "distance": plies_to_end(score, words[1].bit_count(), self._solver.size),
                    "optimal": sign == (best > 0) - (best < 0),
                    "fastest": score == best,
                }
            )
        return rows


def move_row(game: Game, move: Move, agents: tuple[str, str], truth: Truth) -> dict[str, Any]:
    """Return the row of a move.

    `x_value` and `o_value` are the agents' values for X before the move, in their own units; `x_share` and `o_share`
    the probabilities with which they play it; `value_x`, `distance` and `optimal` are exact.
    """
    views = {"x": move.x, "o": move.o}
    return {
        "ply": move.number,
        "player": Seat(move.seat).text,
        "agent": agents[move.seat - 1],
        "action": move.action,
        "move": game.format_moves([move.action]),
        "board": game.format_position(move.after),
        **{f"{side}_value": None if isnan(view.value) else view.value for side, view in views.items()},
        **{f"{side}_share": None if isnan(view.share) else view.share for side, view in views.items()},
        **truth.of(move),
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

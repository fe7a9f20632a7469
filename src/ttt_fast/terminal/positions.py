"""A position of any game with the values of players: the rows and the report of `show`, the report of `solve`."""

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

import numpy as np
from rich.console import RenderableType

from ttt_fast import Game, Player, StateTable
from ttt_fast.analysis.agents import AgentAnalysis
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.games import api
from ttt_fast.report.console import counted, render
from ttt_fast.report.row_table import RowTable
from ttt_fast.report.rows import Row
from ttt_fast.terminal.boards import BoardView, turn_text

VALUE_NAMES = {1: "X wins", 0: "a draw", -1: "O wins"}
_LONG_VALUE = 100
"""Evaluations of at least this size are shown without decimals, which are not significant."""


def position_rows(
    game: Game,
    state: api.GameState,
    players: Sequence[Player],
    seed: int = 0,
    *,
    exact: bool = False,
    table: StateTable | None = None,
) -> list[dict[str, Any]]:
    """Return a row for each legal action of a state, none if its game is over.

    Parameters
    ----------
    game, state
        A position.  If the game has a table or a solver, rows also contain the exact value of each action.
    players
        The players to query.  Column NAME contains the probability of the action, if known.  Otherwise it is 1 for the
        player's move with this seed, and 0 for other actions; None if a policy has not learned the seat.  Column
        `NAME value` contains the player's value of the action: for each action if the player is an `Analyst`,
        otherwise only for its own move, if known.  Column `NAME visits` contains the visits of a tree search.
    seed
        Seed of the players' choices.
    exact
        Whether to solve early positions as well as late ones, which may take minutes.
    table
        An induced table, as for `ExactAnalysis`.

    Raises
    ------
    BoardError
        If the game has a table, and the state is unreachable.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_player
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4:columns=4,rows=4,length=3")
    >>> rows = position_rows(game, game.state_after("1122"), [as_player("default", game)])
    >>> [(row["move"], row["value_x"], row["default"]) for row in rows]
    [('1', 1, 0.0), ('2', -1, 0.0), ('3', 1, 1.0), ('4', -1, 0.0)]
    """
    known = ExactAnalysis(game, early=exact, table=table)
    known.check(state)
    rows = known.moves(state)
    if not rows:
        rows = [
            {"action": a, "move": game.format_moves([a]), "board": game.format_position(api.play(state, a))}
            for a in api.legal_actions(state)
        ]
    for one in players if rows else ():
        _add_columns(rows, one, state, seed)
    return rows


def _add_columns(rows: list[dict[str, Any]], player: Player, state: api.GameState, seed: int) -> None:
    """Add a player's columns to the rows of the actions."""
    view = AgentAnalysis(player).moves(state, seed)
    for row in rows:
        row[player.name] = view.probabilities.get(row["action"], 0.0) if view.known else None
    if view.values:
        for row in rows:
            row[f"{player.name} value"] = view.values.get(row["action"])
    if view.visits:
        for row in rows:
            row[f"{player.name} visits"] = view.visits.get(row["action"], 0)


def position_report(game: Game, state: api.GameState, rows: Sequence[Row], players: Sequence[Player]) -> str:
    """Return the report of `ttt-fast show`: the board, the player to move, the exact value, and each move."""
    view = BoardView(game)
    items: list[RenderableType] = [view.draw(state, {})]
    if not view.tells_turn:
        items.append(turn_text(game, state))
    if rows and "value_x" in rows[0]:
        items += _exact_lines(game, state, rows)
    if rows:
        shown: list[dict[str, Any]] = [{"move": row["move"]} for row in rows]
        mover = 1 if api.player(state) == api.X else -1
        for record, row in zip(shown, rows, strict=True):
            if "value_x" in row:
                record["leads to"], record["in plies"] = VALUE_NAMES[row["value_x"]], row["distance"]
                record["verdict"] = verdict(row, mover)
        for one in players:
            for record, text in zip(shown, _agent_texts(rows, one.name), strict=True):
                record[one.name] = text
        items.append(RowTable(shown))
        if any(0 < (row[one.name] or 0) < 1 for one in players for row in rows):
            items.append("numbers from 0 to 1 of an agent: the probability that it plays the move")
        if any(column.endswith((" value", " visits")) for row in rows for column in row):
            items.append("values: for the player to move, in the units of each agent; in brackets visits of a search")
    return render(items)


def verdict(row: Row, mover: int) -> str:
    """Return whether a move is among the best, and how soon it ends a decided game; `mover` is 1 for X, -1 for O."""
    if not row["optimal"]:
        return ""
    if row["value_x"] == -mover:  # every move loses: none is good
        return "slowest loss" if row["fastest"] else "loses"
    return "best, fastest" if row["fastest"] and row["value_x"] else "best"


def solve_report(game: Game, state: api.GameState, rows: Sequence[Row]) -> str:
    """Return the report of `ttt-fast solve` on one position: the board, the player to move, the rows, the result."""
    board = game.format_position(state).replace("/", "\n")
    digits = game.format_moves(range(game.num_actions))
    named = {"action": "move"}
    shown = [{named.get(key, key): value for key, value in row.items() if key != "position"} for row in rows]
    notes = []
    if rows and "score" in rows[0]:  # without --weak
        best = max(rows, key=lambda row: int(row["score"]))
        value_x = int(np.sign(best["score"])) * (1 if api.player(state) == api.X else -1)
        notes = [
            _best_play(value_x, best["distance"]),
            "score: stones left to the winner plus one, negative if the player to move loses; distance: plies left",
        ]
    return render([f"{board}\n{digits}\n", turn_text(game, state), RowTable(shown), *notes])


def _best_play(value_x: int, distance: int) -> str:
    return f"under best play {VALUE_NAMES[value_x]} in {counted(distance, 'ply', 'plies')}"


def _exact_lines(game: Game, state: api.GameState, rows: Sequence[Row]) -> list[str]:
    """Return the exact value of an ongoing state, in words."""
    best = next(row for row in rows if row["fastest"])
    lines = [_best_play(best["value_x"], best["distance"])]
    rule = ExactAnalysis(game).rule(state)
    return [*lines, f"heuribot's class of the board: {rule}"] if rule else lines


def _agent_texts(rows: Sequence[Row], name: str) -> list[str]:
    """Return a player's aligned texts for the rows: value, visits, and its choice or probability of the action."""
    columns = []
    forms: dict[str, Callable[[Any], str]] = {f"{name} value": _value_text, f"{name} visits": "({})".format}
    for column, form in (forms | {name: _share_text}).items():
        if any(column in row for row in rows):
            texts = [form(row.get(column)) for row in rows]
            width = max(map(len, texts))
            columns.append([f"{text:>{width}}" if column != name else text for text in texts])
    return [" ".join(texts).rstrip() for texts in zip(*columns, strict=True)]


def _value_text(value: float | None) -> str:
    if value is None or isnan(value):
        return ""
    return f"{value:+.3f}" if abs(value) < _LONG_VALUE else f"{value:+.5g}"


def _share_text(share: float | None) -> str:
    if share is None:
        return "not learned"
    return "plays" if share == 1 else f"{share:.4f}" if share else "·"

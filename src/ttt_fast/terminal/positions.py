"""Reports of one position: `show`, with the analyses of agents, and `solve`."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np
from rich.console import RenderableType

from ttt_fast import Game
from ttt_fast.analysis.moves import MoveView
from ttt_fast.games import api
from ttt_fast.report.console import counted, render
from ttt_fast.report.row_table import RowTable
from ttt_fast.report.rows import Row
from ttt_fast.terminal.boards import BoardView, turn_text

VALUE_NAMES = {1: "X wins", 0: "a draw", -1: "O wins"}
_LONG_VALUE = 100
"""Evaluations of at least this size are shown without decimals, which are not significant."""


def position_report(view: MoveView) -> str:
    """Return the report of `ttt-fast show`: the board, the player to move, the exact value, and each move."""
    game, state, agents = view.game, view.state, view.agents.values()
    board = BoardView(game)
    items: list[RenderableType] = [board.draw(state, {})]
    if not board.tells_turn:
        items.append(turn_text(game, state))
    if view.exact:
        items.append(_best_play(view.best.value_x, view.best.distance))
        if view.rule:
            items.append(f"heuribot's rule for the board: {view.rule}")
    actions = [move.action for move in view.exact] or game.legal_actions(state)
    if actions:
        shown: list[dict[str, Any]] = [{"move": game.format_moves([action])} for action in actions]
        for place, (record, move) in enumerate(zip(shown, view.exact, strict=False)):
            record["leads to"] = VALUE_NAMES[move.value_x]
            record |= {} if move.distance is None else {"in plies": move.distance}
            record["verdict"] = verdict(view, place)
        for name in view.agents:
            for record, text in zip(shown, _agent_texts(view, name, actions), strict=True):
                record[name] = text
        items.append(RowTable(shown))
        if any(0 < share < 1 for agent in agents for share in agent.probabilities.values()):
            items.append("numbers from 0 to 1 of an agent: the probability that it plays the move")
        if any(agent.values or agent.visits for agent in agents):
            items.append("values: for the player to move, in the units of each agent; in brackets visits of a search")
    return render(items)


def verdict(view: MoveView, place: int) -> str:
    """Return whether one of the exact moves is among the best, and how soon it ends a decided game."""
    move = view.exact[place]
    if not move.optimal:
        return ""
    if move.value_x == -view.sign:  # every move loses: none is good
        return "slowest loss" if move.fastest else "loses"
    return "best, fastest" if move.fastest and move.value_x else "best"


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


def _best_play(value_x: int, distance: int | None) -> str:
    when = "" if distance is None else f" in {counted(distance, 'ply', 'plies')}"
    return f"under best play {VALUE_NAMES[value_x]}{when}"


def _agent_texts(view: MoveView, name: str, actions: Sequence[int]) -> list[str]:
    """Return an agent's aligned texts for the actions: value, visits, and its choice or probability of the action."""
    columns, agent = [], view.agents[name]
    if agent.values:
        columns.append([_value_text(agent.values.get(action)) for action in actions])
    if agent.visits:
        columns.append([f"({agent.visits.get(action, 0)})" for action in actions])
    columns = [[f"{text:>{max(map(len, texts))}}" for text in texts] for texts in columns]
    columns.append([_share_text(agent.probability(action)) for action in actions])
    return [" ".join(texts).rstrip() for texts in zip(*columns, strict=True)]


def _value_text(value: float | None) -> str:
    if value is None or isnan(value):
        return ""
    return f"{value:+.3f}" if abs(value) < _LONG_VALUE else f"{value:+.5g}"


def _share_text(share: float | None) -> str:
    if share is None:
        return "not learned"
    return "plays" if share == 1 else f"{share:.4f}" if share else "·"

"""The columns of positions and moves: the rows of `show` and `watch`."""

from collections.abc import Sequence
from typing import Any

from ttt_fast import Seat
from ttt_fast.analysis.moves import MoveView
from ttt_fast.games import api


def position_rows(view: MoveView) -> list[dict[str, Any]]:
    """Return a row for each legal action of a position, none if its game is over.

    Column NAME contains the probability with which an agent plays the action; None if a policy has not learned the
    seat.  Column `NAME value` contains the agent's value of the action for the player to move, if the agent has values,
    and `NAME visits` the visits of a tree search.  The exact columns exist if the values are known.

    Examples
    --------
    >>> from ttt_fast import as_player, parse_game
    >>> from ttt_fast.analysis.moves import ExactAnalysis
    >>> game = parse_game("connect4:columns=4,rows=4,length=3")
    >>> rows = position_rows(ExactAnalysis(game).view(game.state_after("1122"), [as_player("default", game)]))
    >>> [(row["move"], row["value_x"], row["default"]) for row in rows]
    [('1', 1, 0.0), ('2', -1, 0.0), ('3', 1, 1.0), ('4', -1, 0.0)]
    """
    exact = {move.action: move for move in view.exact}
    rows = []
    for action in exact or view.game.legal_actions(view.state):
        row = _played(view, action) | (exact[action]._asdict() if exact else {})
        for name, agent in view.agents.items():
            row[name] = agent.probability(action)
            row |= {f"{name} value": agent.values.get(action)} if agent.values else {}
            row |= {f"{name} visits": agent.visits.get(action, 0)} if agent.visits else {}
        rows.append(row)
    return rows


def game_row(view: MoveView, ply: int, agents: Sequence[str]) -> dict[str, Any]:
    """Return the row of a move of a game; an unknown entry is None.

    `x_value` and `o_value` are the values of the position for X, as computed by agent X and by agent O in their own
    units.  `x_probability` and `o_probability` are the probabilities with which the agents play the move.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> from ttt_fast.analysis.annotated import annotated_game
    >>> game, agents = parse_game("tic-tac-toe"), ("minimax:tie=first", "random")
    >>> row = game_row(next(annotated_game(game, agents, game.initial_state)), 1, agents)
    >>> row["action"], row["x_probability"], round(row["o_probability"], 3), row["value_x"]
    (0, 1.0, 0.111, 0)
    """
    assert view.action is not None
    seat = Seat(int(api.player(view.state)))
    row = {"ply": ply, "player": seat.text, "agent": agents[seat - 1], **_played(view, view.action)}
    for side in "xo":
        values = view.agents[side].values.values() if side in view.agents else ()
        row[f"{side}_value"] = next((view.sign * value for value in values), None)
    for side in "xo":
        row[f"{side}_probability"] = view.agents[side].probability(view.action) if side in view.agents else None
    known = next((move for move in view.exact if move.action == view.action), None)
    return row | {name: getattr(known, name, None) for name in ("value_x", "distance", "optimal", "fastest")}


def _played(view: MoveView, action: int) -> dict[str, Any]:
    """Return the columns of any action: its number, its text, and the board after it."""
    after = view.game.format_position(api.play(view.state, action))
    return {"action": action, "move": view.game.format_moves([action]), "board": after}

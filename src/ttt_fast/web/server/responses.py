"""The server's responses about a position: its board, its exact values, and an agent's analysis of it."""

import time
from typing import Any

from ttt_fast import Game, Player, as_player, list_agents, parse_agent
from ttt_fast.agents.registry import check_limits
from ttt_fast.analysis.agents import AgentAnalysis
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.games import api
from ttt_fast.web.page_data import board_shape
from ttt_fast.web.server.pool import Pool
from ttt_fast.web.server.requests import PositionRequest, ongoing_state, states_of

Content = dict[str, Any]
"""The content of a response, as JSON-compatible values."""
_NO_ANALYSIS = "no table of the game, no solver, and too many moves to search"


def game_response(game: Game) -> Content:
    """Return the shape of a game's board, the names of its moves, and the agents that a request may name.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> found = game_response(parse_game("connect4"))
    >>> found["shape"], found["moves"], found["agents"][0]["agent"]
    ({'kind': 'columns', 'rows': 6, 'columns': 7}, ['1', '2', '3', '4', '5', '6', '7'], 'random')
    """
    return {
        "game": game.spec,
        "shape": board_shape(game),
        "moves": [game.format_moves([action]) for action in range(game.num_actions)],
        "agents": list_agents(game, playable=True),
    }


def line_response(game: Game, request: PositionRequest) -> Content:
    """Return the states of a line of play, from the state after `since` moves on, in the format of the page.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> found = line_response(parse_game("tic-tac-toe"), PositionRequest("tic-tac-toe", moves=(4, 0), since=2))
    >>> [(one["text"], one["player"], one["legal"], one["last"]) for one in found["states"]]
    [('O...X....', 1, [1, 2, 3, 5, 6, 7, 8], 0)]
    """
    states = states_of(game, request)
    played = [None, *request.moves]
    return {"states": [_state_content(game, states[ply], played[ply]) for ply in range(request.since, len(states))]}


def _state_content(game: Game, state: api.GameState, action: int | None) -> Content:
    """Return a state: marks by cell, the player to move, the legal actions, the last move, the winning line."""
    status, board = int(api.status(state)), game.board(state, action)
    marks = {board.number_of(place): board.mark(place) for place in board.places}
    return {
        "text": game.format_position(state),
        "ply": int(api.ply(state)),
        "status": status,
        "player": int(api.player(state)) if status == api.ONGOING else 0,
        "legal": api.legal_actions(state) if status == api.ONGOING else [],
        "marks": "".join(marks[number] for number in range(len(marks))),
        "last": None if board.last is None else board.number_of(board.last),
        "line": sorted(map(board.number_of, board.line)),
        "boards": board.small.winners,
    }


def value_response(game: Game, request: PositionRequest, analyses: Pool[ExactAnalysis]) -> Content:
    """Return the exact values of the moves of a position, from the table of its game, a solver or a search.

    Returns
    -------
    dict[str, Any]
        `known`.  If it is True: `value` for X, `distance` in plies, `rule` of heuribot, and `moves` with `action`,
        `value` for the player to move and `plies`, the number of plies left after the move.  Numbers of plies are None
        if they are not known.  Otherwise: `reason`.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> found = value_response(parse_game("tic-tac-toe"), PositionRequest("tic-tac-toe", start="XX.OO...."), Pool())
    >>> found["value"], found["distance"], found["rule"], found["moves"][0]
    (1, 1, 'win', {'action': 2, 'value': 1, 'plies': 0})
    """
    state = ongoing_state(game, request)
    with analyses.borrow(game.spec, lambda: ExactAnalysis(game, early=True), keep_failed=True) as exact:
        view = exact.view(state, ())
    if not view.exact:
        return {"known": False, "reason": _NO_ANALYSIS}
    return {
        "known": True,
        "value": view.best.value_x,
        "distance": view.best.distance,
        "rule": view.rule,
        "moves": [
            {
                "action": one.action,
                "value": view.sign * one.value_x,
                "plies": None if one.distance is None else one.distance - 1,
            }
            for one in view.exact
        ],
    }


def agent_response(
    game: Game, request: PositionRequest, players: Pool[Player], trusted: frozenset[tuple[str, str]] = frozenset()
) -> Content:
    """Return an agent's analysis of a position: `plays`, and `moves` with probability, value and visits of each.

    If a policy has not learned the seat, `known` is False and there is no move.

    The same game, moves, agent and seed give the same analysis, except for searches with a time limit.  The `trusted`
    agents, each with its game, are not checked.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> request = PositionRequest("tic-tac-toe", start="XX.OO....", agent="minimax:prefer=fast")
    >>> found = agent_response(parse_game("tic-tac-toe"), request, Pool())
    >>> found["plays"], found["moves"][0]
    (2, {'action': 2, 'chance': 1.0, 'value': None, 'visits': None})
    """
    if (game.spec, request.agent) not in trusted:
        check_limits(parse_agent(request.agent), game)
    state = ongoing_state(game, request)
    with players.borrow((game.spec, request.agent), lambda: as_player(request.agent, game)) as player:
        began = time.perf_counter()
        agent = AgentAnalysis(player)
        view = agent.moves(state, request.seed)
        if not view.known:
            return {"known": False, "plays": None, "moves": [], "seconds": 0.0}
        plays = next(iter(view.probabilities))
        if len(view.probabilities) > 1:
            plays = agent.move(state, request.seed, int(api.ply(state))).action
        seconds = time.perf_counter() - began
    moves = [
        {
            "action": action,
            "chance": view.probabilities.get(action, 0.0),
            "value": view.values.get(action),
            "visits": view.visits.get(action),
        }
        for action in api.legal_actions(state)
    ]
    return {"known": True, "plays": int(plays), "moves": moves, "seconds": round(seconds, 3)}

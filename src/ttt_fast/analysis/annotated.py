"""A game move by move as rows: the player, the values and probabilities of both agents, and the exact values."""

from collections.abc import Iterator, Sequence
from typing import Any

from ttt_fast.agents.convert import as_player
from ttt_fast.agents.simple_players import seated
from ttt_fast.analysis.agents import AgentAnalysis, AgentMoves
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.games.results import Seat
from ttt_fast.running.interrupts import check_interrupt
from ttt_fast.search.player import SearchResult, checked
from ttt_fast.tables import StateTable

_EXACT = ("value_x", "distance", "optimal", "fastest")
"""Exact columns of a move; empty where its value is not known."""
_NO_VIEW = AgentMoves({}, {}, {}, known=False)
Views = tuple[AgentMoves, AgentMoves]


def annotated_game(
    game: Game,
    agents: tuple[str, str],
    start: GameState,
    *,
    actions: Sequence[int] | None = None,
    seed: int = 0,
    exact: bool = False,
    table: StateTable | None = None,
) -> Iterator[tuple[dict[str, Any], GameState]]:
    """Play a game between two agents, or replay one, and yield the row of each move and the state after it.

    Both agents analyse each position, also the agent that is not to move.  Its analysis uses a second player of the
    same agent, so that it does not change the game.

    Parameters
    ----------
    game, start
        The game, and its first state.
    agents
        The texts of X and O, or their names in a replayed game.
    actions
        The moves of a game to replay; its rows contain no values or probabilities of agents.  If None, the agents play.
    seed
        Seed of the agents' choices.
    exact
        Whether to solve early positions as well as late ones, which may take minutes.
    table
        An induced table, as for `ExactAnalysis`.

    Returns
    -------
    iterator of (dict, state)
        The keys are `ply` (from `start` on), `player`, `agent`, `action`, `move` and `board` (after the move).
        `x_value` and `o_value` are the values for X before the move, as computed by agent X and by agent O in their own
        units.  `x_probability` and `o_probability` are the probabilities with which agent X and agent O play the move.
        `value_x`, `distance`, `optimal` and `fastest` are exact (`ExactAnalysis.moves`).  An unknown entry is None.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> row, after = next(annotated_game(game, ("minimax:tie=first", "random"), game.initial_state))
    >>> row["action"], row["x_probability"], round(row["o_probability"], 3), row["value_x"]
    (0, 1.0, 0.111, 0)
    """
    analysis = ExactAnalysis(game, early=exact, table=table)
    moves = _played(game, agents, start, seed) if actions is None else ((one, (_NO_VIEW, _NO_VIEW)) for one in actions)
    state = start
    for ply, (action, views) in enumerate(moves, 1):
        seat, after = Seat(int(api.player(state))), api.play(state, action)
        sign = 1 if seat == Seat.X else -1
        known = analysis.move(state, action) or dict.fromkeys(_EXACT)
        row = {
            "ply": ply,
            "player": seat.text,
            "agent": agents[seat - 1],
            "action": action,
            "move": game.format_moves([action]),
            "board": game.format_position(after),
            **{f"{side}_value": _value(view, sign) for side, view in zip("xo", views, strict=True)},
            **{f"{side}_probability": _probability(view, action) for side, view in zip("xo", views, strict=True)},
            **{name: known[name] for name in _EXACT},
        }
        yield row, after
        state = after


def _played(game: Game, agents: tuple[str, str], start: GameState, seed: int) -> Iterator[tuple[int, Views]]:
    """Yield the moves of a game between two agents, with the analyses of both."""
    playing = [as_player(text, game) for text in agents]
    players = [as_player(text, game) for text in agents]
    for side in (0, 1):
        seated(playing[side], side + 1)
        playing[side].begin(chunk_stream(seed, side))
        players[side].begin(chunk_stream(seed, side, 1))
    state = start
    while api.status(state) == api.ONGOING:
        check_interrupt()
        side = int(api.player(state)) - 1
        results: list[SearchResult | None] = [None, None]
        results[side] = result = checked(playing[side].search(state), playing[side], state)
        x, o = (AgentAnalysis(players[one]).in_game(state, results[one]) for one in (0, 1))
        yield result.action, (x, o)
        state = api.play(state, result.action)


def _value(view: AgentMoves, sign: int) -> float | None:
    """Return an agent's value of the position for X: that of the move that it would play."""
    return next((sign * value for value in view.values.values()), None)


def _probability(view: AgentMoves, action: int) -> float | None:
    """Return the probability with which an agent plays a move."""
    return view.probabilities.get(action, 0.0) if view.known else None

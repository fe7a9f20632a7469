"""Hints for a person: the exact values where they are known, else those of a player."""

from collections.abc import Callable
from functools import partial
from math import isnan

from ttt_fast import Game, Player
from ttt_fast.analysis.agents import AgentAnalysis
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.games import api

Advice = tuple[dict[int, str], str]
"""A short text for each action with a known value, and a text below the board, or nothing."""
Advise = Callable[[api.GameState], Advice]
"""A source of hints on ongoing states."""
_OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


def exact_advice(exact: ExactAnalysis, state: api.GameState) -> Advice:
    """Return the result of each move under best play, and the number of plies until then.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> exact_advice(ExactAnalysis(game), game.parse_position("XX.OO.X.."))[0][8]  # a loss after one more ply
    'loss 1'
    """
    sign = 1 if api.player(state) == api.X else -1
    values = {}
    for row in exact.moves(state):
        outcome, left = _OUTCOMES[sign * row["value_x"]], row["distance"] - 1
        values[row["action"]] = outcome if outcome == "draw" or left == 0 else f"{outcome} {left}"
    return values, ""


def best_advice(exact: ExactAnalysis, player: Player, game: Game, state: api.GameState) -> Advice:
    """Return exact values where they are known, else the advice of a player."""
    return exact_advice(exact, state) if exact.knows(state) else player_advice(player, game, state)


def adviser(game: Game, player: Player, *, exact: bool) -> Advise:
    """Return the source of hints that are exact where values are known quickly, or those of a player alone."""
    if not exact:
        return partial(player_advice, player, game)
    return partial(best_advice, ExactAnalysis(game), player, game)


def player_advice(player: Player, game: Game, state: api.GameState) -> Advice:
    """Return the move of a player that plays in no game, its expectation, and its value of each move if it has them.

    The same position gets the same hint.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_player
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4")
    >>> player_advice(as_player("default", game), game, game.state_after("112233"))[1]
    'default would play 4'
    """
    agent = AgentAnalysis(player)
    values, thought = agent.values(state), agent.move(state)
    known = [value for value in values.values() if not isnan(value)]
    line = f"{player.name} would play {game.format_moves([thought.action])}"
    if not isnan(thought.value):
        units = (
            "1 a win, -1 a loss" if all(abs(value) <= 1 for value in [thought.value, *known]) else "in its own units"
        )
        line += f", which it values at {thought.value:+.3g} ({units})"
    return {action: f"{value:+.2g}" for action, value in values.items() if not isnan(value)}, line

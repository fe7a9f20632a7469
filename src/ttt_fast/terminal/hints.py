"""Hints for a human player: exact values if they are known, otherwise the values of an agent."""

from collections.abc import Callable
from math import isnan

from ttt_fast import Game, Player
from ttt_fast.analysis.agents import AgentAnalysis
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.games import api

Hints = tuple[dict[int, str], str]
"""A short text for each action with a known value, and a text below the board, which may be empty."""
GiveHints = Callable[[api.GameState], Hints]
"""A function that returns the hints for an ongoing state."""
_OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


def exact_hints(exact: ExactAnalysis, state: api.GameState) -> Hints:
    """Return the result of each move under best play, and the number of plies to the end where it is known.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> exact_hints(ExactAnalysis(game), game.parse_position("XX.OO.X.."))[0][8]  # a loss after one more ply
    'loss 1'
    """
    sign = 1 if api.player(state) == api.X else -1
    values = {}
    for move in exact.moves(state):
        outcome, left = _OUTCOMES[sign * move.value_x], (move.distance or 1) - 1
        values[move.action] = outcome if outcome == "draw" or left == 0 else f"{outcome} {left}"
    return values, ""


def hints_for(exact: ExactAnalysis, player: Player, *, prefers_exact: bool) -> GiveHints:
    """Return a function for hints: exact if the values are known quickly, otherwise (or always) those of a player."""

    def hints(state: api.GameState) -> Hints:
        found = exact_hints(exact, state) if prefers_exact else ({}, "")
        return found if found[0] else player_hints(player, exact.game, state)

    return hints


def player_hints(player: Player, game: Game, state: api.GameState) -> Hints:
    """Return a player's move, its expected result, and its value of each move if known.

    The player must not be in a game.  The same position always has the same hint.

    Examples
    --------
    >>> from ttt_fast import as_player
    >>> from ttt_fast import parse_game
    >>> game = parse_game("connect4")
    >>> player_hints(as_player("default", game), game, game.state_after("112233"))[1]
    'default would play 4'
    """
    result, values, _ = AgentAnalysis(player).searched(state)
    known = [value for value in values.values() if not isnan(value)]
    line = f"{player.name} would play {game.format_moves([result.action])}"
    if not isnan(result.value):
        units = "1 a win, -1 a loss" if all(abs(value) <= 1 for value in [result.value, *known]) else "in its own units"
        line += f", which it values at {result.value:+.3g} ({units})"
    return {action: f"{value:+.2g}" for action, value in values.items() if not isnan(value)}, line

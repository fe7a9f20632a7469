"""Hints for a person: the exact values where they are known, else those of a player."""

from collections.abc import Callable
from math import isnan
from typing import NamedTuple

import numpy as np

from ttt_fast.agents.simple_players import PolicyPlayer
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.report.results import exact_move_rows
from ttt_fast.search.player import Analyst, MixedPlayer, Player, TreeAnalyst, checked
from ttt_fast.tables import StateTable

Advice = tuple[dict[int, str], str]
"""A short text for each action with a known value, and a text below the board, or nothing."""
Advise = Callable[[GameState], Advice]
"""A source of hints on ongoing states."""
_OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


def exact_advice(table: StateTable, state: GameState) -> Advice:
    """Return the result of each move under best play, and the number of plies until then.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> table = table_of("tic-tac-toe")
    >>> exact_advice(table, table.game.parse_position("XX.OO.X.."))[0][8]  # a loss after one more ply
    'loss 1'
    """
    sign = 1 if api.player(state) == api.X else -1
    values = {}
    for row in exact_move_rows(table, table.index_of(state)):
        outcome, left = _OUTCOMES[sign * row["value_x"]], row["distance"] - 1
        values[row["action"]] = outcome if outcome == "draw" or left == 0 else f"{outcome} {left}"
    return values, ""


def player_advice(player: Player, game: Game, state: GameState) -> Advice:
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
    values = action_values(player, state, chunk_stream(0))
    player.begin(chunk_stream(0))
    thought = checked(player.think(state), player, state)
    known = [value for value in values.values() if not isnan(value)]
    line = f"{player.name} would play {game.format_moves([thought.action])}"
    if not isnan(thought.value):
        units = (
            "1 a win, -1 a loss" if all(abs(value) <= 1 for value in [thought.value, *known]) else "in its own units"
        )
        line += f", which it values at {thought.value:+.3g} ({units})"
    return {action: f"{value:+.2g}" for action, value in values.items() if not isnan(value)}, line


def action_values(player: Player, state: GameState, stream: np.uint64) -> dict[int, float]:
    """Return a player's value of each action of an ongoing state; nothing if it does not analyse."""
    if not isinstance(player, Analyst):
        return {}
    player.begin(stream)
    return {int(action): float(value) for action, value in player.action_values(state).items()}


class Opinion(NamedTuple):
    """A player's view of the actions of an ongoing state.

    Attributes
    ----------
    chances
        The probability of each action that it may play.
    values
        Its value of each action that it values, for the player to move, in its own units.
    visits
        The visits to each action, of a search that grows a tree.
    known
        Whether there is a view: none of a policy that has not learned the seat that is to move.
    """

    chances: dict[int, float]
    values: dict[int, float]
    visits: dict[int, int]
    known: bool = True


def opinion_of(player: Player, state: GameState, seed: int = 0) -> Opinion:
    """Return a player's view of an ongoing state; without known probabilities it plays one action for sure.

    Parameters
    ----------
    player, state
        A player of the game, and a state of it in which somebody is to move.
    seed
        Seed of the player's choices: the same state gets the same view.

    Examples
    --------
    >>> from ttt_fast.agents.convert import as_player
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> opinion_of(as_player("heuribot", game), game.parse_position("XX.OO...."))
    Opinion(chances={2: 1.0}, values={}, visits={}, known=True)
    """
    if isinstance(player, PolicyPlayer) and not player.knows(state):
        return Opinion({}, {}, {}, known=False)
    if isinstance(player, MixedPlayer):
        shares = player.probabilities(state)
        return Opinion({int(action): float(shares[action]) for action in np.flatnonzero(shares)}, {}, {})
    values = action_values(player, state, chunk_stream(seed))
    visits = player.visit_counts() if isinstance(player, TreeAnalyst) else {}
    player.begin(chunk_stream(seed))
    thought = checked(player.think(state), player, state)
    if not values and not isnan(thought.value):
        values = {thought.action: thought.value}
    return Opinion({thought.action: 1.0}, values, visits)

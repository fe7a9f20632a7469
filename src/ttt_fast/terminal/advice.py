"""Hints for a person: the exact values where they are known, else those of a player."""

from math import isnan
from typing import NamedTuple, Protocol

import numpy as np

from ttt_fast.agents.registry import make_player
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.registry import Game
from ttt_fast.search.player import Analyst, Player
from ttt_fast.tables import StateTable, solution_of

_OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


class Advice(NamedTuple):
    """Advice on a position.

    Attributes
    ----------
    values
        A short text for each action with a known value.
    line
        A text below the board, or nothing.
    """

    values: dict[int, str]
    line: str = ""


class Adviser(Protocol):
    """A source of hints."""

    def advise(self, state: GameState) -> Advice:
        """Return the advice on an ongoing state."""


class ExactAdviser:
    """Knows the result of every move under best play, from the table of a game."""

    def __init__(self, table: StateTable) -> None:
        self.table = table

    def advise(self, state: GameState) -> Advice:
        """Return the result of each move under best play, and the number of plies until then."""
        return Advice(exact_values(self.table, self.table.index_of(state)))


def exact_values(table: StateTable, state: int) -> dict[int, str]:
    """Return the result of each action under best play, for the player to move, from the index of a state.

    Examples
    --------
    >>> from ttt_fast.tables import table_of
    >>> table = table_of("tic-tac-toe")
    >>> exact_values(table, table.state_index("XX.OO.X.."))[8]  # a loss after one more ply
    'loss 1'
    """
    solution = solution_of(table)
    sign = 1 if table.player[state] == api.X else -1
    values = {}
    for edge in range(int(table.edge_start[state]), int(table.edge_start[state + 1])):
        after = int(table.edge_child[edge])
        outcome = _OUTCOMES[sign * int(solution.value[after])]
        distance = int(solution.distance[after])
        known = outcome == "draw" or distance == 0
        values[int(table.edge_action[edge])] = outcome if known else f"{outcome} {distance}"
    return values


class PlayerAdviser:
    """Asks a player that plays in no game; the same position gets the same hint.

    Parameters
    ----------
    spec, game
        The player, and the game.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4")
    >>> PlayerAdviser("default", game).advise(game.state_after("112233")).line
    'default would play 4'
    """

    def __init__(self, spec: str, game: Game) -> None:
        self.game, self.player = game, make_player(spec, game)

    def advise(self, state: GameState) -> Advice:
        """Return the player's move, its expectation, and its value of each move if it has them."""
        values = action_values(self.player, state, chunk_stream(0))
        self.player.begin(chunk_stream(0))
        thought = self.player.think(state)
        line = f"{self.player.name} would play {self.game.format_moves([thought.action])}"
        if not isnan(thought.value):
            line += f", which it values at {thought.value:+.3g} (1 a win, -1 a loss, unless it counts in other units)"
        return Advice({action: f"{value:+.2g}" for action, value in values.items() if not isnan(value)}, line)


def action_values(player: Player, state: GameState, stream: np.uint64) -> dict[int, float]:
    """Return a player's value of each action of an ongoing state; nothing if it does not analyse."""
    if not isinstance(player, Analyst):
        return {}
    player.begin(stream)
    return {int(action): float(value) for action, value in player.action_values(state).items()}

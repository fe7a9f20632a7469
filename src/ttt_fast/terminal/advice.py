"""Hints for a person: the truth where it is known, else what a player thinks."""

from math import isnan
from typing import Any, NamedTuple, Protocol

import numpy as np

from ttt_fast.agents.registry import make_player
from ttt_fast.core.rng import chunk_stream
from ttt_fast.games import api, tic_tac_toe
from ttt_fast.games.registry import Game
from ttt_fast.search.player import Analyst, Player
from ttt_fast.tables import standard_solution, standard_table

_OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


class Advice(NamedTuple):
    """What is known or thought of a position.

    Attributes
    ----------
    values
        A short text for each action that there is something to say of.
    line
        Something to say below the board, or nothing.
    """

    values: dict[int, str]
    line: str = ""


class Adviser(Protocol):
    """Whom a person asks for a hint."""

    def advise(self, state: Any) -> Advice:
        """Return what there is to say of an ongoing state."""


class ExactAdviser:
    """Knows what every move of tic-tac-toe leads to."""

    def advise(self, state: Any) -> Advice:
        """Return what each move leads to under best play, and in how many more plies."""
        return Advice(exact_values(standard_table().state_index(tic_tac_toe.format_position(state))))


def exact_values(state: int) -> dict[int, str]:
    """Return what each action leads to under best play, for the player to move, from the index of a state.

    Examples
    --------
    >>> exact_values(standard_table().state_index("XX.OO.X.."))[8]  # a loss after one more ply
    'loss 1'
    """
    table, solution = standard_table(), standard_solution()
    sign = 1 if table.player[state] == api.X else -1
    values = {}
    for action in np.flatnonzero(table.legal_action_mask[state]).tolist():
        after = int(table.child[state, action])
        outcome = _OUTCOMES[sign * int(solution.value[after])]
        distance = int(solution.distance[after])
        values[action] = outcome if outcome == "draw" or distance == 0 else f"{outcome} {distance}"
    return values


class PlayerAdviser:
    """Asks a player, who is nobody's opponent; the same position gets the same hint.

    Parameters
    ----------
    spec, game
        Whom, and about what.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> game = parse_game("connect4")
    >>> PlayerAdviser("default", game).advise(game.state_after("112233")).line
    'default would play 4'
    """

    def __init__(self, spec: str, game: Game) -> None:
        self.game, self.player = game, make_player(spec, game)

    def advise(self, state: Any) -> Advice:
        """Return what the player would do, what it expects of that, and its value of each move if it tells."""
        values = action_values(self.player, state, np.uint64(chunk_stream(0)))
        self.player.begin(chunk_stream(0))
        thought = self.player.think(state)
        line = f"{self.player.name} would play {self.game.format_moves([thought.action])}"
        if not isnan(thought.value):
            line += f", which it values at {thought.value:+.3g} (1 a win, -1 a loss, unless it counts in other units)"
        return Advice({action: f"{value:+.2g}" for action, value in values.items() if not isnan(value)}, line)


def action_values(player: Player, state: Any, stream: np.uint64) -> dict[int, float]:
    """Return what a player makes of each action of an ongoing state; nothing if it does not analyse."""
    if not isinstance(player, Analyst):
        return {}
    player.begin(stream)
    return {int(action): float(value) for action, value in player.action_values(state).items()}

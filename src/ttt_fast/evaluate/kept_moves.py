"""The share of a player's moves that keep the value, on 5,000 solved positions of Connect 4.

In each position some legal move loses value (a win becomes a draw or a loss, a draw becomes a loss).  Half of the
positions come from random moves, half from games of a perfect player that makes one move in five at random.
`bench/judged_positions.py` creates them.
"""

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ttt_fast.games.api import GameState
from ttt_fast.games.registry import parse_game

POSITIONS = Path(__file__).with_name("judged_positions.csv")
POSITIONS_OF = "connect4"
"""The game of the positions."""
RANDOM_MOVES, SOLVED_GAMES = "random", "solver"
"""The sources of positions, as named in the file."""


class JudgedPosition(NamedTuple):
    """A position, its number of stones, its source, the value of each legal action, and the actions that keep it."""

    state: GameState
    ply: int
    source: str
    values: dict[int, int]
    keeping: frozenset[int]


@cache
def judged_positions() -> tuple[JudgedPosition, ...]:
    """Return the positions, in the order of the file.

    Examples
    --------
    >>> first = judged_positions()[0]
    >>> first.ply, first.source, len(judged_positions())
    (11, 'random', 5000)
    """
    game, found = parse_game(POSITIONS_OF), []
    with POSITIONS.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            values = {action: "-0+".index(one) - 1 for action, one in enumerate(row["values"]) if one != "."}
            best = frozenset(action for action, value in values.items() if value == max(values.values()))
            state = game.state_after(row["moves"])
            found.append(JudgedPosition(state, len(game.parse_moves(row["moves"])), row["source"], values, best))
    return tuple(found)


def kept_moves(choose: Callable[[Any], int]) -> float:
    """Return the share of a player's moves that keep the exact value, over all positions.

    Parameters
    ----------
    choose
        Returns the action of the player in a state.

    Examples
    --------
    >>> 0 < kept_moves(lambda state: 3 if state.occupied >> 26 & 1 == 0 else 0) < 1
    True
    """
    positions = judged_positions()
    return sum(choose(one.state) in one.keeping for one in positions) / len(positions)

"""The share of a player's moves that keep the value, on 5,000 solved positions of Connect 4.

In each position some legal move loses value (a win becomes a draw or a loss, a draw becomes a loss).  Half of the
positions come from random moves, half from games of a perfect player that makes one move in five at random.
`bench/judged_positions.py` creates them.
"""

import csv
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from ttt_fast.evaluate.statistics import wilson_interval
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


class KeptRow(TypedDict):
    """The number of a player's moves that keep the value in a subset of the positions."""

    part: str
    positions: int
    agreeing: int
    agreement: float
    agreement_low: float
    agreement_high: float
    agreement_by_chance: float


def kept_moves(choose: Callable[[Any], int], positions: Iterable[JudgedPosition] | None = None) -> list[KeptRow]:
    """Count a player's moves that keep the exact value of a position: by source of the positions, by ply, and in total.

    Parameters
    ----------
    choose
        Returns the action of the player in a state.
    positions
        Positions (default: `judged_positions()`).

    Returns
    -------
    list[KeptRow]
        `part` ("ply 8", "random", "all", ...), `positions`, `agreeing` (moves that keep the value), and `agreement`
        (their share) with its 95 % interval.  `agreement_by_chance` is the agreement of uniformly random moves.

    Examples
    --------
    >>> rows = kept_moves(lambda state: 3 if state.occupied >> 26 & 1 == 0 else 0, judged_positions()[:2])
    >>> rows[-1]["part"], rows[-1]["positions"]
    ('all', 2)
    """
    parts: dict[str, list[tuple[bool, float]]] = {}
    for one in judged_positions() if positions is None else positions:
        judged = choose(one.state) in one.keeping, len(one.keeping) / len(one.values)
        for part in (f"ply {one.ply:2}", one.source, "all"):
            parts.setdefault(part, []).append(judged)
    order = sorted(parts, key=lambda part: (not part.startswith("ply"), part == "all", part))
    return [_row(part, parts[part]) for part in order]


def _row(part: str, judged: list[tuple[bool, float]]) -> KeptRow:
    kept = sum(is_kept for is_kept, _ in judged)
    low, high = wilson_interval(kept, len(judged))
    chance = sum(by_chance for _, by_chance in judged) / len(judged)
    return {
        "part": part, "positions": len(judged), "agreeing": kept, "agreement": kept / len(judged),
        "agreement_low": low, "agreement_high": high, "agreement_by_chance": chance,
    }  # fmt: skip

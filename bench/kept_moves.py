"""The share of moves of Connect 4 that keep the value, for any agents, on the 5,000 judged positions.

python bench/kept_moves.py random default c4.npz -o results/ntuples/kept_moves.csv
"""

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from ttt_fast.agents.convert import as_player
from ttt_fast.evaluate.kept_moves import POSITIONS_OF, JudgedPosition, judged_positions
from ttt_fast.evaluate.statistics import wilson_interval
from ttt_fast.games.registry import parse_game
from ttt_fast.report.rows import encode, write_bytes


class KeptRow(TypedDict):
    """The number of a player's moves that keep the value in a subset of the positions."""

    part: str
    positions: int
    agreeing: int
    agreement: float
    agreement_low: float
    agreement_high: float
    agreement_by_chance: float


def kept_by_part(choose: Callable[[Any], int], positions: Iterable[JudgedPosition] | None = None) -> list[KeptRow]:
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
    >>> rows = kept_by_part(lambda state: 3 if state.occupied >> 26 & 1 == 0 else 0, judged_positions()[:2])
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


def rows_of(agent: str) -> list[dict[str, Any]]:
    """Return the rows of an agent."""
    player = as_player(agent, parse_game(POSITIONS_OF))
    player.begin(np.uint64(0))
    return [{"agent": Path(agent).name, **row} for row in kept_by_part(lambda state: player.search(state).action)]


def main() -> None:
    """Write the rows of all agents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", help="agent strings")
    parser.add_argument("--output", "-o", type=Path, required=True, help="a .csv file")
    given = parser.parse_args()
    rows = [row for agent in given.agents for row in rows_of(agent)]
    write_bytes(encode("csv", "kept_moves", rows, {}), given.output)


if __name__ == "__main__":
    main()

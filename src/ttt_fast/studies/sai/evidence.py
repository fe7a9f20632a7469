"""Evidence used only in this study: `match NAME`, from the row of `matches.csv` with this name and the cell's quantity.

`runs_of_table_6 NAME` is the same for `table_6_runs.csv`, which has more runs.
"""

from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ttt_fast.studies.engine.evidence import Evidence, Kind
from ttt_fast.studies.engine.sources import Cell
from ttt_fast.studies.engine.tables import Row, Tables
from ttt_fast.studies.statistics.distributions import beta_binomial, binomial, two_sided

_TAIL = 0.025
_REACH, _STEPS = 20.0, 81
"""Student's distribution of a run is truncated at this many standard deviations, and has this many grid points."""


def chances(row: Row, half: int) -> NDArray[np.float64]:
    """Return the probability of each count in two halves of `half` games, (2 half + 1,).

    Both the games and the runs are random.  The deviation of a further run from the mean follows Student's distribution
    and is equal in both halves.  The count of a half is then binomial, or beta-binomial if the share itself is
    estimated from games.

    Parameters
    ----------
    row
        A row of `matches.csv`.
    half
        Number of games that each player begins.
    """
    steps, weights = np.zeros(1), np.ones(1)
    if row["sd_of_runs"]:
        degrees = row["runs"] - 1
        steps = np.linspace(-_REACH, _REACH, _STEPS)
        weights = (1 + steps**2 / degrees) ** (-(degrees + 1) / 2)
        steps = steps * row["sd_of_runs"] * np.sqrt(1 + 1 / row["runs"])
    total = np.zeros(2 * half + 1)
    for step, weight in zip(steps.tolist(), (weights / weights.sum()).tolist(), strict=True):
        halves = []
        for share, games in ((row["begun"], row["games_begun"]), (row["followed"], row["games_followed"])):
            chance = min(1.0, max(0.0, share + step))
            halves.append(beta_binomial(half, chance * games, games) if games else binomial(half, chance))
        total += weight * np.convolve(halves[0], halves[1])
    return total


def match(cell: Cell, words: str, tables: Tables, table: str = "matches") -> Evidence:
    """Return the evidence of `match NAME`; a printed count is treated as one of the possible counts of two halves."""
    row, half = tables.one(table, name=words, quantity=cell.quantity), cell.games // 2
    found = chances(row, half)
    below, games = np.cumsum(found), 2 * half
    low, high = (float(np.searchsorted(below, place)) / games for place in (_TAIL, 1 - _TAIL))
    kind = "runs" if row["runs"] > 1 else "games" if row["games"] else "exact"
    size = row["runs"] if kind == "runs" else row["games"]
    return Evidence(kind, row["share"], low, high, two_sided(found, round(cell.value * games)), size)


EVIDENCE_KINDS: Final[dict[str, Kind]] = {"match": match, "runs_of_table_6": partial(match, table="table_6_runs")}

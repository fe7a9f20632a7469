"""Evidence of Smirnov's own kinds: his learner in a match, the best of several runs, gamma by reading."""

from typing import Final

import numpy as np

from ttt_fast import UsageError
from ttt_fast.studies.engine.evidence import Evidence, of_runs, of_sample
from ttt_fast.studies.engine.sources import Cell
from ttt_fast.studies.engine.tables import Tables, select

SEVERAL: Final = 3
"""Runs of which the best was printed: "the best among several training runs"."""


def pairs(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `pairs TRAINING`: the learner so trained in the cell's match, one further run."""
    row = tables.one("pairs", training=words, table=cell.table, place=cell.place, quantity=cell.quantity)
    return of_sample(cell, row["mean"], row["sd"], row["runs"])


def _runs(cell: Cell, name: str, tables: Tables) -> list[float]:
    """Return the runs of this name in `runs.csv` at the cell's place."""
    wanted = {"name": name, "table": cell.table, "place": cell.place, "quantity": cell.quantity}
    found = [float(row["value"]) for row in select(tables["runs"], wanted)]
    if not found:
        raise UsageError(f"expected runs {wanted!r} in runs.csv, found none")
    return found


def best(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `best TRAINING`: the best of several further runs, which scatter as those that are there.

    The best is the one with the most wins.  Of n runs k have at most some value; that one further run has is given the
    chance (k + 1) / (n + 1), so that no number is impossible.
    """
    found = np.sort(_runs(cell, words, tables))
    sign = 1 if (cell.quantity == "x_wins") == cell.place.startswith("X Tabular") else -1  # more is better, or worse
    ranked, count = np.sort(sign * found), len(found)
    below = (np.arange(1, count + 1) / count) ** SEVERAL
    low, high = (float(sign * ranked[np.searchsorted(below, one)]) for one in (0.025, 0.975))
    printed, half = sign * cell.value, cell.half_unit + 1e-9
    at_most = ((np.count_nonzero(ranked <= printed + half) + 1) / (count + 1)) ** SEVERAL
    at_least = 1 - (1 - (np.count_nonzero(ranked >= printed - half) + 1) / (count + 1)) ** SEVERAL
    mean = float(sign * ranked @ np.diff(below, prepend=0.0))
    return Evidence("runs", mean, min(low, high), max(low, high), min(1.0, 2 * min(at_most, at_least)), count)


def gamma(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `gamma READING`: the runs of the cell's gamma, as described or in the nearest reading."""
    return of_runs(cell, _runs(cell, words, tables))._replace(rows=cell.place)


def duel(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `duel LEARNER`: its wins against random at the end, trained against random."""
    row = tables.one("duels", training="against random", opponent="random", learner=words)
    return of_sample(cell, row["end"], row["sd"], row["runs"])


KINDS: Final = {"pairs": pairs, "best": best, "gamma": gamma, "duel": duel}

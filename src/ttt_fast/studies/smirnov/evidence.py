"""Evidence used only in Smirnov's study: the learner in a match, the best of several runs, and gamma by reading."""

from typing import Final

import numpy as np

from ttt_fast.studies.engine.evidence import Evidence, of_runs, of_sample
from ttt_fast.studies.engine.sources import Cell
from ttt_fast.studies.engine.tables import Tables

SEVERAL: Final = 3
"""Number of runs of which the best was printed: "the best among several training runs"."""


def pairs(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `pairs TRAINING`: one further run of this training in the cell's match."""
    row = tables.one("pairs", training=words, table=cell.table, place=cell.place, quantity=cell.quantity)
    return of_sample(cell, row["mean"], row["sd"], row["runs"])


def _runs(cell: Cell, name: str, tables: Tables) -> list[float]:
    """Return the runs of this name in `runs.csv` at the cell's place."""
    wanted = {"name": name, "table": cell.table, "place": cell.place, "quantity": cell.quantity}
    found: list[float] = tables.array("runs", "value", **wanted).tolist()
    return found


def best(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `best TRAINING`: the best of several further runs, with the spread of the measured runs.

    The best run is the one with the most wins.  Suppose that k of n runs have at most some value.  A further run then
    does so with probability (k + 1) / (n + 1), so that no number is impossible.
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
    """Return the evidence of `gamma READING`: runs with the cell's gamma, as described or in the nearest reading."""
    return of_runs(cell, _runs(cell, words, tables))._replace(rows=cell.place)


def duel(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `duel LEARNER`: its final wins against random, after training against random."""
    row = tables.one("duels", training="against random", opponent="random", learner=words)
    return of_sample(cell, row["end"], row["sd"], row["runs"])


EVIDENCE_KINDS: Final = {"pairs": pairs, "best": best, "gamma": gamma, "duel": duel}

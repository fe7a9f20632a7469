"""Evidence used only in Langan's study: the few possible final results of runs that do not converge."""

from typing import Final

from ttt_fast import UsageError
from ttt_fast.studies.engine.evidence import Evidence, Kind, of_exact
from ttt_fast.studies.engine.sources import Cell
from ttt_fast.studies.engine.tables import Tables


def ends(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `ends NAME`: among the runs with this name, the final result that fits the number best.

    It applies to runs that jump between a few results and end at one of them, so a normal distribution is unsuitable.
    The p-value is that of a sample from the best-fitting run, the maximum over all runs (a composite hypothesis).  The
    interval extends from the lower bound of the lowest result to the upper bound of the highest.
    """
    found = [float(row["value"]) for row in tables.where("runs", name=words, quantity=cell.quantity)]
    if not found:
        raise UsageError(f"expected runs {words!r} with {cell.quantity!r} in runs.csv, found none")
    each = [of_exact(cell, value) for value in found]
    best = max(each, key=lambda one: (one.p, -abs(one.value - cell.value)))
    low, high = min(one.low for one in each), max(one.high for one in each)
    return best._replace(kind="runs", low=low, high=high, size=len(found))


KINDS: Final[dict[str, Kind]] = {"ends": ends}

"""Evidence of Langan's study alone: the few places where runs end that do not settle."""

from typing import Final

from ttt_fast import UsageError
from ttt_fast.studies.engine.evidence import Evidence, Kind, of_exact
from ttt_fast.studies.engine.sources import Cell
from ttt_fast.studies.engine.tables import Tables


def ends(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `ends NAME`: the end of a run, of those with this name, that the number fits best.

    It is for runs that end in one of a few places, between which they jump, so that a normal distribution says
    nothing.  The chance is that of a sample from that run; it is the greatest of all runs (a composite hypothesis).
    The interval goes from the lowest end to the highest.
    """
    found = [float(row["value"]) for row in tables.where("runs", name=words, quantity=cell.quantity)]
    if not found:
        raise UsageError(f"expected runs {words!r} with {cell.quantity!r} in runs.csv, found none")
    each = [of_exact(cell, value) for value in found]
    best = max(each, key=lambda one: (one.p, -abs(one.value - cell.value)))
    low, high = min(one.low for one in each), max(one.high for one in each)
    return best._replace(kind="runs", low=low, high=high, size=len(found))


KINDS: Final[dict[str, Kind]] = {"ends": ends}

"""Evidence used only in Hensler's study: shares of runs, whose interval stays between 0 and 1."""

from typing import Final

from ttt_fast.studies.engine.evidence import Evidence, Kind, runs
from ttt_fast.studies.engine.sources import Cell
from ttt_fast.studies.engine.tables import Tables


def shares(cell: Cell, words: str, tables: Tables) -> Evidence:
    """Return the evidence of `shares NAME`: that of `runs NAME`, for a quantity that is a share."""
    found = runs(cell, words, tables)
    return found._replace(low=max(found.low, 0.0), high=min(found.high, 1.0))


KINDS: Final[dict[str, Kind]] = {"shares": shares}

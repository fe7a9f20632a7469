"""Verdicts on Hensler's statements; their reasons stand beside the statements."""

from ttt_fast.studies.engine.judging import holds
from ttt_fast.studies.engine.tables import Tables
from ttt_fast.studies.engine.verdicts import StatementVerdict


def their_files(tables: Tables) -> StatementVerdict:
    """Judge the files: random plays every line, so that an agent that could lose would lose to it now and then."""
    rows = tables.where("cells", table="his files")
    return holds(not any(row["printed_value"] for row in rows if "losses" in row["quantity"]))


def bleed(tables: Tables) -> StatementVerdict:
    """Judge whether the earliest move with a value stands ever nearer to the empty board."""
    stones = [row["stones before the earliest"] for row in tables["bleeding"]]
    return holds(stones == sorted(stones, reverse=True) and stones[-1] == 0)

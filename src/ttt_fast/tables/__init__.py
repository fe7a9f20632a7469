"""Games as arrays: state tables, their solutions and symmetry classes, each computed once per process."""

from ttt_fast.tables.enumeration import reachable_mask
from ttt_fast.tables.loaded import (
    MAX_STATES,
    find_table,
    fixed_table,
    has_table,
    most_states,
    remembered,
    solution_of,
    symmetry_of,
    table_from_functions,
    table_hint,
    table_of,
)
from ttt_fast.tables.solution import Solution, solve
from ttt_fast.tables.state_table import ROOT, StateTable
from ttt_fast.tables.symmetry import Symmetry, find_symmetry

__all__ = [
    "MAX_STATES",
    "ROOT",
    "Solution",
    "StateTable",
    "Symmetry",
    "find_symmetry",
    "find_table",
    "fixed_table",
    "has_table",
    "most_states",
    "reachable_mask",
    "remembered",
    "solution_of",
    "solve",
    "symmetry_of",
    "table_from_functions",
    "table_hint",
    "table_of",
]

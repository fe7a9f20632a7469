"""The solved game as arrays: states, values, symmetries."""

from ttt_fast.tables.reach import reachable_mask
from ttt_fast.tables.solution import Solution, solve, standard_solution
from ttt_fast.tables.state_table import StateTable, enumerate_states, standard_table
from ttt_fast.tables.symmetry import Symmetry, find_symmetry

__all__ = [
    "Solution",
    "StateTable",
    "Symmetry",
    "enumerate_states",
    "find_symmetry",
    "reachable_mask",
    "solve",
    "standard_solution",
    "standard_table",
]

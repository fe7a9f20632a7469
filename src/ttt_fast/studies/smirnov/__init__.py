"""`ttt-fast reproduce smirnov`. Seed 002: its players, its tabular learners and its curves, beside the exact values."""

from ttt_fast.studies.smirnov.published import BASE_CELLS, GAMES
from ttt_fast.studies.smirnov.study import run

__all__ = ["BASE_CELLS", "GAMES", "run"]

"""`ttt-fast reproduce smirnov`: Smirnov's players, tabular learners and curves, beside the exact values."""

from ttt_fast.studies.smirnov.published import BASE_CELLS, GAMES
from ttt_fast.studies.smirnov.study import run

__all__ = ["BASE_CELLS", "GAMES", "run"]

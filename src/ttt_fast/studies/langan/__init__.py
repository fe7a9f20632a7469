"""`ttt-fast reproduce langan`. Seed 000: its program emulated, its defects mended, and the exact values."""

from ttt_fast.studies.langan.published import BASE_CELLS, GAMES, MINIMAX, PUBLISHED_STATES, Z_TEST
from ttt_fast.studies.langan.study import run

__all__ = ["BASE_CELLS", "GAMES", "MINIMAX", "PUBLISHED_STATES", "Z_TEST", "run"]

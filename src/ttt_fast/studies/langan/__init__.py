"""`ttt-fast reproduce langan`: Langan's program emulated, its defects mended, and the exact values."""

from ttt_fast.studies.langan.published import BASE_CELLS, GAMES, MINIMAX, PUBLISHED_STATES, Z_TEST
from ttt_fast.studies.langan.study import run

__all__ = ["BASE_CELLS", "GAMES", "MINIMAX", "PUBLISHED_STATES", "Z_TEST", "run"]

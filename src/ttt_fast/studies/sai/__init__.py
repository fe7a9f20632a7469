"""`ttt-fast reproduce sai`: Sai's tic-tac-toe and Connect 4, beside the corrected results and the best possible."""

from ttt_fast.studies.sai.study import run

__all__ = ["run"]

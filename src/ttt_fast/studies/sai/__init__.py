"""`ttt-fast reproduce sai`. Seed 001: tic-tac-toe and Connect 4, beside what they would be and what is possible."""

from ttt_fast.studies.sai.study import run

__all__ = ["run"]

"""`ttt-fast reproduce sai`. Seed 001: the tic-tac-toe part, beside what it would be and what is possible."""

from ttt_fast.studies.sai.study import run

__all__ = ["run"]

"""How many episodes Q-learning needs to end exactly at the optimum: `ttt-fast reproduce optimum`."""

from ttt_fast.studies.optimum.study import run

__all__ = ["run"]

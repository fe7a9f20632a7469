"""`ttt-fast reproduce ultimate`. Seed 003: minimax and MCTS in Ultimate tic-tac-toe, its Fig. 5 and Table I."""

from ttt_fast.studies.ultimate.study import run

__all__ = ["run"]

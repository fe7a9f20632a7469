"""`ttt-fast reproduce ultimate`: Bichot's minimax and MCTS in Ultimate tic-tac-toe, Fig. 5 and Table I."""

from ttt_fast.studies.ultimate.study import run

__all__ = ["run"]

"""`ttt-fast reproduce hensler`: the self-play of two agents, and their exact strength."""

from ttt_fast.studies.hensler.study import run

__all__ = ["run"]

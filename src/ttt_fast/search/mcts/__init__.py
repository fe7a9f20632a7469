"""Monte Carlo tree search: one kernel for every game."""

from ttt_fast.search.mcts.player import OPTIONS, MctsConfig, MctsPlayer, RootStatistics

__all__ = [
    "OPTIONS",
    "MctsConfig",
    "MctsPlayer",
    "RootStatistics",
]

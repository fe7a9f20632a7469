"""Monte Carlo tree search: one kernel for every game."""

from ttt_fast.search.mcts.player import OPTIONS, MctsConfig, MctsPlayer, RootStatistics
from ttt_fast.search.mcts.positions import PositionSearches, search_positions

__all__ = [
    "OPTIONS",
    "MctsConfig",
    "MctsPlayer",
    "PositionSearches",
    "RootStatistics",
    "search_positions",
]

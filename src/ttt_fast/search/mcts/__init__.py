"""Monte Carlo tree search: one kernel for every game."""

from ttt_fast.search.mcts.player import BEST_OPTIONS, OPTIONS, MctsConfig, MctsPlayer, RootStatistics
from ttt_fast.search.mcts.positions import PositionSearches, search_positions

__all__ = [
    "BEST_OPTIONS",
    "OPTIONS",
    "MctsConfig",
    "MctsPlayer",
    "PositionSearches",
    "RootStatistics",
    "search_positions",
]

"""Monte Carlo tree search: one kernel for every game."""

from ttt_fast.search.mcts.player import BEST_OPTIONS, OPTIONS, Analysis, MctsConfig, MctsPlayer
from ttt_fast.search.mcts.positions import PositionSearches, search_positions

__all__ = ["BEST_OPTIONS", "OPTIONS", "Analysis", "MctsConfig", "MctsPlayer", "PositionSearches", "search_positions"]

"""Extension point: evaluations of positions, learned or written by hand, in a search.

An evaluator is a NamedTuple of arrays and numbers.  `games.api.implements(leaf_value, YourEvaluator)` gives the value
of a position; `prepare` and `follow` maintain an accumulator, ply by ply, where that is cheaper.
"""

from ttt_fast.search.alphabeta.searcher import AlphaBeta, SearchOptions
from ttt_fast.search.leaves import follow, leaf_value, prepare

__all__ = ["AlphaBeta", "SearchOptions", "follow", "leaf_value", "prepare"]

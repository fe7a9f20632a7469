"""Extension point: learned or handwritten evaluators of positions in a search.

An evaluator is a NamedTuple of arrays and numbers.  `games.api.implements(position_value, YourEvaluator)` gives the
value of a position; `init` and `update` maintain an accumulator, ply by ply, where that is cheaper.
"""

from typing import TYPE_CHECKING

from ttt_fast.core.lazy import lazy_names

if TYPE_CHECKING:
    from ttt_fast.search.alphabeta.searcher import AlphaBeta as AlphaBeta, SearchOptions as SearchOptions
    from ttt_fast.values.evaluators import init as init, position_value as position_value, update as update

__all__, __getattr__ = lazy_names(
    __name__,
    {
        "search.alphabeta.searcher": "AlphaBeta SearchOptions",
        "values.evaluators": "init position_value update",
    },
)

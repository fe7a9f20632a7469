"""Rules, one module a game, and nothing but rules.

Extension point: `add_game` and `GameKind` make a game known whose state implements the functions of `games.api`.
"""

from typing import TYPE_CHECKING

from ttt_fast.core.lazy import lazy_names
from ttt_fast.games import defaults as defaults  # what a game leaves out is known as soon as any game is

if TYPE_CHECKING:
    from ttt_fast.games.game import GameKind as GameKind
    from ttt_fast.games.registry import add_game as add_game

__all__, __getattr__ = lazy_names(
    __name__,
    {
        "games.game": "GameKind",
        "games.registry": "add_game",
    },
)

"""The rules of the games, one module per game.

Extension point: `add_game` and `GameKind` register a game whose state type implements the functions of `games.api`.
"""

from typing import TYPE_CHECKING

from ttt_fast.core.lazy import lazy_names
from ttt_fast.games import defaults as defaults  # the import registers the defaults of all games

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

"""Rules, one module a game, and nothing but rules.

Extension point: `add_game` and `GameKind` make a game known whose state implements the functions of `games.api`.
"""

from typing import TYPE_CHECKING

from ttt_fast.games import defaults as defaults  # what a game leaves out is known as soon as any game is

if TYPE_CHECKING:
    from ttt_fast.games.game import GameKind as GameKind
    from ttt_fast.games.registry import add_game as add_game

__all__ = ["GameKind", "add_game"]


def __getattr__(name: str) -> object:
    """Import `GameKind` and `add_game` when they are first used: the rules below do not need them."""
    if name == "GameKind":
        from ttt_fast.games.game import GameKind

        return GameKind
    if name == "add_game":
        from ttt_fast.games.registry import add_game

        return add_game
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

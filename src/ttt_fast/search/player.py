"""What the match tool, `play` and `show` ask of a player, whatever it does inside."""

from typing import Any, NamedTuple, Protocol

import numpy as np


class Thought(NamedTuple):
    """What a player makes of a position.

    Attributes
    ----------
    action
        What it plays.
    value
        What it expects for the player to move: 1 a win, 0 a draw, -1 a loss; nan where it has no opinion.
        Evaluations that are no such expectation stay in their own units.
    nodes
        Positions looked at, or simulations made.
    """

    action: int
    value: float
    nodes: int


class Player(Protocol):
    """Somebody who plays one game at a time; every object belongs to one thread."""

    name: str

    def begin(self, stream: np.uint64) -> None:
        """Forget the game before; draw whatever is drawn from `stream` (a SplitMix64 state) on."""

    def think(self, state: Any) -> Thought:
        """Return the move in an ongoing state of the game (a NamedTuple of `games`), and what it is worth.

        Called for the player's own moves, in the order of a game; a player that keeps its tree finds the new
        position in it.
        """

    @property
    def memory_bytes(self) -> int:
        """Bytes of its tables and trees."""

"""What the match tool, `play` and `show` ask of a player, whatever it does inside."""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


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


@runtime_checkable
class MixedPlayer(Protocol):
    """A player that draws its moves with probabilities that are known."""

    def probabilities(self, state: Any) -> NDArray[np.float64]:
        """Return the probability of each action in an ongoing state, (A,) float64."""


@runtime_checkable
class Analyst(Protocol):
    """A player that also tells what it makes of every move, not only of the one that it plays.

    `play` (for hints) and `show` look for the method; a player without it shows its `Thought` alone.
    """

    def action_values(self, state: Any) -> dict[int, float]:
        """Return a number for each legal action of an ongoing state, the higher the better for the player to move.

        Values are in the units of `Thought.value`; an action of which the player knows nothing may be missing.
        Called after `begin`; not a move of a game, and the next call may be about any other state.
        """


@runtime_checkable
class TreeAnalyst(Analyst, Protocol):
    """An analyst that grows a tree, and so looks at some actions more often than at others."""

    def visit_counts(self) -> dict[int, int]:
        """Return how often the latest search looked at each action of its position."""

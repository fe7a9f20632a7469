"""The protocol of players for the match tool, `play` and `show`."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import AgentError, TttFastError
from ttt_fast.core.rng import Stream
from ttt_fast.games import api

UNCOUNTED = 0
"""The nodes of a move that an external agent has chosen: it does not say how many positions it looked at."""


class Thought(NamedTuple):
    """A player's view of a position.

    Attributes
    ----------
    action
        The action that it plays.
    value
        Its expectation for the player to move: 1 a win, 0 a draw, -1 a loss; nan where it has no opinion.
        Evaluations of another kind stay in their own units.
    nodes
        Positions looked at, or simulations made; 0 where the player does not say.
    """

    action: int
    value: float
    nodes: int


class Player(Protocol):
    """A player of one game at a time; every object belongs to one thread.

    Examples
    --------
    >>> import ttt_fast
    >>> game = ttt_fast.parse_game("tic-tac-toe")
    >>> player = ttt_fast.as_player("minimax:tie=first", game)
    >>> player, player.think(game.initial_state).action
    (<PolicyPlayer minimax:tie=first>, 0)
    """

    name: str

    def begin(self, stream: np.uint64) -> None:
        """Forget the game before; draw all random numbers from `stream` (a SplitMix64 state) from now on."""

    def think(self, state: api.GameState) -> Thought:
        """Return the move in an ongoing state of the game (a NamedTuple of `games`), and its value.

        Called for the player's own moves, in the order of a game; a player that keeps its tree finds the new
        position in it.
        """

    @property
    def memory_bytes(self) -> int:
        """Bytes of its tables and trees."""


class Described:
    """A player that shows its class and its name."""

    name: str

    def __repr__(self) -> str:
        """Return the player in a line."""
        return f"<{type(self).__name__} {self.name}>"


class DrawingPlayer(Described):
    """A player that draws from its stream and keeps no tables."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._words = Stream(np.uint64(0))

    @property
    def memory_bytes(self) -> int:
        """Bytes of its tables and trees."""
        return 0

    def begin(self, stream: np.uint64) -> None:
        """Draw from `stream` from now on."""
        self._words = Stream(stream)


class WrappedPlayer(Described):
    """A player that plays as another one does, but for what a class of it changes.

    Parameters
    ----------
    player
        The other one.
    """

    def __init__(self, player: Player) -> None:
        self.player, self.name = player, player.name

    @property
    def memory_bytes(self) -> int:
        """Bytes of its tables and trees."""
        return self.player.memory_bytes

    def begin(self, stream: np.uint64) -> None:
        """Begin a game."""
        self.player.begin(stream)

    def think(self, state: api.GameState) -> Thought:
        """Return the move of the other player."""
        return self.player.think(state)


def checked(thought: Thought, player: Player, state: api.GameState) -> Thought:
    """Return what a player thinks of a state, or raise TttFastError if the rules forbid its move."""
    if not api.is_legal(state, thought.action):
        raise TttFastError(f"expected a legal move of {player.name!r}, got {thought.action!r}")
    return thought


def check_turns(name: str, state: api.GameState) -> None:
    """Raise AgentError unless X and O move in turn in the game of a state, as a search expects."""
    if not api.alternates(state):
        raise AgentError(f"expected a game in which X and O move in turn for {name!r}, got one in which they do not")


@runtime_checkable
class MixedPlayer(Protocol):
    """A player that draws its moves with probabilities that are known."""

    def probabilities(self, state: api.GameState) -> NDArray[np.float64]:
        """Return the probability of each action in an ongoing state, (A,) float64."""


@runtime_checkable
class Analyst(Protocol):
    """A player that also values every move, not only the one that it plays.

    `play` (for hints) and `show` look for the method; a player without it shows its `Thought` alone.
    """

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return a number for each legal action of an ongoing state, the higher the better for the player to move.

        Values are in the units of `Thought.value`; an action that the player does not know may be missing.
        Called after `begin`; not a move of a game, and the next call may be about any other state.
        """


@runtime_checkable
class TreeAnalyst(Analyst, Protocol):
    """An analyst that grows a tree, and so looks at some actions more often than at others."""

    def visit_counts(self) -> dict[int, int]:
        """Return the number of visits of the latest search to each action of its position."""

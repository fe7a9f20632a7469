"""The protocols of players for matches, `play` and `show`."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import AgentError, BoardError, TttFastError
from ttt_fast.core.rng import Stream
from ttt_fast.games import api

UNCOUNTED = 0
"""The number of nodes of a move by an external agent, which does not report it."""


class SearchResult(NamedTuple):
    """The result of a player's search in a position.

    Attributes
    ----------
    action
        The chosen action.
    value
        The expected result for the player to move: 1 for a win, 0 for a draw, -1 for a loss; nan if unknown.  A player
        whose evaluation is not an expected result reports it in its own units.
    nodes
        Positions searched or simulations made; 0 if the player does not count them.
    """

    action: int
    value: float
    nodes: int

    def checked(self, player: "Player", state: api.GameState) -> "SearchResult":
        """Return this result of a player; raise TttFastError if the move is illegal in the state."""
        if not api.is_legal(state, self.action):
            raise TttFastError(f"expected a legal action from {player.name!r}, got {self.action!r}")
        return self


class Player(Protocol):
    """A player of one game at a time; each object is used by one thread.

    Examples
    --------
    >>> import ttt_fast
    >>> game = ttt_fast.parse_game("tic-tac-toe")
    >>> player = ttt_fast.as_player("minimax:tie=first", game)
    >>> player, player.search(game.initial_state).action
    (<PolicyPlayer minimax:tie=first>, 0)
    """

    name: str

    def begin(self, stream: np.uint64) -> None:
        """Discard the previous game; draw all random numbers from `stream` (a SplitMix64 state)."""

    def search(self, state: api.GameState) -> SearchResult:
        """Return the move in an ongoing state of the game (a NamedTuple of `games`), and its value.

        Called for the player's own moves, in the order of a game, so that a player can keep its tree between moves.
        """

    @property
    def memory_bytes(self) -> int:
        """Bytes of its tables and trees."""


class Described:
    """A base class with a `repr` that contains the class and the name of the player."""

    name: str

    def __repr__(self) -> str:
        """Return a one-line description of the player."""
        return f"<{type(self).__name__} {self.name}>"


class DrawingPlayer(Described):
    """A player that draws from its stream and has no tables."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._words = Stream(np.uint64(0))

    @property
    def memory_bytes(self) -> int:
        """Bytes of its tables and trees."""
        return 0

    def begin(self, stream: np.uint64) -> None:
        """Begin a game: draw from `stream`."""
        self._words = Stream(stream)


class WrappedPlayer(Described):
    """A player that delegates to another player; subclasses override parts of its behaviour.

    Parameters
    ----------
    player
        The wrapped player.
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

    def search(self, state: api.GameState) -> SearchResult:
        """Return the move of the wrapped player."""
        return self.player.search(state)


def ongoing(state: api.State) -> api.State:
    """Return a state; raise BoardError if its game is over, since kernels trust the state that they search."""
    if api.status(state) != api.ONGOING:
        raise BoardError(f"expected a position in which the game is not over, got {shown(str(state))}")
    return state


def check_turns(name: str, state: api.GameState) -> None:
    """Raise AgentError unless X and O alternate in the game of a state, as a search requires."""
    if not api.alternates(state):
        raise AgentError(f"expected a game with alternating turns for {name!r}, got a game without them")


@runtime_checkable
class MixedPlayer(Protocol):
    """A player that draws its moves with known probabilities."""

    def probabilities(self, state: api.GameState) -> NDArray[np.float64]:
        """Return the probability of each action in an ongoing state, (A,) float64."""


@runtime_checkable
class Analyst(Protocol):
    """A player that also evaluates every move, not only the chosen one.

    `play` (for hints) and `show` use this method if it exists; otherwise they show only the `SearchResult`.
    """

    def action_values(self, state: api.GameState) -> dict[int, float]:
        """Return a number for each legal action of an ongoing state, the higher the better for the player to move.

        Values are in the units of `SearchResult.value`; unknown actions may be missing.  Called after `begin`,
        outside a game: the next call may be for any other state.
        """


@runtime_checkable
class TreeAnalyst(Analyst, Protocol):
    """An analyst by tree search, whose values and visits are those of the search that chose the move."""

    def visit_counts(self) -> dict[int, int]:
        """Return the number of visits of the latest search to each action of its position."""

    def visit_values(self) -> dict[int, float]:
        """Return the value, as `action_values` does, of each action that the latest search visited."""

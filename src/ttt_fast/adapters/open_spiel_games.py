"""Games shared with OpenSpiel (Lanctot et al. 2019, arXiv:1908.09453): conversion of states and actions.

`games/peers.py` defines the OpenSpiel game of each game, and the conversion of its moves.  A move of Ultimate may be
two OpenSpiel actions.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import pyspiel

from ttt_fast import Game, UsageError, parse_game
from ttt_fast.games import api

_KEPT_LINES = 1 << 16
_OF_OBSERVATIONS = ("egocentric_obs_tensor",)
NO_BOARD = -1


class SharedPosition(NamedTuple):
    """The equivalent of an OpenSpiel state in this package.

    Attributes
    ----------
    state
        The state of this package.
    board
        The board that the player to move has chosen for a free move of Ultimate, else -1.
    """

    state: api.GameState
    board: int = NO_BOARD


def _rules_of(game: Any) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of an OpenSpiel game, without its observation parameters."""
    parameters = game.get_parameters()
    return game.get_type().short_name, {key: one for key, one in parameters.items() if key not in _OF_OBSERVATIONS}


class SharedGame:
    """A game that both this package and OpenSpiel implement.

    Parameters
    ----------
    game
        The game, or its name: tic-tac-toe in any size (OpenSpiel's `tic_tac_toe` and `mnk`), Connect 4 in any size,
        Ultimate with its usual rules, or `openspiel:GAME`.  Not misère.

    Attributes
    ----------
    ours
        The game of this package.
    theirs
        The OpenSpiel game, a `pyspiel.Game`.

    Raises
    ------
    UsageError
        If OpenSpiel has no such game.

    Examples
    --------
    >>> game = SharedGame("ultimate")
    >>> state = game.theirs.new_initial_state()
    >>> game.steps(game.ours.initial_state, 40)  # the middle of the middle board, on a free move
    (4, 4)
    >>> state.apply_action(4)
    >>> game.position_of(state).board
    4
    >>> state.apply_action(4)
    >>> game.position_of(state).state == game.ours.state_after("55")
    True
    """

    def __init__(self, game: Game | str) -> None:
        self.ours = parse_game(game) if isinstance(game, str) else game
        if self.ours.open_spiel is None:
            wanted = "a game that OpenSpiel has (tic-tac-toe, connect4, ultimate, openspiel:GAME)"
            raise UsageError(f"expected {wanted}, got {self.ours.spec!r}, which OpenSpiel does not have")
        self._peer = self.ours.open_spiel
        self.theirs: Any = pyspiel.load_game(self._peer.spec)
        self._name = str(self.theirs)
        self._names = {self._name}  # other spellings are added at their first use
        self._after = lru_cache(_KEPT_LINES)(self._follow)

    def __repr__(self) -> str:
        """Return a one-line description of the game."""
        return f"<SharedGame {self.ours.spec}, {self._name} in OpenSpiel>"

    def steps(self, state: api.GameState, action: int) -> tuple[int, ...]:
        """Return the OpenSpiel actions of an action in an ongoing state: a single one, or a board and a cell."""
        return self._peer.steps(state, action)

    def action(self, position: SharedPosition, step: int) -> int:
        """Return the action that an OpenSpiel action completes; -1 if it selects only a board."""
        return self._peer.action(*position, step)

    def after(self, position: SharedPosition, step: int) -> SharedPosition:
        """Return the position to which an OpenSpiel action leads."""
        action = self.action(position, step)
        return (
            SharedPosition(position.state, step)
            if action == api.NO_ACTION
            else SharedPosition(api.play(position.state, action))
        )

    def settled(self, position: SharedPosition) -> api.GameState:
        """Return a state with the legal actions of a position and the same continuations."""
        found: api.GameState = self._peer.settled(*position)
        return found

    def position_of(self, state: Any) -> SharedPosition:
        """Return the position of an OpenSpiel state, found from its line of play.

        Raises
        ------
        UsageError
            If it is a state of another game, or its game did not begin at the initial state.
        """
        name = str(state.get_game())
        if name not in self._names:
            if _rules_of(state.get_game()) != _rules_of(self.theirs):
                raise UsageError(f"expected a state of {self._name!r}, got a state of {name!r}")
            self._names.add(name)
        if state.starting_state() is not None:
            raise UsageError(f"expected a game from the initial state, got a game from {str(state)!r}")
        return self._after(tuple(state.history()))

    def _follow(self, history: tuple[int, ...]) -> SharedPosition:
        """Return the position after a line of play, from the cached position one action earlier."""
        if not history:
            return SharedPosition(self.ours.initial_state)
        return self.after(self._after(history[:-1]), history[-1])


@lru_cache(maxsize=64)
def shared_game(game: Game | str) -> SharedGame:
    """Return the cached `SharedGame` of a game; errors as for `SharedGame`.

    Examples
    --------
    >>> shared_game("connect4:columns=5,rows=4")
    <SharedGame connect4:columns=5,rows=4, connect_four(columns=5,rows=4,x_in_row=4) in OpenSpiel>
    """
    return SharedGame(game)

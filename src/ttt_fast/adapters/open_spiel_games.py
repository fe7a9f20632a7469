"""Games that are here and in OpenSpiel (Lanctot et al. 2019, arXiv:1908.09453): states and actions of both.

Most games have the same actions in both.  In OpenSpiel's Ultimate a free move takes two actions of the same player, a
board and then a cell of it; all other moves are a cell of the board that the other player has named.
"""

from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import pyspiel

from ttt_fast.core.errors import UsageError
from ttt_fast.games import api
from ttt_fast.games.api import NO_ACTION, GameState
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.game import Game
from ttt_fast.games.mnk import MnkState
from ttt_fast.games.open_spiel import numbers_of_actions
from ttt_fast.games.registry import parse_game
from ttt_fast.games.tic_tac_toe import TicTacToeState
from ttt_fast.games.ultimate import ALL_OF_BOARD, ANYWHERE, TIE_DRAW, UltimateState, board_of, divide_by_9

_LIBRARY = "openspiel"
_KEPT_LINES = 1 << 16
_OF_OBSERVATIONS = ("egocentric_obs_tensor",)
NO_BOARD = -1


class Place(NamedTuple):
    """The place of a state of OpenSpiel in our game.

    Attributes
    ----------
    state
        Our state.
    board
        The board that the player to move has chosen for a free move of Ultimate, else -1.
    """

    state: GameState
    board: int = NO_BOARD


class _Spelling(Protocol):
    """How moves are spelled in OpenSpiel."""

    def steps(self, state: Any, action: int) -> tuple[int, ...]:
        """Return OpenSpiel's actions that are one of ours, from first to last."""

    def action(self, place: Place, step: int) -> int:
        """Return our action that an action of OpenSpiel completes, -1 if it only begins one."""

    def settled(self, place: Place) -> GameState:
        """Return a state of ours with the legal actions of a place, from which play goes on in the same way."""


class _Numbered:
    """One action of OpenSpiel for each of ours."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self.numbers = numbers
        self.actions = {number: action for action, number in enumerate(numbers)}

    def steps(self, state: Any, action: int) -> tuple[int, ...]:
        return (self.numbers[action],)

    def action(self, place: Place, step: int) -> int:
        return self.actions[step]

    def settled(self, place: Place) -> GameState:
        return place.state


class _BoardFirst:
    """Ultimate, in which a free move begins with the choice of a board."""

    def steps(self, state: Any, action: int) -> tuple[int, ...]:
        board = divide_by_9(action)
        cell = action - 9 * board
        return (board, cell) if state.target == ANYWHERE else (cell,)

    def action(self, place: Place, step: int) -> int:
        target = place.state.target  # type: ignore[attr-defined]
        board = target if place.board == NO_BOARD else place.board
        return NO_ACTION if board == ANYWHERE else 9 * board + step

    def settled(self, place: Place) -> GameState:
        state: Any = place.state
        if place.board == NO_BOARD:
            return place.state
        free = ~board_of(state.blocked_low, state.blocked_high, place.board) & ALL_OF_BOARD
        forced: GameState = state._replace(target=place.board, free=free)
        return forced


def _peer_of(game: Game) -> tuple[str, _Spelling]:
    """Return OpenSpiel's name of a game, and how it spells the moves; raise UsageError if it has no such game."""
    start, same = game.initial_state, _Numbered(tuple(range(game.num_actions)))
    if game.name == _LIBRARY:
        spec = game.spec.partition(":")[2]
        return spec, _Numbered(numbers_of_actions(spec))
    if type(start) is TicTacToeState and not start.misere:
        return "tic_tac_toe", same
    if type(start) is MnkState and not start.misere:
        rows = game.num_actions // start.columns
        return f"mnk(m={start.columns},n={rows},k={start.length})", same
    if type(start) is ConnectFourState:
        return f"connect_four(columns={game.num_actions},rows={start.rows},x_in_row={start.length})", same
    if type(start) is UltimateState and start.tie == TIE_DRAW:
        return "ultimate_tic_tac_toe", _BoardFirst()
    wanted = "a game that OpenSpiel has (tic-tac-toe, connect4, ultimate, openspiel:GAME)"
    raise UsageError(f"expected {wanted}, got {game.spec!r}, whose rules it has not")


def _rules_of(game: Any) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of OpenSpiel's game, without those of its observations."""
    parameters = game.get_parameters()
    return game.get_type().short_name, {key: one for key, one in parameters.items() if key not in _OF_OBSERVATIONS}


class SharedGame:
    """A game of ours that OpenSpiel has, too.

    Parameters
    ----------
    game
        The game, or its name: tic-tac-toe in any size (OpenSpiel's `tic_tac_toe` and `mnk`), Connect 4 in any size,
        Ultimate with its usual rules, or `openspiel:GAME`.  Not misère.

    Attributes
    ----------
    ours
        Our game.
    theirs
        OpenSpiel's, a `pyspiel.Game`.

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
    >>> game.place_of(state).board
    4
    >>> state.apply_action(4)
    >>> game.place_of(state).state == game.ours.state_after("55")
    True
    """

    def __init__(self, game: Game | str) -> None:
        self.ours = parse_game(game) if isinstance(game, str) else game
        name, self.spelling = _peer_of(self.ours)
        self.theirs: Any = pyspiel.load_game(name)
        self._name = str(self.theirs)
        self._names = {self._name}  # and other spellings of it, when they are met
        self._after = lru_cache(_KEPT_LINES)(self._follow)

    def __repr__(self) -> str:
        """Return the game in a line."""
        return f"<SharedGame {self.ours.spec}, {self._name} in OpenSpiel>"

    def steps(self, state: GameState, action: int) -> tuple[int, ...]:
        """Return OpenSpiel's actions that are one of ours in an ongoing state: one, or a board and a cell."""
        return self.spelling.steps(state, action)

    def after(self, place: Place, step: int) -> Place:
        """Return the place to which an action of OpenSpiel leads."""
        action = self.spelling.action(place, step)
        return Place(place.state, step) if action == NO_ACTION else Place(api.play(place.state, action))

    def settled(self, place: Place) -> GameState:
        """Return a state of ours with the legal actions of a place, from which play goes on in the same way."""
        return self.spelling.settled(place)

    def place_of(self, state: Any) -> Place:
        """Return the place of a state of OpenSpiel, by the line of play that led to it.

        Raises
        ------
        UsageError
            If it is a state of another game, or its game began elsewhere than at the initial state.
        """
        name = str(state.get_game())
        if name not in self._names:
            if _rules_of(state.get_game()) != _rules_of(self.theirs):
                raise UsageError(f"expected a state of {self._name!r}, got one of {name!r}")
            self._names.add(name)
        if state.starting_state() is not None:
            raise UsageError(f"expected a game from its initial state, got one that began at {str(state)!r}")
        return self._after(tuple(state.history()))

    def _follow(self, history: tuple[int, ...]) -> Place:
        """Return the place after a line of play, from the one before, which is kept."""
        if not history:
            return Place(self.ours.initial_state)
        return self.after(self._after(history[:-1]), history[-1])


@lru_cache(maxsize=64)
def shared_game(game: Game | str) -> SharedGame:
    """Return a game of ours that OpenSpiel has, too, made once; errors as `SharedGame`.

    Examples
    --------
    >>> shared_game("connect4:columns=5,rows=4")
    <SharedGame connect4:columns=5,rows=4, connect_four(columns=5,rows=4,x_in_row=4) in OpenSpiel>
    """
    return SharedGame(game)

"""A game: its rules with fixed options, and its positions and moves as text."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.checks import shown, whole_number
from ttt_fast.core.errors import BoardError
from ttt_fast.core.specs import Option
from ttt_fast.games import api, plain_text
from ttt_fast.games.api import GameState
from ttt_fast.games.custom_text import CustomText
from ttt_fast.games.results import Seat, Status

if TYPE_CHECKING:  # kernels do not depend on the drawing of boards
    from ttt_fast.games.board import Board, BoardKind, Note, SmallBoards
    from ttt_fast.games.board_text import Drawing
    from ttt_fast.games.peers import Peer

N_TUPLES = "n-tuples"
"""The features by which TD(lambda) values a position of columns."""
_SYMBOLS_OF_POSITIONS = "XxOo._- /"
"""The characters that positions are written with; lines of play are written with digits.  A key begins with '#'."""


@dataclass(frozen=True)
class GameKind:
    """A named family of games.

    Attributes
    ----------
    summary
        A description in one line.
    options
        The options by name.
    initial_state
        Returns the initial state; called with the values of the options.
    state_bound
        Returns an upper bound on the number of reachable states; called with any state.  Infinity if the game cannot be
        enumerated, 0 if the bound is unknown.
    text
        Provides `split_moves`, `parse_action`, `format_action`, `parse_position` and `format_position`.
    move_separator
        Text between the moves of a line of play.
    version
        Increases whenever the behaviour of the rules changes; data of a game are stored by its name and version.
    of_states
        The kinds of games by state type, for options whose initial state has another type.
    is_kept
        Whether tables of the game may be stored on disk: False if a state is valid only within this process.
    board
        How positions are drawn: `cells`, `columns`, `boards` or `text` (`games.board.Board`).
    small_boards
        Returns the small boards of a state, if `board` is `boards`.
    open_spiel
        Returns the same game in OpenSpiel, or None if OpenSpiel lacks it; called with the initial state.
    features
        The features by which TD(lambda) values positions, such as `n-tuples`; empty if there are none.
    """

    summary: str
    options: Mapping[str, Option]
    initial_state: Callable[..., GameState]
    state_bound: Callable[[Any], float] = lambda state: 0.0  # of its own type of state
    text: ModuleType | CustomText[Any] = plain_text
    move_separator: str = " "
    version: int = 1
    of_states: Mapping[type, "GameKind"] = field(default_factory=dict)
    is_kept: bool = True
    board: "BoardKind" = "text"
    small_boards: "Callable[[Any], SmallBoards] | None" = None
    open_spiel: "Callable[[Any], Peer | None]" = lambda state: None
    features: str = ""


@dataclass(frozen=True, repr=False)
class Game:
    """A game with fixed options; equal to every other spelling of the same game.

    Attributes
    ----------
    spec
        The text from which the game was parsed.
    kind
        The family of the game.
    name
        The name of the family, without options.
    initial_state
        The state before the first move, which includes the options.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("connect4")
    >>> game, game.num_actions, game.format_position(game.state_after("44"))[-7:]
    (Game('connect4'), 7, '...X...')
    """

    spec: str = field(compare=False)
    kind: GameKind = field(compare=False)
    name: str
    initial_state: GameState
    _state_type: type = field(init=False)  # two types of states may be equal as tuples

    def __post_init__(self) -> None:
        """Store the type of state, which distinguishes games too."""
        object.__setattr__(self, "_state_type", type(self.initial_state))

    def __repr__(self) -> str:
        """Return the representation: Game('connect4:columns=4,rows=4')."""
        return f"Game({self.spec!r})"

    @property
    def num_actions(self) -> int:
        """Number of actions A."""
        return api.num_actions(self.initial_state)

    @property
    def state_bound(self) -> float:
        """Upper bound on the number of reachable states; infinity if the game cannot be enumerated.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> parse_game("tic-tac-toe").state_bound
        6046.0
        """
        return self.kind.state_bound(self.initial_state)

    @property
    def alternates(self) -> bool:
        """Whether X and O alternate throughout the game, X first."""
        return api.alternates(self.initial_state)

    @property
    def version(self) -> int:
        """Version of the rules, which increases when their behaviour changes."""
        return self.kind.version

    @property
    def file_name(self) -> str:
        """Prefix of the names of stored files of the game, unique to the game and its version."""
        described = repr((self.name, self.version, tuple(map(int, self.initial_state))))
        return f"{self.name}-{sha256(described.encode()).hexdigest()[:16]}"

    def board(self, state: GameState, last_action: int | None = None) -> "Board":
        """Return the board of a state after an action: its marks, the last move, and the winning line.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("connect4:columns=4,rows=3")
        >>> board = game.board(game.state_after("223"), 2)
        >>> board.rows, board.last, board.legal
        (('....', '.O..', '.XX.'), (2, 2), (0, 1, 2, 3))
        """
        from ttt_fast.games.board import make_board

        kind = self.kind.of_states.get(type(state), self.kind)  # options may lead to states of another type
        small = None if kind.small_boards is None else kind.small_boards(state)
        return make_board(kind.board, kind.text, state, small, last_action)

    def drawing(
        self, state: GameState, notes: Mapping[int, str] | None = None, last_action: int | None = None
    ) -> "Drawing":
        """Return the board of a state as text; free cells show their numbers, and `notes` adds text to some actions.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("connect4:columns=4,rows=2,length=3")
        >>> print(game.drawing(game.state_after("12"), last_action=1))
        │ · · · · │
        │ X(O)· · │
        └─────────┘
          1 2 3 4
        <BLANKLINE>
        """
        from ttt_fast.games.board_text import drawn

        return drawn(self.board(state, last_action), notes or {})

    def svg(
        self, state: GameState, actions: Iterable[int] = (), title: str = "", notes: "Mapping[int, Note] | None" = None
    ) -> str:
        """Return an SVG picture of a position with a caption and notes for actions; further moves are numbered.

        Raises
        ------
        UsageError
            If the game has no board of cells.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("tic-tac-toe")
        >>> picture = game.svg(game.initial_state, [4, 0], "two moves")
        >>> picture.startswith("<svg "), picture.count("<circle "), ">2</text>" in picture
        (True, 1, True)
        """
        from ttt_fast.games.board_svg import board_svg

        boards = [self.board(state)]
        for action in actions:
            state = self.play(state, action)
            boards.append(self.board(state, action))
        return board_svg(boards, self.spec, title, notes)

    @property
    def open_spiel(self) -> "Peer | None":
        """The same game in OpenSpiel; None if OpenSpiel lacks it.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> parse_game("connect4:columns=5").open_spiel.spec
        'connect_four(columns=5,rows=6,x_in_row=4)'
        """
        return self.kind.open_spiel(self.initial_state)

    def parse_position(self, text: str) -> GameState:
        """Return the state given by a text; raise BoardError if the text is not a position."""
        state: GameState = self.kind.text.parse_position(text, self.initial_state)
        return state

    def format_position(self, state: GameState) -> str:
        """Return the text of a state, the inverse of `parse_position`."""
        return str(self.kind.text.format_position(state))

    def parse_moves(self, text: str, start: GameState | None = None) -> list[int]:
        """Return the actions of a line of play from `start` (default: the initial state).

        Raises
        ------
        BoardError
            If a move is not understood, is not legal, or follows the end of the game.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> parse_game("connect4").parse_moves("4453")
        [3, 3, 4, 2]
        """
        return self.follow(text, start)[0]

    def follow(self, text: str, start: GameState | None = None) -> tuple[list[int], GameState]:
        """Return the actions of a line of play and the state to which they lead; errors as `parse_moves`.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("connect4:columns=4,rows=3")
        >>> actions, state = game.follow("223")
        >>> actions, game.format_position(state)
        ([1, 1, 2], '..../.O../.XX.')
        """
        state = self.initial_state if start is None else start
        actions: list[int] = []
        for move in self.kind.text.split_moves(text):
            action = self.kind.text.parse_action(move, self.initial_state)
            if api.status(state) != api.ONGOING:
                raise BoardError(f"expected no move after the end of the game, got {move!r} in {text!r}")
            if not api.is_legal(state, action):
                raise BoardError(f"expected a legal move, got {move!r} as move {len(actions) + 1} of {text!r}")
            actions.append(action)
            state = api.play(state, action)
        return actions, state

    def state_after(self, moves: str, start: GameState | None = None) -> GameState:
        """Return the state to which a line of play leads; errors as `parse_moves`.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("connect4:columns=4,rows=3")
        >>> game.format_position(game.state_after("223"))
        '..../.O../.XX.'
        """
        return self.follow(moves, start)[1]

    def parse_state(self, text: str) -> GameState:
        """Return the state given by a text: a position if most characters are marks, otherwise a line of play.

        If one interpretation fails, the other is tried: a position of tic-tac-toe may consist of digits.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("connect4:columns=4,rows=3")
        >>> game.parse_state("223") == game.parse_state("..../.O../.XX.")
        True
        """
        readers: list[Callable[[str], GameState]] = [self.state_after, self.parse_position]
        marks = sum(symbol in _SYMBOLS_OF_POSITIONS for symbol in text)
        if text.startswith("#") or 2 * marks > len(text.strip()) > 0:
            readers.reverse()
        try:
            return readers[0](text)
        except BoardError as error:
            try:
                return readers[1](text)
            except BoardError:
                more = "" if text.isdigit() else f"; {text!r} is neither a line of moves nor a board"
                raise BoardError(f"{error}{more}") from None

    def parse_ongoing(self, text: str) -> GameState:
        """Return the state given by a text, as `parse_state`; raise BoardError if the game is over.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> parse_game("tic-tac-toe").parse_ongoing("XXXOO....")
        Traceback (most recent call last):
        ttt_fast.core.errors.BoardError: expected a position in which the game is not over, got 'XXXOO....': X has won
        """
        state = self.parse_state(text)
        if api.status(state) != api.ONGOING:
            ended = {api.X_WINS: "X has won", api.O_WINS: "O has won", api.DRAW: "the game is drawn"}
            wanted = "a position in which the game is not over"
            raise BoardError(f"expected {wanted}, got {text!r}: {ended[api.status(state)]}")
        return state

    def format_moves(self, actions: Iterable[int]) -> str:
        """Return the text of a line of play, the inverse of `parse_moves`.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> parse_game("ultimate").format_moves([40, 36])
        '55 51'
        """
        return self.kind.move_separator.join(self.kind.text.format_action(action) for action in actions)

    def legal_actions(self, state: GameState) -> list[int]:
        """Return the legal actions of a state in ascending order; none if the game is over.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("tic-tac-toe")
        >>> game.legal_actions(game.parse_position("XO..X...."))
        [2, 3, 5, 6, 7, 8]
        """
        return api.legal_actions(state)

    def play(self, state: GameState, action: int) -> GameState:
        """Return the state after an action of the player to move.

        Raises
        ------
        BoardError
            If the action is not legal, or the game is over.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("connect4:columns=4,rows=3")
        >>> game.format_position(game.play(game.initial_state, 1))
        '..../..../.X..'
        """
        legal = api.legal_actions(state)
        if whole_number(action, "the action") not in legal:
            wanted = f"an action of {', '.join(map(str, legal))}" if legal else "no action after the end of the game"
            raise BoardError(f"expected {wanted} at {self.format_position(state)!r}, got {shown(action)}")
        return api.play(state, action)

    def status(self, state: GameState) -> Status:
        """Return the status of the game in a state.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("tic-tac-toe")
        >>> game.status(game.parse_position("XXXOO...."))
        <Status.X_WINS: 1>
        """
        return Status(api.status(state))

    def player(self, state: GameState) -> Seat | None:
        """Return the seat to move; None if the game is over.

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("tic-tac-toe")
        >>> game.player(game.initial_state), game.player(game.parse_position("XXXOO...."))
        (<Seat.X: 1>, None)
        """
        return Seat(api.player(state)) if api.status(state) == api.ONGOING else None

    def observe(self, state: GameState) -> NDArray[np.float32]:
        """Return a state as planes for a network, (P, rows, columns) float32: the player to move, the opponent, ...

        Examples
        --------
        >>> from ttt_fast import parse_game
        >>> game = parse_game("tic-tac-toe")
        >>> game.observe(game.parse_position("X........"))[1, 0]
        array([1., 0., 0.], dtype=float32)
        """
        return api.observe(state)

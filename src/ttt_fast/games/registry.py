"""The games by name: `tic-tac-toe:rows=4,columns=4`, `connect4:columns=6,rows=7`, `ultimate:tie=boards`."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf
from types import ModuleType
from typing import Any

from ttt_fast.core.checks import shown
from ttt_fast.core.errors import BoardError, UsageError
from ttt_fast.core.specs import Option, integer, near_names, one_of, parse_options, suggestion
from ttt_fast.games import (
    api,
    connect_four,
    connect_four_text,
    defaults,  # noqa: F401  (what games need not say)
    mnk,
    mnk_text,
    open_spiel,
    plain_text,
    sizes,
    tic_tac_toe,
    ultimate,
    ultimate_duplicates,  # noqa: F401  (every type of state is known before a kernel is compiled, see there)
    ultimate_stay,
    ultimate_text,
)
from ttt_fast.games.api import GameState
from ttt_fast.games.foreign import ForeignGame
from ttt_fast.games.foreign_text import ForeignText

_SYMBOLS_OF_POSITIONS = "XxOo._- /"
"""What positions are written with; lines of play are written with digits.  A key begins with '#'."""


@dataclass(frozen=True)
class GameKind:
    """A named family of games.

    Attributes
    ----------
    summary
        What it is, in a line.
    options
        Its options by name.
    initial_state
        Returns the first position; called with the values of the options.
    state_bound
        Returns an upper bound on the number of reachable states, infinity if nobody enumerates the game, 0 if it is
        unknown; called with any state.
    text
        Has `split_moves`, `parse_action`, `format_action`, `parse_position` and `format_position`.
    move_separator
        Text between the moves of a line of play.
    version
        Grows whenever the behaviour of the rules changes: what is kept of a game is kept by name and version.
    of_states
        The kinds of games whose options make a first position of another type.
    is_kept
        Whether tables of the game may be kept on disk: not where a state means nothing to another process.
    """

    summary: str
    options: Mapping[str, Option]
    initial_state: Callable[..., GameState]
    state_bound: Callable[[Any], float] = lambda state: 0.0  # of its own type of state
    text: ModuleType | ForeignText = plain_text
    move_separator: str = " "
    version: int = 1
    of_states: Mapping[type, "GameKind"] = field(default_factory=dict)
    is_kept: bool = True


_MNK = GameKind("k in a row on m x n cells", {}, mnk.initial_state, sizes.marks_bound, mnk_text)


def _marks_on_a_board(rows: int, columns: int, length: int, misere: str) -> GameState:
    """Return the first position: of tic-tac-toe's own type for three in a row on three rows of three."""
    if rows == columns == length == 3:
        return tic_tac_toe.initial_state(int(misere == "yes"))
    return mnk.initial_state(rows, columns, length, int(misere == "yes"))


GAMES: dict[str, GameKind] = {
    "tic-tac-toe": GameKind(
        "marks on a board; three in a row on nine cells win",
        {
            "rows": Option("3", "N", integer(1, mnk.MAX_CELLS), "rows; rows * columns is at most 25"),
            "columns": Option("3", "N", integer(1, mnk.MAX_CELLS), "cells of a row"),
            "length": Option("3", "N", integer(2, mnk.MAX_CELLS), "marks in a row that make a line"),
            "misere": one_of("no|yes", "who completes a line loses, instead of winning"),
        },
        _marks_on_a_board,
        sizes.marks_bound,
        tic_tac_toe,
        "",
        of_states={mnk.MnkState: _MNK},
    ),
    "connect4": GameKind(
        "stones fall into columns; four in a row win",
        {
            "columns": Option("7", "N", integer(1, 32), "columns; columns * (rows + 1) is at most 64"),
            "rows": Option("6", "N", integer(1, 63), "cells of a column"),
            "length": Option("4", "N", integer(2, 63), "stones in a row that win"),
        },
        connect_four.initial_state,
        sizes.connect_four_bound,
        connect_four_text,
        "",
    ),
    "ultimate": GameKind(
        "nine small boards on a large one; the cell of a move names the board of the next",
        {
            "tie": one_of("draw|boards", "no line and no move left: a draw, or the player with more boards wins"),
            "closed": one_of("free|stay", "sent to a won board: a free move, or it stays in play while it has room"),
        },
        lambda tie, closed: (ultimate_stay if closed == "stay" else ultimate).initial_state(
            ultimate.TIE_BOARDS if tie == "boards" else ultimate.TIE_DRAW
        ),
        lambda state: inf,
        ultimate_text,
    ),
}

LIBRARIES: dict[str, Callable[[str], ForeignGame]] = {"openspiel": open_spiel.load}
"""Libraries of games, by the word before the colon; each reads the rest."""
OTHERS: dict[str, GameKind] = {}
"""The games from functions that this process has made."""


@dataclass(frozen=True, repr=False)
class Game:
    """A game with its options settled; equal to every other spelling of the same.

    Attributes
    ----------
    spec
        The text that named it.
    kind
        Its family.
    name
        Name of the family, without options.
    initial_state
        The state before the first move, which carries the options.

    Examples
    --------
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
        """Note the type of state, by which games differ too."""
        object.__setattr__(self, "_state_type", type(self.initial_state))

    def __repr__(self) -> str:
        """Return the spelling: Game('connect4:columns=4,rows=4')."""
        return f"Game({self.spec!r})"

    def __reduce__(self) -> tuple[Callable[[str], "Game"], tuple[str]]:
        """Return how a copy in another process is made: from the spelling."""
        return parse_game, (self.spec,)

    @property
    def num_actions(self) -> int:
        """Number of actions A."""
        return api.num_actions(self.initial_state)

    @property
    def state_bound(self) -> float:
        """Upper bound on the number of reachable states, infinity if nobody enumerates the game.

        Examples
        --------
        >>> parse_game("tic-tac-toe").state_bound
        6046.0
        """
        return self.kind.state_bound(self.initial_state)

    @property
    def alternates(self) -> bool:
        """Whether X and O move in turn all through the game, X first."""
        return api.alternates(self.initial_state)

    @property
    def version(self) -> int:
        """Version of the rules: it grows when their behaviour changes."""
        return self.kind.version

    @property
    def file_name(self) -> str:
        """The beginning of the names of files that are kept of it: no other game or version has the same."""
        told = repr((self.name, self.version, tuple(map(int, self.initial_state))))
        return f"{self.name}-{sha256(told.encode()).hexdigest()[:16]}"

    def parse_position(self, text: str) -> GameState:
        """Return the state that a text shows; raise BoardError if it shows none."""
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
            If a move means nothing, is not legal, or comes after the end of the game.

        Examples
        --------
        >>> parse_game("connect4").parse_moves("4453")
        [3, 3, 4, 2]
        """
        return self.follow(text, start)[0]

    def follow(self, text: str, start: GameState | None = None) -> tuple[list[int], GameState]:
        """Return the actions of a line of play and the state to which they lead; errors as `parse_moves`.

        Examples
        --------
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
        >>> game = parse_game("connect4:columns=4,rows=3")
        >>> game.format_position(game.state_after("223"))
        '..../.O../.XX.'
        """
        return self.follow(moves, start)[1]

    def parse_state(self, text: str) -> GameState:
        """Return the state that a text means: a position where most of it are marks, else a line of play.

        What cannot be read in the one way is read in the other: a position of tic-tac-toe may consist of digits.

        Examples
        --------
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
                raise error from None

    def format_moves(self, actions: Iterable[int]) -> str:
        """Return the text of a line of play, the inverse of `parse_moves`.

        Examples
        --------
        >>> parse_game("ultimate").format_moves([40, 36])
        '55 51'
        """
        return self.kind.move_separator.join(self.kind.text.format_action(action) for action in actions)

    def legal_actions(self, state: GameState) -> list[int]:
        """Return the legal actions of a state in ascending order; none if the game is over.

        Examples
        --------
        >>> game = parse_game("tic-tac-toe")
        >>> game.legal_actions(game.parse_position("XO..X...."))
        [2, 3, 5, 6, 7, 8]
        """
        return api.legal_actions(state)


def parse_game(spec: str) -> Game:
    """Return the game that a text names.

    Parameters
    ----------
    spec
        `name` or `name:option=value,option=value`, or a game of a library, `openspiel:GAME`.

    Raises
    ------
    UsageError
        If there is no such game, or an option is unknown or has an impossible value.

    Examples
    --------
    >>> parse_game("connect4:columns=6,rows=7").num_actions
    6
    """
    name, colon, rest = spec.strip().partition(":")
    if name in LIBRARIES:
        kind = _foreign_kind(LIBRARIES[name](rest))
        return Game(spec.strip(), kind, name, kind.initial_state())
    if name not in GAMES and name not in OTHERS:
        known = [*GAMES, *LIBRARIES, *OTHERS]
        raise UsageError(f"unknown game {spec!r}; {suggestion(near_names(name, known), len(known))}")
    kind = GAMES[name] if name in GAMES else OTHERS[name]
    options = parse_options(spec, rest if colon else None, kind.options)
    start = kind.initial_state(**options)
    return Game(spec.strip(), kind.of_states.get(type(start), kind), name, start)


def _foreign_kind(game: ForeignGame) -> GameKind:
    """Return a game of others as a family of one."""
    start, bound = game.initial_state, float(game.num_states)
    return GameKind("a game of others", {}, lambda: start, lambda state: bound, game.text, is_kept=False)


def check_name(name: str) -> None:
    """Raise UsageError unless a new game may have a name."""
    if not (isinstance(name, str) and re.fullmatch(r"\w[\w.-]*", name)):
        raise UsageError(f"expected the name of a game as letters, digits, '_', '-' and '.', got {shown(name)}")
    if name in GAMES or name in LIBRARIES:
        raise UsageError(f"expected the name of a new game, got {name!r}")


def add_game(name: str, kind: GameKind) -> None:
    """Make a game known by its name, in Python and to every command of this process.

    Raises
    ------
    UsageError
        If the name cannot be part of a text, or a game has it already.
    """
    check_name(name)
    GAMES[name] = kind


def add_foreign_game(name: str, game: ForeignGame) -> Game:
    """Make a game of others known by its name in this process, in the place of one that had it; return it."""
    check_name(name)
    OTHERS[name] = _foreign_kind(game)
    return parse_game(name)

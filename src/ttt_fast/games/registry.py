"""The games by name: `tic-tac-toe:rows=4,columns=4`, `connect4:columns=6,rows=7`, `ultimate:tie=boards`."""

import copyreg
import re
from collections.abc import Callable
from functools import lru_cache, reduce
from hashlib import sha256
from math import comb
from pathlib import Path

import numpy as np

from ttt_fast.core import cache, jit
from ttt_fast.core.checks import shown
from ttt_fast.core.errors import UsageError
from ttt_fast.core.external import UNKNOWN
from ttt_fast.core.specs import Option, integer, parse_options, suggestion
from ttt_fast.games import (
    api,
    connect_four,
    connect_four_text,
    defaults,  # noqa: F401  (what games need not say)
    mnk,
    mnk_text,
    open_spiel,
    peers,
    tic_tac_toe,
)
from ttt_fast.games.api import DRAWN_BY, GameState
from ttt_fast.games.custom import CustomGame
from ttt_fast.games.game import N_TUPLES, Game, GameKind
from ttt_fast.games.graph import GraphState, numbers_of
from ttt_fast.games.ultimate.kind import ULTIMATE


def marks_bound(state: tic_tac_toe.TicTacToeState | mnk.MnkState) -> float:
    """Return the number of ways to place equal numbers of X and O, or one more X, on the cells of a board.

    Examples
    --------
    >>> marks_bound(tic_tac_toe.initial_state())  # of which 5,478 are reached
    6046.0
    """
    cells = api.num_actions(state)
    return float(sum(comb(cells, marks) * comb(marks, marks // 2) for marks in range(cells + 1)))


def connect_four_bound(state: connect_four.ConnectFourState) -> float:
    """Return the number of ways to stack stones in the columns, with equal numbers of both players or one more of X.

    Examples
    --------
    >>> connect_four_bound(connect_four.initial_state(columns=4, rows=4))  # of which 161,029 are reached
    201755.0
    """
    heights = [np.ones(state.rows + 1, object)] * state.bottom.bit_count()  # objects: integers of any size
    stacks = reduce(np.convolve, heights)  # the number of ways to place n stones in all in the columns
    return float(sum(ways * comb(stones, stones // 2) for stones, ways in enumerate(stacks)))


_MNK = GameKind(
    "k in a row on m x n cells", {}, mnk.initial_state, marks_bound, mnk_text, board="cells", open_spiel=peers.mnk
)


def _marks_on_a_board(rows: int, columns: int, length: int, misere: str) -> GameState:
    """Return the initial state: of tic-tac-toe's own type for three in a row on three rows of three."""
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
            "misere": Option.one_of("no|yes", "completing a line loses, instead of winning"),
        },
        _marks_on_a_board,
        marks_bound,
        tic_tac_toe,
        "",
        of_states={mnk.MnkState: _MNK},
        board="cells",
        open_spiel=peers.tic_tac_toe,
    ),
    "connect4": GameKind(
        "stones fall into columns; four in a row win",
        {
            "columns": Option("7", "N", integer(1, 32), "columns; columns * (rows + 1) is at most 64"),
            "rows": Option("6", "N", integer(1, 63), "cells of a column"),
            "length": Option("4", "N", integer(2, 63), "stones in a row that win"),
        },
        connect_four.initial_state,
        connect_four_bound,
        connect_four_text,
        "",
        board="columns",
        open_spiel=peers.connect_four,
        features=N_TUPLES,
    ),
    "ultimate": ULTIMATE,
}

LIBRARIES: dict[str, Callable[[str], CustomGame]] = {"openspiel": open_spiel.load}
"""Game libraries by the word before the colon; each parses the rest of the text."""
OTHERS: dict[str, GameKind] = {}
"""The custom games created in this process."""


_OF_PACKAGE = frozenset(GAMES)


@lru_cache(maxsize=64)
def rules_sha256(game: Game) -> str:
    """Return a hash of the rules of a game that is not one of the package, and of what a network sees; else no text.

    Of a custom game, it is that of its graph and features; of compiled rules, that of the files which implement them.
    It is `UNKNOWN` for compiled rules without a file.

    Examples
    --------
    >>> rules_sha256(parse_game("connect4"))
    ''
    """
    start = game.initial_state
    if game.name in _OF_PACKAGE:
        return ""
    if isinstance(start, GraphState):
        return sha256(numbers_of(start).data).hexdigest()
    files = jit.implementing_files(type(start))
    sources = [cache.modules_of(file)[0] for file in files]  # empty for a file of the package
    rules = b"".join([repr((game.version, *map(int, start))).encode(), *sources])
    return sha256(rules).hexdigest() if all(Path(file).is_file() for file in files) else UNKNOWN


def _restored(spec: str, rules: str) -> Game:
    """Return the game of a pickle; raise UsageError unless it has the same rules here."""
    game = parse_game(spec)
    if rules_sha256(game) != rules:
        raise UsageError(f"expected {spec!r} with the rules that a pickled object belongs to, got it with other rules")
    return game


copyreg.pickle(Game, lambda game: (_restored, (game.spec, rules_sha256(game))))  # rebuilt from its spelling


def parse_game(spec: "Game | str", *, libraries: bool = True) -> Game:
    """Return the game given by a text; a game is returned unchanged, and a state table stands for its game.

    Parameters
    ----------
    spec
        `name` or `name:option=value,option=value`, or a game of a library, `openspiel:GAME`.
    libraries
        Whether a game of a library is allowed; loading such a game runs code that is not part of this package.

    Raises
    ------
    UsageError
        If the game does not exist or is not allowed, or an option is unknown or has an invalid value.

    Examples
    --------
    >>> parse_game("connect4:columns=6,rows=7").num_actions
    6
    """
    if isinstance(game := getattr(spec, "game", spec), Game):
        return game
    if not isinstance(spec, str):
        raise UsageError(f"expected a game or its name, got {shown(spec)}")
    name, colon, rest = spec.strip().partition(":")
    if name in LIBRARIES and not libraries:
        raise UsageError(f"expected a game of an external library only on the command line, got {spec!r}")
    if name in LIBRARIES:
        kind = _custom_kind(LIBRARIES[name](rest))
        return Game(spec.strip(), kind, name, kind.initial_state())
    if name not in GAMES and name not in OTHERS:
        known = [*GAMES, *LIBRARIES, *OTHERS]
        raise UsageError(f"unknown game {spec!r}; {suggestion(name, known)}")
    kind = GAMES[name] if name in GAMES else OTHERS[name]
    options = parse_options(spec, rest if colon else None, kind.options)
    start = kind.initial_state(**options)
    return Game(spec.strip(), kind.of_states.get(type(start), kind), name, start)


for _game in map(parse_game, GAMES):
    DRAWN_BY.update(dict.fromkeys((type(_game.initial_state), *GAMES[_game.name].of_states), _game))


def _custom_kind(game: CustomGame) -> GameKind:
    """Return a custom game as a family with a single member."""
    start, bound, peer = game.initial_state, float(game.num_states), game.peer
    return GameKind(
        "a custom game", {}, lambda: start, lambda _: bound, game.text, is_kept=False, open_spiel=lambda _: peer
    )


def check_name(name: str) -> None:
    """Raise UsageError unless a name is allowed for a new game."""
    if not (isinstance(name, str) and re.fullmatch(r"\w[\w.-]*", name)):
        raise UsageError(f"expected the name of a game as letters, digits, '_', '-' and '.', got {shown(name)}")
    if name in GAMES or name in LIBRARIES:
        raise UsageError(f"expected a name that no registered game has yet, got {name!r}")


def add_game(name: str, kind: GameKind) -> None:
    """Register a game under a name, in Python and for all commands of this process.

    Raises
    ------
    UsageError
        If the name contains characters that are not allowed, or is already taken.
    """
    check_name(name)
    GAMES[name] = kind


def add_custom_game(name: str, game: CustomGame) -> Game:
    """Register a custom game under a name in this process, replacing any earlier one of that name; return it."""
    check_name(name)
    OTHERS[name] = _custom_kind(game)
    return parse_game(name)

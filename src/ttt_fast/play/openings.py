"""Openings of single games: none, random plies, a position, or the positions of a file."""

import os
from typing import NamedTuple

import numpy as np

from ttt_fast.core.errors import BoardError, UsageError
from ttt_fast.core.rng import Stream, StreamKey, chunk_stream
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.games.game import Game
from ttt_fast.games.plain_text import numbered_lines
from ttt_fast.tables import find_table

MAX_RANDOM_PLIES = 30
_ATTEMPTS = 1000


class Opening(NamedTuple):
    """The beginning of a game: a first state, as text (empty: the initial state), and the actions played from it."""

    start: str = ""
    actions: tuple[int, ...] = ()

    def text(self, game: Game) -> str:
        """Return the opening as text."""
        return " ".join(filter(None, [self.start, game.format_moves(self.actions)]))


NO_OPENING = Opening()


class Openings(NamedTuple):
    """The openings of single games.

    Attributes
    ----------
    text
        The text: `none`, `random:PLIES`, the path of a file, or a position.
    plies
        Number of random plies.
    path
        A file of positions; it is read when a contest begins.
    first, game
        The opening of all games without random plies, and its game if it is not empty.
    """

    text: str
    plies: int = 0
    path: str | None = None
    first: Opening = NO_OPENING
    game: Game | None = None

    def __repr__(self) -> str:
        """Return the text."""
        return repr(self.text)


def parse_openings(text: Openings | str) -> Openings:
    """Return the openings of a text: `none`, `random:PLIES`, or the path of a file; openings are returned unchanged.

    Examples
    --------
    >>> parse_openings("random:2").plies, parse_openings("lines.txt").path
    (2, 'lines.txt')
    """
    if isinstance(text, Openings):
        return text
    plies = text.removeprefix("random:")
    if plies == text:
        return Openings(text, path=None if text == "none" else text)
    if not (plies.isascii() and plies.isdigit() and 1 <= int(plies) <= MAX_RANDOM_PLIES):
        raise UsageError(f"expected random:1 to random:{MAX_RANDOM_PLIES} as the openings, got {text!r}")
    return Openings(text, int(plies))


def parse_start(position: Openings | str, game: Game) -> Openings:
    """Return a position, as moves or as a board, as the only opening of a game; raise BoardError if the game is over.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> parse_start("40", parse_game("tic-tac-toe")).first
    Opening(start='', actions=(4, 0))
    """
    if isinstance(position, Openings) and position.game == game:
        return position
    text = position if isinstance(position, str) else position.text
    return Openings(text, first=read_opening(text, game, game.parse_ongoing(text)), game=game)


def make_openings(openings: Openings | str, game: Game, pairs: int, seed: int) -> list[Opening]:
    """Return the opening of each pair of games.

    Parameters
    ----------
    openings
        Openings, or a text for `parse_openings`.  Random openings are uniformly random moves that do not end the game,
        drawn separately for each pair.  A file has a position in each line, as `Game.parse_state` reads it; `#` begins
        a comment.  If the moves of the game are written without separators, a position has no spaces.  The pairs use
        its lines in turn.
    game
        The game to play.
    pairs
        Number of pairs.
    seed
        Seed of the random plies.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> make_openings("random:2", parse_game("connect4"), 3, seed=0) == make_openings(
    ...     "random:2", parse_game("connect4"), 3, seed=0
    ... )
    True
    """
    text, plies, path, first, _ = parse_openings(openings)
    if path is None:
        return [_random_opening(game, plies, seed, pair) if plies else first for pair in range(pairs)]
    if not os.path.isfile(path):
        raise UsageError(f"expected none, random:PLIES or a file as the openings, got {text!r}")
    lines = _read(path, game)
    return [lines[pair % len(lines)] for pair in range(pairs)]


def _read(path: str, game: Game) -> list[Opening]:
    """Return the openings of a file."""
    found = []
    for number, text in numbered_lines(path):
        try:
            if not game.kind.move_separator and any(map(str.isspace, text.rstrip())):
                raise BoardError(f"expected a position without spaces and without a score, got {text!r}")
            found.append(read_opening(text, game, game.parse_ongoing(text)))
        except BoardError as error:
            raise BoardError(f"{path!r}, line {number}: {error}") from None
    return found


def read_opening(text: str, game: Game, state: GameState) -> Opening:
    """Return the opening of a text that `Game.parse_state` reads as a state: its moves, or its board.

    Raises
    ------
    BoardError
        If no sequence of legal moves leads to the board.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> game = parse_game("tic-tac-toe")
    >>> [read_opening(text, game, game.parse_state(text)) for text in ("40", "O...X....")]
    [Opening(start='', actions=(4, 0)), Opening(start='O...X....', actions=())]
    """
    try:
        actions, reached = game.follow(text)
    except BoardError:
        reached = ()
    if reached == state:
        return Opening(actions=tuple(actions))
    start, table = game.format_position(state), find_table(game)
    if table is not None:
        table.state_index(state)  # which raises the error
    return Opening(start)


def after(game: Game, opening: Opening) -> GameState:
    """Return the state after an opening whose actions are known to be legal."""
    state = game.parse_position(opening.start) if opening.start else game.initial_state
    for action in opening.actions:
        state = api.play(state, action)
    return state


def _random_opening(game: Game, plies: int, seed: int, pair: int) -> Opening:
    words = Stream(chunk_stream(seed, StreamKey.OPENINGS, pair))
    for _ in range(_ATTEMPTS):
        state, actions = game.initial_state, list[int]()
        while len(actions) < plies and api.status(state) == api.ONGOING:
            actions.append(int(api.random_action(state, np.uint64(words.word()))))
            state = api.play(state, actions[-1])
        if api.status(state) == api.ONGOING and len(actions) == plies:
            return Opening(actions=tuple(actions))
    raise UsageError(f"expected fewer random plies: {plies} of them nearly always end a game of {game.spec}")

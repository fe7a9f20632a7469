"""Parsing of requests: the game, the moves so far and the agent are checked before use."""

from typing import Annotated

import msgspec
from msgspec import Meta

from ttt_fast import BoardError, Game, UsageError, parse_game
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.core.errors import printable
from ttt_fast.games import api

MAX_GAMES = 32
"""Maximum number of games of one server: each may have a table in memory."""
_MAX_SEED = 2**53 - 1  # the largest integer that a browser represents exactly
_MAX_MOVES = 512


class PositionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request about a position.

    Attributes
    ----------
    game
        The text of a game.
    start
        The text of a position; empty for the initial state.
    moves
        The actions after this position.
    agent
        An agent string.
    seed
        Seed of the agent's choices.
    since
        The number of moves before the first requested state.
    """

    game: Annotated[str, Meta(max_length=100)]
    start: Annotated[str, Meta(max_length=200)] = ""
    moves: Annotated[tuple[Annotated[int, Meta(ge=0, le=0xFFFF)], ...], Meta(max_length=_MAX_MOVES)] = ()
    agent: Annotated[str, Meta(max_length=1_000)] = ""
    seed: Annotated[int, Meta(ge=0, le=_MAX_SEED)] = 0
    since: Annotated[int, Meta(ge=0, le=_MAX_MOVES)] = 0


_DECODER = msgspec.json.Decoder(PositionRequest)


def read_request(body: bytes) -> PositionRequest:
    """Parse a request from a JSON body.

    Raises
    ------
    UsageError
        If the body is not a JSON object of these fields, or a value has a wrong type or is too large.

    Examples
    --------
    >>> read_request(b'{"game": "connect4", "moves": [3, 3]}').moves
    (3, 3)
    >>> read_request(b'{"game": 4}')
    Traceback (most recent call last):
    ttt_fast.core.errors.UsageError: expected a position as a JSON object; Expected `str`, got `int` - at `$.game`
    """
    try:
        return _DECODER.decode(body)
    except (ValueError, RecursionError) as error:  # text that is not UTF-8 is a ValueError as well
        raise UsageError(f"expected a position as a JSON object; {printable(str(error))}") from None


class GameCache:
    """The games requested from a server so far, at most `MAX_GAMES`.

    Parameters
    ----------
    first
        The initial game of the server, which may come from another library.
    """

    def __init__(self, first: Game) -> None:
        self._games = {first.spec: first}

    def game(self, spec: str) -> Game:
        """Return the game of a text.

        Raises
        ------
        UsageError
            If the game does not exist or comes from another library, or too many games were requested.

        Examples
        --------
        >>> games = GameCache(parse_game("connect4"))
        >>> games.game("ultimate").name
        'ultimate'
        >>> games.game("openspiel:chess")
        Traceback (most recent call last):
        ttt_fast.core.errors.UsageError: expected a game of an external library only on ..., got 'openspiel:chess'
        """
        found = self._games.get(spec)
        if found is not None:
            return found
        game = parse_game(spec, libraries=False)
        if len(self._games) >= MAX_GAMES:
            raise UsageError(
                f"expected at most {MAX_GAMES} games per server, got {spec!r} in addition; start another server"
            )
        return self._games.setdefault(spec, game)


def states_of(game: Game, request: PositionRequest) -> list[api.GameState]:
    """Return the states of a line of play: the initial state, and the state after each move.

    Raises
    ------
    BoardError
        If the first text is not a position, or an unreachable one, or a move is illegal.

    Examples
    --------
    >>> game = parse_game("tic-tac-toe")
    >>> [game.format_position(one) for one in states_of(game, PositionRequest("tic-tac-toe", moves=(4, 0)))]
    ['.........', '....X....', 'O...X....']
    """
    if request.start.startswith("#"):  # a key may not belong to any state
        raise BoardError(f"expected the marks of all cells as the text of a position, got {request.start!r}")
    states = [game.parse_position(request.start) if request.start else game.initial_state]
    if request.start:
        ExactAnalysis(game).check(states[0])
    for number, action in enumerate(request.moves, 1):
        state = states[-1]
        if api.status(state) != api.ONGOING:
            raise BoardError(f"expected no move after the end of the game, got {action!r} as move {number}")
        if action >= game.num_actions or not api.is_legal(state, action):
            raise BoardError(f"expected a legal action, got {action!r} as move {number}")
        states.append(api.play(state, action))
    return states


def ongoing_state(game: Game, request: PositionRequest) -> api.GameState:
    """Return the last state of a line of play; raise BoardError if the game is over."""
    state = states_of(game, request)[-1]
    if api.status(state) != api.ONGOING:
        raise BoardError(f"expected a position in which the game is not over, got {game.format_position(state)!r}")
    return state

"""Parsing of requests: the game, the moves so far and the agent are checked before use."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ttt_fast import BoardError, Game, UsageError, parse_game
from ttt_fast.analysis.moves import ExactAnalysis
from ttt_fast.core.checks import shown
from ttt_fast.games import api

MAX_GAMES = 32
"""Maximum number of games of one server: each may have a table in memory."""
_LONGEST = {"game": 100, "start": 200, "agent": 1_000}
_LARGEST_SEED = 2**53 - 1  # the largest integer that a browser represents exactly
_MOST_MOVES = 512


@dataclass(frozen=True)
class Asked:
    """A request.

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

    game: str
    start: str = ""
    moves: tuple[int, ...] = ()
    agent: str = ""
    seed: int = 0
    since: int = 0


def read_request(body: bytes) -> Asked:
    """Parse a request from a JSON body.

    Raises
    ------
    UsageError
        If the body is not a JSON object of these fields, or a value has a wrong type or is too large.

    Examples
    --------
    >>> read_request(b'{"game": "connect4", "moves": [3, 3]}').moves
    (3, 3)
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise UsageError(f"expected a JSON object, got {shown(body[:80])}") from None
    if not isinstance(found, dict) or "game" not in found:
        raise UsageError(f"expected a JSON object with a game, got {shown(found)}")
    unknown = sorted(set(found) - set(Asked.__dataclass_fields__))
    if unknown:
        raise UsageError(f"expected {', '.join(Asked.__dataclass_fields__)} in a request, got {shown(unknown[0])}")
    moves = found.get("moves", [])
    if not isinstance(moves, list) or len(moves) > _MOST_MOVES:
        raise UsageError(f"expected moves as a list of at most {_MOST_MOVES} actions, got {shown(moves)}")
    texts = {name: _text(found, name) for name in _LONGEST}
    return Asked(
        **texts,
        moves=tuple(_number(action, "an action", 0xFFFF) for action in moves),
        seed=_number(found.get("seed", 0), "a seed", _LARGEST_SEED),
        since=_number(found.get("since", 0), "a number of moves", _MOST_MOVES),
    )


def _text(found: Mapping[str, Any], name: str) -> str:
    text = found.get(name, "")
    if not isinstance(text, str) or len(text) > _LONGEST[name]:
        raise UsageError(f"expected {name} as a text of at most {_LONGEST[name]} characters, got {shown(text)}")
    return text


def _number(value: object, noun: str, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise UsageError(f"expected {noun} from 0 to {most}, got {shown(value)}")
    return value


class KnownGames:
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
        >>> games = KnownGames(parse_game("connect4"))
        >>> games.game("ultimate").name
        'ultimate'
        >>> games.game("openspiel:chess")
        Traceback (most recent call last):
        ttt_fast.core.errors.UsageError: expected a game of a library on the command line alone, got 'openspiel:chess'
        """
        found = self._games.get(spec)
        if found is not None:
            return found
        game = parse_game(spec, libraries=False)
        if len(self._games) >= MAX_GAMES:
            raise UsageError(f"expected at most {MAX_GAMES} games of one server, got {spec!r}, too: start another one")
        return self._games.setdefault(spec, game)


def states_of(game: Game, asked: Asked) -> list[api.GameState]:
    """Return the states of a line of play: the initial state, and the state after each move.

    Raises
    ------
    BoardError
        If the first text is not a position, or an unreachable one, or a move is illegal.

    Examples
    --------
    >>> game = parse_game("tic-tac-toe")
    >>> [game.format_position(one) for one in states_of(game, Asked("tic-tac-toe", moves=(4, 0)))]
    ['.........', '....X....', 'O...X....']
    """
    if asked.start.startswith("#"):  # a key may not belong to any state
        raise BoardError(f"expected the cells of a position, got {asked.start!r}")
    states = [game.parse_position(asked.start) if asked.start else game.initial_state]
    if asked.start:
        ExactAnalysis(game).check(states[0])
    for number, action in enumerate(asked.moves, 1):
        state = states[-1]
        if api.status(state) != api.ONGOING:
            raise BoardError(f"expected no move after the end of the game, got {action!r} as move {number}")
        if action >= game.num_actions or not api.is_legal(state, action):
            raise BoardError(f"expected a legal action, got {action!r} as move {number}")
        states.append(api.play(state, action))
    return states

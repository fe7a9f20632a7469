"""Openings of single games: none, random plies, or lines of play from a file."""

import os
from collections.abc import Sequence

import numpy as np

from ttt_fast.core.archive import read_bytes
from ttt_fast.core.errors import BoardError, UsageError
from ttt_fast.core.rng import Stream, StreamKey, chunk_stream
from ttt_fast.games import api
from ttt_fast.games.game import Game

MAX_RANDOM_PLIES = 30
_ATTEMPTS = 1000


def make_openings(spec: str, game: Game, pairs: int, seed: int) -> list[list[int]]:
    """Return the opening actions of each pair of games.

    Parameters
    ----------
    spec
        `none`, `random:PLIES`, or the path of a file.  Random openings are uniformly random moves that do not end the
        game, drawn separately for each pair.  A file has one line of play per line, in the notation of the game; `#`
        begins a comment.  The pairs use its lines in turn.
    game
        The game to play.
    pairs
        Number of pairs.
    seed
        Seed of the random plies.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> make_openings("random:2", parse_game("connect4"), 3, seed=0) == make_openings(
    ...     "random:2", parse_game("connect4"), 3, seed=0
    ... )
    True
    """
    if spec == "none":
        return [[] for _ in range(pairs)]
    if not is_file(spec):
        text = spec.partition(":")[2]
        if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_RANDOM_PLIES):
            raise UsageError(f"expected random:1 to random:{MAX_RANDOM_PLIES} as the openings, got {spec!r}")
        return [_random_opening(game, int(text), seed, pair) for pair in range(pairs)]
    if not os.path.isfile(spec):
        raise UsageError(f"expected none, random:PLIES or a file as the openings, got {spec!r}")
    lines = _read(spec, game)
    return [lines[pair % len(lines)] for pair in range(pairs)]


def is_file(spec: str) -> bool:
    """Return whether the text of openings is the path of a file, by its spelling."""
    return spec != "none" and not spec.startswith("random:")


def _read(path: str, game: Game) -> list[list[int]]:
    """Return the lines of play of a file."""
    try:
        lines = read_bytes(path).decode().splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{path!r}: expected lines of play as UTF-8 text, got other bytes") from None
    found: list[list[int]] = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            actions = game.parse_moves(text)
        except BoardError as error:
            raise BoardError(f"{path!r}, line {number}: {error}") from None
        if api.status(after(game, actions)) != api.ONGOING:
            raise BoardError(f"{path!r}, line {number}: expected moves after which the game is not over, got {text!r}")
        found.append(actions)
    if not found:
        raise UsageError(f"{path!r}: expected at least one line of play, got none")
    return found


def after(game: Game, actions: Sequence[int]) -> tuple[int, ...]:
    """Return the state after actions that are known to be legal."""
    state = game.initial_state
    for action in actions:
        state = api.play(state, action)
    return state


def _random_opening(game: Game, plies: int, seed: int, pair: int) -> list[int]:
    words = Stream(chunk_stream(seed, StreamKey.OPENINGS, pair))
    for _ in range(_ATTEMPTS):
        state, actions = game.initial_state, list[int]()
        while len(actions) < plies and api.status(state) == api.ONGOING:
            actions.append(int(api.random_action(state, np.uint64(words.word()))))
            state = api.play(state, actions[-1])
        if api.status(state) == api.ONGOING and len(actions) == plies:
            return actions
    raise UsageError(f"expected fewer random plies: {plies} of them nearly always end a game of {game.spec}")

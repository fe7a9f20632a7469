"""Many games of uniformly random moves from a state of any game, counted."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import UsageError
from ttt_fast.core.jit import kernel
from ttt_fast.core.manifest import available_cores
from ttt_fast.core.rng import StreamKey, chunk_stream, next_word
from ttt_fast.games import api
from ttt_fast.games.api import GameState
from ttt_fast.running.executors import run_chunks
from ttt_fast.search.rollouts import random_playout

_CHUNK_GAMES = 1 << 14


class RandomGames(NamedTuple):
    """Counts of the results, and the total number of plies."""

    x_wins: int
    draws: int
    o_wins: int
    plies: int


@kernel
def _finish(state: api.State, stream: np.uint64, counts: NDArray[np.int64]) -> None:
    """Play one game to the end and count it."""
    result, plies, _ = random_playout(state, stream)
    counts[result] += 1
    counts[0] += plies


@kernel
def _play_out_plainly(state: api.State, stream: np.uint64, games: int, counts: NDArray[np.int64]) -> None:
    """Add the results of playouts to `counts` (4,) int64: by status 1 to 3, and their plies at 0.

    The stream of game g is the (g + 1)-th number of `stream`.
    """
    for _ in range(games):
        stream, game_stream = next_word(stream)
        _finish(state, game_stream, counts)


@kernel
def _play_out(state: api.State, stream: np.uint64, games: int, counts: NDArray[np.int64]) -> None:
    """Do the same as `_play_out_plainly`, with three games interleaved.

    The moves of one game depend on each other; those of three games do not.
    """
    begun = 0
    if games >= 3 and api.status(state) == api.ONGOING:
        first = second = third = state
        stream, first_stream = next_word(stream)
        stream, second_stream = next_word(stream)
        stream, third_stream = next_word(stream)
        begun, plies = 3, 0
        while begun + 3 <= games:
            first_stream, first_word = next_word(first_stream)
            second_stream, second_word = next_word(second_stream)
            third_stream, third_word = next_word(third_stream)
            first = api.play_random(first, first_word)
            second = api.play_random(second, second_word)
            third = api.play_random(third, third_word)
            plies += 3
            result = api.status(first)
            if result != api.ONGOING:
                counts[result] += 1
                stream, first_stream = next_word(stream)
                first, begun = state, begun + 1
            result = api.status(second)
            if result != api.ONGOING:
                counts[result] += 1
                stream, second_stream = next_word(stream)
                second, begun = state, begun + 1
            result = api.status(third)
            if result != api.ONGOING:
                counts[result] += 1
                stream, third_stream = next_word(stream)
                third, begun = state, begun + 1
        counts[0] += plies
        _finish(first, first_stream, counts)
        _finish(second, second_stream, counts)
        _finish(third, third_stream, counts)
    _play_out_plainly(state, stream, games - begun, counts)


def play_random_games(
    state: GameState,
    games: int,
    seed: int = 0,
    threads: int | None = None,
) -> RandomGames:
    """Play games of uniformly random moves from a state and count their results.

    Parameters
    ----------
    state
        Start of the games: a state of any game.
    games
        Number of games, 0 or more.
    seed
        Seed of all randomness.
    threads
        Threads that share the work (default: all cores); never changes a count.

    Raises
    ------
    UsageError
        If the number of games is negative.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> result = play_random_games(parse_game("connect4").initial_state, 100_000)
    >>> sum(result[:3]), round(result.x_wins / 100_000, 1), round(result.plies / 100_000, 1)
    (100000, 0.6, 21.3)
    """
    if games < 0:
        raise UsageError(f"expected a number of games of at least 0, got {games!r}")
    total = np.zeros(4, np.int64)
    chunks = -(-games // _CHUNK_GAMES)

    def play(chunk: int) -> NDArray[np.int64]:
        counts = np.zeros(4, np.int64)
        share = min(_CHUNK_GAMES, games - chunk * _CHUNK_GAMES)
        _play_out(state, chunk_stream(seed, StreamKey.RANDOM_PLAY, chunk), share, counts)
        return counts

    for counts in run_chunks(play, 0, chunks, threads or available_cores()):
        total += counts
    plies, x_wins, o_wins, draws = (int(count) for count in total)
    return RandomGames(x_wins, draws, o_wins, plies)

"""Games of uniformly random moves from a state of any game: rollouts, as searches call them."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast._jit import kernel
from ttt_fast._manifest import available_cores
from ttt_fast._rng import GOLDEN_GAMMA, chunk_stream, mix64
from ttt_fast.errors import UsageError
from ttt_fast.games import api
from ttt_fast.games.registry import GameState
from ttt_fast.matchup.chunks import run_chunks

_GAMMA = np.uint64(GOLDEN_GAMMA)
_CHUNK_GAMES = 1 << 14
_STREAM_KEY = 0x726F6C6C  # keeps these streams apart from those of matches and of learning


class RandomGames(NamedTuple):
    """Counts of results, and of plies over all games."""

    x_wins: int
    draws: int
    o_wins: int
    plies: int


@kernel
def random_playout(state: api.State, stream: np.uint64) -> tuple[int, int, np.uint64]:
    """Play uniformly random moves to the end; return the status, the plies played, and the stream after them."""
    plies = 0
    result = api.status(state)
    while result == api.ONGOING:
        stream += _GAMMA
        state = api.play(state, api.random_action(state, mix64(stream)))
        result = api.status(state)
        plies += 1
    return result, plies, stream


@kernel
def _play_out(state: api.State, stream: np.uint64, games: int, counts: NDArray[np.int64]) -> None:
    """Add the results of playouts to `counts` (4,) int64: by status 1 to 3, and their plies at 0."""
    for _ in range(games):
        result, plies, stream = random_playout(state, stream)
        counts[result] += 1
        counts[0] += plies


def play_random_games(
    state: GameState,
    games: int,
    seed: int = 0,
    threads: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> RandomGames:
    """Play games of uniformly random moves from a state and count their results.

    Parameters
    ----------
    state
        Where the games begin: a state of any game.
    games
        How many, 0 or more.
    seed
        Seed of all randomness.
    threads
        Threads that share the work, all cores unless told; never changes a count.
    on_progress
        Called with the number of games played.

    Raises
    ------
    UsageError
        If the number of games is negative.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> result = play_random_games(parse_game("connect4").initial_state, 100_000)
    >>> sum(result[:3]), round(result.x_wins / 100_000, 2), round(result.plies / 100_000, 1)
    (100000, 0.56, 21.3)
    """
    if games < 0:
        raise UsageError(f"expected a number of games of at least 0, got {games!r}")
    total = np.zeros(4, np.int64)
    chunks = -(-games // _CHUNK_GAMES)
    work = partial(_play_chunk, state, games, seed)
    for counts in run_chunks(work, 0, chunks, threads or available_cores()):
        total += counts
        if on_progress is not None:
            on_progress(int(total[1:].sum()))
    plies, x_wins, o_wins, draws = (int(count) for count in total)
    return RandomGames(x_wins, draws, o_wins, plies)


def _play_chunk(state: GameState, games: int, seed: int, chunk: int) -> NDArray[np.int64]:
    """Return the counts of one chunk of the games."""
    counts = np.zeros(4, np.int64)
    share = min(_CHUNK_GAMES, games - chunk * _CHUNK_GAMES)
    _play_out(state, chunk_stream(seed, _STREAM_KEY, chunk), share, counts)
    return counts

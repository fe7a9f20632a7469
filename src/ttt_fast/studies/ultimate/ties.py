"""What the published minimax agents do without games: their ties at single positions, and play without randomness."""

from typing import Any, Final

import numpy as np

from ttt_fast.core.rng import Stream, chunk_stream
from ttt_fast.games import api
from ttt_fast.play.pairs import play_game
from ttt_fast.search.alphabeta.player import published_options
from ttt_fast.search.alphabeta.searcher import AlphaBeta, SearchOptions
from ttt_fast.studies.page import Row, Rows
from ttt_fast.studies.ultimate.players import GAME, Agent

STEPS: Final = (1, 3, 5)
_STREAM_KEY: Final = 0x717E5
_MOST_PLIES: Final = 50


def random_positions(count: int) -> list[Any]:
    """Return ongoing positions after 0 to 50 uniformly random moves, one a random game.

    Examples
    --------
    >>> positions = random_positions(3)
    >>> [api.status(state) for state in positions]
    [0, 0, 0]
    """
    positions: list[Any] = []
    number = 0
    while len(positions) < count:
        words = Stream(chunk_stream(0, _STREAM_KEY, number))
        number += 1
        state: Any = GAME.initial_state
        for _ in range(int(words.word()) % (_MOST_PLIES + 1)):
            if api.status(state) != api.ONGOING:
                break
            state = api.play(state, int(api.random_action(state, words.word())))
        if api.status(state) == api.ONGOING:
            positions.append(state)
    return positions


def tie_rows(positions: int) -> Rows:
    """Return, for every published minimax agent, how often it may play a move that its own values call worse."""
    states = random_positions(positions)
    rows: Rows = []
    for steps in STEPS:
        published = AlphaBeta(GAME.initial_state, published_options(steps, "complex"))
        exact = AlphaBeta(GAME.initial_state, SearchOptions(steps, "complex", rule="published"))
        rows.append({"agent": f"minimax-{steps}", **_compared(published, exact, states)})
    return rows


def _compared(published: AlphaBeta, exact: AlphaBeta, states: list[Any]) -> Row:
    """Return how often a worse move is among the ties, and the chance that one is played, over the positions."""
    found, chance = 0, 0.0
    for state in states:
        taken = np.array(published.best_actions(state))
        worse = ~np.isin(taken, exact.best_actions(state))
        found += bool(worse.any())
        chance += float(worse.mean())
    return {
        "positions": len(states), "with a worse move among the ties": found / len(states),
        "chance of a worse move": chance / len(states),
    }  # fmt: skip


def without_randomness() -> Rows:
    """Return the one game of each pair of minimax agents that take the first of their best moves.

    Of equal moves the first listed is played, as the published agents do without randomness: a later one must be
    better, and a bound that only equals the best is not.
    """
    rows = []
    for first in STEPS:
        for second in STEPS:
            x, o = (
                Agent(f"alphabeta:depth={steps},eval=complex,rule=published,tie=first,order=no").make()
                for steps in (first, second)
            )
            game = play_game(GAME, x, o, [])
            rows.append({
                "first": f"minimax-{first}", "second": f"minimax-{second}",
                "winner": {"x": "first", "o": "second", "draw": "nobody"}[game.result], "plies": game.plies,
                "moves": game.moves,
            })  # fmt: skip
    return rows

"""The minimax agents of this study at random positions: their ties, openings and missed wins."""

from functools import lru_cache
from typing import Any, Final

import numpy as np

from ttt_fast import as_player, parse_game
from ttt_fast.evaluators import AlphaBeta, SearchOptions
from ttt_fast.games import api
from ttt_fast.kernels import chunk_stream, next_word
from ttt_fast.studies.engine.games import StudyKey
from ttt_fast.studies.ultimate.matches import player_of

GAME: Final = parse_game("ultimate")
_MOST_PLIES: Final = 50


@lru_cache(maxsize=4)
def random_positions(count: int, plies: int | None = None) -> list[Any]:
    """Return ongoing positions of random games, one per game, after `plies` plies (default: 0 to 50, drawn).

    Examples
    --------
    >>> positions = random_positions(3)
    >>> [api.status(state) for state in positions]
    [0, 0, 0]
    """
    positions: list[Any] = []
    random, number = as_player("random", GAME), 0
    while len(positions) < count:
        # The first word of the stream gives the number of plies; the later words draw the moves.
        stream, word = next_word(chunk_stream(0, StudyKey.ULTIMATE_POSITIONS, number))
        state = GAME.initial_state
        random.begin(np.uint64(stream))
        for _ in range(int(word) % (_MOST_PLIES + 1) if plies is None else plies):
            if api.status(state) == api.ONGOING:
                state = api.play(state, random.search(state).action)
        positions += [state] if api.status(state) == api.ONGOING else []
        number += 1
    return positions


def worse_ties(steps: int, count: int) -> dict[str, Any]:
    """Return, for each position, the share of a published agent's ties that are worse by its own values."""
    published = AlphaBeta(
        GAME.initial_state, SearchOptions(steps, "complex", tie="published", rule="published", order=False)
    )
    exact = AlphaBeta(GAME.initial_state, SearchOptions(steps, "complex", rule="published"))
    shares = []
    for state in random_positions(count):
        taken = np.array(published.best_actions(state))
        shares.append(float((~np.isin(taken, exact.best_actions(state))).mean()))
    return {"worse": shares}


def pruned(steps: int, evaluation: str, count: int) -> dict[str, Any]:
    """Return the nodes of a search at each position, with and without pruning, and whether the values agree."""
    searches = [
        AlphaBeta(GAME.initial_state, SearchOptions(steps, evaluation, rule="published", prune=one, order=False))
        for one in (True, False)
    ]
    found = [[one.search(state) for one in searches] for state in random_positions(count)]
    return {"nodes": [[one.nodes for one in pair] for pair in found], "same": [a.value == b.value for a, b in found]}


def opening(steps: int, evaluation: str, plies: int, count: int) -> dict[str, Any]:
    """Return the share of the legal moves that a search considers equally good, at positions after some plies."""
    search = AlphaBeta(GAME.initial_state, SearchOptions(steps, evaluation, rule="published"))
    states = random_positions(count, plies)
    return {"equal": [len(set(search.best_actions(state))) / len(api.legal_actions(state)) for state in states]}


STEPS: Final = 5


def legal_counts(agent: str, games: int) -> dict[str, Any]:
    """Return the number of legal moves at each position of an agent's games against itself: a piece of work."""
    player, counts = player_of(agent, GAME), []
    for number in range(games):
        player.begin(chunk_stream(0, StudyKey.ULTIMATE_MOVES, number))
        state: Any = GAME.initial_state
        while api.status(state) == api.ONGOING:
            counts.append(len(api.legal_actions(state)))
            state = api.play(state, player.search(state).action)
    return {"counts": counts}


def missed(plies: int, deeper: int, count: int) -> dict[str, Any]:
    """Return how far wins within `deeper` plies, but not within STEPS, are missed: a piece of work.

    There is a value for each position with such a win: the share of the best moves after which a search of `deeper`
    plies no longer finds a win.  The best moves are those of the search with the complex reward, as printed: one ply
    per step, and true ties.
    """
    near, far = (AlphaBeta(GAME.initial_state, SearchOptions(depth)) for depth in (STEPS, deeper))
    chooser = AlphaBeta(GAME.initial_state, SearchOptions(STEPS, "complex"))
    shares = []
    for state in random_positions(count, plies):
        if far.search(state).value <= 0 or near.search(state).value > 0:
            continue
        values, chosen = far.action_values(state), chooser.best_actions(state)
        shares.append(sum(values[action] <= 0 for action in chosen) / len(chosen))
    return {"shares": shares}

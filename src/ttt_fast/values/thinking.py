"""Kernels of players that go by hashed values: the greedy action of a state, with the learner's rule for ties."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import kernel
from ttt_fast.games import api as games
from ttt_fast.values.api import fill_scores, find_row, mark_of, value_at
from ttt_fast.values.choice import best_place, ordered
from ttt_fast.values.hashed import Rows

_0, _24 = np.uint64(0), np.uint64(24)


@kernel
def think_by_action(
    state: games.State,
    rows: Rows,
    tie: int,
    actions: NDArray[np.uint8],
    scores: NDArray[np.float64],
    word: np.uint64,
) -> tuple[int, float, int]:
    """Return the greedy action of an ongoing state, its value, and the number of legal actions.

    `actions` (A,) uint8 and `scores` (A,) float64 are work arrays; ties may be drawn with the random `word`.
    """
    count = games.fill_legal_actions(state, actions)
    best = fill_scores(rows, find_row(rows, mark_of(rows, state)), actions, count, tie, scores)
    return ordered(actions, count, best_place(scores, count, tie, word >> _24), tie), best, count


@kernel
def think_by_board(
    state: games.State,
    rows: Rows,
    tie: int,
    actions: NDArray[np.uint8],
    scores: NDArray[np.float64],
    word: np.uint64,
) -> tuple[int, float, int]:
    """Do the same by the values of the boards after each action."""
    count, only = games.fill_legal_actions(state, actions), as_int(_0)
    for place in range(count):
        mark = mark_of(rows, games.play(state, ordered(actions, count, place, tie)))
        scores[place] = value_at(rows, find_row(rows, mark), only, only)
    place = best_place(scores, count, tie, word >> _24)
    return ordered(actions, count, place, tie), scores[place], count

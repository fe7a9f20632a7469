"""The greedy choice of learners and players, with its rule for equally good actions."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.games import api as games
from ttt_fast.values.api import ValueRows, fill_scores, find_row, row_key, value_at

TIES = {"first": 0, "last": 1, "random": 2}
"""Codes of the tie rules."""
LAST, RANDOM = TIES["last"], TIES["random"]

_0, _24, _40 = np.uint64(0), np.uint64(24), np.uint64(40)


@inlined_kernel
def ordered(actions: NDArray[np.uint8], count: int, place: int, tie: int) -> int:
    """Return the action at a place in tie order: ascending, or descending for `last`."""
    return int(actions[count - 1 - place if tie == LAST else place])


@inlined_kernel
def drawn_place(x: np.uint64, count: int) -> int:
    """Return a place from 0 to `count` - 1 by the 40-bit fraction `x`."""
    return np.int64((x * np.uint64(count)) >> _40)  # type: ignore[return-value]


@kernel
def best_place(scores: NDArray[np.float64], count: int, tie: int, x: np.uint64) -> int:
    """Return the place of the highest of the first `count` scores; ties go to the first, or to one drawn by `x`."""
    best = -np.inf
    chosen = 0
    equal = 0
    for place in range(count):
        if scores[place] > best:
            best = scores[place]
            chosen = place
            equal = 1
        elif scores[place] == best:
            equal += 1
    if tie == RANDOM and equal > 1:
        skip = drawn_place(x, equal)
        for place in range(count):
            if scores[place] == best:
                if skip == 0:
                    return place
                skip -= 1
    return chosen


@kernel
def choose_greedy(
    state: games.State,
    rows: ValueRows,
    by_board: bool,
    tie: int,
    actions: NDArray[np.uint8],
    scores: NDArray[np.float64],
    word: np.uint64,
) -> tuple[int, float, int]:
    """Return the greedy action of an ongoing state, its value, and the number of legal actions.

    Parameters
    ----------
    state
        A state of any game.
    rows
        The values (`values.api`).
    by_board
        Whether the value of an action is that of the board after it.
    tie
        A code of TIES.
    actions : (A,) uint8, scores : (A,) float64
        Work arrays.
    word
        64 random bits, which choose between equal values if the tie rule is `random`.
    """
    count, only = games.fill_legal_actions(state, actions), as_int(_0)
    if by_board:
        for place in range(count):
            key = row_key(rows, games.play(state, ordered(actions, count, place, tie)))
            scores[place] = value_at(rows, find_row(rows, key), only, only)
    else:
        fill_scores(rows, find_row(rows, row_key(rows, state)), actions, count, tie, scores)
    place = best_place(scores, count, tie, word >> _24)
    return ordered(actions, count, place, tie), scores[place], count

"""N-tuple tables of Connect 4 for kernels: the weights of a board, updated incrementally with each stone.

Letters: T tuples of N cells, I = 2 * T images (each tuple and its mirror image, which share a table), K tables of a
tuple, D entries of cells, L levels.  K is 2 with a table for each player to move, and 1 with a single table.

A cell has one of four values, from the view of one of the players: 0 empty and out of reach, 1 empty and next in its
column, 2 own, 3 the other player's.  These values are the base-4 digits of the place of a weight in the table of a
tuple.  The value of a board is the squashed sum of its I weights.

Weights are integers (int32, in units of 2**-28), so that a sum is exact in any order and can be updated incrementally.
A stone changes its own cell and the one above, and only a third of the images contain either.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, lowest_bit_index, popcount
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.values.choice import best_place, ordered

UNIT: Final = 2.0**-28
"""The unit of weights, which range from -8 to 8."""
SATURATION: Final = 3.0
"""The sum at which a board reaches the value of a win."""


TIE_BREAK: Final = 2.0**-30
"""Weight of the sum itself in a value over a table of states."""


class NTupleTables(NamedTuple):
    """The weights of tuples, and their geometry.

    Attributes
    ----------
    weights : (K * T * 4**N,) int32
        Table by table, in units of UNIT.
    start : (I,) int32
        The place of the weight of each image, on the empty board.
    first : (C + 1,) int32
        Offsets of the entries of each cell, where a cell is its bit in a state.
    images : (D,) int32
        The images that contain a cell or the one above it.
    steps : (2 * D,) int32
        The changes that a stone makes to the places of those images: D for an own stone, then D for the other player's.
    turn : int
        Offset from the table of one player to move to that of the other; 0 if they share it.
    """

    weights: NDArray[np.int32]
    start: NDArray[np.int32]
    first: NDArray[np.int32]
    images: NDArray[np.int32]
    steps: NDArray[np.int32]
    turn: int


class Sums(NamedTuple):
    """The weights of boards at successive levels of a game or search, in the views of X and of O to move.

    Attributes
    ----------
    places : (L * 2 * I,) int32
        The place of the weight of each image.
    weights : (L * 2 * I,) int32
        The weights there.
    totals : (L * 2,) int64
        Their sums.
    """

    places: NDArray[np.int32]
    weights: NDArray[np.int32]
    totals: NDArray[np.int64]


def make_sums(tables: NTupleTables, levels: int) -> Sums:
    """Return work arrays for a number of levels."""
    size = levels * 2 * tables.start.size
    return Sums(np.zeros(size, np.int32), np.zeros(size, np.int32), np.zeros(2 * levels, np.int64))


@inlined_kernel
def squash(x: float) -> float:
    """Return the value of a sum of weights, from -1 to 1.

    This is x (27 + x**2) / (27 + 9 x**2), within 0.024 of tanh(x), and exactly 1 from x = 3 on.  These operations of
    IEEE arithmetic give the same bits everywhere, unlike a library's tanh.
    """
    if x >= SATURATION:
        return 1.0
    if x <= -SATURATION:
        return -1.0
    return x * (27.0 + x * x) / (27.0 + 9.0 * x * x)


@inlined_kernel
def cell_of(state: ConnectFourState, action: int) -> int:
    """Return the cell, as its bit, on which a stone dropped into a column comes to rest."""
    foot = action * (state.rows + 1)
    return foot + popcount(state.occupied >> foot & (1 << state.rows) - 1)


@inlined_kernel
def set_view(tables: NTupleTables, sums: Sums, level: int, state: ConnectFourState, view: int) -> None:
    """Fill one view of a level (0: X to move, 1: O) with the weights of any board, stone by stone."""
    weights, places, images = tables.weights, sums.places, tables.images
    first, steps, many = tables.first, tables.steps, tables.start.size
    at = (2 * level + view) * many
    for image in range(many):
        places[at + image] = tables.start[image] + view * tables.turn
    own, stones = state.own if view == popcount(state.occupied) & 1 else state.occupied ^ state.own, state.occupied
    while stones:
        cell = lowest_bit_index(stones)
        skip = 0 if own >> cell & 1 else images.size
        for entry in range(first[cell], first[cell + 1]):
            places[at + images[entry]] += steps[skip + entry]
        stones &= stones - 1
    total = 0
    for image in range(at, at + many):
        sums.weights[image] = weights[places[image]]
        total += sums.weights[image]
    sums.totals[2 * level + view] = total


@inlined_kernel
def set_level(tables: NTupleTables, sums: Sums, level: int, state: ConnectFourState) -> None:
    """Fill both views of a level with the weights of any board."""
    set_view(tables, sums, level, state, as_int(0))
    set_view(tables, sums, level, state, as_int(1))


@inlined_kernel
def add_stone(tables: NTupleTables, sums: Sums, level: int, cell: int, player: int) -> None:
    """Add a stone of a player (0: X, 1: O) to the board of a level."""
    weights, images, steps, places, known = tables.weights, tables.images, tables.steps, sums.places, sums.weights
    begin, end, many = tables.first[cell], tables.first[cell + 1], tables.start.size
    for view in range(2):
        at = (2 * level + view) * many
        skip = 0 if view == player else images.size
        total = 0
        for entry in range(begin, end):
            image = at + images[entry]
            place = places[image] + steps[skip + entry]
            weight = weights[place]
            total += weight - known[image]
            places[image] = place
            known[image] = weight
        sums.totals[2 * level + view] += total


@inlined_kernel
def copy_level(sums: Sums, level: int) -> None:
    """Copy a level to the next one."""
    places, known, totals = sums.places, sums.weights, sums.totals
    width = 2 * places.size // totals.size
    for place in range(level * width, (level + 1) * width):
        places[place + width] = places[place]
        known[place + width] = known[place]
    totals[2 * level + 2], totals[2 * level + 3] = totals[2 * level], totals[2 * level + 1]


@inlined_kernel
def total_after(tables: NTupleTables, sums: Sums, level: int, cell: int, player: int) -> int:
    """Return the sum of a level's board after a stone of `player`, in the view of the other player, next to move."""
    weights, images, steps, places, known = tables.weights, tables.images, tables.steps, sums.places, sums.weights
    view, skip = 1 - player, images.size
    at = (2 * level + view) * tables.start.size
    total = sums.totals[2 * level + view]
    for entry in range(tables.first[cell], tables.first[cell + 1]):
        image = at + images[entry]
        total += weights[places[image] + steps[skip + entry]] - known[image]
    return as_int(total)


@inlined_kernel
def score_by_tables(
    tables: NTupleTables,
    sums: Sums,
    level: int,
    state: ConnectFourState,
    tie: int,
    actions: NDArray[np.uint8],
    scores: NDArray[np.float64],
) -> int:
    """Compute the score of each legal action for the player to move, from the board after it; return their number.

    Parameters
    ----------
    tables
        The weights.
    sums
        Work arrays, filled for the state at `level`.
    level
        The level of the state.
    state
        An ongoing state.
    tie
        A code of `values.choice.TIES`.
    actions : (A,) uint8
        Output: the legal actions.
    scores : (A,) float64
        Output, in tie order: their sums of weights, infinite for a win, 0 for a draw.  They are not squashed, so that
        the scores keep their order beyond saturation.
    """
    player, count = popcount(state.occupied) & 1, api.fill_legal_actions(state, actions)
    for place in range(count):
        action = as_int(ordered(actions, count, place, tie))
        result = api.status(api.play(state, action))
        if result == api.ONGOING:
            total = total_after(tables, sums, level, cell_of(state, action), player)
            scores[place] = -total * UNIT
        else:
            scores[place] = 0.0 if result == api.DRAW else np.inf
    return count


@kernel
def fill_edge_values(
    tables: NTupleTables,
    sums: Sums,
    like: ConnectFourState,
    keys: NDArray[np.uint64],
    edge_start: NDArray[np.int32],
    values: NDArray[np.float64],
) -> None:
    """Fill the values of all legal actions of a table of states.

    TIE_BREAK separates sums beyond the saturation, so that the best action is that of `one_ply.choose_action`.

    Parameters
    ----------
    tables, sums
        The weights, and work arrays for one level of the search.
    like
        Any state of the game.
    keys : (S,) uint64, edge_start : (S + 1,) int32
        From the state table.
    values : (E,) float64
        Output: from -1 to 1, plus the term of TIE_BREAK.
    """
    level, first = as_int(0), as_int(0)
    actions, scores = np.zeros(api.num_actions(like), np.uint8), np.zeros(api.num_actions(like))
    win = 8.0 * tables.start.size  # no sum is larger
    for state_index in range(keys.size):
        start = edge_start[state_index]
        if edge_start[state_index + 1] > start:
            state = api.state_of_key(like, keys[state_index])
            set_level(tables, sums, level, state)
            count = score_by_tables(tables, sums, level, state, first, actions, scores)
            for i in range(count):
                values[start + i] = squash(scores[i]) + TIE_BREAK * min(scores[i], win)


@kernel
def fill_choices(
    tables: NTupleTables,
    sums: Sums,
    like: ConnectFourState,
    keys: NDArray[np.uint64],
    tie: int,
    chosen: NDArray[np.uint8],
) -> None:
    """Fill the best action of some ongoing states, (N,), by a code of `values.choice.TIES` for equal ones."""
    level, actions = as_int(0), np.zeros(api.num_actions(like), np.uint8)
    scores = np.zeros(api.num_actions(like))
    for place in range(keys.size):
        state = api.state_of_key(like, keys[place])
        set_view(tables, sums, level, state, 1 - (popcount(state.occupied) & 1))  # the only one that scores read
        count = score_by_tables(tables, sums, level, state, tie, actions, scores)
        chosen[place] = ordered(actions, count, best_place(scores, count, tie, np.uint64(0)), tie)

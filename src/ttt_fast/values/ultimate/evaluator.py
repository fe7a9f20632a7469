"""The network of Ultimate as the evaluator of a search, with its first layer updated incrementally.

A move changes one small board.  `update` only records the change.  The sums of the first layer are updated when a value
is requested, and only for the player to move.  Levels above the current one keep their sums.

All numbers, including tables and records, are in one float32 array: numba counts the references to each array at each
use, which took longer than the network.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.core.vectors import Pointer, add, fill, load, load_number, mul, pointer, store, store_number, sub
from ttt_fast.games import api
from ttt_fast.games.ultimate.rules import ANYWHERE, NUM_CELLS, UltimateState, board_of, divide_by_9
from ttt_fast.values.evaluators import EXTRA_LEVELS, init, position_value, update
from ttt_fast.values.ultimate.integers import EMBEDDING_SCALE, FIRST_SCALE
from ttt_fast.values.ultimate.network import (
    EMBEDDING,
    EMBEDDING_SIZE,
    FREE_MOVE,
    HIDDEN,
    LAYERS_SIZE,
    NUM_GRIDS,
    NUM_PARAMETERS,
    SLOT_SIZE,
    TARGET_AT,
    TARGET_SLOT,
    clipped,
    load_sums,
    pattern_tables,
    plus_products,
    result_of_second,
    second_sums,
    store_sums,
)  # fmt: skip

NUM_LEVELS: Final = NUM_CELLS + 1 + EXTRA_LEVELS
_UNIT: Final = np.float32(1 / (EMBEDDING_SCALE * FIRST_SCALE))

# Where the numbers are, after the parameters of the network: the tables of `pattern_tables`; for each level and seat
# the sums of the first layer over the nine boards; for each level the move that led to the next, and the pattern of its
# board before and after it as X and as O sees it; the last level whose sums are right, for X and for O, and the last
# that was followed; work space.
_DIGITS_AT: Final = NUM_PARAMETERS
_PATTERN_AT: Final = _DIGITS_AT + 512
_SUMS_AT: Final = _PATTERN_AT + NUM_GRIDS
_CHANGES_AT: Final = _SUMS_AT + NUM_LEVELS * 2 * HIDDEN
_CHANGE_SIZE: Final = 5
_FILLED_AT: Final = _CHANGES_AT + NUM_LEVELS * _CHANGE_SIZE
_KNOWN_AT: Final = _FILLED_AT + 2
_UNITS_AT: Final = _KNOWN_AT + 1
_SIZE: Final = _UNITS_AT + HIDDEN


class UltimateEvaluator(NamedTuple):
    """A network with its sums, for one thread.

    Attributes
    ----------
    numbers
        (M,) float32: the network, tables, sums and notes.
    """

    numbers: NDArray[np.float32]


def ultimate_evaluator(network: NDArray[np.float32]) -> UltimateEvaluator:
    """Return the evaluator of a network, (N,) float32 as `network_of` returns it, for one thread.

    Examples
    --------
    >>> from ttt_fast.games.ultimate.rules import initial_state
    >>> evaluator = ultimate_evaluator(np.zeros(NUM_PARAMETERS, np.float32))
    >>> init(evaluator, initial_state())
    >>> position_value(evaluator, 0, initial_state(), np.uint64(7))[0]
    0.0
    """
    tables = pattern_tables()
    numbers = np.zeros(_SIZE, np.float32)
    numbers[:_SUMS_AT] = np.concatenate([network, tables.digits, tables.pattern])
    return UltimateEvaluator(numbers)


@inlined_kernel
def _whole(numbers: Pointer, at: int) -> int:
    """Return the integer at an offset."""
    return int(load_number(numbers, at))


@inlined_kernel
def _note(numbers: Pointer, at: int, number: int) -> None:
    """Write an integer below 2**24 at an offset."""
    store_number(numbers, at, np.float32(number))


@inlined_kernel
def _embedding_of(numbers: Pointer, own: int, other: int) -> int:
    """Return the offset of the embedding of a board with these marks, nine bits each."""
    grid = _whole(numbers, _DIGITS_AT + own) + 2 * _whole(numbers, _DIGITS_AT + other)
    return EMBEDDING * _whole(numbers, _PATTERN_AT + grid)


@api.implements(init, UltimateEvaluator)
def init_network(evaluator: UltimateEvaluator, state: UltimateState) -> None:
    """Fill the sums of level 0 for both players."""
    numbers = pointer(evaluator.numbers)
    mover, zero = state.player - 1, fill(np.float32(0))
    mine, others = (zero, zero, zero, zero), (zero, zero, zero, zero)
    at = as_int(EMBEDDING_SIZE + state.tie * LAYERS_SIZE)
    for board in range(9):
        own = board_of(state.own_low, state.own_high, board)
        other = board_of(state.other_low, state.other_high, board)
        mine = plus_products(mine, EMBEDDING, numbers, _embedding_of(numbers, own, other), numbers, at)
        others = plus_products(others, EMBEDDING, numbers, _embedding_of(numbers, other, own), numbers, at)
        at += SLOT_SIZE
    store_sums(numbers, _SUMS_AT + mover * HIDDEN, mine)
    store_sums(numbers, _SUMS_AT + (1 - mover) * HIDDEN, others)
    _note(numbers, as_int(_FILLED_AT), 0)
    _note(numbers, as_int(_FILLED_AT + 1), 0)
    _note(numbers, as_int(_KNOWN_AT), 0)


@api.implements(update, UltimateEvaluator)
def update_network(
    evaluator: UltimateEvaluator, level: int, state: UltimateState, action: int, child: UltimateState
) -> None:
    """Record the changes of a move, unless the search has just followed the same move."""
    numbers = pointer(evaluator.numbers)
    at = _CHANGES_AT + level * _CHANGE_SIZE
    if _whole(numbers, as_int(_KNOWN_AT)) <= level or _whole(numbers, at) != action:
        board, mover = divide_by_9(action), state.player - 1
        own = board_of(state.own_low, state.own_high, board)
        other = board_of(state.other_low, state.other_high, board)
        marked = board_of(child.other_low, child.other_high, board)
        _note(numbers, at, action)
        to_mover, to_other = at + 1 + 2 * mover, at + 3 - 2 * mover
        _note(numbers, to_mover, _embedding_of(numbers, own, other))
        _note(numbers, to_mover + 1, _embedding_of(numbers, marked, other))
        _note(numbers, to_other, _embedding_of(numbers, other, own))
        _note(numbers, to_other + 1, _embedding_of(numbers, other, marked))
        _note(numbers, as_int(_KNOWN_AT), level + 1)
        for seat in range(2):
            _note(numbers, _FILLED_AT + seat, min(_whole(numbers, _FILLED_AT + seat), level))


@inlined_kernel
def _catch_up(numbers: Pointer, seat: int, level: int, layers: int) -> None:
    """Update the sums of a player, from the last level with valid sums."""
    above = _whole(numbers, _FILLED_AT + seat)
    if above < level:
        sums = load_sums(numbers, _SUMS_AT + (2 * above + seat) * HIDDEN)
        while above < level:
            at = _CHANGES_AT + above * _CHANGE_SIZE
            board = divide_by_9(_whole(numbers, at))
            at += 1 + 2 * seat
            old, new = _whole(numbers, at), _whole(numbers, at + 1)
            store(numbers, as_int(_UNITS_AT), sub(load(numbers, new), load(numbers, old)))
            sums = plus_products(sums, EMBEDDING, numbers, as_int(_UNITS_AT), numbers, layers + board * SLOT_SIZE)
            above += 1
            store_sums(numbers, _SUMS_AT + (2 * above + seat) * HIDDEN, sums)
        _note(numbers, _FILLED_AT + seat, level)


@api.implements(position_value, UltimateEvaluator)
def network_value(
    evaluator: UltimateEvaluator, level: int, state: UltimateState, stream: np.uint64
) -> tuple[float, np.uint64]:
    """Return the value of the network for the player to move."""
    numbers = pointer(evaluator.numbers)
    seat, layers = state.player - 1, as_int(EMBEDDING_SIZE + state.tie * LAYERS_SIZE)
    seen = as_int(EMBEDDING * FREE_MOVE)
    if state.target != ANYWHERE:
        own = board_of(state.own_low, state.own_high, state.target)
        other = board_of(state.other_low, state.other_high, state.target)
        seen = _embedding_of(numbers, own, other)
    # whole numbers: in any order the sums are the same, and these need not wait for those of the boards
    sums = load_sums(numbers, layers + TARGET_AT + state.target * HIDDEN)
    sums = plus_products(sums, EMBEDDING, numbers, seen, numbers, layers + TARGET_SLOT * SLOT_SIZE)
    _catch_up(numbers, seat, level, layers)
    store_sums(numbers, as_int(_UNITS_AT), sums)
    unit, at = fill(_UNIT), _SUMS_AT + (2 * level + seat) * HIDDEN
    for j in range(0, HIDDEN, 16):
        total = add(load(numbers, _UNITS_AT + j), load(numbers, at + j))
        store(numbers, _UNITS_AT + j, clipped(mul(unit, total)))
    second = clipped(second_sums(numbers, as_int(_UNITS_AT), numbers, layers))
    result = float(result_of_second(second, numbers, layers))
    return result / np.sqrt(1.0 + result * result), stream

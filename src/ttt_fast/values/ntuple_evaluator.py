"""The evaluator of n-tuple tables for searches in Connect 4, updated incrementally with each stone."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, popcount
from ttt_fast.core.jit import inlined_kernel
from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.game import Game
from ttt_fast.values.evaluators import EXTRA_LEVELS, init, position_value, update
from ttt_fast.values.ntuple_tables import (
    UNIT,
    NTupleTables,
    Sums,
    add_stone,
    cell_of,
    copy_level,
    make_sums,
    score_by_tables,
    set_level,
    squash,
    total_after,
)
from ttt_fast.values.one_ply import score_actions

_NONE = -1


class NTupleEvaluator(NamedTuple):
    """The value of a board by n-tuple tables.

    Most boards are evaluated once and not searched further.  `update` therefore only records a stone, and the sum of
    its board is computed for the player to move.  The weights of a level are written when a search continues from it.

    Attributes
    ----------
    tables
        The weights.
    sums
        The sums of the board of each level.
    pending : (L,) int64
        The cell of the stone that leads to a level, if it has only been recorded; otherwise -1.
    """

    tables: NTupleTables
    sums: Sums
    pending: NDArray[np.int64]


def ntuple_evaluator(tables: NTupleTables, game: Game) -> NTupleEvaluator:
    """Return the evaluator of the tables of a game, for one thread.

    Examples
    --------
    >>> from ttt_fast import parse_game
    >>> from ttt_fast.values.ntuples import NTuples, make_tables
    >>> game = parse_game("connect4:columns=5,rows=4")
    >>> evaluator = ntuple_evaluator(make_tables(NTuples(number=3, cells=4), game), game)
    >>> init(evaluator, game.initial_state)
    >>> position_value(evaluator, 0, game.initial_state, np.uint64(7))[0]
    0.0
    """
    levels = int(api.max_plies(game.initial_state)) + EXTRA_LEVELS
    return NTupleEvaluator(tables, make_sums(tables, levels), np.full(levels, _NONE))


@api.implements(init, NTupleEvaluator)
def _init(evaluator: NTupleEvaluator, state: ConnectFourState) -> None:
    set_level(evaluator.tables, evaluator.sums, as_int(0), state)
    evaluator.pending[0] = _NONE


@api.implements(update, NTupleEvaluator)
def _update(
    evaluator: NTupleEvaluator, level: int, state: ConnectFourState, action: int, child: ConnectFourState
) -> None:
    _fill_level(evaluator, level, state)
    evaluator.pending[level + 1] = cell_of(state, as_int(action))


@inlined_kernel
def _fill_level(evaluator: NTupleEvaluator, level: int, state: ConnectFourState) -> None:
    """Write the weights of a level whose stone has only been recorded."""
    cell = evaluator.pending[level]
    if cell != _NONE:
        copy_level(evaluator.sums, level - 1)
        add_stone(evaluator.tables, evaluator.sums, level, cell, 1 - (popcount(state.occupied) & 1))
        evaluator.pending[level] = _NONE


@api.implements(score_actions, NTupleEvaluator)
def _score(
    evaluator: NTupleEvaluator, level: int, state: ConnectFourState, tie: int, stream: np.uint64,
    actions: NDArray[np.uint8], scores: NDArray[np.float64],
) -> tuple[int, np.uint64]:  # fmt: skip
    _fill_level(evaluator, level, state)
    return as_int(score_by_tables(evaluator.tables, evaluator.sums, level, state, tie, actions, scores)), stream


@api.implements(position_value, NTupleEvaluator)
def _value(
    evaluator: NTupleEvaluator, level: int, state: ConnectFourState, stream: np.uint64
) -> tuple[float, np.uint64]:
    player, cell = popcount(state.occupied) & 1, evaluator.pending[level]
    if cell == _NONE:
        total = evaluator.sums.totals[2 * level + player]
    else:
        total = total_after(evaluator.tables, evaluator.sums, level - 1, cell, 1 - player)
    return squash(total * UNIT), stream

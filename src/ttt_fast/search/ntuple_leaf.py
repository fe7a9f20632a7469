"""The leaf of n-tuple tables for searches in Connect 4, updated incrementally with each stone."""

import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.bits import as_int, popcount
from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState
from ttt_fast.games.game import Game
from ttt_fast.search.leaf_files import other_game
from ttt_fast.search.leaves import EXTRA_LEVELS, follow, leaf_value, prepare
from ttt_fast.values.files import shared_learned
from ttt_fast.values.ntuple_tables import (
    UNIT,
    NTupleTables,
    Sums,
    add_stone,
    cell_of,
    copy_level,
    make_sums,
    set_level,
    squash,
    total_after,
)
from ttt_fast.values.ntuples import NTupleValues

_NONE = -1


class NTupleLeaf(NamedTuple):
    """The value of a board by n-tuple tables.

    Most boards are evaluated once and not searched further.  `follow` therefore only records a stone, and the sum of
    its board is computed for the player to move.  The weights of a level are written when a search continues from it.

    Attributes
    ----------
    tables
        The weights.
    sums
        The sums of the board of each level.
    waiting : (L,) int64
        The cell of the stone that leads to a level, if it has only been recorded; otherwise -1.
    """

    tables: NTupleTables
    sums: Sums
    waiting: NDArray[np.int64]


def ntuple_leaf(values: NTupleValues) -> NTupleLeaf:
    """Return the leaf of learned values, for one thread.

    Examples
    --------
    >>> from ttt_fast.games.registry import parse_game
    >>> from ttt_fast.values.ntuples import NTuples
    >>> game = parse_game("connect4:columns=5,rows=4")
    >>> leaf = ntuple_leaf(NTupleValues(NTuples(number=3, cells=4), game))
    >>> prepare(leaf, game.initial_state)
    >>> leaf_value(leaf, 0, game.initial_state, np.uint64(7))[0]
    0.0
    """
    levels = int(api.max_plies(values.game.initial_state)) + EXTRA_LEVELS
    return NTupleLeaf(values.tables, make_sums(values.tables, levels), np.full(levels, _NONE))


def load_leaf(path: str | os.PathLike[str], game: Game) -> NTupleLeaf:
    """Return the leaf of a file of learned values, for one thread; all threads share the weights.

    Raises
    ------
    FileFormatError
        If the file is damaged or has a newer version.
    AgentError
        If the values were learned on another game.
    """
    learned = shared_learned(path)
    if learned.game != game:
        raise other_game(path, learned.game.spec, game)
    assert isinstance(learned.values, NTupleValues)
    return ntuple_leaf(learned.values)


@api.implements(prepare, NTupleLeaf)
def _prepare(leaf: NTupleLeaf, state: ConnectFourState) -> None:
    set_level(leaf.tables, leaf.sums, as_int(0), state)
    leaf.waiting[0] = _NONE


@api.implements(follow, NTupleLeaf)
def _follow(leaf: NTupleLeaf, level: int, state: ConnectFourState, action: int, child: ConnectFourState) -> None:
    cell = leaf.waiting[level]
    if cell != _NONE:
        copy_level(leaf.sums, level - 1)
        add_stone(leaf.tables, leaf.sums, level, cell, 1 - (popcount(state.occupied) & 1))
        leaf.waiting[level] = _NONE
    leaf.waiting[level + 1] = cell_of(state, as_int(action))


@api.implements(leaf_value, NTupleLeaf)
def _value(leaf: NTupleLeaf, level: int, state: ConnectFourState, stream: np.uint64) -> tuple[float, np.uint64]:
    player, cell = popcount(state.occupied) & 1, leaf.waiting[level]
    if cell == _NONE:
        total = leaf.sums.totals[2 * level + player]
    else:
        total = total_after(leaf.tables, leaf.sums, level - 1, cell, 1 - player)
    return squash(total * UNIT), stream

"""Players of Connect 4 that can be proven to win: integer n-tuples and exceptions, in a file of at most a megabyte.

Letters: T tuples of N cells, F bits of the filter, S slots of a static function.  W is the number of columns.

**Format.**  The file is a `.npz` archive whose members are stored without compression, as `numpy.savez` writes them.
The bit of a cell is column * (rows + 1) + row, with row 0 at the bottom.  The key of a position is own + occupied +
bottom: the stones of the player to move, those of both players, and the lowest cells of all columns.  Its arrays, of at
most 1,000,000 bytes together, are:

- `board`, (4,) int32: columns, rows, the length of a line, and the seat of the player (1: X, who begins; 2: O).
- `tuples`, (T, N) uint8: the cells of each tuple, by their bits.
- `weights`, (T, 4**N) int8 or int16: a weight for each content of a tuple.  Its place is the sum of
  digit(cell i) * 4**i.  A digit is 0 for an empty cell that cannot be played next, and 1 for one that can.  It is 2 for
  a stone of the player who has just moved, and 3 for one of the other player.
- `filter`, (F, ceil(S / 8)) uint8, and `columns`, (3, ceil(S / 8)) uint8: two static functions of keys
  (`proven.retrieval`, with their hashes), as bit planes.
- `shape`, (2, 3) int32: for `filter` and for `columns`, k, the number of segments (0: no slots), and the seed.

The value of a board after an own move is the sum of the weights of all tuples, of the board and of its mirror image.
A key *matches* if the filter's value is its fingerprint: the low F bits of hash(key, 2**30).
Without a filter (F = 0), every key matches.

**Rule.**  The player looks at its position in canonical orientation.  That is the position or its mirror image,
whichever has the smaller key; at the end the column is mirrored back.  Columns are ordered from the centre, column
W // 2, then the one left of it, the one right of it, and so on outwards.

1. The first column that wins at once.
2. Otherwise, if `columns` has slots and the key matches: the value of `columns`, if that column can be played.
3. Otherwise the column that leads to the board of the largest value; the first of several in order.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Game, parse_game
from ttt_fast.core.bits import as_int, lowest_bit_index
from ttt_fast.games import api
from ttt_fast.games.connect_four import ConnectFourState, completing_cells, initial_state, next_cells
from ttt_fast.games.connect_four_rule import first_column
from ttt_fast.kernels import inlined_kernel, kernel
from ttt_fast.proven import retrieval
from ttt_fast.proven.retrieval import SlotShape, hash_key, look_up

COLUMN_BITS: Final = 3
"""Bits of a column: boards have at most eight."""
FINGERPRINT_SEED: Final = 1 << 30
"""The seed of fingerprints; those of static functions are smaller."""
_CELLS = 65  # bits of a board, and the bit above its last cell


class ProvenWeights(NamedTuple):
    """The arrays of a file; the module describes them."""

    board: NDArray[np.int32]
    tuples: NDArray[np.uint8]
    weights: NDArray[np.int8] | NDArray[np.int16]
    filter: NDArray[np.uint8]
    columns: NDArray[np.uint8]
    shape: NDArray[np.int32]

    @property
    def seat(self) -> int:
        """The seat of the player: 1 for X, 2 for O."""
        return int(self.board[3])

    @property
    def start(self) -> ConnectFourState:
        """The empty board."""
        return initial_state(*map(int, self.board[:3]))

    @property
    def game(self) -> Game:
        """The game on its board."""
        columns, rows, length = map(int, self.board[:3])
        return parse_game(f"connect4:columns={columns},rows={rows},length={length}")

    @property
    def num_bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self)


class ProvenTables(NamedTuple):
    """A file's arrays as kernels read them.  I = 2 * T images: each tuple and its mirror image.

    Attributes
    ----------
    like
        The empty board.
    order : (W,) int64
        The columns from the centre outwards.
    weights : (T * 4**N,) int16
        All weights.
    start : (I,) int32
        Offset of the weights of each image.
    steps : (65 * I,) int32
        For each cell, by its bit, and each image: 4**i if it is cell i of the image, otherwise 0.
    filter, columns : (S,) uint8
        The slots of both static functions.
    shape : (6,) int64
        Both shapes.
    filter_bits
        The bits of the filter, F.
    """

    like: ConnectFourState
    order: NDArray[np.int64]
    weights: NDArray[np.int16]
    start: NDArray[np.int32]
    steps: NDArray[np.int32]
    filter: NDArray[np.uint8]
    columns: NDArray[np.uint8]
    shape: NDArray[np.int64]
    filter_bits: int


def column_order(columns: int) -> list[int]:
    """Return the columns from the centre outwards, the left one of two first.

    Examples
    --------
    >>> column_order(7), column_order(4)
    ([3, 2, 4, 1, 5, 0, 6], [2, 1, 3, 0])
    """
    return sorted(range(columns), key=lambda column: (abs(column - columns // 2), column))


def tables_of(weights: ProvenWeights) -> ProvenTables:
    """Return the arrays that kernels read, of weights that `check_proven` accepts."""
    start, (num_tuples, cells) = weights.start, weights.tuples.shape
    columns, stride = int(weights.board[0]), int(weights.board[1]) + 1
    steps = np.zeros((_CELLS, 2 * num_tuples), np.int32)
    for image in range(2 * num_tuples):
        for place, cell in enumerate(weights.tuples[image % num_tuples].tolist()):
            column, row = divmod(cell, stride)
            steps[(columns - 1 - column if image >= num_tuples else column) * stride + row, image] += 4**place
    shapes = [SlotShape(*shape) for shape in weights.shape.tolist()]
    return ProvenTables(
        ConnectFourState(*map(int, start)),
        np.array(column_order(columns), np.int64),
        weights.weights.astype(np.int16).reshape(-1),
        np.tile(np.arange(num_tuples, dtype=np.int32) * 4**cells, 2),
        steps.reshape(-1),
        retrieval.slots_from(weights.filter, shapes[0]),
        retrieval.slots_from(weights.columns, shapes[1]),
        weights.shape.astype(np.int64).reshape(-1),
        len(weights.filter),
    )


@inlined_kernel
def canonical(state: ConnectFourState) -> tuple[ConnectFourState, np.uint64, bool]:
    """Return a state or its mirror image, whichever has the smaller key; this key; and whether it is the image."""
    image = api.transform(state, 1)
    key, other = api.state_key(state), api.state_key(image)
    if other < key:
        return image, other, True
    return state, key, False


@inlined_kernel
def fingerprint_of(key: np.uint64, bits: int) -> int:
    """Return the fingerprint of a canonical key in a filter."""
    return as_int(hash_key(key, FINGERPRINT_SEED)) & (1 << bits) - 1


@inlined_kernel
def exception_column(tables: ProvenTables, key: np.uint64) -> int:
    """Return the value of `columns` for a canonical key that matches; -1 for any other key."""
    shape = tables.shape
    if shape[4] == 0:
        return -1
    if tables.filter_bits > 0:
        if look_up(tables.filter, key, shape[0], shape[1], shape[2]) != fingerprint_of(key, tables.filter_bits):
            return -1
    return look_up(tables.columns, key, shape[3], shape[4], shape[5])


@inlined_kernel
def _column_of_value(tables: ProvenTables, state: ConnectFourState, places: NDArray[np.int32]) -> int:
    """Return the first column of the largest value; `places`, (I,) int32, is a scratch buffer."""
    start, steps, weights, many = tables.start, tables.steps, tables.weights, tables.start.size
    playable = next_cells(state)
    for image in range(many):
        places[image] = start[image]
    for digit in range(1, 4):
        cells = playable if digit == 1 else state.own if digit == 2 else state.occupied ^ state.own
        while cells:
            at = lowest_bit_index(cells) * many
            for image in range(many):
                places[image] += digit * steps[at + image]
            cells &= cells - 1
    best, chosen = as_int(0), -1
    for column in tables.order:
        cell = playable >> column * (state.rows + 1) & (1 << state.rows) - 1
        if cell:
            at = (column * (state.rows + 1) + lowest_bit_index(cell)) * many
            value = as_int(0)
            for image in range(many):  # the cell changes from 1 to 2, and the one above it from 0 to 1
                value += as_int(weights[places[image] + steps[at + image] + steps[at + many + image]])
            if chosen < 0 or value > best:
                best, chosen = value, column
    return chosen


@kernel
def choose_column(tables: ProvenTables, state: ConnectFourState, places: NDArray[np.int32]) -> int:
    """Return the column of an ongoing state; `places`, (I,) int32, is a scratch buffer."""
    state, key, mirrored = canonical(state)
    chosen = first_column(completing_cells(state.own, state.rows, state.length) & next_cells(state), state)
    if chosen < 0:
        chosen = exception_column(tables, key)
        if not api.is_legal(state, chosen):
            chosen = _column_of_value(tables, state, places)
    return tables.order.size - 1 - chosen if mirrored else chosen


@kernel
def _choose_all(
    tables: ProvenTables, keys: NDArray[np.uint64], places: NDArray[np.int32], chosen: NDArray[np.uint8]
) -> None:
    for index in range(keys.size):
        chosen[index] = choose_column(tables, api.state_of_key(tables.like, keys[index]), places)


def choose_columns(weights: ProvenWeights | ProvenTables, keys: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the column that the player chooses in each position, (N,) uint8.

    Parameters
    ----------
    weights
        The weights, or their tables (`tables_of`).
    keys : (N,) uint64
        Keys of ongoing positions with the player to move, in any orientation.
    """
    tables = tables_of(weights) if isinstance(weights, ProvenWeights) else weights
    chosen = np.empty(keys.size, np.uint8)
    _choose_all(tables, np.ascontiguousarray(keys, np.uint64), np.empty(tables.start.size, np.int32), chosen)
    return chosen

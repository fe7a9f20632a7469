"""Proven players as learned values: their files, the check that their arrays fit one another, and their moves."""

import os
from collections.abc import Mapping
from fractions import Fraction
from math import nan
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast import Policy, StateTable, UsageError, parse_game
from ttt_fast.core.rng import Stream
from ttt_fast.files import ArraySpec
from ttt_fast.games.api import GameState
from ttt_fast.games.connect_four import MAX_BITS, ConnectFourState
from ttt_fast.proven.retrieval import MAX_LOG_LENGTH, MAX_SEGMENTS, SlotShape
from ttt_fast.proven.weights import (
    COLUMN_BITS,
    FINGERPRINT_SEED,
    ProvenTables,
    ProvenWeights,
    choose_column,
    choose_columns,
    tables_of,
)
from ttt_fast.tables.block import Block
from ttt_fast.values.api import Learned, StoredValues
from ttt_fast.values.files import load

PROVEN_KIND: Final = "proven"
MAX_ARRAY_BYTES: Final = 1_000_000
"""Largest size of all arrays of a file together."""
MAX_FILTER_BITS: Final = 8
"""Largest number of bits of a fingerprint."""
MAX_CELLS: Final = 8
"""Largest number of cells of a tuple."""
_WEIGHT_TYPES = ("int8", "int16")


def check_proven(weights: ProvenWeights) -> None:
    """Raise UsageError unless arrays fit one another and are not too large."""
    problem = _problem_of(weights)
    if problem:
        raise UsageError(problem)


def _problem_of(weights: ProvenWeights) -> str:
    """Return in one line how arrays differ from the format; empty if they do not."""
    types = ["int32", "uint8", str(weights.weights.dtype), "uint8", "uint8", "int32"]
    if [str(array.dtype) for array in weights] != types or types[2] not in _WEIGHT_TYPES:
        return f"expected arrays of {' '.join(types)}, got {' '.join(str(array.dtype) for array in weights)}"
    if weights.board.shape != (4,) or weights.shape.shape != (2, 3):
        return f"expected a board of 4 numbers and 2 shapes of 3, got {weights.board.shape} and {weights.shape.shape}"
    columns, rows, length, seat = weights.board.tolist()
    if not (1 <= columns <= 2**COLUMN_BITS and rows >= 1 and columns * (rows + 1) <= MAX_BITS):
        return f"expected a board of at most 8 columns and 64 bits, got {columns} columns of {rows}"
    if not 2 <= length <= max(columns, rows) or seat not in (1, 2):
        return f"expected the length of a line on the board and the seat 1 or 2, got {length} and {seat}"
    cells = weights.tuples.shape[1] if weights.tuples.ndim == 2 else 0
    if not 1 <= cells <= MAX_CELLS or weights.weights.shape != (len(weights.tuples), 4**cells):
        return f"expected tuples of 1 to {MAX_CELLS} cells, and 4**cells weights of each, got {weights.weights.shape}"
    if (weights.tuples >= columns * (rows + 1)).any() or (weights.tuples % (rows + 1) == rows).any():
        return "expected cells of the board in tuples, got others"
    if (np.diff(np.sort(weights.tuples, axis=1), axis=1) == 0).any():
        return "expected different cells in a tuple, got one twice"
    for planes, shape, most in zip(weights[3:5], weights.shape.tolist(), (MAX_FILTER_BITS, COLUMN_BITS), strict=True):
        k, segments, seed = shape
        if not (
            0 <= k <= MAX_LOG_LENGTH
            and (segments == 0 or 4 <= segments <= MAX_SEGMENTS)
            and 0 <= seed < FINGERPRINT_SEED
        ):
            return f"expected the shape of a static function, got {shape}"
        if planes.ndim != 2 or len(planes) > most or planes.shape[1] != -(-SlotShape(*shape).num_slots // 8):
            return f"expected at most {most} planes of {SlotShape(*shape).num_slots} slots, got {planes.shape}"
    if len(weights.columns) != COLUMN_BITS or bool(weights.shape[0, 1]) != bool(len(weights.filter)):
        return f"expected {COLUMN_BITS} planes of columns, and slots in a filter, got {weights.columns.shape}"
    if weights.num_bytes > MAX_ARRAY_BYTES:
        return f"expected arrays of at most {MAX_ARRAY_BYTES:,} bytes, got {weights.num_bytes:,}"
    return ""


class ProvenValues(StoredValues):
    """The weights of a proven player, which move in the positions of one seat.

    Attributes
    ----------
    weights
        The arrays of the file.
    """

    form: ClassVar[str] = "proven"
    max_bytes: ClassVar[int] = 2 * MAX_ARRAY_BYTES
    is_compressed: ClassVar[bool] = False
    has_policies: ClassVar[bool] = True

    def __init__(self, weights: ProvenWeights) -> None:
        self.weights, self.tables = weights, tables_of(weights)

    @classmethod
    def specs(cls, meta: dict[str, Any], table: StateTable | None, is_run: bool) -> Mapping[str, ArraySpec]:
        """Return the arrays of a file."""
        stored = meta.get("weights")
        return {
            "board": ArraySpec("int32", (4,)),
            "tuples": ArraySpec("uint8", (-1, -1)),
            "weights": ArraySpec(stored if stored in _WEIGHT_TYPES else _WEIGHT_TYPES[0], (-1, -1)),
            "filter": ArraySpec("uint8", (-1, -1)),
            "columns": ArraySpec("uint8", (COLUMN_BITS, -1)),
            "shape": ArraySpec("int32", (2, 3)),
        }

    def to_arrays(self) -> tuple[dict[str, NDArray[np.generic]], dict[str, Any]]:
        """Return the arrays of a file, and their description."""
        seat, weights = "xo"[self.weights.seat - 1], str(self.weights.weights.dtype)
        return self.weights._asdict(), {"game": self.weights.game.spec, "seat": seat, "weights": weights}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], meta: dict[str, Any], table: StateTable | None) -> Self:
        """Return the values of a file; raise UsageError unless they are intact."""
        weights = ProvenWeights(**arrays)
        check_proven(weights)
        if weights.game != parse_game(str(meta["game"])):
            raise UsageError(f"expected a board of {meta['game']!r}, got one of {weights.game.spec!r}")
        return cls(weights)

    @property
    def seat(self) -> int:
        """The seat of the player."""
        return self.weights.seat

    @property
    def memory_bytes(self) -> int:
        """Bytes of the weights."""
        return sum(array.nbytes for array in self.tables if isinstance(array, np.ndarray))

    def mover(self, play: Learned) -> "ProvenMover":
        """Return new moves by the weights, for one thread."""
        return ProvenMover(self.tables)

    def policy_in(self, block: Block, name: str, tie: str, epsilon: Fraction) -> Policy:
        """Return the policy over a block or a table, which holds the states of the player's seat."""
        own: NDArray[np.bool_] = block.player == self.weights.seat
        states = np.flatnonzero(own).astype(np.int32)
        return Policy.from_actions(block, choose_columns(self.tables, block.key[own]), name, states=states)


def load_weights(path: str | os.PathLike[str]) -> ProvenWeights:
    """Return the weights in the file of a proven player; errors as for `values.files.load`."""
    values = load(path, (PROVEN_KIND,)).values
    assert isinstance(values, ProvenValues)
    return values.weights


class ProvenMover:
    """Moves by proven weights, for one thread; their values are not known."""

    def __init__(self, tables: ProvenTables) -> None:
        self._tables, self._places = tables, np.empty(tables.start.size, np.int32)

    def choose(self, state: GameState, words: Stream) -> tuple[int, float, int]:
        """Return the column in an ongoing state of the player's seat, nan, and 1."""
        return int(choose_column(self._tables, ConnectFourState(*state), self._places)), nan, 1

    def action_values(self, state: GameState) -> dict[int, float]:
        """Return no value."""
        return {}

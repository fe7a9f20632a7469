"""Values of the legal actions of a table of states, or of the states, in arrays without gaps.

Letters: S states, E edges, T tables (2 for double Q-learning, else 1), N values.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import ArraySpec
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.plain import frozen
from ttt_fast.games.api import implements
from ttt_fast.policies.files.npz import TABLE_FORM
from ttt_fast.tables import StateTable
from ttt_fast.tables.state_table import NARROW_STATES
from ttt_fast.values import api
from ttt_fast.values.api import LearnedValues, Packed, check_hash
from ttt_fast.values.choice import ordered


class DenseRows(NamedTuple):
    """The arrays for kernels; the key of a row is the index of its state.

    Attributes
    ----------
    start : (S + 1,) int32
        First value of each row.
    first, second : (N,) float64
        The values of both tables; with a single table, `second` is all zeros (by board, empty).
    updates : (N,) int64
        Number of updates of each value.
    """

    start: NDArray[np.int32]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    updates: NDArray[np.int64]


@implements(api.has_room, DenseRows)
def _has_room(rows: DenseRows, more: int) -> bool:
    return True


@implements(api.row_key, DenseRows)
def _row_key(rows: DenseRows, state: int) -> np.uint64:
    return np.uint64(state)


@implements(api.find_row, DenseRows)
def _find_row(rows: DenseRows, key: np.uint64) -> np.uint64:
    return np.uint64(rows.start[key])


@implements(api.insert_row, DenseRows)
def _insert_row(rows: DenseRows, place: np.uint64, key: np.uint64) -> np.uint64:
    return place


@implements(api.value_at, DenseRows)
def _value_at(rows: DenseRows, place: np.uint64, column: int, table: int) -> float:
    at = place + np.uint64(column)
    return float(rows.first[at]) if table == 0 else float(rows.second[at])


@implements(api.fill_scores, DenseRows)
def _fill_scores(
    rows: DenseRows, place: np.uint64, columns: NDArray[np.uint8], count: int, tie: int, scores: NDArray[np.float64]
) -> float:
    best = -np.inf
    for rank in range(count):
        at = place + np.uint64(ordered(columns, count, rank, tie))
        value = rows.first[at] + rows.second[at]
        scores[rank] = value
        best = max(best, value)
    return best


@implements(api.update_value, DenseRows)
def _update_value(
    rows: DenseRows, place: np.uint64, column: int, table: int, target: float, alpha: float, visit_power: float
) -> float:
    at = place + np.uint64(column)
    rows.updates[at] += 1
    if visit_power > 0.0:
        alpha = float(rows.updates[at]) ** -visit_power
    values = rows.first if table == 0 else rows.second
    before = values[at]
    after = before + alpha * (target - before)
    values[at] = after
    return float(after)


@dataclass(frozen=True, eq=False, repr=False)
class EdgeValues(LearnedValues):
    """Learned values of the legal actions of a table of states.

    Attributes
    ----------
    table
        The states.
    tables : (T, E) float64
        Values for the player to move, in one table, or two for double Q-learning; the learner acts on their sum.
    updates : (E,) int64
        Number of updates of each value, or 1 if a kernel only marks them.
    """

    form: ClassVar[str] = TABLE_FORM
    is_compressed: ClassVar[bool] = False
    table: StateTable
    tables: NDArray[np.float64]
    updates: NDArray[np.int64]

    @classmethod
    def specs(cls, meta: JsonObject, table: StateTable | None, is_run: bool) -> Mapping[str, ArraySpec]:
        """Return the arrays of a file, besides those of a policy."""
        assert table is not None
        return {
            "tables": ArraySpec("float64", (-1, table.num_edges), 2 * table.num_edges),
            "updates": ArraySpec("int64", (table.num_edges,)),
        }

    def to_arrays(self) -> Packed:
        """Return the arrays of a file, and their description."""
        arrays = {"q_table": self.q, "held": self.held, "tables": self.tables, "updates": self.updates}
        return arrays, {**self.table.file_meta, "sha256": self.sha256()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], meta: JsonObject, table: StateTable | None) -> Self:
        """Return the values of a file; raise ValueError unless they are intact."""
        assert table is not None
        values = cls(table, arrays["tables"], arrays["updates"])
        if not len(values.tables) or not np.isfinite(values.tables).all() or (values.updates < 0).any():
            raise ValueError("a value is not finite, or a count is negative")
        check_hash(values, meta)
        return values

    def __len__(self) -> int:
        """Return the number of states."""
        return self.table.num_states

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays."""
        return int(self.tables.nbytes + self.updates.nbytes)

    @property
    def run_bytes(self) -> int:
        """Bytes that a run needs: the work arrays of a learner, and the arrays of a checkpoint."""
        return 4 * self.memory_bytes

    @cached_property
    def q(self) -> NDArray[np.float64]:
        """The values on which the learner acts, (E,) float64: the table, or the mean of both."""
        tables = self.tables
        values: NDArray[np.float64] = tables[0] if len(tables) == 1 else (tables[0] + tables[1]) / 2
        return values

    @property
    def held(self) -> NDArray[np.bool_]:
        """States in which an action has been updated, (S,) bool."""
        mask: NDArray[np.bool_] = self.table.row_sums(self.updates > 0) > 0
        return mask

    def sizes(self) -> dict[str, int]:
        """Return the number of states, and the bytes of the arrays."""
        return {"states": len(self), "memory_bytes": self.memory_bytes}

    def is_like(self, other: Self) -> bool:
        """Return whether these are values over the same game, with the same number of tables."""
        return self.table.game == other.table.game and self.tables.shape == other.tables.shape

    def sha256(self) -> str:
        """Return the hash of all tables: equal bits, equal hash.

        The hash is that of the (T, S, A) array, with zeros for illegal actions, if the states fit 15 bits; otherwise
        that of the (T, E) array.
        """
        if self.table.num_states > NARROW_STATES:
            return hashlib.sha256(np.ascontiguousarray(self.tables).data).hexdigest()
        digest = hashlib.sha256()
        for values in self.tables:
            digest.update(self.table.dense(values).data)
        return digest.hexdigest()


class DenseStore:
    """Values over a table of states, in the layout of the general kernels.

    By action, a row is a state.  By board, it is the board after an action, and has the value of that action.

    Parameters
    ----------
    before
        The values so far; copied.
    seats
        The seats that learn.
    by_board
        Whether a row is a board.
    """

    def __init__(self, before: EdgeValues, seats: tuple[int, ...], by_board: bool) -> None:
        table = self._table = before.table
        is_other = ~np.isin(table.player, (*seats, 0))
        self._other = is_other[table.edge_state] if is_other.any() else None  # edges of seats that do not learn
        self._at: NDArray[np.integer] | slice = table.edge_child if by_board else slice(None)
        self._number, size = len(before.tables), table.num_states if by_board else table.num_edges
        first, second, updates = np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
        own = slice(None) if self._other is None else ~self._other
        at = own if isinstance(self._at, slice) else self._at[own]  # an array of indices takes four times as long
        for values, learned in zip((updates, first, second), (before.updates, *before.tables), strict=False):
            values[at] = learned[own]
        start = np.arange(size + 1, dtype=np.int32) if by_board else table.edge_start
        # frozen as those of a table: one signature of the kernels
        self.rows = DenseRows(frozen(start), first, second, updates)

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values of the actions, (E,) float64: the table, or the mean of both."""
        total: NDArray[np.float64] = (self.rows.first + self.rows.second)[self._at]
        return total / self._number

    def values(self) -> EdgeValues:
        """Return a copy of the action values; those of seats that do not learn are 0."""
        tables = np.array([one[self._at] for one in (self.rows.first, self.rows.second)[: self._number]])
        updates = self.rows.updates[self._at].copy()
        if self._other is not None:
            tables[:, self._other], updates[self._other] = 0.0, 0
        return EdgeValues(self._table, tables, updates)

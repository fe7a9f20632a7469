"""A growing hash table of states: open addressing in flat arrays.

Letters: N slots, a power of two; V values in a row; K counters of visits in a row.

A row is in the first free slot from the one that its mixed key names (linear probing); rows are never deleted.  Key and
values share a row of 64-bit words, so that a Connect 4 state with its seven action values is one cache line.  The
wrapper class manages the growth.  A kernel stops between two games when another game might not fit, the wrapper doubles
the table, and the kernel continues.  The result therefore does not depend on the initial capacity.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.archive import ArraySpec
from ttt_fast.core.errors import TttFastError
from ttt_fast.core.jit import inlined_kernel, kernel
from ttt_fast.core.manifest import JsonObject
from ttt_fast.core.plain import zeros_in_lines
from ttt_fast.core.rng import Stream, mix64
from ttt_fast.games import api as games
from ttt_fast.games.api import GameState, State, implements, state_key
from ttt_fast.games.registry import parse_game
from ttt_fast.tables import StateTable
from ttt_fast.values import api
from ttt_fast.values.api import Learned, LearnedValues, Packed
from ttt_fast.values.choice import TIES, choose_greedy, ordered

MIN_CAPACITY = 1 << 10
_LOAD_NUMERATOR, _LOAD_DENOMINATOR = 7, 10
_FREE, _1 = np.uint64(0), np.uint64(1)


def most_rows(slots: int) -> int:
    """Return the maximum number of rows before a table of some slots is doubled."""
    return slots * _LOAD_NUMERATOR // _LOAD_DENOMINATOR


def slots_for(rows: int) -> int:
    """Return the number of slots of a table that has grown to some number of rows.

    Examples
    --------
    >>> slots_for(0), slots_for(716), slots_for(717)
    (1024, 1024, 2048)
    """
    slots = MIN_CAPACITY
    while most_rows(slots) < rows:
        slots *= 2
    return slots


class HashedRows(NamedTuple):
    """The arrays of a table, for kernels.

    Attributes
    ----------
    words : (N, 1 + V) uint64
        A row: its row key, which is the key of its state plus 1 (0 in a free slot), and the bits of its values.
    values : (N, 1 + V) float64
        The same memory as floats; value v is at column 1 + v.
    visits : (N, K) uint32
        Numbers of updates: of a row (K = 1) or of each value (K = V).
    used : (1,) int64
        Rows in use.
    limit
        Largest number of rows in use before the table is doubled.
    initial
        Value of a row that is not in the table.
    width
        Number of values of a row in a table: V, or half of it with two tables.
    """

    words: NDArray[np.uint64]
    values: NDArray[np.float64]
    visits: NDArray[np.uint32]
    used: NDArray[np.int64]
    limit: int
    initial: float
    width: int


@inlined_kernel
def probe(words: NDArray[np.uint64], slot: np.uint64, key: np.uint64) -> np.uint64:
    """Return the first slot from `slot` on that has this row key or is free."""
    last = np.uint64(words.shape[0] - 1)
    while words[slot, 0] != key and words[slot, 0] != _FREE:
        slot = (slot + _1) & last
    return slot


@inlined_kernel
def find(words: NDArray[np.uint64], key: np.uint64) -> np.uint64:
    """Return the slot of a row, or the free slot for its insertion."""
    return probe(words, mix64(key) & np.uint64(words.shape[0] - 1), key)


@implements(api.has_room, HashedRows)
def _has_room(rows: HashedRows, more: int) -> bool:
    return int(rows.used[0]) + more <= rows.limit


@implements(api.row_key, HashedRows)
def _row_key(rows: HashedRows, state: State) -> np.uint64:
    return state_key(state) + _1


@implements(api.find_row, HashedRows)
def _find_row(rows: HashedRows, key: np.uint64) -> np.uint64:
    return find(rows.words, key)


@implements(api.insert_row, HashedRows)
def _insert_row(rows: HashedRows, place: np.uint64, key: np.uint64) -> np.uint64:
    # since `find_row` other rows may have been made, but none deleted: if the slot is taken, the row is behind it
    slot = probe(rows.words, place, key)
    if rows.words[slot, 0] == _FREE:
        rows.words[slot, 0] = key
        for column in range(1, rows.values.shape[1]):
            rows.values[slot, column] = rows.initial
        rows.used[0] += 1
    return slot


@implements(api.value_at, HashedRows)
def _value_at(rows: HashedRows, place: np.uint64, column: int, table: int) -> float:
    # read before it is known to be there: with a branch between them numba counts references to the arrays at each call
    words, initial = rows.words, rows.initial
    value = rows.values[place, 1 + column + table * rows.width]
    if words[place, 0] == _FREE:
        value = initial
    return float(value)


@implements(api.fill_scores, HashedRows)
def _fill_scores(
    rows: HashedRows, place: np.uint64, columns: NDArray[np.uint8], count: int, tie: int, scores: NDArray[np.float64]
) -> float:
    words, values, initial, width = rows.words, rows.values, rows.initial, rows.width
    is_there, is_double = words[place, 0] != _FREE, values.shape[1] > 1 + width
    best = -np.inf
    for rank in range(count):
        column = 1 + ordered(columns, count, rank, tie)
        value = values[place, column] if is_there else initial
        if is_double:
            value += values[place, column + width] if is_there else initial
        scores[rank] = value
        best = max(best, value)
    return best


@implements(api.update_value, HashedRows)
def _update_value(
    rows: HashedRows, place: np.uint64, column: int, table: int, target: float, alpha: float, visit_power: float
) -> float:
    counter = column if rows.visits.shape[1] > 1 else 0
    rows.visits[place, counter] += np.uint32(1)
    if visit_power > 0.0:
        alpha = float(rows.visits[place, counter]) ** -visit_power
    at = 1 + column + table * rows.width
    before = rows.values[place, at]
    after = before + alpha * (target - before)
    rows.values[place, at] = after
    return float(after)


@kernel
def _move_rows(old: HashedRows, new: HashedRows) -> None:
    """Insert every row of `old` into `new`, which is empty.

    The low bits of the mixed key name the slot, so that the rows go to two places that both advance.  Doubling
    therefore accesses memory in order, without a jump for each row.
    """
    for place in range(old.words.shape[0]):
        key = old.words[place, 0]
        if key != _FREE:
            slot = find(new.words, key)
            for column in range(old.words.shape[1]):
                new.words[slot, column] = old.words[place, column]
            for column in range(old.visits.shape[1]):
                new.visits[slot, column] = old.visits[place, column]
    new.used[0] = old.used[0]


@kernel
def _fill_slots(words: NDArray[np.uint64], keys: NDArray[np.uint64], adds: bool, slots: NDArray[np.uint64]) -> None:
    """Fill `slots` (M,) with the places of keys (M,), or of their insertion; with `adds`, insert the keys."""
    for place in range(keys.size):
        slots[place] = find(words, keys[place] + _1)
        if adds:
            words[slots[place], 0] = keys[place] + _1


class SortedRows(NamedTuple):
    """The content of a table by ascending key, independent of its capacity and of the order of insertion.

    Attributes
    ----------
    keys : (M,) uint64
        The keys of the states.
    values : (M, V) float64
        Their values.
    visits : (M, K) uint32
        Their numbers of updates.
    """

    keys: NDArray[np.uint64]
    values: NDArray[np.float64]
    visits: NDArray[np.uint32]


class HashTable(LearnedValues):
    """A hash table of values of states, with 64-bit keys.

    Parameters
    ----------
    num_values
        Number of values of a row in a table.
    initial
        Value of a row that is not in the table.
    capacity
        Initial number of slots, rounded up to a power of two.
    visits_of_each
        Whether visits are counted for each value instead of each row.
    num_tables
        Number of tables; 2 for double Q-learning.  A row has the values of both, V in all.

    Notes
    -----
    A key of all ones cannot be stored.  No exact key of `api.state_key` has this value; a hashed key of Ultimate has it
    with probability 2**-64.  Two of M states share a row with a probability of about M**2 / 2**65.

    Examples
    --------
    >>> table = HashTable(num_values=1)
    >>> table.fill(SortedRows(np.array([3, 7], np.uint64), np.array([[0.5], [-1.0]]), np.ones((2, 1), np.uint32)))
    >>> values, is_there = table.look_up(np.array([7, 8], np.uint64))
    >>> values.tolist(), is_there.tolist(), len(table)
    ([[-1.0], [0.0]], [True, False], 2)
    """

    form: ClassVar[str] = "hashed"
    max_bytes: ClassVar[int] = 16 << 30  # some hundred million states
    grows: ClassVar[bool] = True

    def __init__(
        self,
        num_values: int,
        initial: float = 0.0,
        capacity: int = MIN_CAPACITY,
        visits_of_each: bool = False,
        num_tables: int = 1,
    ) -> None:
        self.num_values, self.num_tables = num_values, num_tables
        self._counters = num_values if visits_of_each else 1
        self.rows = self._allocated(max(MIN_CAPACITY, 1 << (capacity - 1).bit_length()), initial)
        self.peak_bytes = self.memory_bytes
        """Peak bytes of the arrays, which includes both the old and the new arrays of a doubling."""

    @classmethod
    def specs(cls, meta: JsonObject, table: StateTable | None, is_run: bool) -> Mapping[str, ArraySpec]:
        """Return the arrays of a file."""
        states, num_values = int(meta["states"]), _num_values(meta)
        return {
            "steps": ArraySpec("uint64", (states,)),
            "values": ArraySpec("float64", (states, -1), 2 * states * num_values),
            "visits": ArraySpec("uint32", (states, -1), states * num_values),
        }

    def to_arrays(self) -> Packed:
        """Return the arrays of a file: rows by ascending key, whose compressed differences take a third of the size."""
        rows = self.sorted_rows()
        described = {
            "num_values": self.num_values,
            "num_tables": self.num_tables,
            "initial": self.rows.initial,
            "states": len(self),
            "sha256": digest_of(rows),
        }
        steps = np.diff(rows.keys, prepend=np.uint64(0))
        return {"steps": steps, "values": rows.values, "visits": rows.visits}, described

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], meta: JsonObject, table: StateTable | None) -> Self:
        """Return the table of a file; raise ValueError unless it is intact."""
        keys = np.cumsum(arrays["steps"], dtype=np.uint64)
        rows = SortedRows(keys, arrays["values"], arrays["visits"])
        num_values, num_tables, counters = int(meta["num_values"]), int(meta["num_tables"]), rows.visits.shape[1]
        if num_values != _num_values(meta) or counters not in (1, num_values) or len(rows.visits) != keys.size:
            raise ValueError("the shapes of the arrays do not match")
        if rows.values.shape != (keys.size, num_values * num_tables):
            raise ValueError("the shapes of the arrays do not match")
        if (keys[1:] <= keys[:-1]).any() or (keys == ~np.uint64(0)).any():
            raise ValueError("the keys are not sorted")
        if not np.isfinite(rows.values).all() or not rows.visits.any(axis=1).all():
            raise ValueError("a value is not finite, or a state has no visits")
        if digest_of(rows) != meta["sha256"]:  # here, since `sha256` sorts the rows again
            raise ValueError("the hash of the values does not match")
        found = cls(num_values, float(meta["initial"]), visits_of_each=counters > 1, num_tables=num_tables)
        found.fill(rows)
        return found

    def mover(self, play: Learned) -> "HashedMover":
        """Return new moves by the table, for one thread."""
        return HashedMover(self, play)

    def __len__(self) -> int:
        """Return the number of rows in use."""
        return int(self.rows.used[0])

    @property
    def capacity(self) -> int:
        """Number of slots N."""
        return int(self.rows.words.shape[0])

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays."""
        return int(self.rows.words.nbytes + self.rows.visits.nbytes)

    @property
    def slot_bytes(self) -> int:
        """Bytes of a slot: row key, values and visits."""
        return int(self.rows.words.itemsize * self.rows.words.shape[1] + 4 * self.rows.visits.shape[1])

    def sizes(self) -> dict[str, int]:
        """Return the number of states, the bytes of the arrays, and their peak."""
        return {"states": len(self), "memory_bytes": self.memory_bytes, "peak_memory_bytes": self.peak_bytes}

    def is_like(self, other: Self) -> bool:
        """Return whether the rows of both tables have the same layout."""
        shapes = [(one.values.shape[1], one.visits.shape[1], one.width, one.initial) for one in (self.rows, other.rows)]
        return shapes[0] == shapes[1]

    def grow(self) -> None:
        """Double the number of slots; raises TttFastError if there is not enough memory."""
        try:
            self._resize(2 * self.capacity)
        except MemoryError:
            raise TttFastError(
                f"expected memory for more than {len(self):,} states, found no more;"
                f" the table has {self.memory_bytes >> 20:,} MB"
            ) from None

    def _resize(self, slots: int) -> None:
        """Move the rows to new arrays of more slots, a power of two."""
        new = self._allocated(slots, self.rows.initial)
        self.peak_bytes = max(self.peak_bytes, self.memory_bytes + new.words.nbytes + new.visits.nbytes)
        _move_rows(self.rows, new)
        self.rows = new

    def fill(self, content: SortedRows) -> None:
        """Insert rows with new keys; the table grows at once until they fit."""
        if len(self) + content.keys.size > self.rows.limit:
            self._resize(slots_for(len(self) + content.keys.size))
        slots = self._slots(content.keys, adds=True)
        self.rows.values[slots, 1:], self.rows.visits[slots] = content.values, content.visits
        self.rows.used[0] += slots.size

    def look_up(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the values of keys (M,) uint64, (M, V) float64, and a mask of the keys in the table, (M,) bool."""
        slots = self._slots(keys)
        is_there = self.rows.words[slots, 0] != _FREE
        return np.where(is_there[:, None], self.rows.values[slots, 1:], self.rows.initial), is_there

    def sorted_rows(self) -> SortedRows:
        """Return the content of the table."""
        keys = self.rows.words[:, 0]
        keys = keys[keys != _FREE] - _1
        keys.sort()  # much faster than to sort the places by them; the rows are then looked up
        slots = self._slots(keys)
        return SortedRows(keys, self.rows.values[slots, 1:], self.rows.visits[slots])

    def _slots(self, keys: NDArray[np.uint64], adds: bool = False) -> NDArray[np.uint64]:
        """Return the places of keys (M,), or of their insertion, (M,) uint64; with `adds`, insert the keys."""
        slots = np.empty(keys.size, np.uint64)
        _fill_slots(self.rows.words, np.ascontiguousarray(keys, np.uint64), adds, slots)
        return slots

    def sha256(self) -> str:
        """Return the hash of the learned values: equal bits, equal hash."""
        return digest_of(self.sorted_rows())

    def _allocated(self, capacity: int, initial: float) -> HashedRows:
        """Return empty arrays; rows of eight words begin at a cache line."""
        width = 1 + self.num_values * self.num_tables
        words = zeros_in_lines(capacity * width, np.uint64).reshape(capacity, width)
        visits = np.zeros((capacity, self._counters), np.uint32)
        used, limit = np.zeros(1, np.int64), most_rows(capacity)
        return HashedRows(words, words.view(np.float64), visits, used, limit, float(initial), self.num_values)


class HashedMover:
    """Moves by a hash table, for one thread.  With two tables (double Q-learning), the value is their mean."""

    def __init__(self, table: HashTable, play: Learned) -> None:
        self._table, self._by_board, self._tie = table, play.by_board, TIES[play.tie]
        num_actions = play.game.num_actions
        self._actions, self._scores = np.empty(num_actions, np.uint8), np.empty(num_actions)

    def choose(self, state: GameState, words: Stream) -> tuple[int, float, int]:
        """Return the action of the highest value in an ongoing state, its value, and the number of legal actions."""
        work = self._actions, self._scores, words.word()
        action, value, count = choose_greedy(state, self._table.rows, self._by_board, self._tie, *work)
        return int(action), float(value) / self._table.num_tables, int(count)

    def action_values(self, state: GameState) -> dict[int, float]:
        """Return the value of each legal action that the table knows, in units of the rewards."""
        actions = games.legal_actions(state)
        if self._by_board:
            values, known = self._table.look_up(
                np.array([state_key(games.play(state, one)) for one in actions], np.uint64)
            )
            return {action: float(values[place, 0]) for place, action in enumerate(actions) if known[place]}
        values, known = self._table.look_up(np.array([state_key(state)], np.uint64))
        mean = values[0].reshape(self._table.num_tables, -1).mean(axis=0)
        return {action: float(mean[action]) for action in actions if known[0]}


def _num_values(meta: JsonObject) -> int:
    """Return the number of values of a state, by the description of a file."""
    return 1 if meta["by_board"] else parse_game(str(meta["game"])).num_actions


def digest_of(rows: SortedRows) -> str:
    """Return the hash of the content of a table."""
    digest = hashlib.sha256(rows.keys.data)
    digest.update(rows.values.ravel().data)  # no copy: the rows may fill half of the memory
    return digest.hexdigest()

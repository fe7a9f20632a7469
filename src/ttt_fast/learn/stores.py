"""The values of a run while the general kernels learn: what they read and update, and what a checkpoint keeps."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.errors import TttFastError
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.settings import DOUBLE_Q
from ttt_fast.tables import StateTable, table_of
from ttt_fast.values.dense import DenseRows, EdgeValues
from ttt_fast.values.hashed import MIN_CAPACITY, HashTable

Values = EdgeValues | HashTable
"""What a run has learned: the actions of a table of states, or a hash table of the states that it has met."""


def nothing_learned(config: TrainingConfig) -> Values:
    """Return the values before the first episode: over the table of the game, if it has one.

    Examples
    --------
    >>> nothing_learned(TrainingConfig(algorithm="double-q")).tables.shape
    (2, 16167)
    >>> nothing_learned(TrainingConfig(game="connect4")).num_values
    7
    """
    return empty_edges(config, table_of(config.played)) if config.has_table else empty_hash_table(config)


def num_tables(config: TrainingConfig) -> int:
    """Return the number of tables of an algorithm, T."""
    return 2 if config.algorithm == DOUBLE_Q else 1


def empty_edges(config: TrainingConfig, table: StateTable) -> EdgeValues:
    """Return the values of all actions of a table; those of seats that do not learn are 0."""
    own = np.isin(table.player, config.seats)[table.edge_state]
    values = np.where(own, config.initial_q, 0.0)
    return EdgeValues(table, np.array([values] * num_tables(config)), np.zeros(own.size, np.int64))


def empty_hash_table(config: TrainingConfig, capacity: int = MIN_CAPACITY) -> HashTable:
    """Return a hash table for a game, with or without a table of states."""
    num_values = 1 if config.by_board else config.played.num_actions
    of_each = not config.by_board and config.step_sizes.by_visits
    return HashTable(num_values, config.initial_q, capacity, of_each, num_tables(config))


class Store(Protocol):
    """Values in the form of the kernels."""

    @property
    def rows(self) -> Any:
        """The arrays that kernels take, now."""

    def grow(self) -> None:
        """Make room for more rows."""

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values that the learner acts on, (E,) float64, where the game has a table."""

    def values(self) -> Values:
        """Return what has been learned."""


class ActionStore:
    """Values of the actions of a table of states."""

    def __init__(self, before: EdgeValues) -> None:
        self.table, self._is_double = before.table, len(before.tables) > 1
        second = before.tables[1].copy() if self._is_double else np.zeros(self.table.num_edges)
        self.rows = DenseRows(self.table.edge_start, before.tables[0].copy(), second, before.updates.copy())

    def grow(self) -> None:
        """Do nothing: there is room for all."""

    def edge_values(self) -> NDArray[np.float64]:
        """Return the table, or the mean of both."""
        total: NDArray[np.float64] = self.rows.first + self.rows.second
        return total / 2 if self._is_double else total

    def values(self) -> EdgeValues:
        """Return a copy."""
        tables = [self.rows.first, self.rows.second] if self._is_double else [self.rows.first]
        return EdgeValues(self.table, np.array(tables), self.rows.updates.copy())


class BoardStore:
    """Values of the boards of a table of states: the value of an action is that of the board after it."""

    def __init__(self, before: EdgeValues, config: TrainingConfig) -> None:
        table = self.table = before.table
        self._own = np.isin(table.player, config.seats)[table.edge_state]
        values, updates = np.zeros(table.num_states), np.zeros(table.num_states, np.int64)
        values[table.edge_child[self._own]] = before.tables[0][self._own]
        updates[table.edge_child[self._own]] = before.updates[self._own]
        start = np.arange(table.num_states + 1, dtype=np.int32)
        start.flags.writeable = False  # as those of a table: one signature of the kernels
        self.rows = DenseRows(start, values, np.zeros(0), updates)

    def grow(self) -> None:
        """Do nothing: there is room for all."""

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values of the boards after each edge."""
        values: NDArray[np.float64] = self.rows.first[self.table.edge_child]
        return values

    def values(self) -> EdgeValues:
        """Return the values of the actions of the seats that learn."""
        after = self.table.edge_child
        tables = np.where(self._own, self.rows.first[after], 0.0)[None]
        return EdgeValues(self.table, tables, np.where(self._own, self.rows.updates[after], 0))


class HashStore:
    """Values of states or boards in a hash table, which grows."""

    def __init__(self, table: HashTable) -> None:
        self.table = table

    @property
    def rows(self) -> Any:
        """The arrays of the table."""
        return self.table.rows

    def grow(self) -> None:
        """Double the table."""
        try:
            self.table.grow()
        except MemoryError:
            raise TttFastError(
                f"expected memory for more than {len(self.table):,} states, found no more;"
                f" the table has {self.table.memory_bytes >> 20:,} MB"
            ) from None

    def edge_values(self) -> NDArray[np.float64]:
        """Raise TypeError: nothing is exact without a table of states."""
        raise TypeError("expected a table of states, got a hash table")

    def values(self) -> HashTable:
        """Return the table itself."""
        return self.table


def store_of(before: Values, config: TrainingConfig) -> Store:
    """Return the values of a run in the form of the kernels."""
    if isinstance(before, HashTable):
        return HashStore(before)
    return BoardStore(before, config) if config.by_board else ActionStore(before)

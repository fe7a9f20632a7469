"""The values of a run during learning: the arrays of the general kernels, and the content of a checkpoint."""

import numpy as np
from numpy.typing import NDArray

from ttt_fast.core.plain import frozen
from ttt_fast.games.game import PATTERNS
from ttt_fast.learn.algorithms import TabularSettings, TdSettings
from ttt_fast.learn.config import TrainingConfig
from ttt_fast.learn.dqn.untrained import untrained
from ttt_fast.learn.settings import DOUBLE_Q, DQN, TD
from ttt_fast.tables import table_of
from ttt_fast.values.dense import DenseRows, EdgeValues
from ttt_fast.values.hashed import MIN_CAPACITY, HashTable
from ttt_fast.values.learned import LearnedValues
from ttt_fast.values.ntuples import NTupleValues


def nothing_learned(config: TrainingConfig) -> LearnedValues:
    """Return the values before the first episode; the only function that chooses their kind.

    Examples
    --------
    >>> nothing_learned(TrainingConfig(algorithm="double-q")).tables.shape
    (2, 16167)
    >>> nothing_learned(TrainingConfig(game="connect4")).num_values
    7
    """
    if config.algorithm == DQN:
        return untrained(config)
    if config.algorithm == TD and config.played.kind.features == PATTERNS:
        from ttt_fast.learn.ultimate.start import drawn  # lazy: no other run needs searches

        return drawn(config)
    if config.algorithm == TD:
        settings = TdSettings.of(config)
        tuples, is_coherent = settings.n_tuples(), bool(settings.coherent)
        errors = np.zeros(2 * tuples.num_weights if is_coherent else 0, np.float32)
        return NTupleValues(tuples, config.played, None, is_coherent, errors, config.has_table)
    if not config.has_table:
        return empty_hash_table(config)
    table = table_of(config.played)
    own = np.isin(table.player, config.seats)[table.edge_state]
    values = np.where(own, TabularSettings.of(config).initial_q, 0.0)  # 0 for seats that do not learn
    return EdgeValues(table, np.array([values] * num_tables(config)), np.zeros(own.size, np.int64))


def first_values(config: TrainingConfig) -> LearnedValues:
    """Return the initial values of a run: untrained, or those of the file from which it starts.

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, of another kind, or written by a newer version.
    AgentError
        If the file is for another game, or holds something other than the network of a run.
    """
    if not isinstance(config.settings, TdSettings) or config.settings.start_from is None:
        return nothing_learned(config)
    from ttt_fast.learn.ultimate.start import started

    return started(config)


def num_tables(config: TrainingConfig) -> int:
    """Return the number of tables of an algorithm, T."""
    return 2 if config.algorithm == DOUBLE_Q else 1


def empty_hash_table(config: TrainingConfig, capacity: int = MIN_CAPACITY) -> HashTable:
    """Return a hash table for a game with or without a table of states."""
    num_values = 1 if config.by_board else config.played.num_actions
    settings = TabularSettings.of(config)
    of_each = not config.by_board and settings.step_sizes.by_visits
    return HashTable(num_values, settings.initial_q, capacity, of_each, num_tables(config))


class DenseStore:
    """Values over a table of states, in the layout of the general kernels.

    By action, a row is a state.  By board, it is the board after an action, and has the value of that action.

    Parameters
    ----------
    before
        The values so far; copied.
    config
        The settings of the run.
    """

    def __init__(self, before: EdgeValues, config: TrainingConfig) -> None:
        table = self._table = before.table
        self._own = np.isin(table.player, config.seats)[table.edge_state]
        self._at: NDArray[np.integer] = table.edge_child if config.by_board else np.arange(table.num_edges)
        self._number, size = len(before.tables), table.num_states if config.by_board else table.num_edges
        first, second, updates = np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
        for values, learned in zip((updates, first, second), (before.updates, *before.tables), strict=False):
            values[self._at[self._own]] = learned[self._own]
        start = np.arange(size + 1, dtype=np.int32) if config.by_board else table.edge_start
        # frozen as those of a table: one signature of the kernels
        self.rows = DenseRows(frozen(start), first, second, updates)

    def edge_values(self) -> NDArray[np.float64]:
        """Return the values of the actions, (E,) float64: the table, or the mean of both."""
        total: NDArray[np.float64] = (self.rows.first + self.rows.second)[self._at]
        return total / self._number

    def values(self) -> EdgeValues:
        """Return a copy of the action values; those of seats that do not learn are 0."""
        tables = [np.where(self._own, one[self._at], 0.0) for one in (self.rows.first, self.rows.second)]
        updates = np.where(self._own, self.rows.updates[self._at], 0)
        return EdgeValues(self._table, np.array(tables[: self._number]), updates)
